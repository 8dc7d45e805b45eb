//go:build amd64 || arm64

package sandbox_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/holic512/plugin-ai/sandbox"
)

// systemSecrets are secret places of an ordinary system.
func systemSecrets() []string {
	return []string{"/etc/shadow*", "/etc/gshadow*", "/etc/sudoers.d", "/run/secrets", "/var/run/secrets", "/var/lib/docker", "/proc/*/environ"}
}

func newSandbox(t testing.TB, cfg sandbox.Config) *sandbox.Sandbox {
	t.Helper()
	if cfg.ScratchDir == "" {
		cfg.ScratchDir = t.TempDir()
	}
	s, err := sandbox.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Support().Enough() {
		t.Skipf("the kernel has no sandbox: %s", s.Support().Missing)
	}
	return s
}

// outcome is what a program said and how it ended.
type outcome struct {
	stdout, stderr string
	code           int // -1: by a signal
}

// run runs a program behind the wall to its end.
func run(t testing.TB, s *sandbox.Sandbox, p sandbox.Profile, cmd *exec.Cmd) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	done := make(chan error, 2)
	var ends []*os.File
	for _, buffer := range []*bytes.Buffer{&out, &errs} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, w)
		go func() {
			_, err := buffer.ReadFrom(r)
			_ = r.Close()
			done <- err
		}()
	}
	cmd.Stdout, cmd.Stderr = ends[0], ends[1]
	step, err := s.Start(cmd, p)
	for _, w := range ends {
		_ = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := step.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(step.Scratch); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the scratch folder is still there: %v", err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// sh runs a script.
func sh(t testing.TB, s *sandbox.Sandbox, p sandbox.Profile, script string) outcome {
	t.Helper()
	return run(t, s, p, exec.CommandContext(t.Context(), "/bin/sh", "-c", script))
}
