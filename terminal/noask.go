package terminal

import (
	"context"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// nobody is the Asker where there is no one to ask.
type nobody struct{ face *Face }

func (nobody) Confirm(context.Context, runner.Confirmation) (runner.Choice, error) {
	return runner.No, runner.ErrNobody
}
func (nobody) Edit(context.Context, string, string) (string, error) { return "", runner.ErrNobody }
func (nobody) EditFile(context.Context, string, []byte) ([]byte, error) {
	return nil, runner.ErrNobody
}
func (nobody) Select(context.Context, string, []string) (int, error) {
	return -1, runner.ErrNobody
}
func (nobody) Input(context.Context, string) (string, error) { return "", runner.ErrNobody }
func (n nobody) Notify(notice runner.Notice)                 { n.face.Notify(notice) }

// yes is the Asker of --yes.
type yes struct {
	runner.Asker      // who is asked what a flag cannot answer
	byUser       bool // the last answer came from there
}

// Decider tells who gave the last answer: the flag or the person.
func (y *yes) Decider() protocol.Decider {
	if y.byUser {
		return protocol.DecidedByUser
	}
	return protocol.DecidedByFlag
}

// Confirm allows what a person may allow without looking at it. L2 is refused
// by the runner before it gets here, and is no yes here either.
func (y *yes) Confirm(ctx context.Context, q runner.Confirmation) (runner.Choice, error) {
	y.byUser = false
	if err := ctx.Err(); err != nil {
		return runner.No, err
	}
	if q.Judgement.Level >= protocol.Block {
		return runner.No, nil
	}
	// What the sandbox stopped goes on without one only by a person's word.
	if q.Person || q.Again && q.Bare {
		y.byUser = true
		return y.Asker.Confirm(ctx, q)
	}
	return runner.Yes, nil
}
