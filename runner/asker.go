package runner

import (
	"context"
	"errors"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/internal/diff"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// ErrNobody is what an [Asker] returns where there is nobody to ask. It is
// always a no. An error that wraps it may say more; the model is told so.
var ErrNobody = errors.New("there is nobody to ask")

// ErrUndecided is that the person was asked to decide and left the questions.
var ErrUndecided = errors.New("the person decided nothing")

// An Asker asks the person. Every error is a no; a cancelled context ends the
// prompt. Methods are called from the goroutine of [Runner.Prompt], one at a
// time.
type Asker interface {
	// Confirm asks whether a step may run.
	Confirm(ctx context.Context, question Confirmation) (Choice, error)
	// Edit lets the person change a text; the answer is the whole new text.
	Edit(ctx context.Context, title, text string) (string, error)
	// Select asks for one of the options and gives its index.
	Select(ctx context.Context, title string, options []string) (int, error)
	// EditFile lets the person change a whole file in an editor of theirs; name
	// is what the file is called. The answer is the whole new text.
	EditFile(ctx context.Context, name string, text []byte) ([]byte, error)
	// Input asks for a line; "" is no answer.
	Input(ctx context.Context, title string) (string, error)
	// Notify tells something that needs no answer.
	Notify(notice Notice)
}

// A Confirmation is all that a person needs to decide about a step.
type Confirmation struct {
	ID             string
	Step           protocol.Step
	CWD            string
	Judgement      policy.Judgement
	Message        string // why the model wants it
	ExpectedEffect string
	// Change is what a config.json_patch step would do to its file; nil for
	// other tools.
	Change *FileChange
	// Screen tells that the step opens a plugin's own screen, which gets the
	// terminal until it ends.
	Screen bool
	// Person tells that only a person who looks at it may say yes: a flag is
	// not enough.
	Person bool
	// Bare tells that there will be no sandbox around the step.
	Bare bool
	// Again tells that the step has run and the sandbox stopped it; the
	// judgement says at what, and a yes runs it again with that allowed.
	Again bool
}

// A FileChange is a change of a file that a person sees before it is made.
type FileChange struct {
	Path    string // real
	Created bool   // the file is not there yet
	Removed bool   // the file will not be there any more
	// Diff has its secrets masked.
	Diff diff.Diff
	// Again tells that the file was changed by somebody else since the last
	// diff was shown, and this is the new one.
	Again bool
}

// Unified is the diff as text, in the unified format.
func (c *FileChange) Unified() string {
	old, fresh := c.Path, c.Path
	if c.Created {
		old = "/dev/null"
	}
	if c.Removed {
		fresh = "/dev/null"
	}
	return c.Diff.Unified(old, fresh)
}

// A Lender lends the terminal to a program: until use returns nothing else is
// read from it or written to it. An error is that there is none to lend.
type Lender interface {
	Lend(use func(executors.Console)) error
}

// Choice is the answer to a [Confirmation].
type Choice string

// The choices. What is none of them is a no.
const (
	Yes    Choice = "yes"
	No     Choice = "no"
	Edit   Choice = "edit"   // the person changes the command, which is judged again
	Always Choice = "always" // yes, and for this exact step for the rest of the session
)

// NoticeKind says how much a notice matters.
type NoticeKind string

// The kinds of notice.
const (
	NoticeInfo    NoticeKind = "info"
	NoticeWarning NoticeKind = "warning"
	NoticeError   NoticeKind = "error"
)

// A Notice is something that the person is told while a prompt runs.
type Notice struct {
	Kind NoticeKind
	Text string
}
