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
		"todo": {"*"},
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
		{"an alias in another case", safe, func(s *PluginStep) { s.Alias = "Todo" }, []string{"remove"}, protocol.Confirm, "plugin name plugin.run", []protocol.Fact{code}},
		{"any words that are a secret place", safe, nil, []string{"list", "~/.ssh/id_rsa"}, protocol.Confirm, "secrets safePlugins", []protocol.Fact{code, protocol.FactSecrets}},
		{"a secret place by its way", safe, nil, []string{"list", "../home/.ssh"}, protocol.Confirm, "secrets safePlugins", []protocol.Fact{code, protocol.FactSecrets}},
		{"a word that is no place", safe, nil, []string{"list", "password"}, protocol.Safe, "safePlugins", []protocol.Fact{code}},
		{"a secret place at work", open(Options{}), nil, []string{"--from=~/.ssh"}, protocol.Confirm, "plugin.run secrets", []protocol.Fact{code, protocol.FactSecrets}},

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
