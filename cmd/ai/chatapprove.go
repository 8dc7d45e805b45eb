package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// grants are the classes that --approve names. A class is a fact that the
// policy finds; more rights (sudo) can be granted to nobody.
type grants []protocol.Fact

// classNames are the classes that --approve takes.
func classNames() []string {
	var names []string
	for _, f := range []protocol.Fact{
		protocol.FactWrite, protocol.FactNetwork, protocol.FactCode,
		protocol.FactDestructive, protocol.FactSecrets, protocol.FactUnbounded,
	} {
		names = append(names, string(f))
	}
	return names
}

func parseGrants(names []string) (grants, error) {
	var g grants
	for _, name := range names {
		name = strings.TrimSpace(name)
		if !slices.Contains(classNames(), name) {
			return nil, fmt.Errorf("--approve: expected classes of %s, got %q", strings.Join(classNames(), ", "), name)
		}
		g = append(g, protocol.Fact(name))
	}
	return g, nil
}

// missing gives the facts of a step that are not granted.
func (g grants) missing(facts []protocol.Fact) []string {
	var missing []string
	for _, f := range facts {
		if !slices.Contains(g, f) {
			missing = append(missing, string(f))
		}
	}
	return missing
}

// chatAsker stands where a person would be asked. Nobody is: --approve has
// said yes before, to everything that does no more than its classes.
type chatAsker struct {
	granted grants
	notify  func(runner.Notice)
}

// Decider tells who gives the answers: the command line.
func (chatAsker) Decider() protocol.Decider { return protocol.DecidedByFlag }

// Confirm allows a step whose facts are all granted. One without any facts
// is of no class, and cannot be granted.
func (a chatAsker) Confirm(ctx context.Context, q runner.Confirmation) (runner.Choice, error) {
	if err := ctx.Err(); err != nil {
		return runner.No, err
	}
	facts := q.Judgement.Facts
	missing := a.granted.missing(facts)
	switch {
	case q.Judgement.Level >= protocol.Block:
		return runner.No, nil
	case q.Person || q.Screen || q.Again && q.Bare:
		return runner.No, fmt.Errorf("%w, and only a person who looks at it could allow it", runner.ErrNobody)
	case len(facts) == 0:
		return runner.No, fmt.Errorf("%w, and it is of no class that --approve could name", runner.ErrNobody)
	case len(missing) > 0:
		for _, name := range missing {
			if !slices.Contains(classNames(), name) {
				return runner.No, fmt.Errorf("%w, and it is of the class %s, which --approve does not take", runner.ErrNobody, name)
			}
		}
		return runner.No, fmt.Errorf("%w (--approve with %s would allow it)", runner.ErrNobody, strings.Join(missing, ","))
	}
	return runner.Yes, nil
}

func (chatAsker) Edit(context.Context, string, string) (string, error) { return "", runner.ErrNobody }
func (chatAsker) EditFile(context.Context, string, []byte) ([]byte, error) {
	return nil, runner.ErrNobody
}
func (chatAsker) Select(context.Context, string, []string) (int, error) { return -1, runner.ErrNobody }
func (chatAsker) Input(context.Context, string) (string, error)         { return "", runner.ErrNobody }

// Notify tells something that needs no answer.
func (a chatAsker) Notify(n runner.Notice) { a.notify(n) }
