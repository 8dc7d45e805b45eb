package session_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/session"
)

var start = time.Date(2026, 3, 11, 12, 0, 0, 0, time.UTC)

func newStore(t testing.TB) *session.Store {
	t.Helper()
	return session.NewStore(session.Config{Dir: filepath.Join(t.TempDir(), "sessions"), Now: func() time.Time { return start }})
}

// must gives the value of a call that has to work.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, store *session.Store) *session.Session {
	t.Helper()
	s := must[*session.Session](t)(store.Create("/home/me/项目", ""))
	closeLater(t, s)
	return s
}

// closeLater closes something when the test is over; it may be closed before.
func closeLater(t testing.TB, c io.Closer) {
	t.Helper()
	t.Cleanup(func() { _ = c.Close() })
}

func say(t testing.TB, s *session.Session, drafts ...session.Draft) []session.Line {
	t.Helper()
	return must[[]session.Line](t)(s.Append(t.Context(), drafts...))
}

func words(lines []session.Line) (w []string) {
	for _, l := range lines {
		if l.Role == "" {
			w = append(w, l.Type)
		} else {
			w = append(w, l.Role+":"+l.Text())
		}
	}
	return w
}

func collect(t testing.TB, seq func(func(session.Line, error) bool)) (lines []session.Line) {
	t.Helper()
	for l, err := range seq {
		ok(t, err)
		lines = append(lines, l)
	}
	return lines
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(t.TempDir(), name)
	}
	ok(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	return string(must[[]byte](t)(os.ReadFile(path)))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestFileIsMadeWithTheFirstEntry(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	s := create(t, store)
	if exists(s.Path()) || exists(filepath.Dir(s.Path())) {
		t.Fatal("there is a file before the first entry")
	}
	lines := say(t, s, session.Message(session.User, "你好\r\nhi"), session.Message(session.Assistant, "b").With("model", "m1"))
	want := `{"type":"header","timestamp":"2026-03-11T12:00:00.000Z","version":1,"id":"` + s.Header().ID + `","cwd":"/home/me/项目"}
{"role":"user","content":"你好\r\nhi","timestamp":"2026-03-11T12:00:00.000Z","id":"` + lines[0].ID + `","parentId":null}
{"role":"assistant","content":"b","timestamp":"2026-03-11T12:00:00.000Z","id":"` + lines[1].ID + `","parentId":"` + lines[0].ID + `","model":"m1"}
`
	if diff := cmp.Diff(want, read(t, s.Path())); diff != "" {
		t.Error(diff)
	}
	if runtime.GOOS != "windows" {
		for path, mode := range map[string]fs.FileMode{s.Path(): 0o600, s.Path() + ".idx": 0o600, filepath.Dir(s.Path()): 0o700 | fs.ModeDir} {
			if got := must[fs.FileInfo](t)(os.Stat(path)).Mode(); got != mode {
				t.Errorf("%s has mode %v, want %v", path, got, mode)
			}
		}
	}
	ok(t, s.Close())

	empty := create(t, store)
	ok(t, empty.Close())
	if list := must[[]session.Info](t)(store.List(t.Context(), "")); len(list) != 1 {
		t.Errorf("an unused session is in the list: %v", list)
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	s := create(t, store)
	a := say(t, s, session.Message(session.User, "one"), session.Message(session.Assistant, "two"))
	say(t, s, session.Mark(session.TypeCompaction).With("summary", "short").With("firstKeptEntryId", a[1].ID))
	say(t, s, session.Message(session.User, "three"))
	ok(t, s.SetName(t.Context(), "  my work "))
	ok(t, s.SetLabel(t.Context(), a[0].ID, "start"))
	window := must[[]session.Line](t)(s.Window(3))
	ok(t, s.Close())

	for _, ref := range []string{s.Path(), s.Header().ID, s.Header().ID[:6]} {
		r := must[*session.Session](t)(store.Open(t.Context(), ref))
		if diff := cmp.Diff(s.Header(), r.Header()); diff != "" {
			t.Error(diff)
		}
		if r.Name() != "my work" {
			t.Errorf("name %q", r.Name())
		}
		got := must[[]session.Line](t)(r.Window(3))
		if diff := cmp.Diff(words(window), words(got)); diff != "" || len(got) != 3 {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"user:one", "assistant:two", "compaction", "user:three", "session_name", "label"}, words(collect(t, r.Branch("")))); diff != "" {
			t.Error(diff)
		}
		sum, found, err := r.Latest(session.TypeCompaction)
		if err != nil || !found || sum.FieldText("summary") != "short" {
			t.Errorf("summary %v %v %v", sum, found, err)
		}
		if _, found, err := r.Latest(session.TypeModel); found || err != nil {
			t.Errorf("a model that never changed: %v", err)
		}
		if n := must[int](t)(r.Messages()); n != 3 {
			t.Errorf("%d messages", n)
		}
		if diff := cmp.Diff(session.Counts{User: 2, Assistant: 1, Other: 3}, r.Counts()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]string{a[0].ID: "start"}, must[map[string]string](t)(r.Labels())); diff != "" {
			t.Error(diff)
		}
		ok(t, r.Close())
	}
	if _, err := store.Open(t.Context(), "zzz"); !errors.Is(err, session.ErrNoSession) {
		t.Errorf("unknown id: %v", err)
	}
	if _, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "no.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("unknown path: %v", err)
	}
}

func TestForkAndTree(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	s := create(t, store)
	a := say(t, s, session.Message(session.User, "q1"), session.Message(session.Assistant, "a1"))
	b := say(t, s, session.Message(session.User, "q2"))
	ok(t, s.Fork(a[1].ID))
	c := say(t, s, session.Message(session.User, "q2'"))
	if c[0].ParentID != a[1].ID {
		t.Errorf("the fork follows %q", c[0].ParentID)
	}
	ok(t, s.SetLabel(t.Context(), b[0].ID, "left"))
	if diff := cmp.Diff([]string{"user:q1", "assistant:a1", "user:q2'", "label"}, words(must[[]session.Line](t)(s.Window(50)))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"user:q1", "assistant:a1", "user:q2"}, words(collect(t, s.Branch(b[0].ID)))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{b[0].ID, c[0].ID}, must[[]string](t)(s.Children(a[1].ID))); diff != "" {
		t.Error(diff)
	}
	ok(t, s.Fork(""))
	d := say(t, s, session.Message(session.User, "again"))
	if diff := cmp.Diff([]string{a[0].ID, d[0].ID}, must[[]string](t)(s.Children(""))); diff != "" {
		t.Error(diff)
	}
	roots := must[[]*session.Node](t)(s.Tree())
	if len(roots) != 2 || !roots[1].Leaf || roots[0].Children[0].Children[0].Label != "left" || roots[0].Words != "q1" {
		t.Errorf("tree %+v", roots)
	}
	if err := s.Fork("deadbeef"); !errors.Is(err, session.ErrNoEntry) {
		t.Errorf("a fork at nothing: %v", err)
	}
	if got := must[string](t)(s.Leaf()); got != d[0].ID {
		t.Errorf("a refused fork moved the leaf to %s", got)
	}

	clone := must[*session.Session](t)(s.Clone(t.Context(), c[0].ID))
	closeLater(t, clone)
	if diff := cmp.Diff([]string{"user:q1", "assistant:a1", "user:q2'"}, words(collect(t, clone.All()))); diff != "" {
		t.Error(diff)
	}
	if clone.Header().Parent != s.Path() || clone.Header().CWD != s.Header().CWD || clone.Header().ID == s.Header().ID {
		t.Errorf("header %+v", clone.Header())
	}
	if got := must[session.Line](t)(clone.Entry(c[0].ID)); got.ParentID != a[1].ID {
		t.Errorf("a clone keeps ids: %+v", got)
	}
	seen := map[string]bool{}
	say(t, clone, slices.Repeat([]session.Draft{session.Message(session.User, "x")}, 500)...)
	for l := range clone.All() {
		if seen[l.ID] || len(l.ID) != 8 {
			t.Fatalf("the id %q is there twice, or has not 8 digits", l.ID)
		}
		seen[l.ID] = true
	}
	empty := must[*session.Session](t)(s.Clone(t.Context(), ""))
	closeLater(t, empty)
	if n := must[int](t)(empty.Messages()); n != 0 || exists(empty.Path()) {
		t.Errorf("an empty clone has %d messages", n)
	}
}

func TestOneWriter(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	s := create(t, store)
	say(t, s, session.Message(session.User, "one"))
	if _, err := store.Open(t.Context(), s.Path()); !errors.Is(err, session.ErrLocked) || !strings.Contains(err.Error(), s.Path()) {
		t.Errorf("a second writer: %v", err)
	}
	if err := store.Remove(t.Context(), s.Path()); !errors.Is(err, session.ErrLocked) {
		t.Errorf("removed under the writer: %v", err)
	}
	v := must[*session.Session](t)(store.View(t.Context(), s.Path()))
	closeLater(t, v)
	if diff := cmp.Diff([]string{"user:one"}, words(must[[]session.Line](t)(v.Window(9)))); diff != "" {
		t.Error(diff)
	}
	if _, err := v.Append(t.Context(), session.Message(session.User, "x")); !errors.Is(err, session.ErrReadOnly) || !v.ReadOnly() {
		t.Errorf("appended to a view: %v", err)
	}
	say(t, s, session.Message(session.User, "two"))
	if diff := cmp.Diff([]string{"user:one"}, words(must[[]session.Line](t)(v.Window(9)))); diff != "" {
		t.Errorf("a view is of one moment: %s", diff)
	}
	ok(t, s.Close())
	if _, err := s.Append(t.Context(), session.Message(session.User, "x")); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("appended to a closed session: %v", err)
	}
	again := must[*session.Session](t)(store.Open(t.Context(), s.Path()))
	ok(t, again.Close())
}

func TestDraftsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := create(t, newStore(t))
	say(t, s, session.Message(session.User, "one"))
	before := read(t, s.Path())
	for name, d := range map[string]session.Draft{
		"a field twice":    session.Message(session.User, "x").With("a", 1).With("a", 2),
		"a field of ours":  session.Message(session.User, "x").With("id", "1"),
		"a role of nobody": session.Message("robot", "x"),
		"no role or type":  {},
		"content no JSON":  session.Blocks(session.User, jsontext.Value(`{"a":`)),
		"content a number": session.Blocks(session.User, jsontext.Value(`5`)),
		"no JSON value":    session.Mark("x").With("f", func() {}),
		"too long":         session.Message(session.User, strings.Repeat("x", session.MaxLine)),
	} {
		if _, err := s.Append(t.Context(), session.Message(session.User, "good"), d); err == nil {
			t.Errorf("%s: was written", name)
		}
	}
	if read(t, s.Path()) != before {
		t.Error("something was written before an error")
	}
	lines := say(t, s, session.Blocks(session.User, jsontext.Value("[\r\n {\"type\":\"text\", \"text\":\"\\u0061\\n\"},\n 1.0e2]")), session.Message(session.User, "bad \xff utf8"))
	if got := string(lines[0].Content); got != `[{"type":"text","text":"\u0061\n"},1.0e2]` {
		t.Errorf("spelling: %s", got)
	}
	if got := lines[1].Text(); got != "bad \uFFFD utf8" {
		t.Errorf("text %q", got)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	store := session.NewStore(session.Config{Dir: t.TempDir(), Mask: func(s string) string { return strings.ReplaceAll(s, "geheim", "***") }})
	s := create(t, store)
	say(t, s,
		session.Message(session.User, "it is geheim\n"),
		session.Blocks(session.User, jsontext.Value(`[{"type":"text", "text":"ge\u0068eim"},{"type":"image_url","image_url":{"url":"geheim"}},"geheim"]`)),
		session.Blocks(session.User, jsontext.Value(`{"type":"text","text":"\u0061"}`)))
	lines := must[[]session.Line](t)(s.Window(9))
	want := []string{
		`"it is ***\n"`,
		`[{"type":"text", "text":"***"},{"type":"image_url","image_url":{"url":"geheim"}},"***"]`,
		`{"type":"text","text":"\u0061"}`,
	}
	for i, l := range lines {
		if string(l.Content) != want[i] {
			t.Errorf("got %s, want %s", l.Content, want[i])
		}
	}
}

// TestUsedAtTheSameTime appends while others look, in one process.
func TestUsedAtTheSameTime(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	s := create(t, store)
	first := say(t, s, session.Message(session.User, "0"))[0].ID
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 25 {
				if _, err := s.Append(t.Context(), session.Message(session.User, "q"), session.Message(session.Assistant, "a")); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 25 {
				lines, err := s.Window(10)
				if err != nil || len(lines) == 0 {
					t.Error(lines, err)
				}
				n := 0
				for l, err := range s.Branch("") {
					if n++; err != nil || n == 1 && l.ID != first {
						t.Error(l.ID, err)
					}
				}
				v, err := store.View(t.Context(), s.Path())
				if err != nil {
					t.Error(err)
					return
				}
				for _, p := range v.Problems() {
					// What is being written just now may be half there.
					if p.Kind != session.Torn {
						t.Error(i, p)
					}
				}
				if err := v.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	branch := collect(t, s.Branch(""))
	if len(branch) != 201 {
		t.Fatalf("%d entries", len(branch))
	}
	for i := 1; i < len(branch); i += 2 {
		if branch[i].Text() != "q" || branch[i+1].Text() != "a" || branch[i].ParentID != branch[i-1].ID {
			t.Errorf("the turn at %d is parted", i)
		}
	}
	// The session may be used while it is walked through.
	n := 0
	for l := range s.Branch("") {
		if n++; n == 5 {
			say(t, s, session.Message(session.User, "in between"))
			ok(t, s.Fork(l.ID))
		}
	}
	if n != 201 {
		t.Errorf("a walk of %d", n)
	}
}
