package atomicfile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/internal/atomicfile"
)

func open(t *testing.T) (*atomicfile.Dir, string) {
	t.Helper()
	path := t.TempDir()
	dir, err := atomicfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir, path
}

func names(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return strings.Join(found, " ")
}

func TestReplace(t *testing.T) {
	t.Parallel()
	dir, path := open(t)
	p, err := dir.Prepare("a", []byte("新"), 0o640, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, path); !strings.HasPrefix(got, ".a.new-") {
		t.Errorf("before the commit there is %q", got)
	}
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(path, "a"))
	if err != nil || string(text) != "新" || names(t, path) != "a" {
		t.Errorf("%q, %v, %q", text, err, names(t, path))
	}
	if p, err = dir.Prepare("a", nil, 0o600, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Discard(); err != nil || names(t, path) != "a" {
		t.Errorf("%v, %q", err, names(t, path))
	}
	if err := os.Mkdir(filepath.Join(path, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"folder", strings.Repeat("x", 250), "../b", "no/b"} {
		if err := dir.Replace(bad, nil, 0o600, nil); err == nil || names(t, path) != "a folder" {
			t.Errorf("%s: %v, %q", bad, err, names(t, path))
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	dir, path := open(t)
	for _, name := range []string{".a.new-1", ".a.new-xyz", ".ab.new-1", "a.new-1", ".a.lock", ".a"} {
		if err := os.WriteFile(filepath.Join(path, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(path, ".a.new-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := dir.Clean("a"); err != nil || names(t, path) != ".a .a.lock .a.new-folder .ab.new-1 a.new-1" {
		t.Errorf("%v, %q", err, names(t, path))
	}
}

func TestTarget(t *testing.T) {
	t.Parallel()
	path, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(path, name) }
	for _, err := range []error{os.WriteFile(at("a"), nil, 0o600), os.Symlink("a", at("link")), os.Symlink("nothing", at("broken"))} {
		if err != nil {
			t.Skipf("there are no links here: %v", err)
		}
	}
	for name, want := range map[string]string{"a": "a", "link": "a", "none": "none"} {
		if got, err := atomicfile.Target(at(name)); err != nil || got != at(want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := atomicfile.Target(at("broken")); !errors.Is(err, atomicfile.ErrDangling) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	dir, path := open(t)
	unlock, err := dir.Lock(t.Context(), "a", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_, err = dir.Lock(t.Context(), "a", time.Nanosecond)
	busy, ok := errors.AsType[*atomicfile.BusyError](err)
	if !ok || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "keeps it locked") {
		t.Errorf("got %v", err)
	}
	if ok && busy.Holder != "" && !strings.Contains(busy.Holder, fmt.Sprint(os.Getpid())) {
		t.Errorf("the holder is %q", busy.Holder)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dir.Lock(ctx, "a", time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		second, err := dir.Lock(t.Context(), "a", time.Minute)
		if err != nil {
			t.Error(err)
			return
		}
		second()
	})
	unlock()
	done.Wait()
	if err := errors.Join(os.Remove(filepath.Join(path, ".a.lock")), os.Mkdir(filepath.Join(path, ".a.lock"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Lock(t.Context(), "a", time.Minute); err == nil || !strings.Contains(err.Error(), "serves as the lock") {
		t.Errorf("got %v", err)
	}
}

func TestLockFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	var files []*os.File
	for range 2 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		files = append(files, f)
	}
	unlock, err := atomicfile.LockFile(t.Context(), files[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := atomicfile.LockFile(t.Context(), files[1], time.Nanosecond); err == nil {
		second() // the system has no such locks
	} else if _, ok := errors.AsType[*atomicfile.BusyError](err); !ok {
		t.Errorf("got %v", err)
	}
	unlock()
	second, err := atomicfile.LockFile(t.Context(), files[1], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	second()
}
