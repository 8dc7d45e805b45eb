//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// patience is how long a test waits for what has to come.
const patience = 60 * time.Second

// command is the program, asking a server, in a folder and home of its own.
func command(t *testing.T, srv *fakellm.Server, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("ai")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{
		"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm",
		"OPENAI_BASE_URL=" + srv.URL, "OPENAI_API_KEY=sk-test-0123456789abcdefghij",
	}
	return cmd
}

// finish waits for the end and gives the exit code.
func finish(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// duration is a time to sleep for, in seconds, that no other run of these
// tests uses.
func duration(n int) string { return fmt.Sprintf("%d%07d", 1+n, os.Getpid()) }

// running tells whether a process with these words in its command line lives.
func running(t *testing.T, words string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		out, err := exec.Command("ps", "-A", "-o", "args").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(out), words)
	}
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err == nil && strings.HasPrefix(strings.ReplaceAll(string(line), "\x00", " "), words) {
			return true
		}
	}
	return false
}

func TestInterruptWhileTheModelAnswers(t *testing.T) {
	t.Parallel()
	step := make(chan struct{})
	// So long that it does not end before its first words were seen.
	answer := fakellm.Chat("one two three four" + strings.Repeat(" more", 100_000))
	answer.Chunk, answer.Step = 4, step
	srv := fakellm.New(t, answer)
	cmd := command(t, srv, "question")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The beginning of the JSON has to come before the words do.
	seen := make(chan string, 1)
	go func() {
		b := make([]byte, 1)
		_, err := io.ReadFull(stdout, b)
		if err != nil {
			seen <- err.Error()
			return
		}
		seen <- string(b)
		_, _ = io.Copy(io.Discard, stdout)
	}()
	var first string
	for first == "" {
		select {
		case step <- struct{}{}:
		case first = <-seen:
		case <-time.After(patience):
			t.Fatal("no text came")
		}
	}
	if first != "o" {
		t.Fatalf("the first text is %q", first)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != int(exitInterrupted) {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

func TestSignalsWhileACommandRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signal  syscall.Signal
		code    exitCode
		seconds string
	}{
		"SIGINT":  {syscall.SIGINT, exitInterrupted, duration(0)},
		"SIGTERM": {syscall.SIGTERM, exitTerminated, duration(1)},
		"SIGHUP":  {syscall.SIGHUP, exitHangup, duration(2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, fakellm.Cmd("Waiting.", []string{"sleep", c.seconds}))
			cmd := command(t, srv, "--yes", "--json", "question")
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			events := make(chan string, 1)
			go func() {
				all, _ := io.ReadAll(stderr)
				events <- string(all)
			}()
			for end := time.Now().Add(patience); !running(t, "sleep "+c.seconds); {
				if time.Now().After(end) {
					t.Fatal("the command never ran")
				}
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			told := <-events // before Wait, which closes the pipe
			if code := finish(t, cmd); code != int(c.code) {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if want := fmt.Sprintf(`"exitCode":%d}`+"\n", c.code); !strings.HasSuffix(told, want) {
				t.Errorf("the events do not end with %s: %s", want, told)
			}
			if running(t, "sleep "+c.seconds) {
				t.Error("the command outlives the program")
			}
		})
	}
}

// TestFourGiB lets one command write 4 GiB: the program must not grow by it.
func TestFourGiB(t *testing.T) {
	t.Parallel()
	peak := func(bytes string) int64 {
		srv := fakellm.New(t, fakellm.Cmd("Writing.", []string{"head", "-c", bytes, "/dev/zero"}), fakellm.Chat("done"))
		cmd := command(t, srv, "--yes", "question")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if code := finish(t, cmd); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		if body := string(srv.Requests()[1].Body); !strings.Contains(body, `"exitCode\":0`) && !strings.Contains(body, `\"exitCode\":0`) {
			t.Fatalf("the model is told: %s", body)
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			t.Fatal("no resource usage")
		}
		return usage.Maxrss
	}
	small, large := peak("1"), peak("4294967296")
	if large > small*2 {
		t.Errorf("peak memory grew from %d to %d", small, large)
	}
}

// screen is a terminal with the program in it.
type screen struct {
	t    *testing.T
	tty  *os.File
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

// open starts the program in a new terminal.
func open(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	s := &screen{t: t, tty: tty, more: make(chan struct{}, 1)}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := tty.Read(b)
			s.mu.Lock()
			s.text.Write(b[:n])
			s.mu.Unlock()
			select {
			case s.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// await waits until the words stand on the screen, and forgets what came up
// to them.
func (s *screen) await(words string) {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		text := s.text.String()
		if i := strings.Index(text, words); i >= 0 {
			s.text.Reset()
			s.text.WriteString(text[i+len(words):])
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		select {
		case <-s.more:
		case <-deadline:
			s.t.Fatalf("%q never appears; there is:\n%s", words, text)
		}
	}
}

func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// TestInteractive drives `ai -i` in a terminal: two turns, a confirmed
// command, an edited one, one that is edited into something refused, an
// aborted one.
func TestInteractive(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t,
		fakellm.Chat("hello there"),
		fakellm.Cmd("Making it.", []string{"touch", "one"}), fakellm.Chat("made the first"),
		fakellm.Cmd("Making it.", []string{"touch", "two"}), fakellm.Chat("made the second"),
		fakellm.Cmd("Making it.", []string{"touch", "three"}), fakellm.Chat("not made"),
		// There are more messages now than a request shows.
		fakellm.Text(`{"summary":"Files were made.","keyFacts":[],"openTasks":[]}`),
		fakellm.Cmd("Waiting.", []string{"sleep", duration(3)}),
		fakellm.Chat("still here"),
	)
	cmd := command(t, srv, "-i")
	s := open(t, cmd)
	before := modes(t, s.tty)
	s.await("> ")
	s.press("say hello\r")
	s.await("hello there")
	s.await("window ")
	s.await("> ")
	s.press("make it\r")
	s.await("touch one")
	s.await("Run this?")
	s.press("y\r")
	s.await("made the first")
	s.await("> ")
	s.press("make another\r")
	s.await("Run this?")
	s.press("e\r")
	s.await("touch two")
	s.press("\x7f\x7f\x7ftwenty\r")
	s.await("touch twenty")
	s.await("Run this?")
	s.press("y\r")
	s.await("made the second")
	s.await("> ")
	s.press("and another\r")
	s.await("Run this?")
	s.press("e\r")
	s.await("touch three")
	s.press("\x01sudo \r")
	s.await("sudo")
	s.await("not made")
	s.await("> ")
	s.press("wait\r")
	s.await("Run this?")
	s.await("> ") // of the question, not of the next prompt
	s.press("y\r")
	for end := time.Now().Add(patience); !running(t, "sleep "+duration(3)); {
		if time.Now().After(end) {
			t.Fatal("the command never ran")
		}
	}
	s.press("\x03")
	s.await("> ")
	if running(t, "sleep "+duration(3)) {
		t.Error("the command outlives its turn")
	}
	s.press("are you there?\r")
	s.await("still here")
	s.await("> ")
	s.press("\x04")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if after := modes(t, s.tty); after != before {
		t.Errorf("the terminal was %+v and is %+v", before, after)
	}
	for name, want := range map[string]bool{"one": true, "two": false, "twenty": true, "three": false} {
		if _, err := os.Stat(filepath.Join(cmd.Dir, name)); (err == nil) != want {
			t.Errorf("%s: made is %v", name, err == nil)
		}
	}
	if body := string(srv.Requests()[8].Body); !strings.Contains(body, "Files were made.") || strings.Contains(body, "hello there") {
		t.Errorf("the request after the summary does not hold it: %s", body)
	}
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, "hello there") {
		t.Errorf("the second request does not hold the first exchange: %s", body)
	}
}

func modes(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(tty.Fd()), getModes)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}
