package jsonfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/executors/jsonfile"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "~/project/app.json", "~/.ssh/settings.json", "~/.slothtool/registry.json", "~/.slothtool/backups/x.json", "~/folder", "relative.json")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"settings.json", "registry.json", "plugin-configs/a.json", "plugin-configs/deep/b.json", "data/plugin-configs/loc.json", "plugins/x/package.json", "plugin-configs/a.txt", "plugin-configs/.hidden.json"} {
		p.write(name, "{}")
	}
	outside := filepath.Join(p.home, "outside.json")
	must(os.WriteFile(outside, []byte("{}"), 0o600))
	must(os.MkdirAll(filepath.Join(p.home, "elsewhere"), 0o700))
	must(os.MkdirAll(filepath.Join(p.home, "project"), 0o700))
	for link, to := range map[string]string{"out.json": outside, "in.json": "a.json", "dangling.json": filepath.Join(p.home, "nothing"), "loop.json": "loop.json", "up": "..", "away": filepath.Join(p.home, "elsewhere")} {
		must(os.Symlink(to, filepath.Join(p.sloth, "plugin-configs", link)))
	}
	tests := []struct{ path, want, says string }{
		{"~/.slothtool/settings.json", "settings.json", ""},
		{"settings.json", "settings.json", ""}, // relative to ~/.slothtool here
		{"~/.slothtool/plugin-configs/a.json", "plugin-configs/a.json", ""},
		{"~/.slothtool/plugin-configs/new.json", "plugin-configs/new.json", ""},
		{"~/.slothtool/data/plugin-configs/loc.json", "data/plugin-configs/loc.json", ""},
		{"~//.slothtool/./plugin-configs/../plugin-configs//a.json", "plugin-configs/a.json", ""},
		{"plugin-configs/in.json", "plugin-configs/a.json", ""},
		{"plugin-configs/up/plugin-configs/a.json", "plugin-configs/a.json", ""},
		{"~/project/app.json", "../project/app.json", ""},
		{"../project/app.json", "../project/app.json", ""},
		{"~/.ssh/settings.json", "../.ssh/settings.json", ""}, // a person's word; not there yet
		{"registry.json", "", "list of installed plugins"},
		{"REGISTRY.json", "", "list of installed plugins"},
		{"plugin-configs/../registry.json", "", "list of installed plugins"},
		{"plugin-configs/up/registry.json", "", "list of installed plugins"},
		{"backups/x.json", "", "keeps for itself"},
		{"plugins/x/package.json", "", "may be changed"},
		{"plugin-configs/deep/b.json", "", "may be changed"},
		{"plugin-configs/a.txt", "", "may be changed"},
		{"plugin-configs/.hidden.json", "", "may be changed"},
		{"plugin-configs/.json", "", "may be changed"},
		{"plugin-configs", "", "may be changed"},
		{"plugin-configs/a.json/x.json", "", "not a directory"},
		{"plugin-configs/out.json", "", outside},
		{"plugin-configs/away/x.json", "", "elsewhere"},
		{"plugin-configs/dangling.json", "", "which is not there"},
		{"plugin-configs/loop.json", "", "loop.json"},
		{"relative.json", "", "may be changed"},
		{"/etc/x.json", "", "/etc/x.json"},
		{"~root/x.json", "", "another person's"},
		{"~", "", "may be changed"},
		{"", "", "expected the path"},
		{"plugin-configs/a\x00.json", "", "expected the path"},
	}
	for _, tt := range tests {
		got, err := p.editor.Place(tt.path, p.sloth)
		if tt.says == "" {
			if want := filepath.Join(p.sloth, tt.want); err != nil || got != want {
				t.Errorf("%q: got %q, %v; want %q", tt.path, got, err, want)
			}
			continue
		}
		if kind := kindOf(err); err == nil || !strings.Contains(err.Error(), tt.says) || kind != jsonfile.KindPlace && kind != jsonfile.KindFile {
			t.Errorf("%q: got %q, %v; want an error that says %q", tt.path, got, err, tt.says)
		}
	}
	if _, err := p.editor.Plan("settings.json", "", set("/a", "1")); kindOf(err) != jsonfile.KindPlace {
		t.Errorf("a relative path without a folder: %v", err)
	}
}

// The folder may be a link itself; what is in it may not lead out.
func TestPlaceWithLinkedFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	real := filepath.Join(p.home, "dotfiles")
	if err := os.MkdirAll(filepath.Join(real, "plugin-configs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, p.sloth); err != nil {
		t.Fatal(err)
	}
	p.do("~/.slothtool/plugin-configs/a.json", set("/x", "1"))
	if got := p.read("plugin-configs/a.json"); got != "{\n  \"x\": 1\n}\n" {
		t.Errorf("got %q", got)
	}
	if err := os.Rename(filepath.Join(real, "plugin-configs"), filepath.Join(p.home, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(p.home, "moved"), filepath.Join(real, "plugin-configs")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.editor.Plan("~/.slothtool/plugin-configs/a.json", "", set("/x", "2")); kindOf(err) != jsonfile.KindPlace {
		t.Errorf("got %v", err)
	}
}

// A path never leads to a file that may not be changed.
func FuzzPlace(f *testing.F) {
	p := newPlace(f, "~/project/app.json")
	p.write("plugin-configs/a.json", "{}")
	for name, to := range map[string]string{"up": "../..", "out": p.home, "in.json": "a.json"} {
		if err := os.Symlink(to, filepath.Join(p.sloth, "plugin-configs", name)); err != nil {
			f.Fatal(err)
		}
	}
	for _, s := range []string{"~/.slothtool/plugin-configs/up/x.json", "plugin-configs/in.json", "plugin-configs/../registry.json", "a/../../.slothtool/settings.json/", "~/project/./app.json", "plugin-configs/up/.slothtool/plugin-configs/b.json"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := p.editor.Place(path, p.sloth)
		if err != nil {
			if got != "" || kindOf(err) == "" {
				t.Fatalf("%q: %q, %v", path, got, err)
			}
			return
		}
		rel, err := filepath.Rel(p.home, got)
		if err != nil {
			t.Fatal(err)
		}
		dir, name := filepath.Split(filepath.ToSlash(rel))
		inside := (dir == ".slothtool/plugin-configs/" || dir == ".slothtool/data/plugin-configs/") && strings.HasSuffix(name, ".json")
		if !inside && rel != filepath.FromSlash(".slothtool/settings.json") && rel != filepath.FromSlash("project/app.json") {
			t.Fatalf("%q leads to %q", path, got)
		}
		if real, err := filepath.EvalSymlinks(got); err == nil && real != got {
			t.Fatalf("%q leads to %q, which is %q", path, got, real)
		}
	})
}
