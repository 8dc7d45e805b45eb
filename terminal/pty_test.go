//go:build unix

package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

const childName = "PLUGIN_AI_TERMINAL_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childName); mode != "" {
		os.Exit(child(mode))
	}
	os.Exit(m.Run())
}

// child is the program that the tests start in a pseudo-terminal.
func child(mode string) int {
	f := New(Config{
		Streams: Streams{In: os.NewFile(0, "in"), Out: os.NewFile(1, "out"), Err: os.NewFile(2, "err"), TTY: OpenTTY},
		Getenv:  os.Getenv,
	})
	defer f.Close()
	agent := &scripted{face: f}
	switch mode {
	case "ask", "patch", "lend":
		agent.asker = f.Asker()
		question := mode
		if mode == "ask" {
			question = "commit"
		}
		agent.Prompt(context.Background(), runner.Input{Text: question})
		return 0
	case "rude":
		return rude()
	}
	if mode == "pipe" {
		agent.Prompt(context.Background(), runner.Input{Text: "hello"})
		if !errors.Is(f.Err(), ErrOutputClosed) {
			return 1
		}
		return 0
	}
	agent.asker = f.Asker()
	return f.Interactive(context.Background(), agent, Conversation{
		HistoryFile: os.Getenv("AI_TEST_HISTORY"),
		Mask:        func(s string) string { return strings.ReplaceAll(s, "secret", "***") },
		Policy:      func() string { return "L0 runs, L1 asks" },
		Commands:    []Command{pickCommand(f)},
	})
}

// scripted answers by what it is asked, and asks questions as a runner does.
type scripted struct {
	face  *Face
	asker runner.Asker
}

func (a *scripted) Forget() {}

func (a *scripted) Prompt(ctx context.Context, input runner.Input) runner.Result {
	s := started()
	reply := func(text string, suggestions ...string) runner.Result {
		r := protocol.Reply{Type: protocol.KindChat, Message: text, Chat: &protocol.Chat{Format: protocol.FormatMarkdown, Suggestions: suggestions}}
		for _, ev := range s.chat(protocol.FormatMarkdown, strings.SplitAfter(text, " ")...).end(runner.Result{End: runner.EndChat, Reply: r}) {
			a.face.Event(ev)
		}
		return runner.Result{End: runner.EndChat, Reply: r}
	}
	aborted := func() runner.Result {
		r := runner.Result{End: runner.EndAborted}
		a.face.Event(runner.Event{Type: runner.AgentEnd, Result: &r})
		return r
	}
	switch input.Text {
	case "slow":
		for _, ev := range s.streamed(protocol.KindChat, "working on it") {
			a.face.Event(ev)
		}
		<-ctx.Done()
		return aborted()
	case "panic":
		panic("a fault")
	case "raw": // as a child that crashed
		_ = (&modes{a.face.modes.fd, a.face.modes.saved}).raw()
		return reply("left raw")
	case "offer":
		return reply("Well.", "first thing", "second thing")
	case "select":
		n, err := a.asker.Select(ctx, "3 steps were done.", []string{"continue", "stop", "keep going this turn"})
		return reply(fmt.Sprintf("chosen %d %v", n, err))
	case "patch":
		return reply(a.patch(ctx))
	case "lend":
		return reply(a.lend())
	case "wait":
		a.typed()
		return reply("waited")
	case "late", "commit":
		if input.Text == "late" {
			a.typed()
		}
		line := "git commit -m 'a b'"
		for first := true; ; first = false {
			program, args, _ := protocol.ParseCommand(line)
			step := protocol.Step{Program: program, Args: args}
			j := policy.Judgement{Level: protocol.Confirm, Listed: true, Rules: []string{"write=true"}, Reasons: []string{"changes the repository"}, Path: "/usr/bin/git", Args: args}
			if first {
				for _, ev := range s.cmd("To keep your work.", step) {
					a.face.Event(ev)
				}
				a.face.Event(runner.Event{Type: runner.ToolExecutionStart, ID: "cmd_001", Step: &step, Judgement: &j})
			}
			choice, err := a.asker.Confirm(ctx, runner.Confirmation{
				ID: "cmd_001", Step: step, CWD: "/home/you", Message: "To keep your work.", ExpectedEffect: "one commit more", Judgement: j,
			})
			if ctx.Err() != nil {
				return aborted()
			}
			if choice == runner.Edit {
				if line, err = a.asker.Edit(ctx, "Change the command", line); err == nil {
					continue
				}
				choice = runner.No
			}
			return reply(fmt.Sprintf("answer=%s err=%v line=%s", choice, err, line))
		}
	}
	return reply(fmt.Sprintf("you said %q", input.Text))
}

// typed waits until something was typed that nobody has read.
func (a *scripted) typed() {
	a.face.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: "type now"})
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		fds := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
		if n, _ := unix.Poll(fds, 0); n > 0 {
			return
		}
	}
}

func TestTwoTurns(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{20, 200} {
		s := open(t, "loop", columns, 24)
		s.prompt(1)
		s.send("hello\r")
		s.see(`you said "hello"`, 1)
		s.prompt(2)
		s.send("你好 wor\x1b[D\x1b[D\x1b[DXX\x01>\x05!\r")
		s.see(`you said ">你好`, 1)
		s.prompt(3)
		s.send("\x04")
		s.exit(0)
		if got := strings.Join(strings.Fields(s.shown()), " "); !strings.Contains(got, `">你好 XXwor!"`) {
			t.Errorf("%d columns:\n%s", columns, s.shown())
		}
	}
}

func TestLineFeedFromAProgramSends(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send("one\ntwo\n")
	s.see(`you said "one"`, 1)
	s.see(`you said "two"`, 1)
	s.send("/quit\n")
	s.exit(0)
}

func TestPasteDoesNotSend(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send(pasteBegin + "第一行\r\nsecond\x1b[31m\n三" + pasteEnd)
	s.see("三", 1)
	s.send(" end\\\r" + "more\x1b\rlast\r")
	s.see(`you said "第一行\nsecond\x1b[31m\n三 end\nmore\nlast"`, 1)
	s.send("\x04")
	s.exit(0)
}

func TestConfirmInTheLoop(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, "state", "history")
	s := open(t, "loop", 100, 40, "AI_TEST_HISTORY="+file)
	s.prompt(1)
	s.send("commit\r")
	s.see("Run this?", 1)
	for _, text := range []string{"[L1] git commit -m 'a b'", "To keep your work.", "changes the repository (write=true)", "folder: /home/you", "effect: one commit more"} {
		s.see(text, 1)
	}
	s.send("what\r")
	s.see("Please answer", 1)
	s.see("Run this?", 2)
	s.send("w\r")
	s.see("     write=true: changes the repository", 1)
	s.see("the model says: it needs nothing special", 1)
	s.see("argument 3: 'a b'", 1)
	s.see("found at: /usr/bin/git", 1)
	s.see("why: To keep your work.", 1)
	s.see("Run this?", 3)
	s.send("y\r")
	s.see("answer=yes", 1)

	s.prompt(2)
	s.send("\x1b[A\r") // the same from history
	s.see("Run this?", 4)
	s.send("e\r")
	s.see("Change the command: Enter takes it", 1)
	s.prompt(3)
	s.send("\x17\x17'c'\r") // 'a and b' go
	s.see("[L1] git commit -m c", 1)
	s.see("Run this?", 5)
	s.send("\r") // Enter is no
	s.see("answer=no err=<nil> line=git commit -m 'c'", 1)

	s.prompt(4)
	s.send("commit\r")
	s.see("Run this?", 6)
	s.send("a\r")
	s.see("Allow it?", 1)
	s.send("n\r")
	s.see("Run this?", 7)
	s.send("always\r")
	s.see("Allow it?", 2)
	s.send("yes\r")
	s.see("answer=always", 1)

	s.prompt(5)
	s.send("my secret\r")
	s.prompt(6)
	s.send("commit\r")
	s.see("Run this?", 8)
	s.send("\x04") // the end of the input is no
	s.see("answer=no err=the question was not answered", 1)
	s.prompt(7)
	s.send("commit\r")
	s.see("Run this?", 9)
	s.send("\x03")
	s.see("stopped; the conversation can go on", 1)
	s.prompt(8)
	s.send("/policy\r")
	s.see("L0 runs, L1 asks", 1)
	s.prompt(9)
	s.send("/polcy\r")
	s.see("Did you mean /policy", 1)
	s.prompt(10)
	s.send("\x04")
	s.exit(0)

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "commit\ncommit\nmy ***\ncommit\n/policy\n/polcy\n"; !strings.HasPrefix(string(text), "commit\n") || strings.Contains(string(text), "secret") {
		t.Errorf("history %q, want like %q", text, want)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("history has mode %v", info.Mode())
	}
}

func TestTypeAheadDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send("late\r") // asks as soon as something was typed
	s.see("type now", 1)
	s.send("y\r")
	s.see("Run this?", 1)
	s.send("\r")
	s.see("answer=no", 1)
	s.prompt(2)
	s.send("\x04")
	s.exit(0)
}

func TestTypedDuringATurnIsTheNextInput(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send("wait\r")
	s.see("type now", 1)
	s.send("next\r\x04")
	s.see(`you said "next"`, 1)
	s.exit(0)
}

func TestSuspend(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send("half\x1a") // nobody can take over here, so it goes on at once
	s.prompt(2)
	s.send(" more\r")
	s.see(`you said "half more"`, 1)
	s.prompt(3)
	s.send("\x04")
	s.exit(0)
}

func TestQuestionWhileStdinCarriesData(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := open(t, "ask", 80, 24, r)
	s.see("Run this?", 1)
	s.send("y\r")
	s.see("answer=yes", 1)
	s.exit(0)
}

func TestNobodyBehindDevNull(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, "ask", 80, 24, null)
	s.see("answer=no err=there is nobody to ask", 1)
	s.exit(0)
}

// TestReaderLeaves is `ai … | head -1`: no message, no signal, and the caller
// is told.
func TestReaderLeaves(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childName+"=pipe")
	cmd.Stdout = w
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.String() != "" {
		t.Errorf("%v, stderr %q", err, stderr.String())
	}
	w.Close()
}

func TestSelectAndSuggestions(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 30)
	s.prompt(1)
	s.send("select\r")
	s.see("3. keep going this turn", 1)
	s.see("Number", 1)
	s.send("9\r")
	s.see("from 1 to 3", 1)
	s.see("Number", 2)
	s.send("3\r")
	s.see("chosen 2 <nil>", 1)
	s.prompt(2)
	s.send("offer\r")
	s.see("2. second thing", 1)
	s.prompt(3)
	s.send("2\r")
	s.see(`you said "second thing"`, 1)
	s.prompt(4)
	s.send("exit\r")
	s.exit(0)
}

func TestInterrupts(t *testing.T) {
	t.Parallel()
	t.Run("a turn, then at the prompt", func(t *testing.T) {
		t.Parallel()
		s := open(t, "loop", 80, 24)
		s.prompt(1)
		s.send("slow\r")
		s.see("working on it", 1)
		s.send("\x03")
		s.see("stopped; the conversation can go on", 1)
		s.prompt(2)
		s.send("half\x03")
		s.prompt(3)
		s.send("again\r")
		s.see(`you said "again"`, 1)
		s.prompt(4)
		s.send("\x03\x03")
		s.exit(130)
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		s := open(t, "loop", 80, 24)
		s.prompt(1)
		s.send("slow\r")
		s.see("working on it", 1)
		s.send("\x03")
		s.see("stopped", 1)
		s.send("\x03")
		s.exit(130)
	})
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		for _, where := range []string{"prompt", "turn", "question"} {
			t.Run(signal.String()+" at a "+where, func(t *testing.T) {
				t.Parallel()
				s := open(t, "loop", 80, 24)
				s.prompt(1)
				switch where {
				case "turn":
					s.send("slow\r")
					s.see("working on it", 1)
				case "question":
					s.send("commit\r")
					s.see("Run this?", 1)
				}
				if err := s.cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				s.exit(code)
			})
		}
	}
}

func TestPanicLeavesTheTerminal(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send("panic\r")
	s.exit(2)
	s.see("a fault", 1)
}

func TestChildLeftRawMode(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send("raw\r")
	s.see("left raw", 1)
	s.prompt(2)
	s.send("ok\r")
	s.see(`you said "ok"`, 1)
	s.prompt(3)
	s.send("/exit\r")
	s.exit(0)
}

func TestResize(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 60, 24)
	s.prompt(1)
	s.send(strings.Repeat("long ", 9))
	s.see("long", 9)
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: 30, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	s.send("end\r")
	s.see("you said", 1)
	s.send("\x04")
	s.exit(0)
}

func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24, "TERM=dumb")
	s.see(">", 1)
	s.send("hello\r")
	s.see(`you said "hello"`, 1)
	s.send("commit\r")
	s.see("Run this?", 1)
	s.send("e\r")
	s.see("New command", 1)
	s.send("git status\r")
	s.see("[L1] git status", 1)
	s.see("Run this?", 2)
	s.send("y\r")
	s.see("line=git status", 1)
	s.send("\x04")
	s.exit(0)
	if i := strings.IndexByte(s.raw.String(), 0x1b); i >= 0 {
		t.Errorf("an escape on a dumb terminal: %q", s.raw.String()[i:])
	}
}

func TestDrivenByAPipe(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childName+"=loop")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdin = strings.NewReader("hello\nline one\\\nline two\ncommit\n/help\n最后")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	want := "you said \"hello\"\nyou said \"line one\\nline two\"\nanswer=no err=there is nobody to ask line=git commit -m 'a b'\nyou said \"最后\"\n"
	if out.String() != want {
		t.Errorf("stdout %q, want %q", out.String(), want)
	}
	if !strings.Contains(stderr.String(), "/policy") {
		t.Errorf("stderr %q", stderr.String())
	}
}

func TestYesIsForL1Only(t *testing.T) {
	t.Parallel()
	f := New(Config{Yes: true})
	a := f.Asker()
	for level, want := range map[protocol.Level]runner.Choice{protocol.Confirm: runner.Yes, protocol.Block: runner.No} {
		got, err := a.Confirm(t.Context(), runner.Confirmation{Judgement: policy.Judgement{Level: level}})
		if got != want || err != nil {
			t.Errorf("%v gives %v, %v", level, got, err)
		}
	}
	if _, err := a.Select(t.Context(), "", nil); !errors.Is(err, runner.ErrNobody) {
		t.Errorf("select: %v", err)
	}
}
