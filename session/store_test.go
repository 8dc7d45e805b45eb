package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/session"
)

// someSessions writes sessions of one message each, an hour between them, and
// gives their paths, newest first.
func someSessions(t *testing.T, store *session.Store, cwd string, texts ...string) (paths []string) {
	t.Helper()
	for i, text := range texts {
		s := must[*session.Session](t)(store.Create(cwd, ""))
		say(t, s, session.Message(session.System, "sys"), session.Message(session.User, text), session.Message(session.Assistant, "answer "+text))
		ok(t, s.Close())
		at := start.Add(-time.Duration(i) * time.Hour)
		ok(t, os.Chtimes(s.Path(), at, at))
		paths = append(paths, s.Path())
	}
	return paths
}

func pathsOf(list []session.Info) (paths []string) {
	for _, info := range list {
		paths = append(paths, info.Path)
	}
	return paths
}

func TestList(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	if list := must[[]session.Info](t)(store.List(t.Context(), "/a")); len(list) != 0 {
		t.Errorf("without a folder: %v", list)
	}
	a := someSessions(t, store, "/a", "first\n  question "+strings.Repeat("长", 300), "second")
	b := someSessions(t, store, "/b/a", "other")
	list := must[[]session.Info](t)(store.List(t.Context(), "/a"))
	if diff := cmp.Diff(a, pathsOf(list)); diff != "" {
		t.Error(diff)
	}
	info := list[0]
	if info.CWD != "/a" || info.Messages != 3 || info.Changed != start.Local() || info.Size != int64(len(read(t, a[0]))) || info.Err != nil ||
		!strings.HasPrefix(info.First, "first question 长长") || len(info.First) > 200 || strings.Contains(info.First, "\uFFFD") {
		t.Errorf("%+v", info)
	}
	if list := must[[]session.Info](t)(store.List(t.Context(), "")); len(list) != 3 {
		t.Errorf("all: %v", pathsOf(list))
	}
	if filepath.Dir(a[0]) == filepath.Dir(b[0]) {
		t.Error("folders of the same last name are one")
	}

	// The same without an index, with a name in it, and with damage.
	s := must[*session.Session](t)(store.Open(t.Context(), a[1]))
	ok(t, s.SetName(t.Context(), "名字"))
	ok(t, s.Close())
	if got := must[[]session.Info](t)(store.List(t.Context(), "/a")); got[0].Path != a[1] || got[0].Name != "名字" {
		t.Errorf("after a name: %+v", got[0])
	}
	for _, path := range a {
		ok(t, os.Remove(path+".idx"))
	}
	got := must[[]session.Info](t)(store.List(t.Context(), "/a"))
	if got[0].Messages != 3 || got[0].Name != "名字" || exists(a[0]+".idx") {
		t.Errorf("without an index: %+v", got[0])
	}
	big := must[*session.Session](t)(store.Create("/big", ""))
	say(t, big, session.Message(session.User, "words"), session.Message(session.Assistant, strings.Repeat("x", 2<<20)))
	if got := must[[]session.Info](t)(store.List(t.Context(), "/big")); got[0].Messages != 2 {
		t.Errorf("while it is written to: %+v", got[0])
	}
	ok(t, big.Close())
	ok(t, os.Remove(big.Path()+".idx"))
	if got := must[[]session.Info](t)(store.List(t.Context(), "/big")); got[0].Messages != -1 || got[0].First != "words" || got[0].CWD != "/big" {
		t.Errorf("a large one without an index: %+v", got[0])
	}
	write(t, b[0], `{"type":"header","version":99}`+"\n")
	if got := must[[]session.Info](t)(store.List(t.Context(), "/b/a")); len(got) != 1 || got[0].Err == nil {
		t.Errorf("one that cannot be read: %+v", got)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.List(cancelled, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	paths := someSessions(t, store, "/a", "how do I (x+y)\nwith GIT here?\nend", "什么是 git", "nothing")
	someSessions(t, store, "/b", "git elsewhere")
	write(t, filepath.Join(filepath.Dir(paths[0]), "x.jsonl"), `{"type":"header","version":99}`+"\n")
	broken := paths[2]
	write(t, broken, read(t, broken)+"broken git\n"+`{"role":"user","content":[{"type":"text","text":"a g\u0069t"}]}`+"\n")
	at := start.Add(-3 * time.Hour)
	ok(t, os.Chtimes(broken, at, at))
	hits, failed, err := store.Search(t.Context(), session.Query{Text: " Git ", CWD: "/a"})
	ok(t, err)
	var got []string
	for _, h := range hits {
		got = append(got, fmt.Sprintf("%s %s %s|%s|%s", filepath.Base(h.Session.Path), h.Role, h.Before, h.Match, h.After))
		v := must[*session.Session](t)(store.View(t.Context(), h.Session.Path))
		if l := must[session.Line](t)(v.Entry(h.EntryID)); l.Role != h.Role || !strings.Contains(l.Text(), h.Match) {
			t.Errorf("the hit %+v is not entry %s", h, l.Bytes())
		}
		ok(t, v.Close())
	}
	name := filepath.Base
	want := []string{
		name(paths[0]) + " user with |GIT| here?", name(paths[0]) + " assistant with |GIT| here?",
		name(paths[1]) + " user 什么是 |git|", name(paths[1]) + " assistant answer 什么是 |git|",
		name(paths[2]) + " user a |git|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(failed) != 1 || failed[0].Err == nil {
		t.Errorf("failed %+v", failed)
	}
	if hits, _, _ := store.Search(t.Context(), session.Query{Text: "(x+y)"}); len(hits) != 2 {
		t.Errorf("a text with signs: %v", hits)
	}
	if hits, _, _ := store.Search(t.Context(), session.Query{Text: "git", Limit: 3}); len(hits) != 3 {
		t.Errorf("%d hits, at most 3 were asked for", len(hits))
	}
	if hits, _, err := store.Search(t.Context(), session.Query{Text: " "}); len(hits) > 0 || err != nil {
		t.Errorf("nothing to look for: %v %v", hits, err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	paths := someSessions(t, store, "/a", "one", "two")
	write(t, paths[0]+".torn-20260311T120000.000Z", "x")
	v := must[*session.Session](t)(store.View(t.Context(), paths[0]))
	id := v.Header().ID
	ok(t, v.Close())
	ok(t, store.Remove(t.Context(), id))
	if left := must[[]string](t)(filepath.Glob(paths[0] + "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if !exists(paths[1]) || !exists(paths[1]+".idx") {
		t.Error("too much was removed")
	}
	if err := store.Remove(t.Context(), id); !errors.Is(err, session.ErrNoSession) {
		t.Errorf("twice: %v", err)
	}
	ok(t, store.Remove(t.Context(), paths[1]))
	if exists(filepath.Dir(paths[1])) {
		t.Error("the empty folder is left")
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule session.Rule
		left []int // of five, newest first
	}{
		"no rule":          {session.Rule{}, []int{0, 1, 2, 3, 4}},
		"keep":             {session.Rule{Keep: 2}, []int{0, 1, 2}}, // 2 is open
		"age":              {session.Rule{OlderThan: 90 * time.Minute}, []int{0, 1, 2}},
		"age and keep":     {session.Rule{OlderThan: 150 * time.Minute, Keep: 1}, []int{0, 2}},
		"size":             {session.Rule{MaxBytes: 1500}, []int{0, 1, 2}},
		"size of nothing":  {session.Rule{MaxBytes: 1}, []int{2}},
		"only say, by age": {session.Rule{OlderThan: time.Minute, DryRun: true}, []int{0, 1, 2, 3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newStore(t)
			paths := someSessions(t, store, "/a", "0", "1", "2", "3", "4")
			other := someSessions(t, store, "/b", "x")
			open := must[*session.Session](t)(store.Open(t.Context(), paths[2]))
			closeLater(t, open)
			gone := must[[]session.Info](t)(store.Prune(t.Context(), "/a", c.rule))
			var left []int
			for i, path := range paths {
				if exists(path) {
					left = append(left, i)
				}
			}
			if diff := cmp.Diff(c.left, left); diff != "" {
				t.Error(diff)
			}
			if !c.rule.DryRun && len(gone) != 5-len(left) || c.rule.DryRun && len(gone) != 3 {
				t.Errorf("told %v", pathsOf(gone))
			}
			if !exists(other[0]) {
				t.Error("a session of another folder was removed")
			}
		})
	}
}
