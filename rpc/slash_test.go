package rpc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/rpc"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	user, project := t.TempDir(), t.TempDir()
	write(t, filepath.Join(user, "prompts", "fix.md"), "---\r\ndescription: \"Fix it\"\r\n---\r\nFix $1 and $2; all: $@; from 2: ${@:2}; one: ${@:1:1}; $0 $ 5$x ${@:y}")
	write(t, filepath.Join(user, "prompts", "both.md"), "user's")
	write(t, filepath.Join(project, "prompts", "both.md"), "# The project's own 中文\nbody $ARGUMENTS")
	write(t, filepath.Join(project, "prompts", ".hidden.md"), "no")
	write(t, filepath.Join(project, "skills", "count", "SKILL.md"), "---\nname: count\ndescription: Counts things\n---\nCount with count.sh.")
	texts := rpc.Texts{User: user, Project: project}
	skill := filepath.Join(project, "skills", "count", "SKILL.md")
	for said, want := range map[string]string{
		`/fix "a b" c d`:   "Fix a b and c; all: a b c d; from 2: c d; one: a b; $0 $ 5$x ${@:y}",
		"/fix":             "Fix  and ; all: ; from 2: ; one: ; $0 $ 5$x ${@:y}",
		"/fix '$2' x":      "Fix $2 and x; all: $2 x; from 2: x; one: $2; $0 $ 5$x ${@:y}",
		"/both 一 二":        "# The project's own 中文\nbody 一 二",
		"/skill:count now": "<skill name=\"count\" location=\"" + skill + "\">\nPaths in it are relative to " + filepath.Dir(skill) + ".\n\nCount with count.sh.\n</skill>\n\nnow",
		"/settings":        "/settings", "/skill:none x": "/skill:none x", "/../fix": "/../fix", "/": "/", "fix": "fix", "/.hidden": "/.hidden", "": "",
	} {
		if got, err := texts.Expand(said); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", said, got, err, want)
		}
	}
	want := []rpc.SlashCommand{
		{Name: "both", Description: "The project's own 中文", Source: "prompt", Location: "project", Path: filepath.Join(project, "prompts", "both.md")},
		{Name: "fix", Description: "Fix it", Source: "prompt", Location: "user", Path: filepath.Join(user, "prompts", "fix.md")},
		{Name: "skill:count", Description: "Counts things", Source: "skill", Location: "project", Path: skill},
	}
	if diff := cmp.Diff(want, texts.List()); diff != "" {
		t.Error(diff)
	}
	if list := (rpc.Texts{User: "/nowhere"}).List(); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

func FuzzExpand(f *testing.F) {
	dir := f.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "prompts"), 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "prompts", "t.md"), []byte("$1 ${@:2:1} $@"), 0o600); err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"/t a b", "/t '\"", "/t ${@:1}", "/ t", "/t\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		got, err := rpc.Texts{User: dir}.Expand(said)
		if err != nil {
			t.Fatal(err)
		}
		if len(said) > 0 && said[0] != '/' && got != said {
			t.Fatalf("%q became %q", said, got)
		}
	})
}
