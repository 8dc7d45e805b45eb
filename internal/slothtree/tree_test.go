package slothtree_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/internal/slothtree"
	"github.com/holic512/plugin-ai/registry"
)

// A planted tree with its plugins as the registry sees them.
type planted struct {
	slothtree.Tree
	t        *testing.T
	node     string
	registry *registry.Registry
}

func plant(t *testing.T) planted {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here, which runs the plugins")
	}
	// A path with a blank and a quote, as a person's name may give.
	home := filepath.Join(t.TempDir(), "O'Neil 王")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	tree, err := slothtree.Plant(home)
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.Load(tree.Registry)
	if err != nil {
		t.Fatal(err)
	}
	return planted{tree, t, node, r}
}

func (p planted) command(ctx context.Context, alias string, args ...string) *exec.Cmd {
	p.t.Helper()
	plugin, ok := p.registry.Lookup(alias)
	if !ok {
		p.t.Fatalf("%s is not installed", alias)
	}
	program, err := plugin.Program(p.Plugins)
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, p.node, append([]string{program}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+p.Home, "USERPROFILE="+p.Home)
	cmd.Dir = p.Home
	return cmd
}

func (p planted) run(code int, alias string, args ...string) (stdout, stderr string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	cmd := p.command(ctx, alias, args...)
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != code {
		p.t.Fatalf("%s %q: %v; want exit code %d\n%s%s", alias, args, err, code, &out, &fault)
	}
	return out.String(), fault.String()
}

func TestRegistrySeesThem(t *testing.T) {
	t.Parallel()
	tree, err := slothtree.Plant(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.Load(tree.Registry)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Aliases(400); got != "count, notes, table" {
		t.Errorf("aliases: %s", got)
	}
	for _, tt := range []struct {
		alias        string
		opens, plain []string
		silent       string // whether a run without arguments opens something
	}{
		{slothtree.Count, nil, []string{"-i"}, "plain"},
		{slothtree.Notes, []string{"--tui"}, []string{"list"}, "opens"},
		{slothtree.Table, []string{"--menu"}, []string{"--rows", "5"}, "plain"},
	} {
		p, _ := r.Lookup(tt.alias)
		m := p.Manifest()
		if m.Problem != nil || m.Name != p.PackageName || m.Version != p.Version || m.Description == "" {
			t.Errorf("%s: %+v of %+v", tt.alias, m, p)
		}
		if tt.opens != nil && m.UI.Opens(tt.opens) == "" || m.UI.Opens(tt.plain) != "" || (m.UI.Opens(nil) == "") != (tt.silent == "plain") {
			t.Errorf("%s: %+v", tt.alias, m.UI)
		}
	}
}

func TestSettingsAreAsSlothToolWritesThem(t *testing.T) {
	t.Parallel()
	tree, err := slothtree.Plant(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		tree.Settings, tree.Registry, filepath.Join(tree.Dir, "plugin-configs", "notes.json"),
		filepath.Join(tree.Dir, "data", "plugin-configs", "count.json"), filepath.Join(tree.Dir, "data", "notes.json"),
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var any any
		if err := json.Unmarshal(text, &any); err != nil || bytes.HasSuffix(text, []byte("\n")) || !bytes.Contains(text, []byte("\n  ")) {
			t.Errorf("%s: %v, or not of the form of JSON.stringify(x, null, 2)", path, err)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	p := plant(t)
	folder := filepath.Join(p.Home, "src", "node_modules")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.go": "1\n2\n3", "b 空.md": "1\n", "empty": "", "node_modules/x.js": "1\n2\n"} {
		if err := os.WriteFile(filepath.Join(p.Home, "src", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := p.run(0, slothtree.Count, "src", "--json")
	var got struct {
		Total int
		Files []struct {
			Path  string
			Lines int
		}
	}
	if err := json.Unmarshal([]byte(out), &got, json.MatchCaseInsensitiveNames(true)); err != nil || got.Total != 4 || len(got.Files) != 3 || got.Files[1].Path != "b 空.md" {
		t.Errorf("%v: %s", err, out)
	}
	if out, _ := p.run(0, slothtree.Count, "src"); !strings.Contains(out, "       4  in 3 files") {
		t.Errorf("%s", out)
	}
	// Its settings count.
	if err := os.WriteFile(filepath.Join(p.Dir, "data", "plugin-configs", "count.json"), []byte(`{"excludeDirectories": {"node_modules": false}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := p.run(0, slothtree.Count, "src"); !strings.Contains(out, "       6  in 4 files") {
		t.Errorf("%s", out)
	}
	if out, _ := p.run(0, slothtree.Count, "--version"); out != "1.2.0\n" {
		t.Errorf("version: %q", out)
	}
	if out, _ := p.run(0, slothtree.Count, "--help"); !strings.Contains(out, "--json") {
		t.Errorf("help: %q", out)
	}
	if _, fault := p.run(1, slothtree.Count, "none"); !strings.Contains(fault, "none") {
		t.Errorf("no folder: %q", fault)
	}
	p.run(2, slothtree.Count, "--nope")
}

func TestNotes(t *testing.T) {
	t.Parallel()
	p := plant(t)
	old, now := filepath.Join(p.Dir, "plugin-configs", "notes.json"), filepath.Join(p.Dir, "data", "plugin-configs", "notes.json")
	if out, _ := p.run(0, slothtree.Notes, "config", "show"); !strings.Contains(out, `"title": "便签"`) || !strings.Contains(out, `"limit": 20`) {
		t.Errorf("config: %s", out)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old settings were not moved")
	}
	if _, err := os.Stat(now); err != nil {
		t.Error(err)
	}
	if out, _ := p.run(0, slothtree.Notes, "add", "写 $(信)\n\"x\""); out != "added 3\n" {
		t.Errorf("add: %q", out)
	}
	out, _ := p.run(0, slothtree.Notes, "list", "--json")
	var notes []struct {
		ID   int    `json:"id"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal([]byte(out), &notes); err != nil || len(notes) != 3 || notes[0].ID != 3 || notes[0].Text != "写 $(信)\n\"x\"" {
		t.Errorf("%v: %s", err, out)
	}
	if out, _ := p.run(0, slothtree.Notes, "list"); !strings.HasSuffix(out, "1. 买牛奶\n") {
		t.Errorf("list: %s", out)
	}
	for _, args := range [][]string{nil, {"--tui"}, {"list", "-i"}} {
		if _, fault := p.run(1, slothtree.Notes, args...); !strings.Contains(fault, "needs a terminal") {
			t.Errorf("%q: %s", args, fault)
		}
	}
	p.run(1, slothtree.Notes, "nope")
}

func TestTable(t *testing.T) {
	t.Parallel()
	p := plant(t)
	out, fault := p.run(0, slothtree.Table, "--rows", "5000")
	if strings.Count(out, "\n") != 5004 || !strings.Contains(out, "│ \x1b[32m上海    \x1b[0m │ 2487       │") || fault != "5000 rows\n" {
		t.Errorf("%q, %.300s", fault, out)
	}
	p.run(7, slothtree.Table, "--fail", "7")
	p.run(1, slothtree.Table, "--menu")
	p.run(1, slothtree.Table, "--rows", "x")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := p.command(ctx, slothtree.Table, "--hang")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("hanging\n"))
	if _, err := pipe.Read(line); err != nil || string(line) != "hanging\n" {
		t.Errorf("%q, %v", line, err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
}
