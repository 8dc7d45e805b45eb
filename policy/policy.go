package policy

import "github.com/holic512/plugin-ai/protocol"

// A Step is what is judged: a program, its arguments, and where it would run.
type Step struct {
	Program  string
	Args     []string
	CWD      string // absolute
	Requires protocol.Requires
}

// A Judgement is what the policy says about a step. It holds all that is
// needed to run exactly what was judged.
type Judgement struct {
	Level   protocol.Level
	Rules   []string        // the rules hit, most important first: "write=true", "git.commit"
	Reasons []string        // why, in words, in the order of Rules
	Facts   []protocol.Fact // sorted, without doubles

	// Listed is false where the program is not in allowedPrograms; such a
	// step is refused whatever its level.
	Listed bool

	// Path is the real path of the program that was judged; "" where none
	// was found. What runs is this path, with Args, in CWD, with Env added.
	Path string
	Args []string // as they run: the judged arguments, hardened where a rule says so
	CWD  string
	Env  []string // KEY=value, added to the step's environment

	// Writes are the files and folders that the words of the command say it
	// writes or removes: absolute, links resolved. What a program does beside
	// its words is not among them.
	Writes []string
}

// A PluginStep is the run of a SlothTool plugin, which is to be judged.
type PluginStep struct {
	Alias    string
	Args     []string
	CWD      string // absolute
	Requires protocol.Requires

	// Bin is the real path of the plugin's program, which node runs.
	Bin string
	// Screen says in words why this run would open the plugin's own screen;
	// "" is that it would not.
	Screen string
	// Declared is what the plugin says of itself that it does. It only adds.
	Declared []protocol.Fact
}

// A PatchStep is a change of a JSON settings file, which is to be judged.
type PatchStep struct {
	Path     string // real, absolute
	Requires protocol.Requires
	// Members are the top-level members whose values would change.
	Members []string
}
