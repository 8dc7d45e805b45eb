package jsonfile_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/executors/jsonfile"
)

// mount puts a small file system over a folder until the test ends.
func mount(t *testing.T, at, options string) {
	t.Helper()
	if err := unix.Mount("tmpfs", at, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
}

// readOnly makes a folder that nobody can write into, not even root.
func readOnly(t *testing.T, folder string) {
	t.Helper()
	if os.Getuid() != 0 {
		if err := os.Chmod(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
		return
	}
	if err := unix.Mount(folder, folder, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mount("", folder, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, full := range []string{"plugin-configs", "backups"} {
		t.Run(full, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			for _, folder := range []string{"plugin-configs", "backups"} {
				if err := os.MkdirAll(filepath.Join(p.sloth, folder), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			mount(t, filepath.Join(p.sloth, full), "size=256k,mode=0700")
			text := `{"a":"` + strings.Repeat("x", 60_000) + `"}`
			path := p.write("plugin-configs/a.json", text)
			change, err := p.editor.Plan(path, "", set("/a", `"`+strings.Repeat("y", 60_000)+`"`))
			if err != nil {
				t.Fatal(err)
			}
			filler := filepath.Join(p.sloth, full, "filler")
			for size := 256 << 10; size > 0; size -= 4 << 10 { // as much as there is room for
				if err = os.WriteFile(filler, bytes.Repeat([]byte{1}, size), 0o600); err == nil {
					break
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.editor.Commit(t.Context(), change)
			if kindOf(err) != jsonfile.KindFile || !strings.Contains(err.Error(), "make room") || p.read("plugin-configs/a.json") != text {
				t.Errorf("got %v", err)
			}
			onlyOurs(t, p)
			if _, _, err := p.editor.PlanUndo(""); err == nil {
				t.Error("what was not done would be taken back")
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			if _, err := p.editor.Commit(t.Context(), change); err != nil {
				t.Error(err)
			}
		})
	}
}

// A file is the old one after a failure, and nothing is left behind.
func TestFailures(t *testing.T) {
	t.Parallel()
	t.Run("read-only folder", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		path := p.write("plugin-configs/a.json", "{}")
		change, err := p.editor.Plan(path, "", set("/a", "1"))
		if err != nil {
			t.Fatal(err)
		}
		readOnly(t, filepath.Dir(path))
		_, err = p.editor.Commit(t.Context(), change)
		if kindOf(err) != jsonfile.KindFile || p.read("plugin-configs/a.json") != "{}" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("read-only backups", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		path := p.write("settings.json", "{}")
		change, err := p.editor.Plan(path, "", set("/a", "1"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(p.sloth, "backups"), 0o700); err != nil {
			t.Fatal(err)
		}
		readOnly(t, filepath.Join(p.sloth, "backups"))
		_, err = p.editor.Commit(t.Context(), change)
		if kindOf(err) == "" || p.read("settings.json") != "{}" || !strings.Contains(err.Error(), "backups") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("called off", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		change, err := p.editor.Plan(p.write("settings.json", "{}"), "", set("/a", "1"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.editor.Commit(ctx, change); !errors.Is(err, ctx.Err()) || p.read("settings.json") != "{}" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("swapped folder", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		path := p.write("plugin-configs/a.json", "{}")
		change, err := p.editor.Plan(path, "", set("/a", "1"))
		if err != nil {
			t.Fatal(err)
		}
		away := filepath.Join(p.home, "away")
		if err := errors.Join(os.Rename(filepath.Dir(path), away), os.Symlink(away, filepath.Dir(path))); err != nil {
			t.Fatal(err)
		}
		if _, err := p.editor.Commit(t.Context(), change); kindOf(err) != jsonfile.KindPlace {
			t.Errorf("got %v", err)
		}
		entries, err := os.ReadDir(away)
		if err != nil || len(entries) != 1 {
			t.Errorf("%v, %v", entries, err)
		}
	})
}
