package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/protocol"
)

func TestUserRules(t *testing.T) {
	t.Parallel()
	e := wordsEngine(t, open(Options{
		UserRules: []UserRule{
			{"git push", protocol.Block, "ai.json"},
			{"git log", protocol.Confirm, "the project"},
			{"rm", protocol.Confirm, "ai.json"},
			{"cat 'my file'", protocol.Confirm, "ai.json"},
		},
		Narrowings: []Narrowing{{[]string{"git", "ls", "timeout", "cat", "rm", "bash"}, "the project"}},
	}))
	for line, want := range map[string]struct {
		level  protocol.Level
		listed bool
		words  string
	}{
		"git status":             {protocol.Safe, true, ""},
		"git push":               {protocol.Block, true, `"git push" is refused by ai.json`},
		"git -C x push origin":   {protocol.Block, true, `"git push" is refused by ai.json`},
		"timeout 5 git push":     {protocol.Block, true, `"git push" is refused by ai.json`},
		"bash -c 'ls; git push'": {protocol.Block, true, `"git push" is refused by ai.json`},
		"GIT push":               {protocol.Block, false, `"git push" is refused by ai.json`},
		"git log":                {protocol.Confirm, true, `"git log" is asked for by the project`},
		"rm -rf x":               {protocol.Block, true, `"rm" is asked for by ai.json`},
		"cat 'my file'":          {protocol.Confirm, true, "asked for by ai.json"},
		"cat my file":            {protocol.Safe, true, ""},
		"head x":                 {protocol.Confirm, false, "head is not in the allowedPrograms of the project"},
		"timeout 5 head x":       {protocol.Confirm, false, "head is not in the allowedPrograms of the project"},
	} {
		program, args, err := protocol.ParseCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		j := e.Judge(Step{Program: program, Args: args, CWD: "/home/you/work"})
		if j.Level != want.level || j.Listed != want.listed || !strings.Contains(strings.Join(j.Reasons, "; "), want.words) {
			t.Errorf("%s: %s, listed %v, %q; want %s, %v, %q", line, j.Level, j.Listed, j.Reasons, want.level, want.listed, want.words)
		}
	}
	if _, err := New(open(Options{UserRules: []UserRule{{"git | less", protocol.Block, "ai.json"}}})); err == nil || !strings.Contains(err.Error(), "ai.json") {
		t.Errorf("a rule that is no command: %v", err)
	}
}

func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	places := wordsEngine(t, open(Options{SecretPaths: []string{"~/diary", "/srv/keys"}})).SecretPlaces()
	for _, want := range []string{"/home/you/.ssh", "/home/you/diary", "/srv/keys", "/etc/shadow*"} {
		if !slices.Contains(places, want) {
			t.Errorf("%s is not among %q", want, places)
		}
	}
	for _, p := range places {
		if !strings.HasPrefix(p, "/") {
			t.Errorf("%q is not absolute", p)
		}
	}
}
