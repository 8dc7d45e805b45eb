//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// again is the same program in the same folder and home, with other arguments.
func again(t *testing.T, first *exec.Cmd, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), first.Args[0], args...)
	cmd.Path, cmd.Dir, cmd.Env = first.Path, first.Dir, slices.Clone(first.Env)
	return cmd
}

// output runs the program to its end.
func output(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code = finish(t, cmd)
	return out.String(), errs.String(), code
}

// sessionText is what the files of all sessions hold.
func sessionText(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	home := strings.TrimPrefix(cmd.Env[0], "HOME=")
	files, err := filepath.Glob(filepath.Join(home, ".local", "state", "ai", "sessions", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no session is kept in %s: %v", home, err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func leave(t *testing.T, s *screen, cmd *exec.Cmd) {
	t.Helper()
	s.press("\x04")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestContinueShowsWhereOneIs(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t,
		fakellm.Cmd("Reading.", []string{"cat", "note"}), fakellm.Chat("hello there"), fakellm.Chat("still 在这里"))
	first := command(t, srv, "-i")
	if err := os.WriteFile(filepath.Join(first.Dir, "note"), []byte("milk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, first)
	s.await("> ")
	s.press("say 你好\r")
	s.await("hello there")
	s.await("> ")
	leave(t, s, first)

	cmd := again(t, first, "-c")
	s = open(t, cmd)
	s.await("Going on with session ")
	s.await("(4 messages")
	s.await("> say 你好")
	s.await("$ cat note")
	s.await("hello there")
	s.await("> ")
	s.press("and now?\r")
	s.await("still 在这里")
	s.await("> ")
	leave(t, s, cmd)
	if body := string(srv.Requests()[2].Body); !strings.Contains(body, "say 你好") || !strings.Contains(body, "cat note (cmd_001, exit 0)") {
		t.Errorf("the model is not told of the session: %s", body)
	}
}

// TestResumePicks chooses among sessions in a window of 40 columns, in Chinese.
func TestResumePicks(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Chat("苹果"), fakellm.Chat("pears"), fakellm.Chat("plums"), fakellm.Chat("again"))
	first := command(t, srv, "-c", "今天买什么水果比较好呢，请给我一个很长很长的建议和说明")
	first.Env = append(first.Env, "LC_ALL=zh_CN.UTF-8")
	if _, stderr, code := output(t, first); code != 0 {
		t.Fatal(stderr)
	}
	for i, question := range []string{"which pears?", "which plums?"} {
		cmd := again(t, first, "-c", question)
		cmd.Dir = t.TempDir()
		if _, stderr, code := output(t, cmd); code != 0 {
			t.Fatalf("%d: %s", i, stderr)
		}
	}
	cmd := again(t, first, "-r")
	s := open(t, cmd)
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	s.await("选择会话")
	s.await("(1/3)")
	s.press("水果")
	s.await("(1/1)")
	s.press("\r")
	s.await("继续会话")
	s.await("今天买什么")
	s.await("苹果")
	s.await("> ")
	s.press("/resume\r")
	s.await("(1/3)")
	s.press("pears\r")
	s.await("该会话始于")
	s.await("which pears?")
	s.await("> ")
	s.press("go on\r")
	s.await("again")
	s.await("> ")
	leave(t, s, cmd)
	if body := string(srv.Requests()[3].Body); !strings.Contains(body, "which pears?") || strings.Contains(body, "水果") {
		t.Errorf("the model is told of another session: %s", body)
	}

	cmd = again(t, first, "-r")
	s = open(t, cmd)
	s.await("(1/3)")
	s.press("\x1b")
	if code := finish(t, cmd); code != int(exitInterrupted) {
		t.Errorf("exit code %d", code)
	}
}

func TestForkTreeUndo(t *testing.T) {
	t.Parallel()
	var answers []fakellm.Answer
	for _, fruit := range []string{"apple", "banana", "cherry", "damson", "elder", "fig"} {
		answers = append(answers, fakellm.Chat(fruit+" answer"))
	}
	srv := fakellm.New(t, answers...)
	cmd := command(t, srv, "-i")
	s := open(t, cmd)
	say := func(text, answer string) {
		t.Helper()
		s.press(text + "\r")
		s.await(answer + " answer")
		s.await("> ")
	}
	told := func(n int, want, not []string) {
		t.Helper()
		body := string(srv.Requests()[n-1].Body)
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("request %d does not tell of %s: %s", n, w, body)
			}
		}
		for _, w := range not {
			if strings.Contains(body, w) {
				t.Errorf("request %d tells of %s: %s", n, w, body)
			}
		}
	}
	s.await("> ")
	say("ask one", "apple")
	say("ask two", "banana")
	say("ask three", "cherry")

	// Begin anew from the second question, which is changed.
	s.press("/fork\r")
	s.await("From which message")
	s.await("> ask three")
	s.press("\x1b[A")
	s.await("> ask two")
	s.press("\r")
	s.await("No file was")
	s.await("ask two")
	say(" otherwise", "damson")
	told(4, []string{"ask one", "ask two otherwise"}, []string{"banana", "ask three"})

	// Where it is already nothing changes.
	s.press("/tree\r")
	s.await("← now")
	s.press("\r")
	s.await("nothing changed")
	s.await("> ")
	if text := sessionText(t, cmd); strings.Count(text, `"type":"branch"`) != 1 {
		t.Errorf("the place is written again: %s", text)
	}

	// Back to the end of the first branch.
	s.press("/tree\r")
	s.await("Where should it go on?")
	s.await("← now")
	s.press("cherry")
	s.await("> ")
	s.await("cherry answer")
	s.press("\r")
	s.await("No file was")
	s.await("> ")
	say("ask five", "elder")
	told(5, []string{"ask two", "ask three", "cherry"}, []string{"otherwise", "damson"})

	s.press("/undo-turn\r")
	s.await("The last turn is forgotten: ask five")
	s.press("/undo-turn\r")
	s.await("The last turn is forgotten: ask three")
	s.await("> ")
	say("ask six", "fig")
	told(6, []string{"ask two", "banana"}, []string{"ask three", "ask five", "damson"})
	leave(t, s, cmd)

	// Nothing of it is lost.
	text := sessionText(t, cmd)
	for _, words := range []string{"apple", "banana", "cherry", "damson", "elder", "fig"} {
		if strings.Count(text, `"content":"`+words+` answer"`) != 1 {
			t.Errorf("the file does not have the answer %s once: %s", words, text)
		}
	}
}

func TestAbortedTurnIsKept(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Cmd("Waiting.", []string{"sleep", duration(7)}), fakellm.Chat("well"))
	cmd := command(t, srv, "-i", "--yes")
	s := open(t, cmd)
	s.await("> ")
	s.press("wait\r")
	s.await("running sleep")
	s.press("\x03")
	s.await("stopped")
	s.await("> ")
	leave(t, s, cmd)
	text := sessionText(t, cmd)
	for _, want := range []string{`"content":"wait"`, `"content":"Waiting."`, `\"outcome\":\"cancelled\"`, `"end":"aborted"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the session lacks %s: %s", want, text)
		}
	}
	if _, stderr, code := output(t, again(t, cmd, "-c", "and?")); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, "The person ended this turn.") {
		t.Errorf("the model is not told: %s", body)
	}
}

// TestOneWriter lets a second process want the session of a first.
func TestOneWriter(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Chat("one answer"), fakellm.Chat("a copy of it"), fakellm.Chat("and on"))
	cmd := command(t, srv, "-i")
	s := open(t, cmd)
	s.await("> ")
	s.press("ask one\r")
	s.await("one answer")
	s.await("> ")

	_, stderr, code := output(t, again(t, cmd, "-c", "me too"))
	if code != int(exitFile) || !strings.Contains(stderr, "another process uses the session") || !strings.Contains(stderr, "--copy") || !strings.Contains(stderr, "ai sessions export") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	list, _, _ := output(t, again(t, cmd, "sessions", "list"))
	id := regexp.MustCompile(`^[0-9a-f]{16}`).FindString(list)
	if stdout, stderr, code := output(t, again(t, cmd, "sessions", "show", id)); code != 0 || !strings.Contains(stdout, "one answer") {
		t.Errorf("show: exit code %d: %s%s", code, stdout, stderr)
	}
	if _, stderr, code := output(t, again(t, cmd, "sessions", "rm", "--yes", id)); code != int(exitFile) || !strings.Contains(stderr, "another process uses the session") {
		t.Errorf("rm: exit code %d: %s", code, stderr)
	}
	if stdout, stderr, code := output(t, again(t, cmd, "-c", "--copy", "me too")); code != 0 || stdout != "a copy of it\n" {
		t.Errorf("copy: exit code %d: %s%s", code, stdout, stderr)
	}
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, "one answer") {
		t.Errorf("the copy does not hold the session: %s", body)
	}
	s.press("on\r")
	s.await("and on")
	s.await("> ")
	leave(t, s, cmd)
}

// TestUnwritableStore takes the store away: the person is told once, the
// conversation goes on, and what waited is written when it is back.
func TestUnwritableStore(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Chat("one answer"), fakellm.Chat("two answer"), fakellm.Chat("three answer"))
	cmd := command(t, srv, "-i")
	state := filepath.Join(strings.TrimPrefix(cmd.Env[0], "HOME="), ".local", "state", "ai")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(state, "sessions") // a file is no folder, for root as well
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, cmd)
	s.await("> ")
	s.press("ask one\r")
	s.await("one answer")
	s.await("the session could not be written")
	s.await("> ")
	s.press("/undo-turn\r")
	s.await("the session is not written")
	s.await("> ")
	s.press("ask two\r")
	s.await("two answer")
	s.await("> ")
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	s.press("ask three\r")
	s.await("three answer")
	s.await("the session is written again, and nothing is missing")
	s.await("> ")
	leave(t, s, cmd)
	text := sessionText(t, cmd)
	one, two, three := strings.Index(text, "ask one"), strings.Index(text, "ask two"), strings.Index(text, "three answer")
	if one < 0 || two < one || three < two {
		t.Errorf("the session is %s", text)
	}
}
