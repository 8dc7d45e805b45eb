package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIdsAreARow(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, seq := range []uint32{0, 1, 2, 3, 1 << 16, 1<<31 - 1, 1 << 31, ^uint32(0) - 1, ^uint32(0)} {
		id := entryID(seq)
		if got, ok := sequence(id); !ok || got != seq || len(id) != 8 {
			t.Errorf("the id %q of %d is at %d (%v)", id, seq, got, ok)
		}
		seen[id] = true
	}
	for seq := uint32(1_000_000); seq < 1_200_000; seq++ {
		seen[entryID(seq)] = true
	}
	if len(seen) != 200_009 {
		t.Errorf("%d different ids", len(seen))
	}
	for _, id := range []string{"", "line1", "ABCDEF01", "0000000g", "+0000001", "-0000001", "000000001", "中文ab"} {
		if _, ok := sequence(id); ok {
			t.Errorf("%q is in the row", id)
		}
	}
}

// TestTheEndOfTheRow gives a session whose ids another program chose.
func TestTheEndOfTheRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := fmt.Sprintf(`{"role":"user","content":"a","id":"%s","parentId":null}`+"\n", entryID(^uint32(0)))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := NewStore(Config{Dir: t.TempDir()}).Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	seen := map[string]bool{}
	for range 20 {
		lines, err := s.Append(t.Context(), Message(User, "q"), Message(Assistant, "a"))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			if seen[l.ID] || strings.Contains(text, l.ID) {
				t.Errorf("the id %s is there twice", l.ID)
			}
			seen[l.ID] = true
		}
	}
}

func TestManyProblemsAreCounted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat("x\n", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, found, err := ReadFile(path)
	if err != nil || len(lines) > 0 || len(found) != maxProblems+1 || !strings.Contains(found[maxProblems].What, "4000 more") {
		t.Errorf("%d lines, %d problems, the last is %v: %v", len(lines), len(found), found[len(found)-1], err)
	}
}

// TestLayout holds the sizes that readers of the index count with.
func TestLayout(t *testing.T) {
	t.Parallel()
	if got := len(encode(nil, head{})); got != headSize {
		t.Errorf("a head has %d bytes, not %d", got, headSize)
	}
	if got := len(encode(nil, record{})); got != recordSize {
		t.Errorf("a record has %d bytes, not %d", got, recordSize)
	}
}
