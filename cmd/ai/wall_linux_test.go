package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// TestTheWallAsksAgain confirms a script that does more than it was confirmed
// for: the kernel stops it, the person is asked whether it may run again with
// that allowed, says no, and then yes.
func TestTheWallAsksAgain(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t,
		fakellm.Cmd("Running it.", []string{"sh", "reach.sh"}), fakellm.Chat("stopped"),
		fakellm.Cmd("Running it.", []string{"sh", "reach.sh"}), fakellm.Chat("done"),
	)
	cmd := command(t, srv, "-i")
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "reach.sh"), []byte("echo x > "+outside+"/made\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := func() bool {
		_, err := os.Stat(filepath.Join(outside, "made"))
		return err == nil
	}
	s := open(t, cmd)
	s.await("> ")
	for _, turn := range []struct {
		answer, end string
		made        bool
	}{{"n", "stopped", false}, {"y", "done", true}} {
		s.press("run it\r")
		s.await("Run this?")
		s.press("y\r")
		s.await("sandbox refused")
		s.await("Run this?")
		if made() {
			t.Error("the wall let it through")
		}
		s.press(turn.answer + "\r")
		s.await(turn.end)
		if made() != turn.made {
			t.Errorf("after %q the file is there: %v", turn.answer, made())
		}
		s.await("> ")
	}
	s.press("\x04")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, "sandbox refused") {
		t.Errorf("the model is not told: %s", body)
	}
}
