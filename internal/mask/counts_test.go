package mask_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/mask"
)

func TestHiddenCountsEachSecretOnce(t *testing.T) {
	t.Parallel()
	m := mask.New()
	if got := m.Hidden(); got != nil {
		t.Errorf("at first: %v", got)
	}
	for range 3 {
		m.String("TOKEN=" + gitHub + " and again " + gitHub + " and DB_PASSWORD=hunter2!")
		m.String(aws)
	}
	got := m.Hidden()
	if diff := cmp.Diff(mask.Counts{"GitHub token": 1, "password": 1, "AWS key id": 1}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.String() != "AWS key id, GitHub token, password" || got.Total() != 3 {
		t.Errorf("%q, %d", got, got.Total())
	}
	if got := m.Hidden(); got != nil {
		t.Errorf("told again: %v", got)
	}
	m.String(aws)
	if got := m.Hidden(); got.Total() != 1 {
		t.Errorf("in a later turn: %v", got)
	}
	if s := (mask.Counts{"password": 2, "token": 1}).String(); s != "2 × password, token" {
		t.Error(s)
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	m := mask.New("first-secret-word")
	text := "first-secret-word second-secret-word"
	if got, _ := m.String(text); got != "*** second-secret-word" {
		t.Errorf("got %q", got)
	}
	m.Add("second-secret-word", "", "x", "first-secret-word")
	if got, n := m.String(text); got != "*** ***" || n != 2 {
		t.Errorf("got %q (%d)", got, n)
	}
	if got, _ := m.String(`{"a":"a\u0026b-c"}`); got != `{"a":"a\u0026b-c"}` {
		t.Errorf("got %q", got)
	}
	m.Add("a&b-c")
	if got, _ := m.String(`{"a":"a\u0026b-c"}`); got != `{"a":"***"}` {
		t.Errorf("got %q", got)
	}
	// A secret of many lines is found line by line, as text streams.
	line := "0123456789abcdef-own"
	m.Add("head\n" + line + "\ntail")
	if got, _ := m.String("x " + line); strings.Contains(got, "456789") {
		t.Errorf("got %q", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m := mask.NewWith(parse(t, `{"expressions": [{"kind": "a", "expression": "zz[0-9]{4}"}]}`))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				m.Add("a-secret-of-one")
				if got, _ := m.String(gitHub + " zz1234 a-secret-of-one"); got != "ghp***2345 *** ***" {
					t.Errorf("got %q", got)
				}
				m.Hidden()
			}
		})
	}
	all.Wait()
}
