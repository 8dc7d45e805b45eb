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
type yes struct{ runner.Asker }

// Decider names the flag as the one who decides.
func (yes) Decider() protocol.Decider { return protocol.DecidedByFlag }

// Confirm allows what a person may allow. L2 is refused by the runner before
// it gets here, and is no yes here either.
func (y yes) Confirm(ctx context.Context, q runner.Confirmation) (runner.Choice, error) {
	if err := ctx.Err(); err != nil {
		return runner.No, err
	}
	if q.Judgement.Level >= protocol.Block {
		return runner.No, nil
	}
	return runner.Yes, nil
}
