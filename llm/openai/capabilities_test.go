package openai

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/llm"
)

func TestFileCapabilities(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	c := NewFileCapabilities(dir)
	if _, ok := c.Get("u", "m"); ok {
		t.Error("a missing file knows something")
	}
	if err := c.Set("u", "m", llm.EnforceObject, "the server said 不"); err != nil {
		t.Fatal(err)
	}
	if err := c.Set("u", "m", llm.EnforcePrompt, "the server said \xff"); err != nil {
		t.Fatal(err)
	}
	if r, ok := c.Get("u", "m"); !ok || r != llm.EnforcePrompt {
		t.Errorf("got %q %t", r, ok)
	}
	if _, ok := c.Get("u", "other"); ok {
		t.Error("another model is known")
	}
	b, err := os.ReadFile(c.file())
	if err != nil || strings.Count(string(b), `"model"`) != 1 || !strings.Contains(string(b), "the server said") {
		t.Errorf("file %s, %v", b, err)
	}
	if info, err := os.Stat(c.file()); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	later := NewFileCapabilities(dir)
	later.now = func() time.Time { return time.Now().Add(noteLife) }
	if _, ok := later.Get("u", "m"); ok {
		t.Error("an old note counts")
	}
	for _, broken := range []string{"", "{", `{"notes":{}}`, `{"notes":[{"baseUrl":"u","model":"m","enforce":"magic","date":"2026-11-21T00:00:00Z"}]}`} {
		if err := os.WriteFile(c.file(), []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := c.Get("u", "m"); ok {
			t.Errorf("%s knows something", broken)
		}
		if err := c.Set("u", "m", llm.EnforceObject, "x"); err != nil {
			t.Errorf("over %s: %v", broken, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || left != nil {
		t.Errorf("left behind %q, %v", left, err)
	}
}

func TestFileCapabilitiesTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 20
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { // each with a lock of its own, as processes have
			if err := NewFileCapabilities(dir).Set("u", fmt.Sprint(i), llm.EnforceObject, "x"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range n {
		if _, ok := NewFileCapabilities(dir).Get("u", fmt.Sprint(i)); !ok {
			t.Errorf("note %d is lost", i)
		}
	}
}

func TestFileCapabilitiesNowhere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := NewFileCapabilities(filepath.Join(file, "x")).Set("u", "m", llm.EnforceObject, "x"); err == nil {
		t.Error("a folder inside a file was made")
	}
}
