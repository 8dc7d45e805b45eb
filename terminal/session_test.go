//go:build unix

package terminal

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A session is a child in a pseudo-terminal, and what a person sees there.
type session struct {
	t      *testing.T
	pty    *os.File
	tty    *os.File
	cmd    *exec.Cmd
	before *unix.Termios

	mu     sync.Mutex
	raw    bytes.Buffer
	screen *emulator
	more   chan struct{}
	ended  chan struct{}
}

// open starts a child. Strings that follow are its environment, a file is its
// standard input.
func open(t *testing.T, mode string, columns, rows uint16, more ...any) *session {
	t.Helper()
	p, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("a pseudo-terminal is needed: %v", err)
	}
	if err := pty.Setsize(p, &pty.Winsize{Cols: columns, Rows: rows}); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, pty: p, tty: tty, screen: &emulator{width: int(columns), height: int(rows)}, more: make(chan struct{}, 1), ended: make(chan struct{})}
	s.before = s.termios()
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = []string{childName + "=" + mode, "TERM=xterm", "HOME=" + t.TempDir()}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	for _, m := range more {
		switch m := m.(type) {
		case string:
			s.cmd.Env = append(s.cmd.Env, m)
		case *os.File:
			s.cmd.Stdin = m
			defer m.Close()
		}
	}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.copy()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = tty.Close()
		_ = p.Close()
		<-s.ended
	})
	return s
}

func (s *session) copy() {
	defer close(s.ended)
	p := make([]byte, 4096)
	var rest []byte
	for {
		n, err := s.pty.Read(p)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.raw.Write(p[:n])
		rest = append(rest, p[:n]...)
		if whole := wholeSequences(rest); whole > 0 {
			_, _ = s.screen.Write(rest[:whole])
			rest = append([]byte{}, rest[whole:]...)
		}
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
}

// wholeSequences tells how much of p ends with a whole character.
func wholeSequences(p []byte) int {
	end := len(p)
	if i := bytes.LastIndexByte(p, 0x1b); i >= 0 && !bytes.ContainsAny(p[i+1:], "ABCDHJKhlmsru") {
		end = i
	}
	for i := max(end-3, 0); i < end; i++ {
		if p[i] >= 0xc0 {
			size := 2
			if p[i] >= 0xe0 {
				size = 3
			}
			if p[i] >= 0xf0 {
				size = 4
			}
			if i+size > end {
				return i
			}
		}
	}
	return end
}

func (s *session) termios() *unix.Termios {
	s.t.Helper()
	tio, err := unix.IoctlGetTermios(int(s.tty.Fd()), getAttributes)
	if err != nil {
		s.t.Fatal(err)
	}
	return tio
}

func (s *session) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.text()
}

// see waits until the text is shown at least n times.
func (s *session) see(text string, n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q %d times", text, n), func() bool { return strings.Count(s.shown(), text) >= n })
}

// prompt waits until the editor waits for the n-th input: pastes are asked
// for in brackets just then.
func (s *session) prompt(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("prompt %d", n), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Count(s.raw.String(), pasteOn) >= n
	})
}

func (s *session) until(what string, ok func() bool) {
	s.t.Helper()
	limit := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-s.more:
		case <-s.ended:
			if ok() {
				return
			}
			s.t.Fatalf("the terminal closed before %s was there:\n%s", what, s.shown())
		case <-limit:
			s.t.Fatalf("%s is not there:\n%s\n%q", what, s.shown(), s.raw.String())
		}
	}
}

func (s *session) send(text string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// exit waits for the child and holds the terminal's modes against those of
// the start.
func (s *session) exit(code int) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		s.t.Fatalf("it does not end:\n%s", s.shown())
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("exit code %d, want %d:\n%s", got, code, s.shown())
	}
	if after := s.termios(); *after != *s.before {
		s.t.Errorf("the terminal is not as it was: %+v, was %+v", after, s.before)
	}
	s.until("the end of bracketed paste", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.LastIndex(s.raw.String(), pasteOn) <= strings.LastIndex(s.raw.String(), pasteOff)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.screen.strange) > 0 {
		s.t.Errorf("strange output: %q", s.screen.strange)
	}
}
