//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/internal/slothtree"
)

// planted is a conversation in a home with SlothTool's folder.
func planted(t *testing.T, answers ...fakellm.Answer) (*exec.Cmd, slothtree.Tree, *fakellm.Server) {
	t.Helper()
	srv := fakellm.New(t, answers...)
	cmd := command(t, srv, "-i")
	home := t.TempDir()
	tree, err := slothtree.Plant(home)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "HOME="+home, "EDITOR="+filepath.Join(cmd.Dir, "editor"))
	return cmd, tree, srv
}

func language(tag string) fakellm.Answer {
	return fakellm.Steps("Setting the language.",
		jsontext.Value(`{"tool":"config.json_patch","path":"~/.slothtool/settings.json","set":{"/language":"`+tag+`"}}`))
}

// TestSettingsChange is a person who has a setting changed, looks at the diff,
// says yes, and has it put back; then changes another by hand in an editor.
func TestSettingsChange(t *testing.T) {
	t.Parallel()
	cmd, tree, srv := planted(t,
		language("en"), fakellm.Chat("it is English now"),
		language("zh"), fakellm.Chat("it is Chinese again"),
		language("en"), fakellm.Chat("you changed it yourself"),
		language("en"), fakellm.Chat("then not"),
	)
	before := file(t, tree.Settings)
	english := strings.Replace(before, `"zh"`, `"en"`, 1)
	mine := strings.Replace(before, "7980", "9090", 1)
	editor := "#!/bin/sh\nsed -i -e s/7980/9090/ -e 's/\"en\"/\"zh\"/' \"$1\"\n"
	if err := os.WriteFile(filepath.Join(cmd.Dir, "editor"), []byte(editor), 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, cmd)
	s.await("> ")
	for _, turn := range []struct{ line, keys, says, want string }{
		{"set the language to English", "y", "it is English now", english},
		{"put it back", "y", "it is Chinese again", before},
		{"English once more", "e", "you changed it yourself", mine},
		{"and again", "n", "then not", mine},
	} {
		s.press(turn.line + "\r")
		s.await("settings.json")
		s.await("\"language\":")
		s.await("Write this?")
		s.await("> ")
		s.press(turn.keys + "\r")
		if turn.keys == "e" {
			s.await("9090")
			s.await("Write this?")
			s.await("> ")
			s.press("y\r")
		}
		s.await(turn.says)
		s.await("> ")
		if got := file(t, tree.Settings); got != turn.want {
			t.Errorf("after %q the file is %s", turn.line, got)
		}
	}
	s.press("\x04")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, "config_diff") {
		t.Errorf("the model is not told of the change: %s", body)
	}
}

// TestPluginScreenInTheTerminal confirms a plugin's own screen, works in it,
// and finds the conversation again behind it.
func TestPluginScreenInTheTerminal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("plugins need node")
	}
	cmd, _, srv := planted(t,
		fakellm.Steps("Opening it.", jsontext.Value(`{"tool":"plugin.run","plugin":"notes","args":[]}`)),
		fakellm.Chat("you are back"),
	)
	s := open(t, cmd)
	before := modes(t, s.tty)
	s.await("> ")
	s.press("open my notes\r")
	s.await("Run this?")
	s.await("> ")
	s.press("y\r")
	// Its first run moves its settings from where it had them before, beside
	// those that hold this program: the wall does not let it.
	s.await("the sandbox may be why")
	s.await("Run this?")
	s.await("> ")
	s.press("y\r")
	s.await("[q] quit")
	s.press("j")
	s.await("[q] quit")
	s.press("q")
	s.await("you are back")
	s.await("> ")
	s.press("\x04")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if after := modes(t, s.tty); after != before {
		t.Errorf("the terminal was %+v and is %+v", before, after)
	}
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, `\"exitCode\":0`) {
		t.Errorf("the model is not told how it ended: %s", body)
	}
}

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
