package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	var places []place
	for _, p := range []string{"/home/u/.ssh", "/etc/shadow*", "/etc/ssh/ssh_host_*", "/a/*/b*c*d", "/x/y/"} {
		places = append(places, newPlace(p))
	}
	for path, want := range map[string]bool{
		"/home/u/.ssh":              true,
		"/home/u/.SSH/id_rsa":       true,
		"/home/u/.sshx":             false,
		"/home/u":                   false,
		"/home/v/.ssh":              false,
		"/etc/shadow":               true,
		"/etc/shadow-":              true,
		"/etc/shado":                false,
		"/etc/ssh/ssh_host_rsa_key": true,
		"/etc/ssh/sshd_config":      false,
		"/a/1/bxcyd":                true,
		"/a/1/bcd/below":            true,
		"/a/1/bd":                   false,
		"/a/bcd":                    false,
		"/x/y":                      true,
		"/":                         false,
	} {
		if within(places, path) != want {
			t.Errorf("%s: not %v", path, want)
		}
	}
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"*", "", true}, {"*", "x", true}, {"a*a", "a", false}, {"a*a", "aa", true}, {"*a*", "xay", true}, {"*.pem", "X.PEM", true}, {"a*b*c", "abc", true}, {"a*b*c", "acb", false}} {
		if matches(c.pattern, c.name) != c.want {
			t.Errorf("%s, %s: not %v", c.pattern, c.name, c.want)
		}
	}
}

func TestCover(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"a/secret/deep", "a/other", "b", "real/inner"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"way": "real", "loop": "loop", "real/self": ".", "b/back": "../a", "a/dead": "none"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	cover := func(names ...string) string {
		var places []place
		for _, n := range names {
			places = append(places, newPlace(filepath.Join(root, n)))
		}
		var got []string
		for _, p := range coverOf(root, places, nil).paths {
			rel, err := filepath.Rel(root, p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		slices.Sort(got)
		return strings.Join(got, " ")
	}
	for _, c := range []struct{ places, want string }{
		{"nothing/here", "."},
		{"nothing", "a b real"},
		{"a/nothing/here", "a b real"},
		{"a/nothing", "a/other a/secret b real"},
		{"a/secret", "a/other b real"},
		{"a/secret/deep", "a/other b real"},
		{"a/s*", "a/other b real"},
		{"a", "b real"},
		{".", ""},
		{"way", "a b"},
		{"way/inner", "a b"},
		{"way/self/self/inner", "a b"},
		{"b/back/secret", "a/other real"},
		{"loop/x", "a b real"},
		{"a/dead/x", "a/other a/secret b real"},
		{"*/secret", "a/other real/inner"},
	} {
		if got := cover(c.places); got != c.want {
			t.Errorf("without %s: %q, expected %q", c.places, got, c.want)
		}
	}
}

func TestSeatbeltProfile(t *testing.T) {
	t.Parallel()
	s, err := New(Config{
		Secret: []string{"/Users/u/.ssh", "/etc/master.passwd*"}, Guarded: []string{"/Users/u/ai.json"}, ScratchDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	readOnly := s.seatbelt(ReadOnly(), "/private/tmp/x")
	full := s.seatbelt(Profile{Writable: []string{`/w"\o`}, Network: true, LocalSockets: true, Secrets: true}, "/s")
	for _, c := range []struct {
		profile, has string
		want         bool
	}{
		{readOnly, "(version 1)\n(allow default)\n(deny file-write*)\n", true},
		{readOnly, `(allow file-write* (subpath "/private/tmp/x"))`, true},
		{readOnly, `(deny file-read-data file-write* (regex #"^/[uU][sS][eE][rR][sS]/[uU]/[.][sS][sS][hH](/|$)"))`, true},
		{readOnly, `[pP][aA][sS][sS][wW][dD][^/]*(/|$)"))`, true},
		{readOnly, "(deny network* (remote ip) (local ip))", true},
		{readOnly, "(deny network* (remote unix-socket) (local unix-socket))", true},
		{full, `(allow file-write* (subpath "/w\"\\o"))`, true},
		{full, `(deny file-write* (regex #"^/[uU][sS][eE][rR][sS]/[uU]/[aA][iI][.][jJ][sS][oO][nN](/|$)"))`, true},
		{full, "network", false},
		{full, "file-read", false},
	} {
		if strings.Contains(c.profile, c.has) != c.want {
			t.Errorf("%q: not %v in\n%s", c.has, c.want, c.profile)
		}
	}
	if strings.Count(full, "(") != strings.Count(full, ")") {
		t.Errorf("unbalanced:\n%s", full)
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{{Secret: []string{"x"}}, {Guarded: []string{""}}, {ScratchDir: "x"}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
	p := WorkspaceWrite("/w").WithNetwork()
	if got := p.String(); got != "workspace-write+network" {
		t.Error(got)
	}
}
