package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/session"
)

// longSession writes a session of n messages.
func longSession(t testing.TB, store *session.Store, n int) (path string) {
	t.Helper()
	s := create(t, store)
	text := strings.Repeat("some words of a message, 一些字。", 8)
	for done := 0; done < n; {
		var drafts []session.Draft
		for ; done < n && len(drafts) < 1000; done++ {
			role := session.User
			if done%2 == 1 {
				role = session.Assistant
			}
			drafts = append(drafts, session.Message(role, fmt.Sprint(done, " ", text)))
		}
		say(t, s, drafts...)
	}
	ok(t, s.Close())
	return s.Path()
}

// TestTheMiddleIsNotRead overwrites all but the ends of a session, which
// opening, the window and appending must not notice.
func TestTheMiddleIsNotRead(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	path := longSession(t, store, 5000)
	info := must[os.FileInfo](t)(os.Stat(path))
	text := read(t, path)
	from, to := 10_000, len(text)-100_000
	write(t, path, text[:from]+strings.Repeat("\x00", to-from)+text[to:])
	ok(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, s)
	window := must[[]session.Line](t)(s.Window(50))
	next := say(t, s, session.Message(session.User, "next"))
	if len(s.Problems()) > 0 || len(window) != 50 || next[0].ParentID != window[49].ID || s.Counts().Messages() != 5001 {
		t.Errorf("%v, a window of %d", s.Problems(), len(window))
	}
	// Reading all of it does notice, and tells.
	lines := collect(t, s.Branch(""))
	if len(s.Problems()) == 0 || lines[len(lines)-1].ID != next[0].ID {
		t.Errorf("damage that was read is not told of, %d lines", len(lines))
	}
	ok(t, s.Close())
	damaged := must[[]string](t)(filepath.Glob(path + ".torn-*"))
	if diff := cmp.Diff([]string(nil), damaged); diff != "" {
		t.Errorf("damage in the middle was cut off: %s", diff)
	}
}

// BenchmarkOpenWindowAppend must not depend on the length.
func BenchmarkOpenWindowAppend(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			store := newStore(b)
			path := longSession(b, store, n)
			for b.Loop() {
				s := must[*session.Session](b)(store.Open(b.Context(), path))
				if lines := must[[]session.Line](b)(s.Window(50)); len(lines) != 50 {
					b.Fatal(len(lines))
				}
				say(b, s, session.Message(session.User, "q"), session.Message(session.Assistant, "a"))
				ok(b, s.Close())
			}
		})
	}
}

// BenchmarkOpenWindow leaves the disk's own time out.
func BenchmarkOpenWindow(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			store := newStore(b)
			path := longSession(b, store, n)
			for b.Loop() {
				s := must[*session.Session](b)(store.Open(b.Context(), path))
				must[[]session.Line](b)(s.Window(50))
				ok(b, s.Close())
			}
		})
	}
}

// BenchmarkRebuild is what opening costs when there is no index.
func BenchmarkRebuild(b *testing.B) {
	store := newStore(b)
	path := longSession(b, store, 100_000)
	for b.Loop() {
		ok(b, os.Remove(path+".idx"))
		s := must[*session.Session](b)(store.Open(b.Context(), path))
		ok(b, s.Close())
	}
}

// BenchmarkFork is what looking for an entry costs in a long session.
func BenchmarkFork(b *testing.B) {
	store := newStore(b)
	path := longSession(b, store, 100_000)
	s := must[*session.Session](b)(store.View(b.Context(), path))
	closeLater(b, s)
	var first string
	for l := range s.All() {
		first = l.ID
		break
	}
	for b.Loop() {
		ok(b, s.Fork(first))
	}
}

// BenchmarkList is a list of 200 sessions.
func BenchmarkList(b *testing.B) {
	store := newStore(b)
	for range 200 {
		longSession(b, store, 20)
	}
	for b.Loop() {
		if list := must[[]session.Info](b)(store.List(b.Context(), "")); len(list) != 200 {
			b.Fatal(len(list))
		}
	}
}
