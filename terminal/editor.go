package terminal

import "context"

func (a *asker) edit(ctx context.Context, text string) (string, error) {
	return a.ask(ctx, text)
}
