package audit_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/audit"
	"github.com/holic512/plugin-ai/protocol"
)

func now() time.Time { return time.Unix(1700000000, 0) }

func step(id string, args ...string) protocol.Observation {
	program, code := "git", 0
	return protocol.Observation{
		ID: id, Tool: "cmd", Program: &program, Args: args, CWD: "/p", ExitCode: &code, Outcome: protocol.Ran,
		Verdict: &protocol.Verdict{Level: protocol.Confirm, Rules: []string{"write=true"}, Facts: []protocol.Fact{protocol.FactWrite}, DecidedBy: protocol.DecidedByUser, Sandbox: "none"},
	}
}

func write(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "deep", "audit.jsonl")
	log := audit.Open(path, now)
	for i := range n {
		if err := log.Append(step("cmd_00"+string(rune('1'+i)), "commit", strings.Repeat("中", 10*i))); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestChain(t *testing.T) {
	t.Parallel()
	path := write(t, 5)
	if n, err := audit.Verify(path); n != 5 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	entries, err := audit.Read(path, 2)
	if err != nil || len(entries) != 2 || entries[0].ID != "cmd_004" || entries[1].ID != "cmd_005" || entries[1].Prev != entries[0].Hash {
		t.Errorf("%+v, %v", entries, err)
	}
	if e := entries[0]; e.Level != protocol.Confirm || e.DecidedBy != protocol.DecidedByUser || e.Program != "git" || *e.ExitCode != 0 {
		t.Errorf("%+v", e)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if n, err := audit.Verify(filepath.Join(t.TempDir(), "none")); n != 0 || err != nil {
		t.Errorf("a file that is not there: %d, %v", n, err)
	}
}

func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line   int
		change func(lines [][]byte) [][]byte
	}{
		"a word":            {3, func(l [][]byte) [][]byte { l[2] = bytes.Replace(l[2], []byte("user"), []byte("flag"), 1); return l }},
		"a line removed":    {2, func(l [][]byte) [][]byte { return append(l[:1], l[2:]...) }},
		"the first removed": {1, func(l [][]byte) [][]byte { return l[1:] }},
		"two swapped":       {2, func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }},
		"a line doubled":    {3, func(l [][]byte) [][]byte { return append(l[:2:2], l[1:]...) }},
		"a line of text":    {2, func(l [][]byte) [][]byte { l[1] = []byte("hello"); return l }},
		"a torn line":       {5, func(l [][]byte) [][]byte { l[4] = l[4][:len(l[4])/2]; return l }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, 5)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := c.change(bytes.Split(bytes.TrimSpace(text), []byte("\n")))
			if err := os.WriteFile(path, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
			var broken *audit.BrokenError
			if _, err := audit.Verify(path); !errors.As(err, &broken) || broken.Line != c.line {
				t.Errorf("%v, want line %d", err, c.line)
			}
		})
	}
}

// TestTornLine goes on after a line that a crash cut.
func TestTornLine(t *testing.T) {
	t.Parallel()
	path := write(t, 2)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := audit.Open(path, now).Append(step("cmd_003")); err != nil {
		t.Fatal(err)
	}
	entries, err := audit.Read(path, 0)
	if err != nil || len(entries) != 2 || entries[1].ID != "cmd_003" || entries[1].Prev != entries[0].Hash {
		t.Errorf("%+v, %v", entries, err)
	}
	var broken *audit.BrokenError
	if _, err := audit.Verify(path); !errors.As(err, &broken) || broken.Line != 2 {
		t.Errorf("the torn line is not told: %v", err)
	}
}

func TestManyWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			log := audit.Open(path, now) // as another process would
			for range 25 {
				if err := log.Append(step("cmd_001", strings.Repeat("x", 3000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n, err := audit.Verify(path); n != 200 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

func TestWhereItCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := audit.Open(filepath.Join(file, "audit.jsonl"), now).Append(step("cmd_001")); err == nil {
		t.Error("no error")
	}
}

func FuzzVerify(f *testing.F) {
	path := filepath.Join(f.TempDir(), "audit.jsonl")
	log := audit.Open(path, now)
	for range 2 {
		if err := log.Append(step("cmd_001", "a")); err != nil {
			f.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		before, _ := audit.Verify(path)
		if err := audit.Open(path, now).Append(step("cmd_009")); err != nil {
			t.Fatal(err)
		}
		if entries, err := audit.Read(path, 1); err == nil && (len(entries) != 1 || entries[0].ID != "cmd_009") {
			t.Fatalf("what was appended is not the last entry: %+v", entries)
		}
		if after, _ := audit.Verify(path); after < before {
			t.Fatalf("%d entries became %d", before, after)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	log := audit.Open(filepath.Join(b.TempDir(), "audit.jsonl"), now)
	for b.Loop() {
		if err := log.Append(step("cmd_001", "status")); err != nil {
			b.Fatal(err)
		}
	}
}
