package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

func TestJudgementCanBeRun(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	e := engine(t, open())
	j := Judge(e, "git status -s && ls", at, protocol.Requires{})
	bash := e.Judge(policy.Step{Program: "bash", CWD: at}).Path
	if bash == "" {
		t.Skip("bash is not installed where programs are taken from")
	}
	if j.Level != protocol.Safe || !j.Listed || j.Path != bash || j.CWD != at {
		t.Errorf("got %+v", j)
	}
	if want := []string{"--noprofile", "--norc", "-p", "-c", "--"}; !slices.Equal(j.Args[:5], want) {
		t.Errorf("arguments %q", j.Args)
	}
	// Hardening as the engine gives it for git alone, word by word.
	alone := e.Judge(policy.Step{Program: "git", Args: []string{"status", "-s"}, CWD: at})
	if want := "git " + strings.Join(alone.Args, " ") + " && ls"; j.Args[5] != want {
		t.Errorf("script is\n%q, expected\n%q", j.Args[5], want)
	}
	for _, kv := range alone.Env {
		if !slices.Contains(j.Env, kv) {
			t.Errorf("%s is not in the environment %q", kv, j.Env)
		}
	}
	if !strings.HasPrefix(j.Env[0], "PATH=/") {
		t.Errorf("environment %q", j.Env)
	}
}

// What is asked for runs as it was written.
func TestAskedIsUnchanged(t *testing.T) {
	t.Parallel()
	script := "git status\ntouch x"
	j := Judge(engine(t, open()), script, workspace(t), protocol.Requires{})
	if j.Level != protocol.Confirm || j.Args[5] != script || len(j.Env) != 1 {
		t.Errorf("got %v %q %q", j.Level, j.Args, j.Env)
	}
}

func TestFactsAndWrites(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	for _, tt := range []struct {
		script string
		facts  []protocol.Fact
		writes []string
	}{
		{"touch x; cat a.txt > y", []protocol.Fact{protocol.FactWrite}, []string{"x", "y"}},
		{"cd sub && touch x", []protocol.Fact{protocol.FactWrite}, []string{"sub/x"}},
		{"(cd sub; touch x); touch y", []protocol.Fact{protocol.FactWrite}, []string{"sub/x", "y"}},
		{"for f in a b; do touch $f; done", []protocol.Fact{protocol.FactWrite}, []string{"a", "b"}},
		{"curl https://example.com/ | head", []protocol.Fact{protocol.FactNetwork, protocol.FactWrite}, nil},
		{"cat .env", []protocol.Fact{protocol.FactSecrets}, nil},
		{"cat < .env", []protocol.Fact{protocol.FactSecrets}, nil},
		{"cat < ~/.ssh/id_rsa", []protocol.Fact{protocol.FactSecrets}, nil},
		{"echo $(curl x)", []protocol.Fact{protocol.FactNetwork, protocol.FactWrite}, nil},
		{"touch $x", []protocol.Fact{protocol.FactCode, protocol.FactWrite}, nil},
		{"ls > $x", []protocol.Fact{protocol.FactCode, protocol.FactWrite}, nil},
		{"tail -f a.txt", []protocol.Fact{protocol.FactUnbounded}, nil},
		{"ls > '~'", []protocol.Fact{protocol.FactWrite}, []string{"~"}},
		{`sh -c "rm -f x"`, []protocol.Fact{protocol.FactCode, protocol.FactDestructive, protocol.FactWrite}, nil},
		{"bash <<E\ncurl -s https://example.com/\nE", []protocol.Fact{protocol.FactCode, protocol.FactNetwork, protocol.FactWrite}, nil},
		{"echo 'cat .env' | sh", []protocol.Fact{protocol.FactCode, protocol.FactSecrets}, nil},
		{"trap 'rm -f x' EXIT", []protocol.Fact{protocol.FactCode, protocol.FactDestructive, protocol.FactWrite}, nil},
		{"grep bash 'rm -f x'; touch y", []protocol.Fact{protocol.FactWrite}, []string{"y"}},
	} {
		j := Judge(engine(t, open()), tt.script, at, protocol.Requires{})
		var writes []string
		for _, w := range j.Writes {
			rel, err := filepath.Rel(at, w)
			if err != nil {
				t.Fatal(err)
			}
			writes = append(writes, rel)
		}
		if j.Level != protocol.Confirm || !cmp.Equal(j.Facts, tt.facts) || !cmp.Equal(writes, tt.writes) {
			t.Errorf("%q: %v %q writes %q (%q)", tt.script, j.Level, j.Facts, writes, j.Reasons)
		}
	}
}

func TestReasonsNameTheCommand(t *testing.T) {
	t.Parallel()
	j := Judge(engine(t, open()), "ls; touch x && npm install", workspace(t), protocol.Requires{})
	all := strings.Join(j.Reasons, "\n")
	for _, want := range []string{"touch x: ", "npm install: "} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	// The refused command comes first.
	j = Judge(engine(t, open()), "touch x; sudo id", workspace(t), protocol.Requires{})
	if !strings.Contains(j.Reasons[0], "sudo") || j.Rules[0] != "sudo detected" {
		t.Errorf("%q %q", j.Rules, j.Reasons)
	}
}

func TestListed(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	e := engine(t, policy.Options{AllowedPrograms: []string{"ls", "grep"}, AllowWrite: true})
	for script, listed := range map[string]bool{
		"ls":                            true,
		"ls | grep x; echo done":        true,
		"ls | wc -l":                    false,
		"if false; then wc; fi":         false,
		"echo $(wc a.txt)":              false,
		"f() { wc; }; ls":               false,
		"f() { ls; }; f":                true,
		"false && wc(){ ls; }; wc":      false,
		"eval wc":                       false,
		"command wc":                    false,
		"exec wc":                       false,
		"wc() { unset -f wc; }; wc; wc": false,
		"nmap x":                        false,
		"ls > out.txt":                  true,
		"sh -c ls":                      false,
	} {
		if j := Judge(e, script, at, protocol.Requires{}); j.Listed != listed {
			t.Errorf("%q: listed is %v, %q", script, j.Listed, j.Reasons)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	for _, script := range []string{"touch x", "ls > x", "echo hi >> x", "curl x", "cat < /dev/tcp/a/1", "ls > $x"} {
		if j := Judge(engine(t, policy.Options{}), script, at, protocol.Requires{}); j.Level != protocol.Block {
			t.Errorf("%q is %v without writing and network", script, j.Level)
		}
	}
	if j := Judge(engine(t, policy.Options{}), "ls | wc -l", at, protocol.Requires{}); j.Level != protocol.Safe {
		t.Errorf("reading is %v: %q", j.Level, j.Reasons)
	}
}

func TestRequires(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	for _, tt := range []struct {
		requires protocol.Requires
		level    protocol.Level
		rule     string
	}{
		{protocol.Requires{Confirm: true}, protocol.Confirm, "confirm=true"},
		{protocol.Requires{Write: true}, protocol.Confirm, "write=true"},
		{protocol.Requires{Network: true}, protocol.Confirm, "network=true"},
		{protocol.Requires{Elevated: true}, protocol.Block, "elevated=true"},
	} {
		// The list of programs is without echo on purpose.
		opt := open()
		opt.AllowedPrograms = []string{"ls"}
		j := Judge(engine(t, opt), "ls", at, tt.requires)
		if j.Level != tt.level || !cmp.Equal(j.Rules, []string{tt.rule}) || !j.Listed {
			t.Errorf("%+v: %v %q listed %v", tt.requires, j.Level, j.Rules, j.Listed)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	e := engine(t, open())
	deep := "rm -rf x"
	for range 9 {
		deep = "eval " + quote(deep)
	}
	for name, script := range map[string]string{
		"size":     strings.Repeat("ls;", 30000),
		"commands": strings.Repeat("ls\n", 501),
		"loops":    "for a in {1..100}; do for b in {1..100}; do ls; done; done",
		"depth":    deep,
		"brackets": strings.Repeat("(", 5000) + "ls" + strings.Repeat(")", 5000),
		"quotes":   strings.Repeat("`", 200),
		"words":    strings.Repeat("if ", 20000),
	} {
		if j := Judge(e, script, at, protocol.Requires{}); j.Level != protocol.Block || len(j.Reasons) == 0 {
			t.Errorf("%s: %v %q", name, j.Level, j.Reasons)
		}
	}
	if j := Judge(e, strings.Repeat("ls\n", 499), at, protocol.Requires{}); j.Level != protocol.Safe {
		t.Errorf("499 commands: %v %q", j.Level, j.Reasons)
	}
	if j := Judge(e, strings.Repeat("git status\n", 499), at, protocol.Requires{}); j.Level != protocol.Confirm {
		t.Errorf("a script that is too long when it is made safe: %v", j.Level)
	}
}

// A loop that needs different hardening in its turns is not safe.
func TestTurnsDiffer(t *testing.T) {
	t.Parallel()
	j := Judge(engine(t, open()), "for x in status log; do git $x; done", workspace(t), protocol.Requires{})
	if j.Level != protocol.Confirm {
		t.Errorf("got %v %q", j.Level, j.Args[5])
	}
}

func TestSecretFilesOfAPattern(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	if j := Judge(engine(t, open()), "cat ./*.txt", at, protocol.Requires{}); j.Level != protocol.Safe {
		t.Fatalf("without secrets: %v %q", j.Level, j.Reasons)
	}
	writeFile(t, filepath.Join(at, "id_rsa"), "key")
	for _, script := range []string{"cat ./*", "grep x ./*", "for f in ./*; do cat \"$f\"; done", "head -n 1 ./id_r?a"} {
		j := Judge(engine(t, open()), script, at, protocol.Requires{})
		if j.Level != protocol.Confirm || !slices.Contains(j.Facts, protocol.FactSecrets) {
			t.Errorf("%q: %v %q", script, j.Level, j.Facts)
		}
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	e := engine(t, open())
	scripts := append(readScripts(t, "l0.txt"), readScripts(t, "hostile.txt")...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, script := range scripts {
				one, two := Judge(e, script, at, protocol.Requires{}), Judge(e, script, at, protocol.Requires{})
				if !cmp.Equal(one, two) {
					t.Errorf("%q: %s", script, cmp.Diff(one, two))
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkJudge(b *testing.B) {
	at := workspace(b)
	e := engine(b, open())
	for _, script := range []string{"ls -la", "git status && git log --oneline -n 5 | head -3", "grep -rn TODO --include='*.go' . | sort | uniq -c | head", "cd sub && wc -l ./*.go", "npm install && npm test", "echo $(rm -rf /)"} {
		b.Run(script, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Judge(e, script, at, protocol.Requires{})
			}
		})
	}
}

// An engine that takes programs from other folders: bash gets them too, after
// those of the system.
func TestFurtherFolders(t *testing.T) {
	t.Parallel()
	at, bin := workspace(t), t.TempDir()
	for _, name := range []string{"rg", "ls"} {
		writeFile(t, filepath.Join(bin, name), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	opt := open()
	opt.SearchPath = []string{bin, "/usr/bin", "/bin"}
	e := engine(t, opt)
	j := Judge(e, "rg x", at, protocol.Requires{})
	real, err := filepath.EvalSymlinks(bin)
	if err != nil {
		t.Fatal(err)
	}
	if lookup("rg") == "" && (j.Level != protocol.Safe || !strings.HasSuffix(j.Env[0], ":"+real)) {
		t.Errorf("rg: %v %q %q", j.Level, j.Reasons, j.Env)
	}
	// The engine judged another ls than bash would start.
	if j := Judge(e, "ls", at, protocol.Requires{}); j.Level != protocol.Confirm {
		t.Errorf("ls: %v %q", j.Level, j.Reasons)
	}
}
