package main

import (
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/terminal"
)

func TestJoinResume(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want []string }{
		{[]string{"-r", "9f3a", "why?"}, []string{"-r=9f3a", "why?"}},
		{[]string{"-ir", "9f3a01c7"}, []string{"-ir=9f3a01c7"}},
		{[]string{"--resume", "talk.jsonl", "why?"}, []string{"--resume=talk.jsonl", "why?"}},
		{[]string{"-r", "why", "9f3a"}, []string{"-r", "why", "9f3a"}},
		{[]string{"-r", "add", "these"}, []string{"-r", "add", "these"}}, // too short for an ID
		{[]string{"-r", "--", "9f3a"}, []string{"-r", "--", "9f3a"}},
		{[]string{"--", "-r", "9f3a"}, []string{"--", "-r", "9f3a"}},
		{[]string{"--color", "9f3a"}, []string{"--color", "9f3a"}},
		{[]string{"-r"}, []string{"-r"}},
		{[]string{"policy", "explain", "-r", "9f3a"}, []string{"policy", "explain", "-r", "9f3a"}},
		{nil, nil},
	} {
		a := &app{keys: config.NewKeyCache()}
		if got := joinResume(a.command(), c.in); !slices.Equal(got, c.want) {
			t.Errorf("joinResume(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestRowsTellSessionsApart(t *testing.T) {
	t.Parallel()
	o := &opener{app: &app{home: "/home/you"}, text: textsOfSessions(terminal.English)}
	changed := time.Date(time.Now().Year(), 3, 11, 12, 0, 0, 0, time.Local)
	words := "look at the tests of this folder and say why they fail"
	list := []session.Info{
		{Header: session.Header{ID: "9f3a01c7", CWD: "/home/you/p"}, Changed: changed, Size: 2000, First: words},
		{Header: session.Header{ID: "0b1c01c7", CWD: "/home/you/p"}, Changed: changed, Size: 2000, First: words},
		{Header: session.Header{ID: "77aa01c7", CWD: "/home/you/p"}, Changed: changed.Add(-time.Hour), Size: 2000, First: words},
		{Header: session.Header{ID: "88aa01c7"}, Changed: changed.AddDate(-1, 0, 0), Size: 9, Name: "其他"},
	}
	got := o.rows(list, 37)
	want := []string{"03-11 12:00  2 kB  9f3a  " + words, "03-11 12:00  2 kB  0b1c  " + words, "03-11 11:00  2 kB  " + words, changed.AddDate(-1, 0, 0).Format(time.DateOnly) + " 12:00  9 B  其他"}
	if !slices.Equal(got, want) {
		t.Errorf("narrow: %q, want %q", got, want)
	}
	got = o.rows(list, 100)
	if want := changed.Format(time.DateOnly) + " 11:00  2 kB  look at the tests of this folder and sa…  ~/p"; got[2] != want {
		t.Errorf("wide: %q, want %q", got[2], want)
	}
}

func TestParseAgeAndSize(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]time.Duration{"12h": 12 * time.Hour, "30d": 720 * time.Hour, "1.5w": 252 * time.Hour, " 2 d": 48 * time.Hour} {
		if got, err := parseAge(s); err != nil || got != want {
			t.Errorf("parseAge(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "d", "0d", "-1d", "5", "5m", "1.2.3d", "999999999w", "1e9d"} {
		if got, err := parseAge(s); err == nil {
			t.Errorf("parseAge(%q) = %v", s, got)
		}
	}
	for s, want := range map[string]int64{"5": 5, "1B": 1, "500kB": 500_000, "100MB": 100_000_000, "1GiB": 1 << 30, "1.5 MB": 1_500_000} {
		if got, err := parseSize(s); err != nil || got != want {
			t.Errorf("parseSize(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "MB", "0", "-5", "5 parsecs", "99999999999GB", "0.1"} {
		if got, err := parseSize(s); err == nil {
			t.Errorf("parseSize(%q) = %v", s, got)
		}
	}
}

// TestSessionTexts holds the languages together: every text is there in both,
// with the same verbs in the same order.
func TestSessionTexts(t *testing.T) {
	t.Parallel()
	verbs := regexp.MustCompile(`%[a-z]`)
	en, zh := reflect.ValueOf(*textsOfSessions(terminal.English)), reflect.ValueOf(*textsOfSessions(terminal.Chinese))
	for i := range en.NumField() {
		name, a, b := en.Type().Field(i).Name, en.Field(i).String(), zh.Field(i).String()
		if a == "" || b == "" || a == b || !slices.Equal(verbs.FindAllString(a, -1), verbs.FindAllString(b, -1)) {
			t.Errorf("%s: %q and %q", name, a, b)
		}
	}
}
