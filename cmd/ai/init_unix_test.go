//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// TestInitEnds leaves the questions by a signal: the terminal is as it was.
func TestInitEnds(t *testing.T) {
	t.Parallel()
	cmd := command(t, fakellm.New(t), "init")
	s := open(t, cmd)
	before := modes(t, s.tty)
	s.await("Which server answers?")
	s.await("other")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != int(exitTerminated) {
		t.Errorf("exit code %d", code)
	}
	if after := modes(t, s.tty); after != before {
		t.Errorf("the terminal was %+v and is %+v", before, after)
	}
	if _, err := os.Stat(filepath.Join(home(cmd.Env), ".config")); err == nil {
		t.Error("something was written")
	}
}

func home(env []string) string {
	for _, e := range env {
		if dir, ok := strings.CutPrefix(e, "HOME="); ok {
			return dir
		}
	}
	return ""
}
