package session_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/session"
)

// aSession writes a session of two turns, and gives its path and bytes.
func aSession(t *testing.T, store *session.Store) (path, text string, lines []session.Line) {
	t.Helper()
	s := create(t, store)
	lines = say(t, s, session.Message(session.User, "q1"), session.Message(session.Assistant, "a1"))
	lines = append(lines, say(t, s, session.Message(session.User, "q2"))...)
	ok(t, s.Close())
	return s.Path(), read(t, s.Path()), lines
}

func torn(t *testing.T, path string) []string {
	t.Helper()
	return must[[]string](t)(filepath.Glob(path + ".torn-*"))
}

func TestTornEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(text string) string
		kept   string
		left   int // entries
	}{
		"half a line":             {func(s string) string { return s + `{"role":"us` }, `{"role":"us`, 3},
		"cut in the last line":    {func(s string) string { return s[:len(s)-5] }, "", 2},
		"zeros":                   {func(s string) string { return s + strings.Repeat("\x00", 4096) }, strings.Repeat("\x00", 4096), 3},
		"zeros with an end":       {func(s string) string { return s + "{\"role\"\x00\x00\x00}\n" }, "{\"role\"\x00\x00\x00}\n", 3},
		"half a rune":             {func(s string) string { return s + "{\"a\":\"\xe4\xbd" }, "{\"a\":\"\xe4\xbd", 3},
		"much, and without a end": {func(s string) string { return s + strings.Repeat("x", session.MaxLine+9) }, strings.Repeat("x", session.MaxLine+9), 3},
		"the header":              {func(s string) string { return s[:20] }, "", 0},
		"the last end is missing": {func(s string) string { return s[:len(s)-1] }, "none", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newStore(t)
			path, text, _ := aSession(t, store)
			broken := c.change(text)
			write(t, path, broken)

			v := must[*session.Session](t)(store.View(t.Context(), path))
			if n := v.Counts().Messages(); n != c.left {
				t.Errorf("a view has %d messages", n)
			}
			if p := v.Problems(); (len(p) == 1 && p[0].Kind == session.Torn && p[0].Kept == "") == (c.kept == "none") {
				t.Errorf("a view has problems %v", p)
			}
			ok(t, v.Close())
			if read(t, path) != broken || len(torn(t, path)) > 0 {
				t.Error("a view changed something")
			}

			s := must[*session.Session](t)(store.Open(t.Context(), path))
			closeLater(t, s)
			aside := torn(t, path)
			if c.kept == "none" {
				if len(aside) > 0 || len(s.Problems()) > 0 {
					t.Errorf("a whole line without its end was taken as torn: %v", s.Problems())
				}
			} else {
				p := s.Problems()
				if len(p) != 1 || len(aside) != 1 || p[0].Kind != session.Torn || p[0].Kept != aside[0] || !strings.Contains(p[0].String(), aside[0]) {
					t.Fatalf("problems %v, kept %v", p, aside)
				}
				kept := read(t, aside[0])
				if c.kept != "" && kept != c.kept {
					t.Errorf("kept %.80q", kept)
				}
				if at := p[0].Offset; broken[at:] != kept {
					t.Errorf("the problem is at %d", at)
				}
			}
			next := say(t, s, session.Message(session.User, "next"))
			ok(t, s.Close())
			r := must[*session.Session](t)(store.Open(t.Context(), path))
			closeLater(t, r)
			if len(r.Problems()) > 0 || r.Counts().Messages() != c.left+1 {
				t.Errorf("afterwards: %v %v", r.Problems(), r.Counts())
			}
			got := collect(t, r.Branch(""))
			if last := got[len(got)-1]; last.ID != next[0].ID || last.Number != c.left+2 {
				t.Errorf("last %+v", last)
			}
		})
	}
}

func TestBrokenLinesAreToldAndStay(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	path, text, lines := aSession(t, store)
	parts := strings.SplitAfter(text, "\n")
	bad := []string{
		"nonsense\n",
		"{\"role\":\"user\",\"content\":\"x\",\"role\":\"user\"}\n",
		"[1]\n", "5\n", "{\"content\":\"x\"}\n",
		"{\"role\":\"robot\",\"content\":\"x\"}\n",
		"{\"role\":\"user\"}\n",
		"{\"role\":\"user\",\"content\":null}\n",
		"{\"role\":\"user\",\"content\":\"x\",\"id\":5}\n",
		"{\"role\":\"user\",\"content\":\"\xff\"}\n",
		"{\"role\":\"user\",\"content\":\"x\"}{}\n",
		"{\"role\":\"user\",\"content\":\"x\",}\n",
		"{\"a\":\x00}\n",
		strings.Repeat(" ", session.MaxLine) + "{}   \n",
	}
	var all []string
	all = append(all, parts[:2]...)
	all = append(all, bad...)
	all = append(all, "\n", "  \t\r\n") // nothing is in them
	all = append(all, parts[2:]...)
	broken := strings.Join(all, "")
	write(t, path, broken)
	for range 2 { // the second time there is an index
		s := must[*session.Session](t)(store.Open(t.Context(), path))
		problems := s.Problems()
		if len(problems) != len(bad) {
			t.Fatalf("%d problems, want %d: %v", len(problems), len(bad), problems)
		}
		offset := int64(len(parts[0]) + len(parts[1]))
		for i, p := range problems {
			if p.Line != i+3 || p.Offset != offset || p.Path != path || p.What == "" || p.Kind == session.Torn {
				t.Errorf("problem %d: %v", i, p)
			}
			offset += int64(len(bad[i]))
		}
		if problems[len(bad)-1].Kind != session.TooLong {
			t.Errorf("the long line: %v", problems[len(bad)-1])
		}
		if diff := cmp.Diff([]string{"user:q1", "assistant:a1", "user:q2"}, words(collect(t, s.Branch("")))); diff != "" {
			t.Error(diff)
		}
		ok(t, s.Close())
		if read(t, path) != broken {
			t.Fatal("opening changed the file")
		}
	}
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, s)
	next := say(t, s, session.Message(session.User, "next"))
	if next[0].ParentID != lines[2].ID || next[0].Number != len(all) {
		t.Errorf("next %+v", next[0])
	}
	if !strings.HasPrefix(read(t, path), broken) {
		t.Error("appending changed what was there")
	}
}

func TestParentsThatAreNotThere(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	path, text, lines := aSession(t, store)
	parts := strings.SplitAfter(text, "\n")
	parts[2] = "broken\n" // a1, which q2 follows
	parts = slices.Insert(parts, 4, `{"role":"user","content":"itself","id":"aa","parentId":"aa"}`+"\n",
		`{"role":"user","content":"later","id":"bb","parentId":"cc"}`+"\n", `{"role":"user","content":"same","id":"aa","parentId":"bb"}`+"\n",
		`{"role":"user","content":"end","id":"cc","parentId":"aa"}`+"\n")
	write(t, path, strings.Join(parts, ""))
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, s)
	var kinds []session.ProblemKind
	for _, p := range s.Problems() {
		kinds = append(kinds, p.Kind)
	}
	want := []session.ProblemKind{session.Broken, session.NoParent, session.NoParent, session.NoParent, session.Duplicate}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	got := must[[]session.Line](t)(s.Window(50))
	if diff := cmp.Diff([]string{"user:q1", "user:q2", "user:itself", "user:later", "user:same", "user:end"}, words(got)); diff != "" {
		t.Error(diff)
	}
	if got[1].ParentID != lines[0].ID {
		t.Errorf("q2 follows %q", got[1].ParentID)
	}
}

func TestChangedUnderneath(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, path string){
		"replaced": func(t *testing.T, path string) {
			write(t, path+"x", read(t, path))
			ok(t, os.Rename(path+"x", path))
		},
		"removed":        func(t *testing.T, path string) { ok(t, os.Remove(path)) },
		"made shorter":   func(t *testing.T, path string) { ok(t, os.Truncate(path, 30)) },
		"emptied":        func(t *testing.T, path string) { ok(t, os.Truncate(path, 0)) },
		"made longer":    func(t *testing.T, path string) { write(t, path, read(t, path)+"{\"type\":\"x\"}\n") },
		"now a folder":   func(t *testing.T, path string) { ok(t, os.Remove(path)); ok(t, os.Mkdir(path, 0o700)) },
		"now a bad link": func(t *testing.T, path string) { ok(t, os.Remove(path)); ok(t, os.Symlink("nowhere", path)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newStore(t)
			s := create(t, store)
			say(t, s, session.Message(session.User, "one"))
			change(t, s.Path())
			before, _ := os.ReadFile(s.Path())
			if _, err := s.Append(t.Context(), session.Message(session.User, "two")); !errors.Is(err, session.ErrChanged) {
				t.Errorf("appended: %v", err)
			}
			if after, _ := os.ReadFile(s.Path()); string(after) != string(before) {
				t.Error("something was written")
			}
			if name == "replaced" || name == "removed" {
				// What was acknowledged can still be saved.
				clone := must[*session.Session](t)(s.Clone(t.Context(), must[string](t)(s.Leaf())))
				closeLater(t, clone)
				if diff := cmp.Diff([]string{"user:one"}, words(collect(t, clone.All()))); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestIndexIsNeverTrusted(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, path string, other string){
		"missing":         func(t *testing.T, path, _ string) { ok(t, os.Remove(path+".idx")) },
		"empty":           func(t *testing.T, path, _ string) { ok(t, os.Truncate(path+".idx", 0)) },
		"half":            func(t *testing.T, path, _ string) { ok(t, os.Truncate(path+".idx", 500)) },
		"of another file": func(t *testing.T, path, other string) { write(t, path+".idx", read(t, other+".idx")) },
		"nonsense":        func(t *testing.T, path, _ string) { write(t, path+".idx", strings.Repeat("\xff", 5000)) },
		"a folder":        func(t *testing.T, path, _ string) { ok(t, os.Remove(path+".idx")); ok(t, os.Mkdir(path+".idx", 0o700)) },
		"another version": func(t *testing.T, path, _ string) {
			write(t, path+".idx", "aiindex0"+read(t, path+".idx")[8:])
		},
		"a flipped bit in each record": func(t *testing.T, path, _ string) {
			b := []byte(read(t, path+".idx"))
			for i := len(b) - 3*44; i < len(b); i += 44 {
				b[i+10] ^= 1
			}
			write(t, path+".idx", string(b))
		},
		"a flipped bit in the hash of an id": func(t *testing.T, path, _ string) {
			b := []byte(read(t, path+".idx"))
			b[len(b)-3*44] ^= 1
			write(t, path+".idx", string(b))
		},
		"the file was edited, with the same size": func(t *testing.T, path, _ string) {
			info := must[os.FileInfo](t)(os.Stat(path))
			write(t, path, strings.Replace(read(t, path), "q1", "Q1", 1))
			ok(t, os.Chtimes(path, start, info.ModTime().Add(1)))
		},
		"a record of another entry": func(t *testing.T, path, _ string) {
			b := []byte(read(t, path+".idx"))
			n := len(b)
			copy(b[n-2*44:n-44], b[n-3*44:n-2*44])
			write(t, path+".idx", string(b))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newStore(t)
			other, _, _ := aSession(t, store)
			path, _, lines := aSession(t, store)
			damage(t, path, other)
			want := []string{"user:q1", "assistant:a1", "user:q2"}
			if strings.Contains(name, "edited") {
				want[0] = "user:Q1"
			}
			v := must[*session.Session](t)(store.View(t.Context(), path))
			closeLater(t, v)
			if diff := cmp.Diff(want, words(must[[]session.Line](t)(v.Window(9)))); diff != "" {
				t.Errorf("view: %s", diff)
			}
			s := must[*session.Session](t)(store.Open(t.Context(), path))
			closeLater(t, s)
			if diff := cmp.Diff(want, words(must[[]session.Line](t)(s.Window(9)))); diff != "" {
				t.Error(diff)
			}
			if len(s.Problems()) > 0 {
				t.Error(s.Problems())
			}
			ok(t, s.Fork(lines[0].ID))
			if next := say(t, s, session.Message(session.User, "next")); next[0].ParentID != lines[0].ID {
				t.Errorf("next %+v", next)
			}
			ok(t, s.Close())
			r := must[*session.Session](t)(store.View(t.Context(), path))
			closeLater(t, r)
			if diff := cmp.Diff([]string{want[0], "user:next"}, words(must[[]session.Line](t)(r.Window(9)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestIndexWithAWrongParent makes an index that is right in itself and wrong
// in what it says of a parent.
func TestIndexWithAWrongParent(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	path, _, _ := aSession(t, store)
	b := []byte(read(t, path+".idx"))
	last := b[len(b)-44:]
	if got := binary.LittleEndian.Uint32(last[24:]); got != 2 {
		t.Fatalf("the parent of entry 3 is %d: the layout is not what this test knows", got)
	}
	binary.LittleEndian.PutUint32(last[24:], 1)
	binary.LittleEndian.PutUint32(last[40:], crc32.ChecksumIEEE(last[:40]))
	write(t, path+".idx", string(b))
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, s)
	if diff := cmp.Diff([]string{"user:q1", "assistant:a1", "user:q2"}, words(must[[]session.Line](t)(s.Window(9)))); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyAndForeignFiles(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	path, _, _ := aSession(t, store)
	write(t, path, "")
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	if s.Header().ID == "" || s.Header().Created != start || len(s.Problems()) > 0 {
		t.Errorf("an empty file: %+v %v", s.Header(), s.Problems())
	}
	say(t, s, session.Message(session.User, "new"))
	ok(t, s.Close())
	if text := read(t, path); !strings.HasPrefix(text, `{"type":"header"`) || strings.Count(text, "\n") != 2 {
		t.Errorf("after an empty file: %s", text)
	}

	newer := write(t, "n.jsonl", `{"type":"header","version":2,"id":"x"}`+"\n")
	if _, err := store.Open(t.Context(), newer); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a newer version: %v", err)
	}
	if _, err := store.Open(t.Context(), filepath.Dir(path)+"/"); !errors.Is(err, session.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link.jsonl")
	ok(t, os.Symlink(path, link))
	l := must[*session.Session](t)(store.Open(t.Context(), link))
	say(t, l, session.Message(session.User, "through the link"))
	if _, err := store.Open(t.Context(), path); !errors.Is(err, session.ErrLocked) {
		t.Errorf("a link is another file: %v", err)
	}
	ok(t, l.Close())
	if exists(link+".idx") || strings.Count(read(t, path), "\n") != 3 {
		t.Error("a link was not followed")
	}
}
