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
			all := strings.Join(classNames(), ", ")
			return nil, chinese(fmt.Errorf("--approve: expected classes of %s, got %q", all, name), fmt.Sprintf("--approve：应为以下类别：%s，实际为 %q", all, name), "")
		}
		g = append(g, protocol.Fact(name))
	}
	return g, nil
}

// needed are the classes that a step needs. Code can change every file that
// its sandbox lets it change, whatever it says of itself: it needs writing as
// well. So does a script of which no more is known than that it is to be asked
// for, such as one that takes words from the output of a command.
func needed(step protocol.Step, facts []protocol.Fact) []protocol.Fact {
	if len(facts) == 0 && step.Tool == protocol.ToolBashExec {
		return []protocol.Fact{protocol.FactCode, protocol.FactWrite}
	}
	if slices.Contains(facts, protocol.FactCode) && !slices.Contains(facts, protocol.FactWrite) {
		facts = append(slices.Clone(facts), protocol.FactWrite)
	}
	return facts
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

// Confirm allows a step all of whose classes are granted. A command without
// any facts is of no class, and cannot be granted.
func (a chatAsker) Confirm(ctx context.Context, q runner.Confirmation) (runner.Choice, error) {
	if err := ctx.Err(); err != nil {
		return runner.No, err
	}
	facts := needed(q.Step, q.Judgement.Facts)
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
