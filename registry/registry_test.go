package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/registry"
)

func load(t *testing.T, text string) (*registry.Registry, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "registry.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return registry.Load(path)
}

func TestOldAndNewEntries(t *testing.T) {
	t.Parallel()
	r, err := load(t, `{"version": 2, "plugins": {
		"loc": {"name": "@holic512/plugin-loc", "version": "1.0.2", "binPath": "/p/loc.js", "installedAt": "2026-01-02T03:04:05.000Z"},
		"base": {"name": "llm-base", "packageName": "@holic512/plugin-llm-base", "version": "2.0.0", "binPath": "/p/base.js",
			"sourceType": "npm", "installedAt": "a", "updatedAt": "b", "lastRunAt": null, "extra": {"kept": [1]}}
	}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []registry.Plugin{
		{Alias: "base", Name: "llm-base", PackageName: "@holic512/plugin-llm-base", Version: "2.0.0", BinPath: "/p/base.js", SourceType: "npm", InstalledAt: "a", UpdatedAt: "b"},
		{Alias: "loc", Name: "@holic512/plugin-loc", PackageName: "@holic512/plugin-loc", Version: "1.0.2", BinPath: "/p/loc.js", InstalledAt: "2026-01-02T03:04:05.000Z"},
	}
	if diff := cmp.Diff(want, r.Plugins()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p, ok := r.Lookup("loc"); !ok || p != want[1] {
		t.Errorf("loc: %+v, %v", p, ok)
	}
	if _, ok := r.Lookup("LOC"); ok {
		t.Error("LOC was found")
	}
	if p, ok := r.ByPackage("@holic512/plugin-llm-base"); !ok || p != want[0] {
		t.Errorf("by package: %+v, %v", p, ok)
	}
	if _, ok := r.ByPackage("llm-base"); ok {
		t.Error("a plugin's name was taken for its package")
	}
}

func TestNoPlugins(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{}", `{"plugins": {}}`, "\ufeff{}", `{"plugins": {}, "future": 1}`} {
		r, err := load(t, text)
		if err != nil || len(r.Plugins()) != 0 {
			t.Errorf("%s: %v, %v", text, r, err)
		}
	}
	r, err := registry.Load(filepath.Join(t.TempDir(), "none", "registry.json"))
	if err != nil || len(r.Plugins()) != 0 {
		t.Errorf("not there: %v, %v", r, err)
	}
	if _, ok := r.Lookup("x"); ok {
		t.Error("x was found")
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, says string
		line       int
		byte       int64
	}{
		{"", "not JSON", 1, 0},
		{"{\n \"plugins\": {,}}", ":2 (byte 15)", 2, 15},
		{`{"plugins": {"a": {"name": "n", "binPath": "/a"}, "a": {"name": "n", "binPath": "/b"}}}`, "duplicate", 1, 50},
		{`[]`, "the whole file: expected an object", 0, 0},
		{`{"plugins": []}`, "/plugins: expected an object", 0, 0},
		{`{"plugins": {"a": {"name": "n"}}}`, "/plugins/a/binPath: expected a string, got nothing", 0, 0},
		{`{"plugins": {"a": {"name": 5, "binPath": "/a"}}}`, "/plugins/a/name", 0, 0},
		{`{"plugins": {"": {"name": "n", "binPath": "/a"}}}`, "/plugins/", 0, 0},
	} {
		r, err := load(t, tt.text)
		var e *registry.Error
		if r != nil || !errors.As(err, &e) {
			t.Errorf("%s: got %v, %v", tt.text, r, err)
			continue
		}
		if !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "registry.json") || e.Line != tt.line || e.Byte != tt.byte {
			t.Errorf("%s: %v (line %d, byte %d); want %q, %d, %d", tt.text, err, e.Line, e.Byte, tt.says, tt.line, tt.byte)
		}
	}
	dir := t.TempDir()
	if _, err := registry.Load(dir); err == nil {
		t.Error("a folder was read")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(`{"plugins": {"a": {"name": "n", "binPath": "/a"}}}`)
	f.Add(`{"plugins": {"a": {"name": "n", "binPath": 1e400}}}`)
	path := filepath.Join(f.TempDir(), "registry.json")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := registry.Load(path)
		var e *registry.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("an error of another type: %v", err)
		}
		if err != nil {
			return
		}
		for _, p := range r.Plugins() {
			if got, ok := r.Lookup(p.Alias); !ok || got != p || p.Name == "" || p.BinPath == "" {
				t.Fatalf("%+v, %v", got, ok)
			}
		}
	})
}
