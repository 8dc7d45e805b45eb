// Package runner is the loop: ask the model, decode its answer, judge every
// step, carry out the allowed ones, observe, and ask again until the answer is
// there.
//
// Start with [Runner.Prompt]; it reads from top to bottom. A face learns what
// happens from [Event] values and is asked through [Asker]. The runner knows
// no terminal, no provider and no file format.
package runner
