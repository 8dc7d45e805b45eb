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

// TestInit answers the questions of `ai init` in a terminal.
func TestInit(t *testing.T) {
	t.Parallel()
	cmd := command(t, fakellm.New(t), "init")
	s := open(t, cmd)
	s.await("Which server answers?")
	s.press("other")
	s.await("other")
	s.press("\r")
	s.await("Name of the entry")
	s.press("a/b\r")
	s.await(`"a/b" is not a name`)
	s.press("mine\r")
	s.await("Address")
	s.press("nowhere\r")
	s.await(`"nowhere" is not an address`)
	s.press("http://127.0.0.1:9/v1\r")
	s.await("Model")
	s.press("small\r")
	s.await("Environment variable")
	s.press("none\r")
	s.await("mine is asked from now on")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	text, err := os.ReadFile(filepath.Join(home(cmd.Env), ".config", "pai", "default.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); !strings.Contains(got, "small") || strings.Contains(got, "OPENAI_API_KEY") {
		t.Errorf("written is %s", got)
	}
}

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
