package policy

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holic512/plugin-ai/protocol"
)

// words judges words alone, in a file system where nothing exists.
func wordsEngine(t testing.TB, opt Options) *Engine {
	t.Helper()
	if opt.Files == nil {
		opt.Files = noFiles{}
	}
	if opt.Home == "" {
		opt.Home, opt.Workspace = "/home/you", "/home/you/work"
	}
	e, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func open(opt Options) Options {
	opt.AllowWrite, opt.AllowNetwork = true, true
	return opt
}

func BenchmarkJudge(b *testing.B) {
	e := wordsEngine(b, open(Options{}))
	for _, bench := range []struct {
		name string
		argv []string
	}{
		{"ls", []string{"ls", "-la", "src"}},
		{"gitlog", []string{"git", "log", "--oneline", "-n", "20", "--since=yesterday", "--", "src"}},
		{"gitstatus", []string{"git", "status", "--short"}},
		{"grep", []string{"grep", "-rniE", "--include=*.go", "TODO|FIXME", "src", "cmd"}},
		{"rmrf", []string{"rm", "-rf", "build"}},
		{"shell", []string{"bash", "-c", "cd x && make && sudo rm -rf /"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Judge(Step{Program: bench.argv[0], Args: bench.argv[1:], CWD: "/home/you/work"})
			}
		})
	}
}

// BenchmarkFirst is what one command costs in a fresh process: the index of
// the rule files, one family, one judgement.
func BenchmarkFirst(b *testing.B) {
	for _, argv := range [][]string{{"ls", "-la"}, {"git", "log", "--oneline"}} {
		b.Run(argv[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e, err := New(open(Options{Files: noFiles{}, Home: "/home/you"}))
				if err != nil {
					b.Fatal(err)
				}
				if j := e.Judge(Step{Program: argv[0], Args: argv[1:], CWD: "/home/you/work"}); j.Level != protocol.Safe {
					b.Fatal(j)
				}
			}
		})
	}
}

func judge(t *testing.T, opt Options, line string) Judgement {
	t.Helper()
	argv, err := exampleWords(line)
	if err != nil {
		t.Fatal(err)
	}
	return wordsEngine(t, opt).Judge(Step{Program: argv[0], Args: argv[1:], CWD: "/home/you/work"})
}

func TestRulesAndFacts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line  string
		level protocol.Level
		rules []string
		facts []protocol.Fact
	}{
		{"ls -la", protocol.Safe, nil, nil},
		{"git commit -m x", protocol.Confirm, []string{"write=true", "git.commit"}, []protocol.Fact{protocol.FactCode, protocol.FactWrite}},
		{"npm install", protocol.Confirm, []string{"write=true", "network=true", "npm.install"}, []protocol.Fact{protocol.FactCode, protocol.FactNetwork, protocol.FactWrite}},
		{"ls --frob", protocol.Confirm, []string{"unknown option"}, nil},
		{"git diff --ext-diff", protocol.Confirm, []string{"git.diff.ext-diff"}, []protocol.Fact{protocol.FactCode}},
		{"cat .env", protocol.Confirm, []string{"secrets"}, []protocol.Fact{protocol.FactSecrets}},
		{"tail -f x", protocol.Confirm, []string{"tail.f"}, []protocol.Fact{protocol.FactUnbounded}},
		{"sudo ls", protocol.Block, []string{"sudo detected", "not in allowedPrograms"}, []protocol.Fact{protocol.FactElevated}},
		{"nmap x", protocol.Confirm, []string{"not in allowedPrograms", "unknown program"}, []protocol.Fact{protocol.FactCode}},
		{"rm -rf x", protocol.Block, []string{"rm -rf", "write=true", "rm"}, []protocol.Fact{protocol.FactDestructive, protocol.FactWrite}},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			j := judge(t, open(Options{}), tt.line)
			rules := slices.DeleteFunc(j.Rules, func(r string) bool { return r == "not installed" })
			if len(rules) == 0 {
				rules = nil
			}
			if j.Level != tt.level || !cmp.Equal(rules, tt.rules) || !cmp.Equal(j.Facts, tt.facts) {
				t.Errorf("got %v %q %q (%q)", j.Level, rules, j.Facts, j.Reasons)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		opt        Options
		level      protocol.Level
		rule, word string
	}{
		{"no writing", "git add .", Options{AllowNetwork: true}, protocol.Block, "write=true", "allowWrite"},
		{"no network", "git fetch", Options{AllowWrite: true}, protocol.Block, "network=true", "allowNetwork"},
		{"reading stays", "ls", Options{}, protocol.Safe, "", ""},
		{"wrapped network", "timeout 5 curl x", Options{AllowWrite: true}, protocol.Block, "network=true", "allowNetwork"},
		{"sudo is never given", "sudo ls", open(Options{AllowSudo: true}), protocol.Block, "sudo detected", "never"},
		{"own list", "git status", open(Options{AllowedPrograms: []string{"ls"}}), protocol.Confirm, "not in allowedPrograms", "git"},
		{"own list stays closed inside", "env git status", open(Options{AllowedPrograms: []string{"env"}}), protocol.Confirm, "not in allowedPrograms", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := judge(t, tt.opt, tt.line)
			at := slices.Index(j.Rules, tt.rule)
			if j.Level != tt.level || tt.rule != "" && (at != 0 || !strings.Contains(j.Reasons[at], tt.word)) {
				t.Errorf("got %v %q %q", j.Level, j.Rules, j.Reasons)
			}
			if j.Listed == (tt.rule == "not in allowedPrograms" || strings.HasPrefix(tt.line, "sudo")) {
				t.Errorf("listed is %v", j.Listed)
			}
		})
	}
}

func TestRequires(t *testing.T) {
	t.Parallel()
	e := wordsEngine(t, open(Options{}))
	for _, tt := range []struct {
		requires protocol.Requires
		level    protocol.Level
		rule     string
	}{
		{protocol.Requires{}, protocol.Safe, ""},
		{protocol.Requires{Confirm: true}, protocol.Confirm, "confirm=true"},
		{protocol.Requires{Elevated: true}, protocol.Block, "elevated=true"},
		{protocol.Requires{Network: true}, protocol.Confirm, "network=true"},
		{protocol.Requires{Write: true}, protocol.Confirm, "write=true"},
	} {
		j := e.Judge(Step{Program: "ls", CWD: "/home/you/work", Requires: tt.requires})
		if j.Level != tt.level || tt.rule != "" && !slices.Contains(j.Rules, tt.rule) {
			t.Errorf("%+v: got %v %q", tt.requires, j.Level, j.Rules)
		}
	}
}

func TestOwnRuleFiles(t *testing.T) {
	t.Parallel()
	stricter := []byte(`{"family": "mine", "listed": false, "for": "ls shout", "programs": {
		"ls": {"level": "L1", "reason": "is not wanted here", "rule": "my rule", "summary": "asked for", "examples": {"L1": ["ls"]}},
		"shout": {"summary": "printing", "options": [{"names": "-q"}], "examples": {"L0": ["shout -q"]}}}}`)
	opt := open(Options{RuleFiles: []RuleFile{{"my rules", stricter}}, AllowedPrograms: []string{"ls", "shout"}})
	if j := judge(t, opt, "ls -la"); j.Level != protocol.Confirm || !slices.Contains(j.Rules, "my rule") || !strings.Contains(strings.Join(j.Reasons, ";"), "(by my rules)") {
		t.Errorf("ls: %v %q", j.Level, j.Rules)
	}
	if j := judge(t, opt, "shout -q"); j.Level != protocol.Safe {
		t.Errorf("shout: %v %q", j.Level, j.Reasons)
	}
	if j := judge(t, opt, "shout -x"); j.Level != protocol.Confirm {
		t.Errorf("shout -x: %v", j.Level)
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	list, err := wordsEngine(t, Options{}).Programs()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range list {
		if p.Summary == "" || seen[p.Name] {
			t.Errorf("%q: summary %q, double %v", p.Name, p.Summary, seen[p.Name])
		}
		seen[p.Name] = true
	}
	for name, allowed := range map[string]bool{"ls": true, "git": true, "npm": true, "slothtool": true, "rm": true, "sudo": false, "dd": false} {
		i := slices.IndexFunc(list, func(p ProgramInfo) bool { return p.Name == name })
		if i < 0 || list[i].Allowed != allowed {
			t.Errorf("%s: found %v, expected allowed %v", name, i >= 0, allowed)
		}
	}
}

// Judging changes nothing it was given and says the same at any time.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	e := wordsEngine(t, open(Options{Files: osFiles{}}))
	steps := readCorpus(t, "never_l0.jsonl")
	steps = append(steps, readCorpus(t, "l0.jsonl")...)
	want := make([]Judgement, len(steps))
	fresh := wordsEngine(t, open(Options{Files: osFiles{}}))
	for i, step := range steps {
		want[i] = fresh.Judge(step)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i, step := range steps {
				if got := e.Judge(step); !cmp.Equal(got, want[i]) {
					t.Errorf("%q %q: %s", step.Program, step.Args, cmp.Diff(want[i], got))
				}
			}
		})
	}
	all.Wait()
}

// No arguments make Judge crash, loop, or let run unasked what has an option
// outside the list.
func FuzzJudge(f *testing.F) {
	for _, file := range []string{"l0.jsonl", "never_l0.jsonl"} {
		for _, step := range readCorpus(f, file) {
			f.Add(step.Program + "\x00" + strings.Join(step.Args, "\x00"))
		}
	}
	e := wordsEngine(f, open(Options{}))
	f.Fuzz(func(t *testing.T, text string) {
		argv := strings.Split(text, "\x00")
		step := Step{Program: argv[0], Args: argv[1:], CWD: "/home/you/work"}
		j := e.Judge(step)
		if len(j.Rules) != len(j.Reasons) {
			t.Fatalf("%d rules, %d reasons", len(j.Rules), len(j.Reasons))
		}
		if j.Level != protocol.Safe {
			return
		}
		list, err := e.lib.program(step.Program)
		if err != nil || len(list) == 0 || !j.Listed {
			t.Fatalf("%q runs unasked without rules", argv)
		}
		for _, option := range []string{"--no-such-option-xyz", "-\u00e9"} {
			more := e.Judge(Step{Program: step.Program, Args: append([]string{option}, step.Args...), CWD: step.CWD})
			if more.Level == protocol.Safe && list[0].Style != "words" {
				t.Fatalf("%q with %s runs unasked", argv, option)
			}
		}
		last := step.Args
		if j.Path == "" && len(j.Args) < len(last) {
			t.Fatalf("%q lost arguments: %q", last, j.Args)
		}
	})
}

// What a shell is given to run is what the step does. Text constants of other
// languages may be anything: there only a refusal counts.
func TestFactsOfShellText(t *testing.T) {
	t.Parallel()
	const w, n, c, d, s = protocol.FactWrite, protocol.FactNetwork, protocol.FactCode, protocol.FactDestructive, protocol.FactSecrets
	e := wordsEngine(t, open(Options{}))
	for _, tt := range []struct {
		argv  []string
		facts []protocol.Fact
	}{
		{[]string{"sh", "-c", "ls"}, []protocol.Fact{c}},
		{[]string{"sh", "-c", "touch x"}, []protocol.Fact{c, w}},
		{[]string{"bash", "-c", "ls; rm -f x"}, []protocol.Fact{c, d, w}},
		{[]string{"bash", "-c", "if true; then echo `curl a.b`; fi"}, []protocol.Fact{c, n, w}},
		{[]string{"sh", "-c", "sh -c 'rm -f x'"}, []protocol.Fact{c, d, w}},
		{[]string{"timeout", "5", "sh", "-c", "cat ~/.ssh/id_rsa"}, []protocol.Fact{c, s}},
		{[]string{"sh", "-c", "ls > x"}, []protocol.Fact{c, w}},
		{[]string{"python3", "-c", "print('rm -f x')"}, []protocol.Fact{c}},
	} {
		if j := e.Judge(Step{Program: tt.argv[0], Args: tt.argv[1:], CWD: "/home/you/work"}); j.Level != protocol.Confirm || !cmp.Equal(j.Facts, tt.facts) {
			t.Errorf("%q: %v %q (%q)", tt.argv, j.Level, j.Facts, j.Reasons)
		}
	}
}
