package runner

import "context"

// Input is what the person says.
type Input struct {
	Text    string // the question
	Context string // what was piped in beside it; "" is nothing
}

// A Runner carries one conversation. It is used by one caller at a time.
type Runner struct{}

// Prompt carries one input through the loop to its end. Cancelling the
// context ends it at once, and the conversation can go on after it.
func (r *Runner) Prompt(ctx context.Context, input Input) Result { return Result{} }

// Forget drops the conversation so far.
func (r *Runner) Forget() {}
