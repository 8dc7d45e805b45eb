package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holic512/plugin-ai/protocol"
)

// A plugged is a home folder with a plugin, a folder to work in, and a node.
type plugged struct {
	root, home, work, bin, node string
}

func newPlugged(t testing.TB) plugged {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := plugged{root, filepath.Join(root, "home"), filepath.Join(root, "work"), "", filepath.Join(root, "programs", "node"+programEndings()[0])}
	p.bin = p.file(t, "home/.slothtool/plugins/loc/node_modules/plugin-loc/bin/loc.js")
	p.file(t, "work/.keep")
	p.file(t, "programs/"+filepath.Base(p.node))
	if err := os.Chmod(p.node, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p plugged) file(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(p.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (p plugged) engine(t testing.TB, opt Options) *Engine {
	t.Helper()
	opt.Files, opt.Home, opt.Workspace = osFiles{}, p.home, p.work
	if opt.SearchPath == nil {
		opt.SearchPath = []string{filepath.Dir(p.node)}
	}
	return wordsEngine(t, opt)
}

func (p plugged) step(args ...string) PluginStep {
	return PluginStep{Alias: "loc", Args: args, CWD: p.work, Bin: p.bin}
}

// why are all the reasons of a judgement.
func why(j Judgement) string { return strings.Join(j.Reasons, "\n") }

func TestJudgePlugin(t *testing.T) {
	t.Parallel()
	p := newPlugged(t)
	safe := open(Options{SafePlugins: map[string][]string{
		"loc":  {"./src", "list --json", "list *", "show key", "'*'", "--help x", ""},
		"todo": {"*", "read .env", "read *"},
	}})
	code := protocol.FactCode
	for _, tt := range []struct {
		name  string
		opt   Options
		step  func(*PluginStep)
		args  []string
		level protocol.Level
		rules string
		facts []protocol.Fact
	}{
		{"plain work", open(Options{}), nil, []string{"./src"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"no arguments", open(Options{}), nil, nil, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"help", open(Options{}), nil, []string{"--help"}, protocol.Safe, "plugin.help", []protocol.Fact{code}},
		{"version", open(Options{}), nil, []string{"--version"}, protocol.Safe, "plugin.help", []protocol.Fact{code}},
		{"short help", open(Options{}), nil, []string{"-h"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"help of a command", open(Options{}), nil, []string{"add", "--help"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"help and more", open(Options{}), nil, []string{"--help", "add"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"help twice", open(Options{}), nil, []string{"--help", "--version"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"help with a value", open(Options{}), nil, []string{"--help=x"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"help in another case", open(Options{}), nil, []string{"--HELP"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},

		{"safe line", safe, nil, []string{"./src"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"safe line without arguments", safe, nil, nil, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"not whole", safe, nil, []string{"./src2"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"one word more", safe, nil, []string{"./src", "x"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"another spelling", safe, nil, []string{"./src/"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"words in one", safe, nil, []string{"list --json"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"any words", safe, nil, []string{"list", "a", "b"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"none of any words", safe, nil, []string{"list"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"an option among any words", safe, nil, []string{"list", "a", "--delete"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"a dash among any words", safe, nil, []string{"list", "-"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"an option after --", safe, nil, []string{"list", "--", "x"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"any words before", safe, nil, []string{"x", "list"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"a quoted star is a star", safe, nil, []string{"*"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"and no pattern", safe, nil, []string{"remove"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"another plugin's lines", safe, func(s *PluginStep) { s.Alias = "todo" }, []string{"remove", "1"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"a secret place that is named", safe, func(s *PluginStep) { s.Alias = "todo" }, []string{"read", ".env"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"a secret place that is not", safe, func(s *PluginStep) { s.Alias = "todo" }, []string{"read", "a", ".env"}, protocol.Confirm, "secrets safePlugins", []protocol.Fact{code, protocol.FactSecrets}},
		{"an alias in another case", safe, func(s *PluginStep) { s.Alias = "Todo" }, []string{"remove"}, protocol.Confirm, "plugin name plugin.run", []protocol.Fact{code}},
		{"any words that are a secret place", safe, nil, []string{"list", "~/.ssh/id_rsa"}, protocol.Confirm, "secrets safePlugins", []protocol.Fact{code, protocol.FactSecrets}},
		{"a secret place by its way", safe, nil, []string{"list", "../home/.ssh"}, protocol.Confirm, "secrets safePlugins", []protocol.Fact{code, protocol.FactSecrets}},
		{"a word that is no place", safe, nil, []string{"list", "password"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"a secret place at work", open(Options{}), nil, []string{"--from=~/.ssh"}, protocol.Confirm, "plugin.run secrets", []protocol.Fact{code, protocol.FactSecrets}},

		{"a secret place in an option", open(Options{}), nil, []string{"--from=/etc/sudoers"}, protocol.Confirm, "plugin.run secrets", []protocol.Fact{code, protocol.FactSecrets}},

		{"its screen", safe, func(s *PluginStep) { s.Screen = "-i opens the screen of loc" }, []string{"-i"}, protocol.Confirm, "plugin.screen plugin.run", []protocol.Fact{code}},
		{"the screen of a safe line", safe, func(s *PluginStep) { s.Screen = "x" }, nil, protocol.Confirm, "plugin.screen safePlugins", []protocol.Fact{code}},
		{"the screen of help", safe, func(s *PluginStep) { s.Screen = "x" }, []string{"--help"}, protocol.Confirm, "plugin.screen plugin.help", []protocol.Fact{code}},

		{"declares", open(Options{}), func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactNetwork} }, []string{"x"}, protocol.Confirm, "network=true plugin.run plugin.declares", []protocol.Fact{code, protocol.FactNetwork}},
		{"declares, safe line", safe, func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactWrite} }, []string{"./src"}, protocol.Confirm, "write=true plugin.declares safePlugins", []protocol.Fact{code, protocol.FactWrite}},
		{"declares code, safe line", safe, func(s *PluginStep) { s.Declared = []protocol.Fact{code} }, []string{"./src"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"declares what nobody knows", safe, func(s *PluginStep) { s.Declared = []protocol.Fact{"magic"} }, []string{"./src"}, protocol.Confirm, "plugin.declares safePlugins", []protocol.Fact{code, "magic"}},
		{"declares, help", open(Options{}), func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactNetwork, protocol.FactWrite} }, []string{"--help"}, protocol.Safe, "plugin.help", []protocol.Fact{code}},
		{"declares more rights", safe, func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactElevated} }, []string{"./src"}, protocol.Block, "elevated=true safePlugins", []protocol.Fact{code, protocol.FactElevated}},
		{"declares more rights, help", open(Options{}), func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactElevated} }, []string{"--help"}, protocol.Block, "elevated=true plugin.help", []protocol.Fact{code, protocol.FactElevated}},

		{"the model wants a confirmation", safe, func(s *PluginStep) { s.Requires.Confirm = true }, []string{"./src"}, protocol.Confirm, "confirm=true safePlugins", []protocol.Fact{code}},
		{"the model says network", safe, func(s *PluginStep) { s.Requires.Network = true }, []string{"--help"}, protocol.Confirm, "network=true plugin.help", []protocol.Fact{code, protocol.FactNetwork}},
		{"the model wants more rights", safe, func(s *PluginStep) { s.Requires.Elevated = true }, []string{"--help"}, protocol.Block, "elevated=true plugin.help", []protocol.Fact{code, protocol.FactElevated}},

		{"no writing, it says nothing", Options{AllowNetwork: true}, nil, []string{"x"}, protocol.Confirm, "plugin.run", []protocol.Fact{code}},
		{"no writing, it declares", Options{AllowNetwork: true}, func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactWrite} }, []string{"x"}, protocol.Block, "write=true plugin.run plugin.declares", []protocol.Fact{code, protocol.FactWrite}},
		{"no writing, the model says it", Options{AllowNetwork: true}, func(s *PluginStep) { s.Requires.Write = true }, []string{"--help"}, protocol.Block, "write=true plugin.help", []protocol.Fact{code, protocol.FactWrite}},
		{"no network, it declares", Options{AllowWrite: true}, func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactNetwork} }, []string{"x"}, protocol.Block, "network=true plugin.run plugin.declares", []protocol.Fact{code, protocol.FactNetwork}},
		{"more rights stay refused", open(Options{AllowSudo: true}), func(s *PluginStep) { s.Declared = []protocol.Fact{protocol.FactElevated} }, []string{"x"}, protocol.Block, "sudo detected elevated=true plugin.run", []protocol.Fact{code, protocol.FactElevated}},

		{"a zero byte", safe, nil, []string{"list", "a\x00b"}, protocol.Confirm, "argument safePlugins", []protocol.Fact{code}},
		{"too many arguments", safe, nil, append([]string{"list"}, slices.Repeat([]string{"a"}, maxArgs)...), protocol.Confirm, "too many arguments plugin.run", []protocol.Fact{code, protocol.FactUnbounded}},
		{"a folder that is nowhere", safe, func(s *PluginStep) { s.CWD = "work" }, []string{"--help"}, protocol.Confirm, "working directory plugin.help", []protocol.Fact{code}},
		{"an option as alias", safe, func(s *PluginStep) { s.Alias = "--eval" }, []string{"--help"}, protocol.Confirm, "plugin name plugin.help", []protocol.Fact{code}},
		{"a path as alias", safe, func(s *PluginStep) { s.Alias = "../loc" }, []string{"--help"}, protocol.Confirm, "plugin name plugin.help", []protocol.Fact{code}},
		{"no alias", safe, func(s *PluginStep) { s.Alias = "" }, []string{"--help"}, protocol.Confirm, "plugin name plugin.help", []protocol.Fact{code}},
		{"an option as program", safe, func(s *PluginStep) { s.Bin = "--eval=process.exit()" }, []string{"--help"}, protocol.Block, "plugin program plugin.help", []protocol.Fact{code}},
		{"a zero byte in the program", safe, func(s *PluginStep) { s.Bin += "\x00" }, []string{"--help"}, protocol.Block, "plugin program plugin.help", []protocol.Fact{code}},
		{"no program", safe, func(s *PluginStep) { s.Bin = "" }, []string{"--help"}, protocol.Block, "plugin program plugin.help", []protocol.Fact{code}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			step := p.step(tt.args...)
			if tt.step != nil {
				tt.step(&step)
			}
			j := p.engine(t, tt.opt).JudgePlugin(step)
			rules := strings.Join(j.Rules, " ")
			if j.Level != tt.level || rules != tt.rules || !cmp.Equal(j.Facts, tt.facts) {
				t.Errorf("got %v %q %q\n%s", j.Level, j.Rules, j.Facts, why(j))
			}
			if len(j.Rules) != len(j.Reasons) || !j.Listed || j.CWD != step.CWD {
				t.Errorf("%d rules, %d reasons, listed %v, in %q", len(j.Rules), len(j.Reasons), j.Listed, j.CWD)
			}
			if want := append([]string{step.Bin}, tt.args...); j.Path != p.node || !slices.Equal(j.Args, want) {
				t.Errorf("runs %q %q", j.Path, j.Args)
			}
		})
	}
}

// Where a program could have been put by others, or by steps before, not even
// its help runs unasked.
func TestPluginPlace(t *testing.T) {
	t.Parallel()
	p := newPlugged(t)
	own := p.file(t, "work/my-plugin/bin.js")
	shared := p.file(t, "home/shared/bin.js")
	open777 := p.file(t, "home/.slothtool/plugins/open/bin.js")
	if err := os.Symlink(p.work, filepath.Join(p.root, "link")); err != nil {
		t.Skip("this system makes no links:", err)
	}
	for _, tt := range []struct {
		name, bin, workspace, cwd, rule string
	}{
		{"installed", p.bin, p.work, p.work, ""},
		{"work in the home folder", p.bin, p.home, p.home, ""},
		{"work in everything", p.bin, string(filepath.Separator), p.work, ""},
		{"a plugin that is worked on", own, p.work, p.work, "plugin.workspace"},
		{"in the step's folder alone", own, p.home, p.work, "plugin.workspace"},
		{"worked on through a link", own, filepath.Join(p.root, "link"), filepath.Join(p.root, "link"), "plugin.workspace"},
		{"work in the plugin's folder", p.bin, p.home, filepath.Dir(p.bin), "plugin.workspace"},
		{"work in SlothTool's folder", p.bin, filepath.Join(p.home, ".slothtool"), p.work, "plugin.workspace"},
		{"everybody's folder", shared, p.work, p.work, "untrusted program"},
		{"everybody's file", open777, p.work, p.work, "untrusted program"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for path, mode := range map[string]os.FileMode{filepath.Dir(shared): 0o777, open777: 0o666} {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			if tt.rule == "untrusted program" && len(programEndings()[0]) > 0 {
				t.Skip("the rights of files say nothing here")
			}
			e := wordsEngine(t, open(Options{Files: osFiles{}, Home: p.home, Workspace: tt.workspace, SearchPath: []string{filepath.Dir(p.node)}}))
			step := p.step("--help")
			step.Bin, step.CWD = tt.bin, tt.cwd
			j := e.JudgePlugin(step)
			if tt.rule == "" && j.Level != protocol.Safe || tt.rule != "" && (j.Level != protocol.Confirm || j.Rules[0] != tt.rule) {
				t.Errorf("%v %q\n%s", j.Level, j.Rules, why(j))
			}
		})
	}
}

func TestPluginNode(t *testing.T) {
	t.Parallel()
	p := newPlugged(t)
	inWork := p.file(t, "work/bin/node"+programEndings()[0])
	if err := os.Chmod(inWork, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		search      []string
		level       protocol.Level
		path, words string
	}{
		"there":                {[]string{filepath.Dir(p.node)}, protocol.Safe, p.node, ""},
		"none":                 {[]string{}, protocol.Safe, "", "node is not in the folders"},
		"of the workspace":     {[]string{filepath.Dir(inWork)}, protocol.Confirm, "", "node was found only at"},
		"behind the workspace": {[]string{filepath.Dir(inWork), filepath.Dir(p.node)}, protocol.Safe, p.node, ""},
	} {
		j := p.engine(t, open(Options{SearchPath: tt.search})).JudgePlugin(p.step("--help"))
		if j.Level != tt.level || j.Path != tt.path || !strings.Contains(why(j), tt.words) {
			t.Errorf("%s: %v, %q\n%s", name, j.Level, j.Path, why(j))
		}
		if tt.path == "" && !strings.Contains(why(j), "install Node.js 18 or newer from your system's packages or nodejs.org") {
			t.Errorf("%s: no remedy in\n%s", name, why(j))
		}
	}
}

func TestPluginAllowed(t *testing.T) {
	t.Parallel()
	p := newPlugged(t)
	for _, tt := range []struct {
		name    string
		allowed []string
		narrow  []string // nil is none
		listed  bool
	}{
		{"the default list", nil, nil, true},
		{"slothtool", []string{"ls", "slothtool"}, nil, true},
		{"the plugin's alias", []string{"ls", "loc"}, nil, true},
		{"a beginning", []string{"lo*"}, nil, true},
		{"neither", []string{"ls", "node"}, nil, false},
		{"nothing", []string{}, nil, false},
		{"another case", []string{"LOC", "SlothTool"}, nil, false},
		{"narrowed to slothtool", nil, []string{"slothtool"}, true},
		{"narrowed to the alias", nil, []string{"loc"}, true},
		{"narrowed", nil, []string{"git", "node"}, false},
		{"narrowed to nothing", nil, []string{}, false},
		{"a project does not widen", []string{"ls"}, []string{"slothtool", "loc"}, false},
	} {
		opt := open(Options{AllowedPrograms: tt.allowed, SafePlugins: map[string][]string{"loc": {"*"}}})
		if tt.narrow != nil {
			opt.Narrowings = []Narrowing{{tt.narrow, "the project"}}
		}
		for _, arg := range []string{"--help", "safe", "--other"} {
			j := p.engine(t, opt).JudgePlugin(p.step(arg))
			if j.Listed != tt.listed || !tt.listed && (j.Rules[0] != ruleUnlisted || j.Level != protocol.Confirm) {
				t.Errorf("%s, %s: listed %v, %v %q", tt.name, arg, j.Listed, j.Level, j.Rules)
			}
			if !tt.listed && (!strings.Contains(why(j), `add "slothtool", or "loc"`) || tt.narrow != nil && tt.allowed == nil && !strings.Contains(why(j), "the project")) {
				t.Errorf("%s: the reason does not say what to add:\n%s", tt.name, why(j))
			}
		}
	}
}

func TestPluginOwnRules(t *testing.T) {
	t.Parallel()
	p := newPlugged(t)
	for _, tt := range []struct {
		command string
		level   protocol.Level // of the rule
		args    []string
		want    protocol.Level
	}{
		{"slothtool loc", protocol.Block, []string{"--help"}, protocol.Block},
		{"slothtool run loc", protocol.Block, []string{"--help"}, protocol.Block},
		{"slothtool run", protocol.Block, []string{"x"}, protocol.Block},
		{"slothtool", protocol.Block, []string{"--version"}, protocol.Block},
		{"slothtool loc", protocol.Confirm, []string{"--help"}, protocol.Confirm},
		{"slothtool loc remove", protocol.Block, []string{"--force", "remove", "x"}, protocol.Block},
		{"slothtool loc remove", protocol.Block, []string{"--help"}, protocol.Safe},
		{"slothtool todo", protocol.Block, []string{"--help"}, protocol.Safe},
		{"loc", protocol.Block, []string{"--help"}, protocol.Safe},  // a program of that name
		{"node", protocol.Block, []string{"--help"}, protocol.Safe}, // plugins count as slothtool
	} {
		opt := open(Options{UserRules: []UserRule{{tt.command, tt.level, "ai.json"}}})
		j := p.engine(t, opt).JudgePlugin(p.step(tt.args...))
		if j.Level != tt.want || tt.want != protocol.Safe && j.Rules[0] != "your rule" {
			t.Errorf("%q, %q: %v %q", tt.command, tt.args, j.Level, j.Rules)
		}
	}
	refuse := []byte(`{"family": "mine", "listed": true, "for": "slothtool", "programs": {"slothtool": {"summary": "refused", "mixed": true, "commands": {
		"loc": {"level": "L2", "reason": "is not wanted", "rule": "no loc", "operands": [{"value": "word", "many": true}], "options": [{"names": "--help"}]}},
		"examples": {"L2": ["slothtool loc x"]}}}}`)
	e := p.engine(t, open(Options{RuleFiles: []RuleFile{{"my rules", refuse}}}))
	if j := e.JudgePlugin(p.step("--help")); j.Level != protocol.Block || j.Rules[0] != "no loc" {
		t.Errorf("a rule file: %v %q", j.Level, j.Rules)
	}
	step := p.step("--help")
	step.Alias = "todo"
	if j := e.JudgePlugin(step); j.Level != protocol.Safe {
		t.Errorf("a rule file, another plugin: %v %q", j.Level, j.Rules)
	}
}

// What the words say cannot lower anything: hostile arguments are asked for.
func TestPluginHostileArguments(t *testing.T) {
	t.Parallel()
	p := newPlugged(t)
	e := p.engine(t, open(Options{SafePlugins: map[string][]string{"loc": {"list *", "count"}}}))
	for _, args := range [][]string{
		{"--help\x00"}, {" --help"}, {"--help "}, {"\u2013help"}, {"--help\n"}, {"--helр"}, {"--help", ""}, {"", "--help"},
		{"--version", "--help"}, {"--eval", "1"}, {"-r", "./x.js", "--help"}, {"list", "-x"}, {"list", "a", "-"}, {"list", "--"},
		{"LIST", "a"}, {"list\x00"}, {"list\u200b", "a"}, {"lıst"}, {"list a"}, {"list", "a\x00"}, {"count", ""}, {"count", "count"},
		{"count\r"}, {"$(count)"}, {"`count`"}, {"count;", "id"}, {"list", "~/.ssh"}, {"list", "/etc/shadow"}, {"list", "~/.slothtool/backups"},
		{"list", "/dev/zero"}, {"list", ".env"},
	} {
		if j := e.JudgePlugin(p.step(args...)); j.Level == protocol.Safe {
			t.Errorf("%q runs unasked: %q", args, j.Rules)
		}
	}
}

// FuzzJudgePlugin: nothing runs unasked but help, the version, and safe lines;
// and never where the plugin or the model says more.
func FuzzJudgePlugin(f *testing.F) {
	f.Add("loc", "--help", "", "")
	f.Add("loc", "list\x00a", "network", "")
	f.Add("loc", "list\x00~/.ssh", "", "a screen")
	f.Add("../loc", "--eval\x00x", "elevated", "")
	p := newPlugged(f)
	e := p.engine(f, open(Options{SafePlugins: map[string][]string{"loc": {"list *", "x"}}}))
	f.Fuzz(func(t *testing.T, alias, args, declared, screen string) {
		step := p.step(fields(args)...)
		step.Alias, step.Screen = alias, screen
		if declared != "" {
			step.Declared = []protocol.Fact{protocol.Fact(declared)}
		}
		j := e.JudgePlugin(step)
		if len(j.Rules) != len(j.Reasons) || !slices.Equal(j.Args, append([]string{p.bin}, step.Args...)) || j.Path != p.node {
			t.Fatalf("%+v", j)
		}
		if declared == "elevated" && j.Level != protocol.Block {
			t.Fatalf("more rights are %v", j.Level)
		}
		if j.Level != protocol.Safe {
			return
		}
		help := slices.Equal(step.Args, []string{"--help"}) || slices.Equal(step.Args, []string{"--version"})
		line := alias == "loc" && (slices.Equal(step.Args, []string{"x"}) || len(step.Args) > 0 && step.Args[0] == "list" &&
			!slices.ContainsFunc(step.Args, func(s string) bool { return strings.HasPrefix(s, "-") }))
		quiet := declared == "" || declared == "code"
		if allowed := help || line && quiet; screen != "" || !plainName(alias) || !allowed {
			t.Fatalf("%q %q runs unasked (declares %q, screen %q)", alias, step.Args, declared, screen)
		}
	})
}

// A plugin that is run as a program, past plugin.run, is asked for: what is
// said there about help and safe lines does not count here.
func TestPluginAsProgram(t *testing.T) {
	t.Parallel()
	opt := open(Options{SafePlugins: map[string][]string{"loc": {"*", "./src"}}})
	for line, want := range map[string]protocol.Level{
		"slothtool list":          protocol.Safe,
		"slothtool loc ./src":     protocol.Confirm,
		"slothtool loc --help":    protocol.Confirm,
		"slothtool run loc ./src": protocol.Confirm,
		"slothtool ls":            protocol.Confirm, // no command of SlothTool: a plugin of that name
		"slothtool install loc":   protocol.Confirm,
		"slothtool uninstall loc": protocol.Confirm,
		"slothtool update loc":    protocol.Confirm,
		"node /home/you/.slothtool/plugins/loc/bin/loc.js --help": protocol.Confirm,
		"node --help /home/you/.slothtool/plugins/loc/bin/loc.js": protocol.Confirm,
		"loc --help": protocol.Confirm,
	} {
		if j := judge(t, opt, line); j.Level != want {
			t.Errorf("%s: %v, expected %v\n%s", line, j.Level, want, why(j))
		}
	}
}
