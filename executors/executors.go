package executors

import (
	"os"
	"time"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// A Command is a program to run, already judged.
type Command struct {
	Name string   // what the model called it; argv[0]
	Path string   // the real path of the program
	Args []string // passed on unchanged
	Dir  string   // absolute
	Env  []string // KEY=value, added to the scrubbed environment

	// Timeout is the time limit; 0 is that of the configuration.
	Timeout time.Duration

	// Plugin is the alias of the SlothTool plugin that the command runs; "" is
	// none. Its output is parsed as a plugin's.
	Plugin string

	// Sandbox is the wall to run behind; nil is none. A command whose wall
	// cannot be entered is not started.
	Sandbox *sandbox.Profile
}

// A Result is what really happened.
type Result struct {
	Outcome    protocol.Outcome // Ran, TimedOut, Cancelled or NotStarted
	ExitCode   *int             // nil when nothing ran or a signal ended it
	Note       string           // why it did not start or was ended; "" where it ended by itself
	Duration   time.Duration
	Stdout     string // the tail, as text
	Stderr     string
	Truncated  bool   // a tail left something out
	OutputFile string // the spool, where a tail left something out; "" is none
	Parsed     *protocol.Parsed

	Sandbox   string             // what the kernel enforced; "" is nothing
	Violation *sandbox.Violation // what the wall most likely stopped, which Note tells as well; nil is nothing
}

// Chunk is output as it arrives, for a face to show. It is text: escapes
// stripped, whole characters.
type Chunk struct {
	Stderr bool
	Text   string
}

// A Console is a terminal that a command gets for itself.
type Console struct{ In, Out, Err *os.File }
