package executors_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
)

func newExec(tb testing.TB, cfg executors.ExecConfig) *executors.Exec {
	tb.Helper()
	e, err := executors.NewExec(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// command finds a program that every such system has.
func command(tb testing.TB, name string, args ...string) executors.Command {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		tb.Skipf("this system has no %s", name)
	}
	if path, err = filepath.Abs(path); err != nil {
		tb.Fatal(err)
	}
	return executors.Command{Name: name, Path: path, Args: args, Dir: tb.TempDir()}
}

func sh(tb testing.TB, script string) executors.Command { return command(tb, "sh", "-c", script) }

func wantExit(t *testing.T, r executors.Result, code int) {
	t.Helper()
	if r.Outcome != protocol.Ran || r.ExitCode == nil || *r.ExitCode != code {
		t.Fatalf("got outcome %q, exit code %v, note %q; want it to have run to exit code %d", r.Outcome, r.ExitCode, r.Note, code)
	}
}

func TestStreamsAreApart(t *testing.T) {
	t.Parallel()
	r := newExec(t, executors.ExecConfig{}).Run(t.Context(), sh(t, "echo out; echo err >&2; exit 3"), nil)
	wantExit(t, r, 3)
	if r.Stdout != "out\n" || r.Stderr != "err\n" || r.Truncated || r.Note != "" || r.OutputFile != "" {
		t.Errorf("unexpected result %+v", r)
	}
}

func TestArgumentsArePassedUnchanged(t *testing.T) {
	t.Parallel()
	args := []string{"*.go; touch X", "$HOME", "", "a  b", "'q\"", "中文", "line\nend", "-n"}
	r := newExec(t, executors.ExecConfig{}).Run(t.Context(), command(t, "printf", append([]string{"<%s>"}, args...)...), nil)
	wantExit(t, r, 0)
	if want := "<" + strings.Join(args, "><") + ">"; r.Stdout != want {
		t.Errorf("got %q, want %q", r.Stdout, want)
	}
}

func TestStdinIsEmpty(t *testing.T) {
	t.Parallel()
	wantExit(t, newExec(t, executors.ExecConfig{}).Run(t.Context(), command(t, "cat"), nil), 0)
}

func TestEnvironmentIsScrubbed(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("LC_TIME", "C")
	c := command(t, "env")
	c.Env = []string{"EXTRA=中", "TERM=vt100"}
	r := newExec(t, executors.ExecConfig{}).Run(t.Context(), c, nil)
	wantExit(t, r, 0)
	for _, want := range []string{"LC_TIME=C\n", "EXTRA=中\n", "TERM=vt100\n", "PAGER=cat\n", "PATH="} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("the environment lacks %q:\n%s", want, r.Stdout)
		}
	}
	if strings.Contains(r.Stdout, "secret") || strings.Contains(r.Stdout, "TERM=dumb") {
		t.Errorf("the environment has what it should not:\n%s", r.Stdout)
	}
	r = newExec(t, executors.ExecConfig{Env: []string{"ONLY=1"}}).Run(t.Context(), command(t, "env"), nil)
	if strings.Contains(r.Stdout, "PATH=") || !strings.Contains(r.Stdout, "ONLY=1\n") {
		t.Errorf("the configured environment was not used:\n%s", r.Stdout)
	}
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		path, dir string
		args      []string
		note      string
	}{
		"no path":         {path: "", dir: dir, note: "no program"},
		"relative path":   {path: "bin/x", dir: dir, note: "not absolute"},
		"no program":      {path: filepath.Join(dir, "none"), dir: dir, note: "does not exist"},
		"no folder":       {path: "/bin/sh", dir: filepath.Join(dir, "gone"), note: "the folder"},
		"a file as dir":   {path: "/bin/sh", dir: write("f", "", 0o600), note: "is not a folder"},
		"not executable":  {path: write("plain", "x", 0o600), dir: dir, note: "permission denied"},
		"a folder":        {path: dir, dir: dir, note: "is a folder"},
		"no interpreter":  {path: write("s", "#!/no/such/thing\n", 0o700), dir: dir, note: "/no/such/thing"},
		"CRLF script":     {path: write("w", "#!/bin/sh\r\n", 0o700), dir: dir, note: "Windows line end"},
		"not a program":   {path: write("t", "text\n", 0o700), dir: dir, note: "no program for this machine"},
		"too long":        {path: "/bin/sh", dir: dir, args: []string{strings.Repeat("x", 4<<20)}, note: "too long"},
		"NUL in argument": {path: "/bin/sh", dir: dir, args: []string{"a\x00b"}, note: "NUL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newExec(t, executors.ExecConfig{}).Run(t.Context(), executors.Command{Name: "prog", Path: c.path, Args: c.args, Dir: c.dir}, nil)
			if r.Outcome != protocol.NotStarted || r.ExitCode != nil || !strings.Contains(r.Note, c.note) || r.Stderr != r.Note {
				t.Errorf("got %+v, want it not started with a note of %q", r, c.note)
			}
		})
	}
}

func TestSignalIsNamed(t *testing.T) {
	t.Parallel()
	r := newExec(t, executors.ExecConfig{}).Run(t.Context(), sh(t, "kill -SEGV $$"), nil)
	if r.Outcome != protocol.Ran || r.ExitCode != nil || r.Note != "ended by signal SIGSEGV" {
		t.Errorf("unexpected result %+v", r)
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	e := newExec(t, executors.ExecConfig{Timeout: 100 * time.Millisecond, Grace: 50 * time.Millisecond})
	r := e.Run(t.Context(), sh(t, "echo before; exec sleep 600"), nil)
	if r.Outcome != protocol.TimedOut || r.ExitCode != nil || r.Note != "ended by the time limit of 100ms" || r.Stdout != "before\n" {
		t.Errorf("unexpected result %+v", r)
	}
	r = e.Run(t.Context(), sh(t, "trap '' TERM; while :; do sleep 1; done"), nil)
	if r.Outcome != protocol.TimedOut || r.ExitCode != nil || !strings.Contains(r.Note, "was killed") {
		t.Errorf("unexpected result %+v", r)
	}
	r = newExec(t, executors.ExecConfig{Timeout: 300 * time.Millisecond}).
		Run(t.Context(), sh(t, "trap 'echo bye; exit 7' TERM; while :; do sleep 0.01; done"), nil)
	if r.Outcome != protocol.TimedOut || r.ExitCode == nil || *r.ExitCode != 7 || r.Stdout != "bye\n" {
		t.Errorf("unexpected result %+v", r)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	e := newExec(t, executors.ExecConfig{})
	ctx, cancel := context.WithCancel(t.Context())
	r := e.Run(ctx, sh(t, "echo ready; sleep 600"), func(executors.Chunk) { cancel() })
	if r.Outcome != protocol.Cancelled || r.ExitCode != nil || r.Note != "cancelled" || r.Stdout != "ready\n" {
		t.Errorf("unexpected result %+v", r)
	}
	if r = e.Run(ctx, sh(t, "echo never"), nil); r.Outcome != protocol.NotStarted || r.Stdout != "" {
		t.Errorf("unexpected result %+v", r)
	}
}

func TestTailLimits(t *testing.T) {
	t.Parallel()
	e := newExec(t, executors.ExecConfig{SpoolDir: t.TempDir()})
	for _, c := range []struct {
		from, to  string
		first     string
		truncated bool
	}{{"1", "5", "1", false}, {"1", "200", "1", false}, {"1", "201", "2", true}, {"1", "100000", "99801", true}} {
		r := e.Run(t.Context(), command(t, "seq", c.from, c.to), nil)
		wantExit(t, r, 0)
		if r.Truncated != c.truncated || (r.OutputFile != "") != c.truncated ||
			!strings.HasPrefix(r.Stdout, c.first+"\n") || !strings.HasSuffix(r.Stdout, c.to+"\n") {
			t.Errorf("seq to %s: truncated %v, file %q, %.20q … %q", c.to, r.Truncated, r.OutputFile, r.Stdout, r.Stdout[max(0, len(r.Stdout)-20):])
		}
		if !c.truncated {
			continue
		}
		data, err := os.ReadFile(r.OutputFile)
		if err != nil || !strings.HasPrefix(string(data), "1\n2\n") || !strings.HasSuffix(string(data), "\n"+c.to+"\n") || strings.Count(string(data), "\n") < 201 {
			t.Errorf("the spool is not the whole output: %d bytes, %v", len(data), err)
		}
		if info, err := os.Stat(r.OutputFile); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("spool: %v, %v", info.Mode(), err)
		}
	}
}

func TestFloodOnBothStreams(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spools")
	e := newExec(t, executors.ExecConfig{SpoolDir: dir, SpoolLimit: 1 << 20})
	r := e.Run(t.Context(), sh(t, "yes 很长的行 | head -c 200000001 & yes stderr | head -c 70000000 >&2; wait"), func(executors.Chunk) {})
	wantExit(t, r, 0)
	if !r.Truncated || len(r.Stdout) > 8192 || !utf8.ValidString(r.Stdout) || !strings.Contains(r.Stdout, "\n很长的行\n") || !strings.HasSuffix(r.Stderr, "stderr\n") {
		t.Errorf("unexpected tails: %q … %q", r.Stdout[:40], r.Stderr[:40])
	}
	if !strings.Contains(r.Note, "limit of 1,048,576 bytes") || !strings.HasSuffix(r.OutputFile, ".stdout") {
		t.Errorf("note %q, file %q", r.Note, r.OutputFile)
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("spool folder: %v, %v", info.Mode(), err)
	}
	var size int64
	files, _ := filepath.Glob(dir + "/*")
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if len(files) != 2 || size < 1<<20 || size > 1<<20+300 {
		t.Errorf("%d spools of %d bytes", len(files), size)
	}
}

func TestOldSpoolsAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := newExec(t, executors.ExecConfig{SpoolDir: dir, KeepSpools: 2})
	var last executors.Result
	for range 4 {
		last = e.Run(t.Context(), sh(t, "seq 300; seq 300 >&2"), nil)
		wantExit(t, last, 0)
	}
	files, _ := filepath.Glob(dir + "/step-*")
	if _, err := os.Stat(last.OutputFile); err != nil || len(files) != 4 {
		t.Errorf("%v; files %v", err, files)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

func TestSpoolFailureIsOnlyNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := newExec(t, executors.ExecConfig{SpoolDir: file}).Run(t.Context(), command(t, "seq", "100000"), nil)
	wantExit(t, r, 0)
	if r.OutputFile != "" || !strings.Contains(r.Note, "could not be kept in a file") || !strings.HasSuffix(r.Stdout, "100000\n") {
		t.Errorf("unexpected result %+v", r)
	}
}

func TestBinaryIsDescribed(t *testing.T) {
	t.Parallel()
	e := newExec(t, executors.ExecConfig{SpoolDir: t.TempDir()})
	for script, want := range map[string]string{
		`printf '\211PNG\r\n\032\n\0\0\0'`:       "[binary output, 11 bytes, looks like PNG]",
		`head -c 1234567 /dev/zero`:              "[binary output, 1,234,567 bytes, looks like zero bytes]",
		`printf '\377\376a\0b\0'`:                "[binary output, 6 bytes, looks like UTF-16 text]",
		`printf '\260\241\262\342\312\324'`:      "[binary output, 6 bytes]",
		`printf 'caf\351 and more plain text\n'`: "caf\uFFFD and more plain text\n",
		`printf 'a b\0中\0'`:                      "a b\n中\n",
	} {
		r := e.Run(t.Context(), sh(t, script), nil)
		wantExit(t, r, 0)
		binary := strings.HasPrefix(want, "[binary")
		if r.Stdout != want || r.Truncated != binary || (r.OutputFile != "") != binary {
			t.Errorf("%s: got %q, truncated %v, file %q; want %q", script, r.Stdout, r.Truncated, r.OutputFile, want)
		}
	}
}

func TestLiveOutput(t *testing.T) {
	t.Parallel()
	e := newExec(t, executors.ExecConfig{})
	var mu sync.Mutex
	var out, errs strings.Builder
	collect := func(c executors.Chunk) {
		mu.Lock()
		defer mu.Unlock()
		if c.Stderr {
			errs.WriteString(c.Text)
		} else {
			out.WriteString(c.Text)
		}
	}
	r := e.Run(t.Context(), sh(t, `printf '\033[31m中'; printf '文\033[0m\r\n'; printf 'e\n' >&2; printf '\344\270'`), collect)
	wantExit(t, r, 0)
	mu.Lock()
	defer mu.Unlock()
	if out.String() != "中文\n\uFFFD\uFFFD" && out.String() != "中文\n\uFFFD" || errs.String() != "e\n" {
		t.Errorf("got %q and %q", out.String(), errs.String())
	}
}

func TestSlowFaceDoesNotSlowTheProgram(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	r := newExec(t, executors.ExecConfig{}).Run(t.Context(), sh(t, "yes | head -c 100000000"), func(executors.Chunk) { <-release })
	wantExit(t, r, 0)
}

func TestConcurrentSteps(t *testing.T) {
	t.Parallel()
	e := newExec(t, executors.ExecConfig{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				r := e.Run(t.Context(), sh(t, "(sleep 600 >/dev/null 2>&1 &) ; echo done"), nil)
				if r.Outcome != protocol.Ran || r.Stdout != "done\n" || r.ExitCode == nil {
					t.Errorf("unexpected result %+v", r)
				}
			}
		})
	}
	wg.Wait()
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	if _, err := executors.NewExec(executors.ExecConfig{MaxTailBytes: 3}); err == nil || !strings.Contains(err.Error(), "MaxTailBytes") {
		t.Errorf("got %v", err)
	}
	if _, err := executors.NewExec(executors.ExecConfig{Timeout: -1}); err == nil || !strings.Contains(err.Error(), "Timeout") {
		t.Errorf("got %v", err)
	}
}

// uniqueSeconds is a time to sleep that no other process sleeps.
func uniqueSeconds() string { return "600." + strconv.FormatInt(time.Now().UnixNano(), 10) }

// wantGone looks for processes whose command line has mark, where the system
// shows them in /proc.
func wantGone(t *testing.T, mark string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(mark)) {
			t.Errorf("left behind: %s %q", f, data)
		}
	}
}
