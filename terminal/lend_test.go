//go:build unix

package terminal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/term"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/internal/diff"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// patch asks about a change of a settings file as a runner does: an edit is
// shown and asked about again.
func (a *scripted) patch(ctx context.Context) string {
	old := "{\n  \"language\": \"zh\",\n  \"theme\": \"dark\"\n}\n"
	text := strings.Replace(old, "zh", "en", 1)
	path := filepath.Join(os.Getenv("HOME"), ".slothtool", "settings.json")
	j := policy.Judgement{Level: protocol.Confirm, Listed: true, Rules: []string{"config.json_patch"}, Reasons: []string{"changes a settings file"}}
	step := protocol.Step{Tool: protocol.ToolJSONPatch, Path: "~/.slothtool/settings.json", Set: []protocol.Assignment{{Path: "/language", Value: []byte(`"en"`)}}}
	for {
		choice, err := a.asker.Confirm(ctx, runner.Confirmation{
			ID: "cmd_001", Step: step, CWD: "/home/you", Message: "To speak English.", Judgement: j,
			Change: &runner.FileChange{Path: path, Diff: diff.Compare(old, text)},
		})
		if choice == runner.Edit {
			edited, err := a.asker.EditFile(ctx, path, []byte(text))
			for err == nil && strings.Contains(string(edited), "broken") {
				a.face.Notify(runner.Notice{Kind: runner.NoticeError, Text: "it is broken"})
				edited, err = a.asker.EditFile(ctx, path, edited)
			}
			if err == nil {
				text = string(edited)
				continue
			}
			return fmt.Sprintf("edit failed: %v, ended %v", err, ctx.Err())
		}
		return fmt.Sprintf("answer=%s err=%v text=%q", choice, err, text)
	}
}

// lend lends the terminal to a program that leaves it in disorder.
func (a *scripted) lend() string {
	told := make(chan struct{})
	err := a.face.Lend(func(c executors.Console) {
		go func() {
			a.face.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: "told meanwhile"})
			close(told)
		}()
		<-told
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childName+"=rude")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = c.In, c.Out, c.Err
		if os.Getenv("AI_TEST_GROUP") != "" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: int(c.In.Fd())}
		}
		_ = cmd.Run()
	})
	return fmt.Sprintf("lent err=%v", err)
}

// rude is a program that takes the terminal, reads a key and leaves the mess.
func rude() int {
	if _, err := term.MakeRaw(0); err != nil {
		return 1
	}
	out := os.NewFile(1, "out")
	fmt.Fprint(out, "\x1b[?1000h\x1b[?25lthe plugin's screen: a key\r\n")
	p := make([]byte, 1)
	if _, err := os.NewFile(0, "in").Read(p); err != nil {
		return 1
	}
	fmt.Fprintf(out, "got %q\r\n", p)
	return 0
}

// editorOf writes a script that is the person's editor.
func editorOf(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestChangeIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"loop", "patch"} {
		temp := t.TempDir()
		// The editor sees a private folder and a name that tells the language.
		script := editorOf(t, `case "$1" in */settings.json) ;; *) exit 9 ;; esac
[ "$(ls -ld "$(dirname "$1")" | cut -c1-10)" = drwx------ ] || exit 8
echo "in the editor"; read line
sed "s/en/$line/" "$1" > "$1.new" && mv "$1.new" "$1"`)
		s := open(t, mode, 80, 40, "VISUAL="+script, "TMPDIR="+temp, "PATH="+os.Getenv("PATH"))
		if mode == "loop" {
			s.prompt(1)
			s.send("patch\r")
		}
		s.see("Write this? [y]es  [N]o  [e]dit  [w]hy >", 1)
		for _, text := range []string{
			"[L1] edit ~/.slothtool/settings.json: /language", "changes a settings file (config.json_patch)",
			"file: ~/.slothtool/settings.json", `-  "language": "zh",`, `+  "language": "en",`, `   "theme": "dark"`, "why: To speak English.",
		} {
			s.see(text, 1)
		}
		s.send("a\r") // there is no always
		s.see("one of the keys shown", 1)
		s.see("Write this?", 2)
		s.send("w\r")
		s.see("operations: /language", 1)
		s.see("Write this?", 3)
		s.send("e\r")
		s.see("in the editor", 1)
		s.send("de\r")
		s.see(`+  "language": "de",`, 1)
		s.see("Write this?", 4)
		s.send("y\r")
		s.see(`answer=yes err=<nil>`, 1)
		s.see(`"language": "de"`, 2)
		if mode == "loop" {
			s.prompt(2)
			s.send("patch\r")
			s.see("Write this?", 5)
			s.send("\r")
			s.see("answer=no", 1)
			s.prompt(3)
			s.send("\x04")
		}
		s.exit(0)
		if left, _ := os.ReadDir(temp); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestEditorThatHelpsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script, told string
		failed       bool
	}{
		"fails":     {"exit 3", "edit failed: the editor failed, its text is not taken: exit status 3", true},
		"unchanged": {"true", "The text is as it was before the editor.", false},
		"empty":     {`: > "$2"`, "The text is empty; it is not taken.", false},
		"removed":   {`rm "$2"`, "its text is not taken: open ", true},
		"no such":   {"", "its text is not taken: fork/exec ", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			path := editorOf(t, c.script)
			if c.script == "" {
				path += " that is not there"
			}
			s := open(t, "patch", 200, 40, "VISUAL= ", "EDITOR='"+path+"' --wait", "TMPDIR="+temp, "PATH="+os.Getenv("PATH"))
			s.see("Write this?", 1)
			s.send("e\r")
			s.see(c.told, 1)
			if !c.failed {
				s.see("Write this?", 2)
				s.send("y\r")
				s.see("answer=yes", 1)
			}
			s.exit(0)
			if left, _ := os.ReadDir(temp); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// What is wrong with a text is read before the editor takes the screen again.
func TestEditorOpensAgain(t *testing.T) {
	t.Parallel()
	script := editorOf(t, `echo "in the editor"; read line; echo "$line" > "$1"`)
	s := open(t, "loop", 80, 60, "VISUAL="+script, "TMPDIR="+t.TempDir(), "PATH="+os.Getenv("PATH"))
	for i, c := range []struct{ answer, want string }{{"", "+better"}, {"n", "edit failed: the question was not answered"}} {
		s.prompt(i + 1)
		s.send("patch\r")
		s.see("Write this?", 2*i+1)
		s.send("e\r")
		s.see("in the editor", 2*i+1)
		s.send("broken\r")
		s.see("Enter opens the editor again, n leaves it >", i+1)
		s.send(c.answer + "\r")
		if c.answer == "" {
			s.see("in the editor", 2*i+2)
			s.send("better\r")
			s.see("Write this?", 2*i+2)
			s.send("\r")
		}
		s.see(c.want, 1)
	}
	s.prompt(3)
	s.send("\x04")
	s.exit(0)
}

// Ctrl-C in the editor is for the editor; a signal to this program ends both.
func TestInterruptInTheEditor(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	script := editorOf(t, `trap 'echo caught; exit 0' INT; trap 'echo ended; exit 1' TERM; echo "in the editor"; while :; do read line; done`)
	s := open(t, "loop", 80, 40, "VISUAL="+script, "TMPDIR="+temp, "PATH="+os.Getenv("PATH"))
	s.prompt(1)
	s.send("patch\r")
	s.see("Write this?", 1)
	s.send("e\r")
	s.see("in the editor", 1)
	s.send("\x03")
	s.see("caught", 1)
	s.see("Write this?", 2)
	s.send("e\r")
	s.see("in the editor", 2)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.exit(143)
	if left, _ := os.ReadDir(temp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestEditorWhileStdinCarriesData(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := open(t, "patch", 80, 40, r, "VISUAL="+editorOf(t, `[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "at a terminal"; read line; echo "{\"a\": \"$line\"}" > "$1"`), "TMPDIR="+t.TempDir(), "PATH="+os.Getenv("PATH"))
	s.see("Write this?", 1)
	s.send("e\r")
	s.see("at a terminal", 1)
	s.send("typed\r")
	s.see(`+{"a": "typed"}`, 1)
	s.see("Write this?", 2)
	s.send("y\r")
	s.see("answer=yes", 1)
	s.exit(0)
}

func TestEditorWords(t *testing.T) {
	t.Parallel()
	path := editorOf(t, "true")
	for value, want := range map[string][]string{
		path:                   {path},
		"code --wait":          {"code", "--wait"},
		"'/opt/my editor' -w":  {"/opt/my editor", "-w"},
		"emacsclient -a '' -c": {"emacsclient", "-a", "", "-c"},
		"vim +'set ft=json'":   {"vim", "+set ft=json"},
		"ed $x":                {"ed", "$x"}, // no shell reads it
	} {
		if got := editorWords(value); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

func TestLend(t *testing.T) {
	t.Parallel()
	for _, group := range []string{"", "AI_TEST_GROUP=own"} {
		for _, mode := range []string{"loop", "lend"} {
			s := open(t, mode, 80, 24, group)
			if mode == "loop" {
				s.prompt(1)
				s.send("lend\r")
			}
			s.see("the plugin's screen: a key", 1)
			if strings.Contains(s.shown(), "told meanwhile") {
				t.Error("something was written into the plugin's screen")
			}
			s.send("xtyped too late")
			s.see(`got "x"`, 1)
			s.see("told meanwhile", 1)
			s.see("lent err=<nil>", 1)
			if mode == "loop" {
				s.prompt(2)
				s.send("hello\r")
				s.see(`you said "hello"`, 1)
				s.prompt(3)
				s.send("\x04")
			}
			s.exit(0)
			raw := s.raw.String()
			if on, off := strings.Index(raw, "\x1b[?1000h"), strings.Index(raw, "\x1b[?1000l"); on < 0 || off < on || !strings.Contains(raw[off:], "\x1b[?25h") {
				t.Error("what the program left on the terminal is still there")
			}
		}
	}
}

func TestNothingToLend(t *testing.T) {
	t.Parallel()
	for _, json := range []bool{false, true} {
		f := New(Config{JSON: json})
		if err := f.Lend(func(executors.Console) { t.Error("used") }); err == nil || !strings.Contains(err.Error(), "no terminal") {
			t.Errorf("error %v", err)
		}
	}
}

var _ runner.Lender = (*Face)(nil)
