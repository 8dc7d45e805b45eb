//go:build unix

package npm_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/go-json-experiment/json"
)

func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here, which runs the launcher")
	}
	return path
}

// launch is the launcher with this program behind it.
func launch(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, node(t), append([]string{"bin/ai.js"}, args...)...)
	cmd.Env = append(os.Environ(), "AI_BINARY="+os.Args[0], "AI_TEST_PROBE=1")
	return cmd
}

// alone takes the terminal away from a command, if there is one.
func alone(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func TestArguments(t *testing.T) {
	t.Parallel()
	want := []string{"a b", "", `"x'\`, "你好", "line\nbreak", "$(id)", "*", "--", "-i", "--version", " ", "--inspect", "\x1b[31m"}
	out, err := launch(t, want...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(out, &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
	if out, err := launch(t).Output(); err != nil || string(out) != "[]" {
		t.Errorf("none: %q, %v", out, err)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{0, 1, 5, 130, 255} {
		cmd := launch(t, "exit", fmt.Sprint(code))
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%d: %v", code, err)
		}
	}
}

func TestDeathBySignal(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		cmd := launch(t, "die", fmt.Sprint(int(s)))
		err := cmd.Run()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != s {
			t.Errorf("%v: %v", s, err)
		}
	}
}

func TestPipes(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("\x00\xff数据\r\n"), 1<<17)
	cmd := launch(t, "cat")
	cmd.Stdin = bytes.NewReader(data)
	if out, err := cmd.Output(); err != nil || !bytes.Equal(out, data) {
		t.Errorf("%v, %d bytes of %d", err, len(out), len(data))
	}

	cmd = launch(t, "endless")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(pipe).ReadString('\n'); err != nil || line != "more\n" {
		t.Errorf("%q, %v", line, err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGPIPE) {
		t.Errorf("the reader went: %v", err)
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	cmd := alone(launch(t, "signals"))
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	child := ready(t, lines)
	for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR2, syscall.SIGINT, syscall.SIGTERM} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		expect(t, lines, fmt.Sprintf("%d %v", i+1, s))
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("%v; want the program's exit code 7", err)
	}
	gone(t, child)
}

func TestTermEndsBoth(t *testing.T) {
	t.Parallel()
	cmd := launch(t, "wait")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Fscanln(pipe, &child); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("%v; want the end by SIGTERM, as the program had", err)
	}
	gone(t, child)
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	cmd := launch(t, "terminal")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 91, Rows: 17})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	lines := bufio.NewReader(terminal)
	for range 3 {
		expect(t, lines, "91x17")
	}
	typeIn := func(text string) {
		t.Helper()
		if _, err := io.WriteString(terminal, text); err != nil {
			t.Fatal(err)
		}
	}
	typeIn("你好\n")
	expect(t, lines, "你好") // the terminal's echo
	expect(t, lines, `read "你好\n"`)
	child := ready(t, lines)
	// Each is followed by a signal that goes through the launcher: had it passed
	// on the terminal's as well, that would have come before.
	n := 0
	for _, key := range []struct {
		typed, echo string
		signal      syscall.Signal
	}{{"\x03", "^C", syscall.SIGINT}, {"\x1c", `^\`, syscall.SIGQUIT}, {"\x03", "^C", syscall.SIGINT}} {
		typeIn(key.typed)
		expect(t, lines, fmt.Sprintf("%s%d %v", key.echo, n+1, key.signal))
		if err := cmd.Process.Signal(syscall.SIGUSR2); err != nil {
			t.Fatal(err)
		}
		expect(t, lines, fmt.Sprintf("%d %v", n+2, syscall.SIGUSR2))
		n += 2
	}
	if err := pty.Setsize(terminal, &pty.Winsize{Cols: 40, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	expect(t, lines, fmt.Sprintf("%d %v", n+1, syscall.SIGWINCH))
	for i, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		expect(t, lines, fmt.Sprintf("%d %v", n+2+i, s))
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("%v; want exit code 7", err)
	}
	gone(t, child)
}

// TestHangup: of a terminal that goes away the kernel tells the first process of
// its session alone, which here is the launcher.
func TestHangup(t *testing.T) {
	t.Parallel()
	cmd := launch(t, "signals")
	output, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stdout = end
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(output)
	child := ready(t, lines)
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	expect(t, lines, fmt.Sprintf("1 %v", syscall.SIGHUP))
	for i, s := range []syscall.Signal{syscall.SIGUSR2, syscall.SIGTERM} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		expect(t, lines, fmt.Sprintf("%d %v", i+2, s))
	}
	// node 20 crashes when it ends without the terminal that it began with, so
	// how the launcher ends says nothing here.
	_ = cmd.Wait()
	gone(t, child)
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ binary, says string }{
		{"", "run: npm install @holic512/plugin-ai-"},
		{filepath.Join(dir, "none"), "ENOENT"},
		{filepath.Join(dir, "text"), "EACCES"},
	} {
		cmd := launch(t, "x")
		cmd.Env = append(cmd.Env, "AI_BINARY="+tt.binary)
		_, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(exit.Stderr), tt.says) || bytes.Count(exit.Stderr, []byte("\n")) != 1 {
			t.Errorf("%q: %v, %s", tt.binary, err, exit.Stderr)
		}
	}
}

func ready(t *testing.T, lines *bufio.Reader) (pid int) {
	t.Helper()
	line, err := lines.ReadString('\n')
	if _, scan := fmt.Sscanf(line, "ready %d", &pid); err != nil || scan != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return pid
}

func expect(t *testing.T, lines *bufio.Reader, want string) {
	t.Helper()
	line, err := lines.ReadString('\n')
	if got := strings.TrimRight(line, "\r\n"); got != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

// gone tells a process that was left behind. The launcher has waited for it.
func gone(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the program is still there: %v", err)
	}
}
