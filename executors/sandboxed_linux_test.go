package executors_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// sandboxed gives an Exec with a sandbox, and a folder whose secret it keeps.
func sandboxed(t testing.TB, cfg executors.ExecConfig) (e *executors.Exec, dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := errors.Join(os.MkdirAll(dir+"/.ssh", 0o700), os.Mkdir(dir+"/work", 0o700), os.WriteFile(dir+"/.ssh/key", []byte("SECRET"), 0o600),
		os.WriteFile(dir+"/plain", []byte("plain"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := sandbox.New(sandbox.Config{Secret: []string{dir + "/.ssh"}, ScratchDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Support().Enough() {
		t.Skipf("the kernel has no sandbox: %s", s.Support().Missing)
	}
	cfg.Sandbox = s
	return newExec(t, cfg), dir
}

func behind(c executors.Command, p sandbox.Profile) executors.Command {
	c.Sandbox = &p
	return c
}

func TestStepBehindTheWall(t *testing.T) {
	e, dir := sandboxed(t, executors.ExecConfig{})
	in := func(script string) executors.Command {
		c := sh(t, script)
		c.Dir = dir
		return c
	}
	r := e.Run(t.Context(), behind(in("cat plain; test -w $TMPDIR && echo x > $TMPDIR/y"), sandbox.ReadOnly()), nil)
	wantExit(t, r, 0)
	if r.Stdout != "plain" || r.Note != "" || r.Violation != nil || !strings.HasPrefix(r.Sandbox, "read-only (landlock ") {
		t.Errorf("unexpected result %+v", r)
	}
	for script, want := range map[string]sandbox.Kind{
		"cat .ssh/key":     sandbox.KindSecret,
		"echo x > made":    sandbox.KindWrite,
		"rm -f plain":      sandbox.KindWrite,
		"kill -0 $PPID":    sandbox.KindProcess,
		"false":            "",
		"ls nothing":       "",
		"kill -9 $$":       "",
		"echo x >/dev/tty": "",
	} {
		r := e.Run(t.Context(), behind(in(script), sandbox.ReadOnly()), nil)
		switch {
		case r.Outcome != protocol.Ran || r.ExitCode != nil && *r.ExitCode == 0:
			t.Errorf("%s: unexpected result %+v", script, r)
		case want == "" && (r.Violation != nil || strings.Contains(r.Note, "sandbox")),
			want != "" && (r.Violation == nil || r.Violation.Kind != want || !strings.Contains(r.Note, "the sandbox refused: ")):
			t.Errorf("%s: violation %v, note %q, it said %q", script, r.Violation, r.Note, r.Stderr)
		}
	}
	r = e.Run(t.Context(), behind(in("echo x > work/made && cat work/made"), sandbox.WorkspaceWrite(dir)), nil)
	wantExit(t, r, 0)
	if !strings.HasPrefix(r.Sandbox, "workspace-write (") {
		t.Errorf("unexpected result %+v", r)
	}
	if r := e.Run(t.Context(), in("cat .ssh/key"), nil); r.Stdout != "SECRET" || r.Sandbox != "" {
		t.Errorf("without a profile there is no wall: %+v", r)
	}
}

func TestNoStepWithoutItsWall(t *testing.T) {
	c := behind(sh(t, "echo ran"), sandbox.ReadOnly())
	r := newExec(t, executors.ExecConfig{}).Run(t.Context(), c, nil)
	if r.Outcome != protocol.NotStarted || !strings.Contains(r.Note, "sandbox") || r.Sandbox != "" {
		t.Errorf("unexpected result %+v", r)
	}
	s, err := sandbox.New(sandbox.Config{ScratchDir: filepath.Join(t.TempDir(), "none")})
	if err != nil {
		t.Fatal(err)
	}
	r = newExec(t, executors.ExecConfig{Sandbox: s}).Run(t.Context(), c, nil)
	if r.Outcome != protocol.NotStarted || !strings.Contains(r.Note, "sandbox") || strings.Contains(r.Stdout, "ran") {
		t.Errorf("unexpected result %+v", r)
	}
	e, dir := sandboxed(t, executors.ExecConfig{})
	c.Path = dir + "/none"
	r = e.Run(t.Context(), c, nil)
	if r.Outcome != protocol.NotStarted || !strings.Contains(r.Note, "does not exist") {
		t.Errorf("unexpected result %+v", r)
	}
}

func TestNothingIsLeftBehindTheWall(t *testing.T) {
	e, _ := sandboxed(t, executors.ExecConfig{Grace: 300 * time.Millisecond})
	for name, script := range strays() {
		t.Run(name, func(t *testing.T) {
			mark := uniqueSeconds()
			r := e.Run(t.Context(), behind(sh(t, strings.ReplaceAll(script, "MARK", mark)), sandbox.ReadOnly()), nil)
			wantExit(t, r, 0)
			if r.Stdout != "done\n" || !strings.Contains(r.Note, "left behind") {
				t.Errorf("unexpected result %+v", r)
			}
			wantGone(t, mark)
		})
		t.Run(name+", cancelled", func(t *testing.T) {
			mark := uniqueSeconds()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			script := strings.ReplaceAll(script, "MARK", mark) + "; sleep " + mark
			r := e.Run(ctx, behind(sh(t, script), sandbox.ReadOnly()), func(c executors.Chunk) {
				if !c.Stderr {
					cancel()
				}
			})
			if r.Outcome != protocol.Cancelled || r.Stdout != "done\n" {
				t.Errorf("unexpected result %+v", r)
			}
			wantGone(t, mark)
		})
	}
}

// BenchmarkStepBehindTheWall runs a whole step with the wall and without, in
// turn. It reports medians.
func BenchmarkStepBehindTheWall(b *testing.B) {
	e, _ := sandboxed(b, executors.ExecConfig{})
	printf := command(b, "printf", "hello\\n")
	walled := behind(printf, sandbox.ReadOnly())
	var with, without []time.Duration
	for b.Loop() {
		for c, times := range map[*executors.Command]*[]time.Duration{&walled: &with, &printf: &without} {
			start := time.Now()
			if r := e.Run(b.Context(), *c, nil); r.Stdout != "hello\n" {
				b.Fatalf("unexpected result %+v", r)
			}
			*times = append(*times, time.Since(start))
		}
	}
	slices.Sort(with)
	slices.Sort(without)
	w, o := with[len(with)/2], without[len(without)/2]
	b.ReportMetric(float64(w.Microseconds()), "walled-µs")
	b.ReportMetric(float64(o.Microseconds()), "open-µs")
	b.ReportMetric(float64((w - o).Microseconds()), "added-µs")
}
