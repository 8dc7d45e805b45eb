package protocol

import "github.com/go-json-experiment/json/jsontext"

// Kind says what a reply is.
type Kind string

// The kinds of reply (plugin-ai document, section 4.1). There is no other.
const (
	KindChat  Kind = "chat"
	KindCmd   Kind = "cmd"
	KindError Kind = "error"
)

// Format says how the message of a chat is written.
type Format string

// The formats of a chat; plain is the default (plugin-ai document, section 5).
const (
	FormatPlain    Format = "plain"
	FormatMarkdown Format = "markdown"
)

// Tool names what carries a step out.
type Tool string

// The tools of a step (plugin-ai document, section 12). Exec is meant where a
// step names none.
const (
	ToolExec      Tool = "exec"
	ToolPluginRun Tool = "plugin.run"
	ToolJSONPatch Tool = "config.json_patch"
	// ToolBashExec is pai's (pai document, section 1): a shell string. Only
	// `ai chat` offers it, where the person switched it on.
	ToolBashExec Tool = "bash_exec"
	// ToolDecide asks the person to decide (decide document).
	ToolDecide Tool = "decide.ask"
)

// A Reply is one answer of a model. Exactly one of Chat and Cmd is set for
// those kinds; an error has neither.
type Reply struct {
	Type    Kind
	Message string // for the person, whatever the kind
	Chat    *Chat
	Cmd     *Cmd
}

// Chat is the data of a chat reply.
type Chat struct {
	Format      Format
	Suggestions []string // offered as next inputs, never executed
}

// Cmd is the data of a cmd reply.
type Cmd struct {
	CWD            string // absolute; "" is the folder that the user started in
	Steps          []Step // one at least, in the order of execution
	ExpectedEffect string
}

// A Step is one thing to do. Which fields count depends on Tool.
type Step struct {
	Tool     Tool
	Requires Requires

	// Exec: the program and its arguments, passed on unchanged. PluginRun
	// takes Args too.
	Program string
	Args    []string

	// PluginRun.
	Plugin      string // the alias in the plugin registry
	Interactive bool

	// JSONPatch: either Patch, or Set and Unset.
	Path  string
	Patch []Operation
	Set   []Assignment
	Unset []string // JSON Pointers

	// BashExec.
	Command        string // as bash runs it
	CWD            string // absolute; "" is the folder of the reply
	TimeoutSeconds int    // 0 is 60

	// Decide.
	Task  string         // what the questions are about
	Items jsontext.Value // the questions, as the schema decide_input has them
}

// Requires is the model's own word about a step. It can raise the risk level
// and never lowers it (plugin-ai document, section 6).
type Requires struct {
	Confirm  bool `json:"confirm"`
	Elevated bool `json:"elevated"`
	Network  bool `json:"network"`
	Write    bool `json:"write"`
}

// An Operation is one operation of RFC 6902.
type Operation struct {
	Op    string         `json:"op"`
	Path  string         `json:"path"`
	From  string         `json:"from,omitzero"`
	Value jsontext.Value `json:"value,omitzero"` // as the model spelled it
}

// An Assignment sets the value at a JSON Pointer.
type Assignment struct {
	Path  string
	Value jsontext.Value // as the model spelled it
}
