package registry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/registry"
)

func entries(alias string) string {
	return fmt.Sprintf(`{"plugins": {%q: {"name": "n", "binPath": "/b"}}}`, alias)
}

// age makes a file look as if it was written long ago.
func age(t *testing.T, path string) {
	t.Helper()
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestSourceFollowsItsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "registry.json")
	source := registry.Open(path)
	expect := func(step, want string) *registry.Registry {
		t.Helper()
		r, err := source.Current()
		if err != nil || r.Aliases(100) != want {
			t.Fatalf("%s: %v, %v; want %q", step, r, err, want)
		}
		return r
	}
	expect("not there", "")
	write(t, path, entries("aaa"))
	expect("there", "aaa")
	write(t, path, entries("bbb"))
	expect("same length, right after", "bbb")
	age(t, path)
	kept := expect("older", "bbb")
	if again := expect("unchanged", "bbb"); again != kept {
		t.Error("an unchanged file was read again")
	}
	other := write(t, path+".new", entries("ccc"))
	age(t, other)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	expect("another file in its place", "ccc")
	write(t, path, "{")
	if r, err := source.Current(); err == nil {
		t.Fatalf("broken: %v", r)
	}
	age(t, path)
	if r, err := source.Current(); err == nil {
		t.Fatalf("still broken: %v", r)
	}
	write(t, path, entries("ddd"))
	expect("mended", "ddd")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect("removed", "")
}

func TestSourceIsAskedByMany(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "registry.json")
	write(t, path, entries("a"))
	source := registry.Open(path)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 50 {
				if i == 0 {
					next := path + ".new"
					if err := os.WriteFile(next, []byte(entries("b")), 0o600); err != nil {
						t.Error(err)
					}
					if err := os.Rename(next, path); err != nil {
						t.Error(err)
					}
				}
				r, err := source.Current()
				if err != nil {
					t.Error(err)
					return
				}
				if got := r.Aliases(10); got != "a" && got != "b" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	group.Wait()
}
