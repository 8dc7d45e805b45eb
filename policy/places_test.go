//go:build unix

package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/holic512/plugin-ai/protocol"
)

// A ground is a real home folder with a workspace in it.
type ground struct {
	t                *testing.T
	root, home, work string
}

func newGround(t *testing.T) *ground {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t: t, root: root, home: filepath.Join(root, "home"), work: filepath.Join(root, "home", "work")}
	g.file("home/.ssh/config", 0o600)
	g.file("home/work/a.txt", 0o644)
	g.file("home/work/src/b.txt", 0o644)
	g.file("home/work/token/token.go", 0o644)
	g.link("../.ssh/config", "home/work/notes.txt")
	g.link("../.ssh", "home/work/docs")
	g.link("src", "home/work/fine")
	g.link("/", "home/work/all")
	if err := syscall.Mkfifo(filepath.Join(g.work, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.link("pipe", "home/work/plain.txt")
	g.link("/dev/zero", "home/work/zeros.txt")
	return g
}

func (g *ground) file(name string, mode os.FileMode) string {
	g.t.Helper()
	path := filepath.Join(g.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
		g.t.Fatal(err)
	}
	return path
}

func (g *ground) link(to, name string) {
	g.t.Helper()
	path := filepath.Join(g.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) engine(searchPath ...string) *Engine {
	g.t.Helper()
	opt := open(Options{Home: g.home, Workspace: g.work, SecretPaths: []string{"~/diary"}})
	if searchPath != nil {
		opt.SearchPath = searchPath
	}
	e, err := New(opt)
	if err != nil {
		g.t.Fatal(err)
	}
	return e
}

func TestPlacesOnDisk(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	e := g.engine()
	for _, tt := range []struct {
		line, cwd string
		rule      string // "" is L0
	}{
		{"cat a.txt", g.work, ""},
		{"cat fine/b.txt", g.work, ""},
		{"cat token/token.go", g.work, ""},
		{"ls token", g.work, ""},
		{"cat notes.txt", g.work, "secrets"},
		{"cat docs/config", g.work, "secrets"},
		{"cat docs/nothing/there", g.work, "secrets"},
		{"cat fine/../notes.txt", g.work, "secrets"},
		{"ls docs", g.work, "secrets"},
		{"ls", g.home + "/.ssh", "secrets"},
		{"ls", g.work + "/docs", "secrets"},
		{"cat config", g.home + "/.ssh", "secrets"},
		{"cat ../.ssh/config", g.work, "secrets"},
		{"cat all/" + strings.TrimPrefix(g.home, "/") + "/.ssh/config", g.work, "secrets"},
		{"cat ~/.SSH/config", g.work, "secrets"},
		{"cat ~/diary/today", g.work, "secrets"},
		{"cat 'my diary'", g.work, ""},
		{"rg x", g.work, ""},
		{"rg x", g.home, "secrets"},
		{"rg x ..", g.work, "secrets"},
		{"rg x all", g.work, "secrets"},
		{"grep -r x .", g.work, ""},
		{"grep -r x ~", g.work, "secrets"},
		{"grep x a.txt", g.home, ""},
		{"cat pipe", g.work, "unbounded"},
		{"cat plain.txt", g.work, "unbounded"},
		{"head -c1 zeros.txt", g.work, "unbounded"},
		{"cat /dev/null", g.work, ""},
		{"find all", g.work, "unbounded"},
		{"git -C src status", g.work, ""},
		{"git -C .. status", g.work, "git.elsewhere"},
		{"git -C all status", g.work, "git.elsewhere"},
		{"git -C " + g.work + "/src log", g.work, ""},
		{"git -C docs log", g.work, "git.elsewhere"},
	} {
		argv, err := exampleWords(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		j := e.Judge(Step{Program: argv[0], Args: argv[1:], CWD: tt.cwd})
		if tt.rule == "" && j.Level != protocol.Safe || tt.rule != "" && (j.Level != protocol.Confirm || !slices.Contains(j.Rules, tt.rule)) {
			t.Errorf("%q in %s: %v %q, expected %q", tt.line, tt.cwd, j.Level, j.Reasons, tt.rule)
		}
	}
}

func TestWhatMustStay(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	e := g.engine()
	for _, line := range []string{
		"rm -r ..", "rm -r .", "rm -r " + g.work, "rm -r " + g.home, "rm -r all", "rm -r ~", "rm -r /usr",
		"cp a.txt ../.slothtool/plugin-configs/ai.json", "tee zeros.txt", "cp a.txt /dev/full",
	} {
		argv := strings.Fields(line)
		if j := e.Judge(Step{Program: argv[0], Args: argv[1:], CWD: g.work}); j.Level != protocol.Block {
			t.Errorf("%q is %v: %q", line, j.Level, j.Reasons)
		}
	}
}

func TestProgramsOnDisk(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	real := g.file("lib/impl/ls-1.0", 0o755)
	g.file("bin/cat", 0o644) // not to be run
	g.file("bin/cat2/x", 0o755)
	g.link("../lib/impl/ls-1.0", "bin/ls")
	g.file("bin/wc", 0o755)
	evil := g.file("open/rg", 0o755)
	if err := os.Chmod(filepath.Dir(evil), 0o777); err != nil { //nolint:gosec // the test needs a folder that everybody may write in
		t.Fatal(err)
	}
	g.file("home/work/bin/jq", 0o755)
	g.file("home/work/wc", 0o755)
	if err := os.Mkdir(filepath.Join(g.root, "bin/tree"), 0o755); err != nil {
		t.Fatal(err)
	}
	g.link(evil, "bin/fd")
	e := g.engine("relative/bin", filepath.Join(g.root, "missing"), filepath.Join(g.root, "open"), filepath.Join(g.work, "bin"), filepath.Join(g.root, "bin"))
	for _, tt := range []struct {
		line, path, rule string
		level            protocol.Level
		listed           bool
	}{
		{"ls", real, "", protocol.Safe, true},
		{"wc a.txt", filepath.Join(g.root, "bin/wc"), "", protocol.Safe, true},
		{"cat a.txt", "", "not installed", protocol.Safe, true},
		{"tree", "", "not installed", protocol.Safe, true},
		{"rg x", "", "untrusted program", protocol.Confirm, true},
		{"fd x", "", "untrusted program", protocol.Confirm, true},
		{"jq . a.json", "", "untrusted program", protocol.Confirm, true},
		{"./wc a.txt", "", "program path", protocol.Confirm, false},
		{"bin/wc a.txt", "", "program path", protocol.Confirm, false},
		{filepath.Join(g.work, "wc") + " a.txt", "", "program path", protocol.Confirm, false},
		{filepath.Join(g.root, "bin/wc") + " a.txt", filepath.Join(g.root, "bin/wc"), "program path", protocol.Confirm, true},
		{real + " a.txt", "", "program path", protocol.Confirm, false},
		{"WC a.txt", "", "program name", protocol.Confirm, false},
		{"-ls", "", "program name", protocol.Confirm, false},
	} {
		argv := strings.Fields(tt.line)
		j := e.Judge(Step{Program: argv[0], Args: argv[1:], CWD: g.work})
		if j.Path != tt.path || j.Level != tt.level || j.Listed != tt.listed || tt.rule != "" && !slices.Contains(j.Rules, tt.rule) {
			t.Errorf("%q: path %q, %v, listed %v, %q", tt.line, j.Path, j.Level, j.Listed, j.Rules)
		}
	}
	// The same name stays the same program.
	if err := os.Remove(filepath.Join(g.root, "bin/ls")); err != nil {
		t.Fatal(err)
	}
	if j := e.Judge(Step{Program: "ls", CWD: g.work}); j.Path != real {
		t.Errorf("after a change of the folder ls is %q", j.Path)
	}
}
