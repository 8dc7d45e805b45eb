//go:build unix

package executors_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

const lenderName = "PLUGIN_AI_LENDER"

func TestMain(m *testing.M) {
	if spec := os.Getenv(lenderName); spec != "" {
		os.Exit(lender(spec))
	}
	os.Exit(m.Run())
}

// durations are written as nanoseconds.
func durations() json.Options {
	return json.JoinOptions(
		json.WithMarshalers(json.MarshalFunc(func(d time.Duration) ([]byte, error) { return strconv.AppendInt(nil, int64(d), 10), nil })),
		json.WithUnmarshalers(json.UnmarshalFunc(func(text []byte, d *time.Duration) error {
			n, err := strconv.ParseInt(string(text), 10, 64)
			*d = time.Duration(n)
			return err
		})),
	)
}

// A lending is what the process in the pseudo-terminal is told to do.
type lending struct {
	Command    executors.Command
	Scratch    string // of the sandbox
	Result     string // the file for the result
	Background bool   // another program has the terminal
	NoOutput   bool   // the output is no terminal
}

// lender has a terminal and lends it to a program. It says whether it has it
// back, and repeats a line that it reads from it.
func lender(spec string) int {
	var l lending
	if err := json.Unmarshal([]byte(spec), &l, durations()); err != nil {
		return 3
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGUSR1)
	defer cancel()
	console := executors.Console{In: os.NewFile(0, "in"), Out: os.NewFile(1, "out"), Err: os.NewFile(2, "err")}
	if l.NoOutput {
		r, w, err := os.Pipe()
		if err != nil {
			return 3
		}
		defer r.Close()
		console.Out = w
	}
	if l.Background {
		other := exec.CommandContext(ctx, "sleep", "600")
		other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0}
		if other.Start() != nil {
			return 3
		}
		defer func() { _, _ = other.Process.Kill(), other.Wait() }()
	}
	s, err := sandbox.New(sandbox.Config{ScratchDir: l.Scratch})
	if err != nil {
		return 3
	}
	e, err := executors.NewExec(executors.ExecConfig{Grace: 300 * time.Millisecond, Timeout: time.Millisecond, Sandbox: s})
	if err != nil {
		return 3
	}
	data, err := json.Marshal(e.RunInteractive(ctx, l.Command, console), durations())
	if err != nil || os.WriteFile(l.Result, data, 0o600) != nil {
		return 3
	}
	front, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	if err != nil {
		return 3
	}
	flags, err := unix.FcntlInt(0, unix.F_GETFL, 0)
	if err != nil {
		return 3
	}
	fmt.Fprintf(console.Err, "BACK %t %t\n", front == unix.Getpgrp(), flags&unix.O_NONBLOCK == 0)
	if l.Background {
		return 0
	}
	var line string
	if _, err := fmt.Fscanln(console.In, &line); err != nil {
		return 4
	}
	fmt.Fprintf(console.Err, "READ %s\n", line)
	return 0
}

// A session is a lender in a terminal, seen by the person.
type session struct {
	t     *testing.T
	l     lending
	tty   *os.File
	cmd   *exec.Cmd
	mu    sync.Mutex
	news  *sync.Cond
	shown string
	ended bool
}

func lend(t *testing.T, l lending) *session {
	t.Helper()
	l.Scratch, l.Result = t.TempDir(), filepath.Join(t.TempDir(), "result")
	spec, err := json.Marshal(l, durations())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, l: l}
	s.news = sync.NewCond(&s.mu)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.CommandContext(t.Context(), self)
	s.cmd.Env = append(os.Environ(), lenderName+"="+string(spec), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "NODE_OPTIONS=--no-such-option", "MY_TOKEN=x")
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := s.tty.Read(buffer)
			s.mu.Lock()
			s.shown += string(buffer[:n])
			s.ended = err != nil
			s.mu.Unlock()
			s.news.Broadcast()
			if err != nil {
				return
			}
		}
	}()
	timer := time.AfterFunc(30*time.Second, func() {
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		s.news.Broadcast()
		_ = s.cmd.Process.Kill()
	})
	t.Cleanup(func() {
		timer.Stop()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		_ = s.tty.Close()
	})
	return s
}

// sees waits until the terminal has shown a text, and takes all up to it.
func (s *session) sees(text string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if _, rest, ok := strings.Cut(s.shown, text); ok {
			s.shown = rest
			return
		}
		if s.ended {
			s.t.Fatalf("the terminal never showed %q, but %q", text, s.shown)
		}
		s.news.Wait()
	}
}

func (s *session) types(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// result sees the lender to its end: it has the terminal again.
func (s *session) result() (r executors.Result) {
	s.t.Helper()
	if s.l.Background {
		s.sees("BACK false true")
	} else {
		s.sees("BACK true true")
		s.types("hello\n")
		s.sees("READ hello")
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatal(err)
	}
	data, err := os.ReadFile(s.l.Result)
	if err == nil {
		err = json.Unmarshal(data, &r, durations())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if r.Stdout != "" || r.Parsed != nil || r.Truncated || r.OutputFile != "" || r.Outcome != protocol.NotStarted && (r.Stderr != "" || r.Duration <= 0) {
		s.t.Errorf("unexpected result %+v", r)
	}
	return r
}

// walls runs a test without a sandbox and, where there is one, behind it.
func walls(t *testing.T, c executors.Command, test func(t *testing.T, c executors.Command)) {
	t.Run("open", func(t *testing.T) { test(t, c) })
	if !sandbox.Detect().Enough() {
		return
	}
	for _, p := range []sandbox.Profile{sandbox.ReadOnly(), sandbox.WorkspaceWrite(c.Dir)} {
		t.Run(p.String(), func(t *testing.T) {
			c := c
			c.Sandbox = &p
			test(t, c)
		})
	}
}

func node(tb testing.TB, script string) executors.Command {
	return command(tb, "node", "-e", script)
}

func TestInteractiveKeysAndSize(t *testing.T) {
	t.Parallel()
	walls(t, node(t, `
const {stdin, stdout, stderr, env} = process;
console.log(['TTY', stdin.isTTY, stdout.isTTY, stderr.isTTY, stdout.columns, stdout.rows, stdout.getColorDepth()].join(' '));
console.log(['ENV', env.TERM, env.COLORTERM, env.LANG, env.MY_TOKEN, env.NODE_OPTIONS].map(String).join(' '));
stdout.on('resize', () => console.log('SIZE ' + stdout.columns + ' ' + stdout.rows));
stdin.setRawMode(true);
stdin.on('data', (d) => {
  console.log('KEY', d.toString('hex'));
  if (d.toString() === 'q') { stdin.setRawMode(false); process.exit(5); }
});
console.log('READY');`), func(t *testing.T, c executors.Command) {
		s := lend(t, lending{Command: c})
		s.sees("TTY true true true 100 30 24")
		s.sees("ENV xterm-256color truecolor C.UTF-8 undefined undefined")
		s.sees("READY")
		for keys, hex := range map[string]string{"a": "61", "\x1b[A": "1b5b41", "\x03": "03", "\x1a": "1a", "中": "e4b8ad"} {
			s.types(keys)
			s.sees("KEY " + hex)
		}
		if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
			t.Fatal(err)
		}
		s.sees("SIZE 120 40")
		s.types("q")
		r := s.result()
		wantExit(t, r, 5)
		if r.Note != "" || (c.Sandbox != nil) != strings.Contains(r.Sandbox, "terminal (landlock") {
			t.Errorf("unexpected result %+v", r)
		}
	})
}

func TestInteractiveSignalsFromKeys(t *testing.T) {
	t.Parallel()
	walls(t, node(t, `
process.on('SIGINT', () => { console.log('INT'); process.exit(7); });
process.on('SIGCONT', () => console.log('CONT'));
process.stdin.on('data', (d) => console.log('LINE', d.toString().trim()));
console.log('READY');`), func(t *testing.T, c executors.Command) {
		s := lend(t, lending{Command: c})
		s.sees("READY")
		s.types("\x1a")
		s.sees("CONT")
		s.types("中文\n")
		s.sees("LINE 中文")
		s.types("\x03") // would end the lender as well, if it reached it
		s.sees("INT")
		wantExit(t, s.result(), 7)
	})
}

// It stops itself, and as the system does it to one that reads from the
// background.
func TestInteractiveIsNeverLeftStopped(t *testing.T) {
	t.Parallel()
	walls(t, sh(t, `kill -STOP $$; echo AGAIN; (kill -TTIN $$); echo AGAIN; read x; echo "GOT $x"`), func(t *testing.T, c executors.Command) {
		s := lend(t, lending{Command: c})
		s.sees("AGAIN")
		s.sees("AGAIN")
		s.types("x\n")
		s.sees("GOT x")
		wantExit(t, s.result(), 0)
	})
}

// A child took the terminal to another process group and did not give it back.
func TestInteractiveGetsTheTerminalAgain(t *testing.T) {
	t.Parallel()
	walls(t, command(t, "perl", "-MPOSIX", "-e", `$| = 1;
if (!(my $pid = fork)) { setpgrp(0, 0); $SIG{TTOU} = "IGNORE"; POSIX::tcsetpgrp(0, $$) or print "FAILED"; exit } else { waitpid $pid, 0 }
print "READY\n"; my $line = <STDIN>; print "GOT $line";`), func(t *testing.T, c executors.Command) {
		s := lend(t, lending{Command: c})
		s.sees("READY")
		s.types("x\n")
		s.sees("GOT x")
		wantExit(t, s.result(), 0)
	})
}

// A shell does its own job control: what it stops stays stopped until it says.
func TestInteractiveShell(t *testing.T) {
	t.Parallel()
	mark := uniqueSeconds()
	walls(t, command(t, "bash", "--norc", "--noprofile", "-i"), func(t *testing.T, c executors.Command) {
		c.Env = []string{"PS1=READY ", "HISTFILE="}
		s := lend(t, lending{Command: c})
		s.sees("READY ")
		s.types("(echo BEGUN; exec sleep " + mark + ")\n")
		s.sees("BEGUN\r\n")
		s.types("\x1a")
		s.sees("Stopped")
		s.types("echo JOBS=$(jobs -s | wc -l); kill -9 $$\n")
		s.sees("JOBS=1\r\n")
		if r := s.result(); !strings.Contains(r.Note, "SIGKILL") || !strings.Contains(r.Note, "left behind were ended: 1") {
			t.Errorf("unexpected result %+v", r)
		}
		wantGone(t, mark)
	})
}

// Streams that do not block would break the one that has them next.
func TestInteractiveStreamsBlockAgain(t *testing.T) {
	t.Parallel()
	walls(t, command(t, "perl", "-MFcntl", "-e", `fcntl(STDIN, F_SETFL, fcntl(STDIN, F_GETFL, 0) | O_NONBLOCK) or die; kill 9, $$`), func(t *testing.T, c executors.Command) {
		lend(t, lending{Command: c}).result()
	})
}

func TestInteractiveKilled(t *testing.T) {
	t.Parallel()
	mark := uniqueSeconds()
	walls(t, sh(t, `set -m; sleep `+mark+` & sh -c 'kill -9 $PPID; exec sleep `+mark+`'`), func(t *testing.T, c executors.Command) {
		r := lend(t, lending{Command: c}).result()
		if r.Outcome != protocol.Ran || r.ExitCode != nil || !strings.Contains(r.Note, "ended by signal SIGKILL") {
			t.Errorf("unexpected result %+v", r)
		}
		wantGone(t, mark)
	})
}

func TestInteractiveCancelled(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"obeys":         `trap "echo BYE; exit 9" TERM; echo READY; while :; do sleep 0.05; done`,
		"ignores TERM":  `trap "" TERM; echo READY; sleep MARK`,
		"jobs":          `set -m; sleep MARK & env -i sleep MARK & (env -i setsid sleep MARK &) ; echo READY; sleep MARK`,
		"is in raw":     `stty raw -echo; echo READY; sleep MARK`,
		"stopped child": `sleep MARK & kill -STOP $!; echo READY; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := uniqueSeconds()
			walls(t, sh(t, strings.ReplaceAll(script, "MARK", mark)), func(t *testing.T, c executors.Command) {
				s := lend(t, lending{Command: c})
				s.sees("READY")
				if err := s.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
					t.Fatal(err)
				}
				if name == "obeys" {
					s.sees("BYE")
				}
				if name == "is in raw" {
					s.sees("BACK true true") // a line's end is another key there
					return
				}
				if r := s.result(); r.Outcome != protocol.Cancelled || !strings.Contains(r.Note, "cancelled") {
					t.Errorf("unexpected result %+v", r)
				}
				wantGone(t, mark)
			})
		})
	}
}

func TestInteractiveStrays(t *testing.T) {
	t.Parallel()
	mark := uniqueSeconds()
	script := strings.ReplaceAll(`set -m; (sleep MARK >/dev/null 2>&1 &); (env -i sleep MARK >/dev/null 2>&1 &); (setsid sleep MARK &); exit 0`, "MARK", mark)
	walls(t, sh(t, script), func(t *testing.T, c executors.Command) {
		r := lend(t, lending{Command: c}).result()
		wantExit(t, r, 0)
		wantGone(t, mark)
	})
}

func TestInteractiveRefusals(t *testing.T) {
	t.Parallel()
	c := sh(t, "echo RAN")
	missing := c
	missing.Path += "-none"
	for want, l := range map[string]lending{
		"not in the foreground": {Command: c, Background: true},
		"there is no terminal":  {Command: c, NoOutput: true},
		"does not exist":        {Command: missing},
		"is not absolute":       {Command: executors.Command{Name: "sh", Path: c.Path}},
	} {
		if r := lend(t, l).result(); r.Outcome != protocol.NotStarted || !strings.Contains(r.Note, want) {
			t.Errorf("%s: unexpected result %+v", want, r)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(r.Close(), w.Close()) }()
	e := newExec(t, executors.ExecConfig{})
	for _, console := range []executors.Console{{}, {In: r, Out: w, Err: w}} {
		if got := e.RunInteractive(t.Context(), c, console); got.Outcome != protocol.NotStarted || !strings.Contains(got.Note, "there is no terminal") {
			t.Errorf("unexpected result %+v", got)
		}
	}
}
