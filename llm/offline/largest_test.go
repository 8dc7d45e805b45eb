package offline_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestLargestOfAKind(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	write(t, dir, "data/huge.json", strings.Repeat("x", 90_000))
	write(t, dir, "sub/big.go", strings.Repeat("x", 30_000))
	write(t, dir, "notes.md", strings.Repeat("x", 5_000))
	s := newSession(t, dir)
	for _, q := range []string{"which Go files are the largest?", "最大的 Go 文件"} {
		r := s.ask(q)
		has(t, r, "- `sub/big.go` 29 KiB\n- `toml/toml.go` ", "`main.go` 92 B")
		hasNot(t, r, "json", ".md", "go.mod")
	}
	r := s.ask("largest markdown files")
	has(t, r, "**The largest Markdown files**", "- `notes.md` 4.9 KiB\n- `README.md` 90 B")
	hasNot(t, r, ".go", "json")
	r = s.ask("largest files in sub")
	has(t, r, "`sub/big.go`")
	hasNot(t, r, "json")
	has(t, s.ask("largest python files"), "There is no Python file here that has anything in it")
}

// TestLargestOfSmall gives the list where no file is large, and says what it
// did not compare.
func TestLargestOfSmall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.txt", "aaa")
	write(t, dir, "b.txt", "bbbbb")
	write(t, dir, "empty.txt", "")
	s := newSession(t, dir)
	r := s.ask("largest files")
	has(t, r, "- `b.txt` 5 B\n- `a.txt` 3 B")
	hasNot(t, r, "empty.txt", "compared")
	write(t, dir, "new\nline.txt", "dddddddd")
	has(t, s.ask("largest files"), "- `b.txt` 5 B\n- `a.txt` 3 B", "Not compared, because of their names: `new\\nline.txt`")
	for i := range 450 {
		write(t, dir, fmt.Sprintf("many/%d.txt", i), "x")
	}
	has(t, s.ask("largest files"), "only 400 files were compared")
}

func TestLineFeedInAName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "new\nline.txt", "x")
	s := newSession(t, dir)
	has(t, s.ask("how many text files are there?"), "There is **1 text file** ")
	has(t, s.ask("how many files?"), "There is **1 file** ")
	has(t, s.ask("find text files"), "**1 file**", "- `new\\nline.txt`")
	has(t, s.ask("what is in this folder?"), "**1 file**", "- `new\\nline.txt` (1 B)")
	write(t, dir, "other.txt", "x")
	has(t, s.ask("how many files?"), "There are **2 files** ")
}
