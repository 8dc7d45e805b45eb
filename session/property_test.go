package session_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/session"
)

// model is what a session should be.
type model struct {
	order  []string
	parent map[string]string
	text   map[string]string
	leaf   string
}

func (m *model) branch(id string) (ids []string) {
	for ; id != ""; id = m.parent[id] {
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}

func (m *model) children(id string) (ids []string) {
	for _, c := range m.order {
		if m.parent[c] == id {
			ids = append(ids, c)
		}
	}
	return ids
}

// check compares a session with the model.
func (m *model) check(t *testing.T, s *session.Session, rnd *rand.Rand) {
	t.Helper()
	ids := func(lines []session.Line) (ids []string) {
		for _, l := range lines {
			ids = append(ids, l.ID)
			if l.ParentID != m.parent[l.ID] || l.Role != "" && l.Text() != m.text[l.ID] {
				t.Fatalf("entry %s: parent %q text %q", l.ID, l.ParentID, l.Text())
			}
		}
		return ids
	}
	same := func(what string, want, got []string) {
		t.Helper()
		if !slices.Equal(want, got) {
			t.Fatalf("%s: %s", what, cmp.Diff(want, got))
		}
	}
	if got := must[string](t)(s.Leaf()); got != m.leaf {
		t.Fatalf("leaf %q, want %q", got, m.leaf)
	}
	same("all", m.order, ids(collect(t, s.All())))
	branch := m.branch(m.leaf)
	if m.leaf != "" {
		same("branch", branch, ids(collect(t, s.Branch(""))))
	}
	n := rnd.IntN(20)
	same("window", branch[max(0, len(branch)-n):], ids(must[[]session.Line](t)(s.Window(n))))
	messages := 0
	for _, id := range branch {
		if m.text[id] != "" {
			messages++
		}
	}
	if got := must[int](t)(s.Messages()); got != messages {
		t.Fatalf("%d messages, want %d", got, messages)
	}
	var mark string
	for _, id := range branch {
		if m.text[id] == "" {
			mark = id
		}
	}
	if l, _, err := s.Latest("note"); err != nil || l.ID != mark {
		t.Fatalf("latest %q, want %q: %v", l.ID, mark, err)
	}
	for range 3 {
		if len(m.order) > 0 {
			id := m.order[rnd.IntN(len(m.order))]
			same("branch to "+id, m.branch(id), ids(collect(t, s.Branch(id))))
			same("children of "+id, m.children(id), must[[]string](t)(s.Children(id)))
		}
	}
	var flat func(nodes []*session.Node, parent string) int
	flat = func(nodes []*session.Node, parent string) (sum int) {
		var got []string
		for _, node := range nodes {
			got = append(got, node.ID)
			sum += 1 + flat(node.Children, node.ID)
		}
		same("tree below "+parent, m.children(parent), got)
		return sum
	}
	if sum := flat(must[[]*session.Node](t)(s.Tree()), ""); sum != len(m.order) {
		t.Fatalf("the tree has %d entries", sum)
	}
	if len(s.Problems()) > 0 {
		t.Fatal(s.Problems())
	}
}

func TestRandomTrees(t *testing.T) {
	t.Parallel()
	for seed := range uint64(16) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		store := newStore(t)
		s := create(t, store)
		m := &model{parent: map[string]string{}, text: map[string]string{}}
		for step := range 60 {
			switch k := rnd.IntN(10); {
			case k < 6:
				var drafts []session.Draft
				for i := range 1 + rnd.IntN(4) {
					if rnd.IntN(6) == 0 {
						drafts = append(drafts, session.Mark("note").With("n", i))
					} else {
						drafts = append(drafts, session.Message([]string{"user", "assistant", "tool", "system"}[rnd.IntN(4)],
							fmt.Sprint(step, " 字", strings.Repeat("x\n", rnd.IntN(30)))))
					}
				}
				for _, l := range say(t, s, drafts...) {
					m.order = append(m.order, l.ID)
					m.parent[l.ID], m.text[l.ID], m.leaf = m.leaf, l.Text(), l.ID
				}
			case k < 9:
				m.leaf = ""
				if len(m.order) > 0 && rnd.IntN(8) > 0 {
					m.leaf = m.order[rnd.IntN(len(m.order))]
				}
				ok(t, s.Fork(m.leaf))
			case len(m.order) > 0:
				ok(t, s.Close())
				if rnd.IntN(2) == 0 {
					ok(t, os.Remove(s.Path()+".idx"))
				}
				s = must[*session.Session](t)(store.Open(t.Context(), s.Path()))
				m.leaf = m.order[len(m.order)-1]
			}
			if step%10 == 9 {
				m.check(t, s, rnd)
			}
		}
		ok(t, s.Close())
		if len(m.order) == 0 {
			continue
		}
		m.leaf = m.order[len(m.order)-1]
		for _, open := range []func() (*session.Session, error){
			func() (*session.Session, error) { return store.Open(t.Context(), s.Path()) },
			func() (*session.Session, error) {
				ok(t, os.Remove(s.Path()+".idx"))
				return store.View(t.Context(), s.Path())
			},
		} {
			r := must[*session.Session](t)(open())
			m.check(t, r, rnd)
			clone := must[*session.Session](t)(r.Clone(t.Context(), m.leaf))
			if diff := cmp.Diff(m.branch(m.leaf), idsOf(collect(t, clone.Branch("")))); diff != "" {
				t.Fatal(diff)
			}
			ok(t, clone.Close())
			ok(t, r.Close())
		}
	}
}

// TestRandomIndexDamage changes bytes of an index, which must change nothing
// of what a session says.
func TestRandomIndexDamage(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	s := create(t, store)
	rnd := rand.New(rand.NewPCG(3, 4))
	var ids []string
	for i := range 40 {
		ids = append(ids, say(t, s, session.Message(session.User, fmt.Sprint(i)))[0].ID)
		ok(t, s.Fork(ids[rnd.IntN(len(ids))]))
	}
	last := say(t, s, session.Message(session.User, "end"))[0].ID
	ids = append(ids, last)
	want := collect(t, s.Branch(""))
	ok(t, s.Close())
	good := read(t, s.Path()+".idx")
	for range 300 {
		b := []byte(good)
		for range 1 + rnd.IntN(3) {
			b[rnd.IntN(len(b))] ^= byte(1 + rnd.IntN(255))
		}
		if rnd.IntN(5) == 0 {
			b = b[:rnd.IntN(len(b))]
		}
		ok(t, os.WriteFile(s.Path()+".idx", b, 0o600))
		v := must[*session.Session](t)(store.View(t.Context(), s.Path()))
		if diff := cmp.Diff(words(want), words(collect(t, v.Branch("")))); diff != "" {
			t.Fatal(diff)
		}
		id := ids[rnd.IntN(len(ids))]
		if l := must[session.Line](t)(v.Entry(id)); l.ID != id || len(v.Problems()) > 0 {
			t.Fatalf("entry %q is %q, %v", id, l.ID, v.Problems())
		}
		if n := v.Counts().Messages(); n != len(ids) {
			t.Fatalf("%d messages", n)
		}
		ok(t, v.Close())
	}
}

func idsOf(lines []session.Line) (ids []string) {
	for _, l := range lines {
		ids = append(ids, l.ID)
	}
	return ids
}

// FuzzRead gives any bytes to the readers: every line is read or told of, and
// what is read is there byte for byte.
func FuzzRead(f *testing.F) {
	f.Add([]byte(paiFile))
	f.Add([]byte(piFile))
	f.Add([]byte("\xEF\xBB\xBF" + `{"type":"header","version":1,"id":"a"}` + "\r\n" + `{"role":"user","content":"a","id":"x","parentId":null}`))
	f.Add([]byte(`{"role":"user","content":"a","id":"x","parentId":"x"}` + "\n{\"a\":\x00"))
	f.Add([]byte(`{"type":"session","id":"a"}` + "\n" + `{"type":"message","message":{"role":"user","content":[[[` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "20260311T120000.000Z_0123456789abcdef.jsonl")
		ok(t, os.WriteFile(path, data, 0o600))
		lines, problems, err := session.ReadFile(path)
		ok(t, err)
		full := 0
		for l := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))) {
			if len(bytes.Trim(l, " \t\r\n")) > 0 {
				full++
			}
		}
		if len(lines)+len(problems) != full {
			t.Fatalf("%d lines, %d read, %d told of", full, len(lines), len(problems))
		}
		for _, l := range lines {
			if !bytes.HasPrefix(data[l.Offset:], l.Bytes()) {
				t.Fatalf("line %d is not what is at byte %d", l.Number, l.Offset)
			}
			again, err := session.ParseLine(l.Bytes())
			if err != nil || again.Text() != l.Text() {
				t.Fatalf("line %d is read otherwise the second time: %v", l.Number, err)
			}
		}
		store := session.NewStore(session.Config{Dir: t.TempDir(), Now: func() time.Time { return start }})
		s, err := store.Open(t.Context(), path)
		if err != nil {
			if !strings.Contains(err.Error(), "version") {
				t.Fatal(err)
			}
			return
		}
		closeLater(t, s)
		all := collect(t, s.All())
		window := must[[]session.Line](t)(s.Window(len(all) + 1))
		must[[]*session.Node](t)(s.Tree())
		if s.ReadOnly() {
			return
		}
		next := say(t, s, session.Message(session.User, "next"))
		before := len(s.Problems())
		ok(t, s.Close())
		r := must[*session.Session](t)(store.Open(t.Context(), path))
		closeLater(t, r)
		got := must[[]session.Line](t)(r.Window(len(all) + 9))
		if diff := cmp.Diff(append(idsOf(window), next[0].ID), idsOf(got)); diff != "" {
			t.Fatal(diff)
		}
		if after := len(r.Problems()); after > before {
			t.Fatalf("%d problems, %d before", after, before)
		}
		kept := 0
		for _, aside := range torn(t, path) {
			kept += len(read(t, aside))
		}
		if text := read(t, path); !strings.HasPrefix(text, string(data[:len(data)-kept])) {
			t.Fatal("what was there is not there any more")
		}
	})
}
