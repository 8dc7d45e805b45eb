package registry_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
)

var plain = registry.UI{CLI: true, DefaultMode: "cli", TUIFlag: "--tui"}

// manifest reads a package.json that stands where SlothTool looks.
func manifest(t *testing.T, text string) registry.Manifest {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "package.json"), text)
	return registry.Plugin{Alias: "x", BinPath: filepath.Join(dir, "bin", "x.js")}.Manifest()
}

func TestUI(t *testing.T) {
	t.Parallel()
	screen := func(mode, flag string, compat ...string) registry.UI {
		return registry.UI{CLI: true, TUI: true, DefaultMode: mode, TUIFlag: flag, CompatFlags: compat}
	}
	for _, tt := range []struct {
		own  string // of "slothtool"
		want registry.UI
	}{
		{`{}`, plain},
		{`null`, plain},
		{`"interactive"`, plain},
		{`{"interactive": true, "interactiveFlag": "-i", "ui": {"cli": true, "tui": true, "defaultMode": "tui", "tuiFlag": "--tui", "compatFlags": ["-i", "--interactive"]}}`,
			screen("tui", "--tui", "-i", "--interactive")},
		{`{"ui": {"tui": true}}`, screen("cli", "--tui")},
		{`{"ui": {"tui": 1, "cli": 0, "defaultMode": "TUI"}}`, plain},
		{`{"ui": {"cli": false}}`, registry.UI{DefaultMode: "cli", TUIFlag: "--tui"}},
		{`{"ui": {"tui": true, "tuiFlag": "", "compatFlags": "-i"}}`, screen("cli", "--tui")},
		{`{"ui": {"tui": true, "tuiFlag": 5, "compatFlags": [1, "-x", null, ""]}}`, screen("cli", "--tui", "-x")},
		{`{"ui": [], "interactive": true}`, plain},
		{`{"ui": {}, "interactive": true}`, plain},
		{`{"ui": null, "interactive": true}`, screen("cli", "-i", "-i", "--interactive")},
		{`{"ui": "", "interactive": true, "interactiveFlag": "--menu"}`, screen("cli", "--menu", "--menu", "--interactive")},
		{`{"interactive": "yes"}`, screen("cli", "-i", "-i", "--interactive")},
		{`{"interactive": 1e400}`, screen("cli", "-i", "-i", "--interactive")},
		{`{"interactive": -0.0}`, plain},
		{`{"interactive": ""}`, plain},
		{`{"interactive": false, "interactiveFlag": "-i"}`, plain},
	} {
		m := manifest(t, `{"slothtool": `+tt.own+`}`)
		if diff := cmp.Diff(tt.want, m.UI); diff != "" || m.Problem != nil {
			t.Errorf("%s: %v, -want +got:\n%s", tt.own, m.Problem, diff)
		}
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		permissions string
		want        []protocol.Fact
	}{
		{`["write", "network", "write", "future", 5, "safe"]`, []protocol.Fact{"network", "write"}},
		{`{"elevated": true, "network": false, "write": 1, "destructive": true}`, []protocol.Fact{"elevated", "write"}},
		{`"network"`, nil},
		{`[]`, nil},
		{`null`, nil},
	} {
		m := manifest(t, `{"slothtool": {"permissions": `+tt.permissions+`}}`)
		if !slices.Equal(m.Declared, tt.want) || m.Problem != nil {
			t.Errorf("%s: %v, %v; want %v", tt.permissions, m.Declared, m.Problem, tt.want)
		}
	}
}

func TestManifestPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := registry.Plugin{Alias: "x", BinPath: filepath.Join(dir, "x", "bin", "x.js")}
	if diff := cmp.Diff(registry.Manifest{UI: plain}, p.Manifest()); diff != "" {
		t.Errorf("none: -want +got:\n%s", diff)
	}
	beside := write(t, filepath.Join(dir, "x", "bin", "package.json"), `{"name": "beside"}`)
	if m := p.Manifest(); m.Name != "beside" || m.Path != beside || m.Problem != nil {
		t.Errorf("beside: %+v", m)
	}
	above := write(t, filepath.Join(dir, "x", "package.json"), "\ufeff"+`{"name": "above", "version": "1.2.3", "description": "数行"}`)
	want := registry.Manifest{Path: above, Name: "above", Version: "1.2.3", Description: "数行", UI: plain}
	if diff := cmp.Diff(want, p.Manifest()); diff != "" {
		t.Errorf("above: -want +got:\n%s", diff)
	}
}

func TestManifestProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, says string }{
		{"", "package.json"},
		{"[]", "package.json"},
		{`null`, "expected an object"},
		{`{"name": "a"} {}`, "package.json"},
		{`{"slothtool": {}, "slothtool": {"interactive": true}}`, "duplicate"},
		{`{"slothtool": {"interactive": true, "ui": {"tui": false, "tui": true}}}`, "duplicate"},
		{`{"name": "` + strings.Repeat("x", 1<<20) + `"}`, "expected at most 1048576 bytes"},
		{strings.Repeat("[", 100_000), "package.json"},
		{"{\"name\": \"\xff\"}", "UTF-8"},
	} {
		m := manifest(t, tt.text)
		if m.Problem == nil || !strings.Contains(m.Problem.Error(), tt.says) || !strings.Contains(m.Problem.Error(), "without a screen") {
			t.Errorf("%.60q: %v; want %q", tt.text, m.Problem, tt.says)
		}
		if diff := cmp.Diff(plain, m.UI); diff != "" || m.Declared != nil || m.Name != "" {
			t.Errorf("%.60q: %+v", tt.text, m)
		}
	}
}

func TestOpens(t *testing.T) {
	t.Parallel()
	loc := registry.UI{CLI: true, TUI: true, DefaultMode: "tui", TUIFlag: "--tui", CompatFlags: []string{"-i", "--interactive"}}
	old := registry.UI{CLI: true, TUI: true, DefaultMode: "cli", TUIFlag: "--menu", CompatFlags: []string{"--menu", "--interactive"}}
	for _, tt := range []struct {
		ui   registry.UI
		args []string
		want string // a word of the answer; "" is that it opens nothing
	}{
		{loc, nil, "without arguments"},
		{loc, []string{}, "without arguments"},
		{loc, []string{"./src"}, ""},
		{loc, []string{"list", "--json"}, ""},
		{loc, []string{""}, ""},
		{loc, []string{"./src", "-i"}, `"-i"`},
		{loc, []string{"--help", "--tui"}, `"--tui"`},
		{loc, []string{"--tui=1"}, `"--tui=1"`},
		{loc, []string{"--", "--tui"}, ""},
		{loc, []string{"-i", "--"}, `"-i"`},
		{loc, []string{"--tuition", "-I"}, ""},
		{old, nil, ""},
		{old, []string{"--menu"}, `"--menu"`},
		{old, []string{"--interactive"}, `"--interactive"`},
		{old, []string{"-i"}, `"-i"`},
		{plain, nil, ""},
		{plain, []string{"-i", "--tui", "--interactive"}, ""},
	} {
		got := tt.ui.Opens(tt.args)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q; want %q", tt.args, got, tt.want)
		}
	}
}

func FuzzManifest(f *testing.F) {
	for _, text := range []string{
		`{"name": "n", "slothtool": {"ui": {"tui": true, "compatFlags": ["-i"]}, "permissions": ["write"]}}`,
		`{"slothtool": {"interactive": 1e-400, "permissions": {"network": true}}}`,
		"\ufeff{}", `{"slothtool": {"ui": null, "ui": {}}}`,
	} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "package.json")
	p := registry.Plugin{Alias: "x", BinPath: filepath.Join(dir, "bin", "x.js")}
	f.Fuzz(func(t *testing.T, text []byte) {
		write(t, path, string(text))
		m := p.Manifest()
		if m.Path == "" || m.UI.TUIFlag == "" || m.UI.DefaultMode != "cli" && m.UI.DefaultMode != "tui" {
			t.Fatalf("%+v", m)
		}
		if m.Problem != nil && (m.UI.TUI || m.Declared != nil) {
			t.Fatalf("something is believed of a file that was not understood: %+v", m)
		}
		for _, fact := range m.Declared {
			if fact != protocol.FactWrite && fact != protocol.FactNetwork && fact != protocol.FactElevated {
				t.Fatalf("%q", fact)
			}
		}
	})
}
