//go:build unix

package npm_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/slothtree"
	"github.com/holic512/plugin-ai/registry"
)

// platform is this machine's, as npm and as Go name it.
func platform(t *testing.T) (npm, goName string) {
	t.Helper()
	cpu, ok := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if !ok || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skipf("no package is made for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return runtime.GOOS + "-" + cpu, runtime.GOOS + "-" + runtime.GOARCH
}

// build makes the real program, as `make dist` does.
func build(t *testing.T, path, version string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-X main.version="+version, "-o", path, "../cmd/ai")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestInstalled packs the real program and installs the packages in SlothTool's
// folder as npm lays them out.
func TestInstalled(t *testing.T) {
	t.Parallel()
	node := node(t)
	name, goName := platform(t)
	version := readManifest(t, "package.json").Version
	dist, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	program := filepath.Join(dist, "ai-v"+version+"-"+goName)
	build(t, program, "v"+version)
	if text, err := exec.CommandContext(t.Context(), node, "pack.mjs", dist, out, name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}

	main, native := filepath.Join(out, "plugin-ai"), filepath.Join(out, "plugin-ai-"+name)
	m, n := readManifest(t, filepath.Join(main, "package.json")), readManifest(t, filepath.Join(native, "package.json"))
	system, cpu, _ := strings.Cut(name, "-")
	if m.OptionalDependencies[n.Name] != n.Version || n.Version != version || !slices.Equal(n.OS, []string{system}) || !slices.Equal(n.CPU, []string{cpu}) {
		t.Errorf("%+v\n%+v", m, n)
	}

	tree := plant(t)
	if err := tree.Add("ai", main, "bin/ai.js"); err != nil {
		t.Fatal(err)
	}
	copyTree(t, native, filepath.Join(tree.Plugins, "ai", "node_modules", filepath.FromSlash(n.Name)))
	launcher := installed(t, tree)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, args := range [][]string{{"--version"}, {"--no-such-flag"}, {"schema", "reply"}, {"policy", "explain", "git status"}} {
		direct := result(exec.CommandContext(ctx, program, args...), tree.Home)
		through := result(exec.CommandContext(ctx, node, append([]string{launcher}, args...)...), tree.Home)
		if diff := cmp.Diff(direct, through); diff != "" {
			t.Errorf("%q: -direct +through SlothTool's entry:\n%s", args, diff)
		}
		if args[0] == "--version" && !strings.Contains(through.Stdout, version) {
			t.Errorf("version: %+v", through)
		}
	}
}

// TestLocalBuild finds a build in the package's own folder first.
func TestLocalBuild(t *testing.T) {
	t.Parallel()
	tree := plant(t)
	if err := tree.Add("ai", ".", "bin/ai.js"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(tree.Plugins, "ai", "native"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Args[0], filepath.Join(tree.Plugins, "ai", "native", "ai")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node(t), installed(t, tree), "exit", "5")
	cmd.Env = append(os.Environ(), "AI_BINARY=", "AI_TEST_PROBE=1")
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 5 {
		t.Errorf("%v; want exit code 5", err)
	}
}

func TestPackProblems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct {
		args []string
		says string
	}{
		{nil, "expected the folder"},
		{[]string{dir, filepath.Join(dir, "a"), "plan9-x64"}, "unknown platform plan9-x64"},
		{[]string{dir, filepath.Join(dir, "b")}, "make dist VERSION=v"},
		{[]string{dir, dir}, "EEXIST"},
	} {
		cmd := exec.CommandContext(t.Context(), node(t), append([]string{"pack.mjs"}, tt.args...)...)
		if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), tt.says) {
			t.Errorf("%q: %v, %s", tt.args, err, out)
		}
	}
}

func plant(t *testing.T) slothtree.Tree {
	t.Helper()
	tree, err := slothtree.Plant(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// installed gives the launcher as the registry names it.
func installed(t *testing.T, tree slothtree.Tree) string {
	t.Helper()
	r, err := registry.Load(tree.Registry)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := r.Lookup("ai")
	if !ok || r.Aliases(100) != "ai, count, notes, table" {
		t.Fatalf("installed: %s", r.Aliases(100))
	}
	m := p.Manifest()
	want := registry.UI{CLI: true, TUI: true, DefaultMode: "cli", TUIFlag: "-i", CompatFlags: []string{"-i", "--interactive"}}
	if diff := cmp.Diff(want, m.UI); diff != "" || m.Problem != nil || m.Name != "@holic512/plugin-ai" {
		t.Errorf("%+v, -want +got:\n%s", m, diff)
	}
	if m.UI.Opens([]string{"-i"}) == "" || m.UI.Opens([]string{"a question"}) != "" {
		t.Error("its own screen is not known by -i")
	}
	launcher, err := p.Program(tree.Plugins)
	if err != nil {
		t.Fatal(err)
	}
	return launcher
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

type outcome struct {
	Code           int
	Stdout, Stderr string
}

func result(cmd *exec.Cmd, home string) outcome {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "AI_BINARY=")
	if err := cmd.Run(); cmd.ProcessState == nil {
		return outcome{-1, "", err.Error()}
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}
