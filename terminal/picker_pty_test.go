//go:build unix

package terminal

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// pickCommand is a command of the child: it lets the person pick one of many
// lines, and begins the next input with what was picked.
func pickCommand(f *Face) Command {
	return Command{
		Name: "/pick", Args: "[WORD]", Help: "choose a line",
		Run: func(ctx context.Context, arg string) (string, error) {
			var lines []string
			for i := range 40 {
				lines = append(lines, fmt.Sprintf("line %02d %s", i, strings.Repeat("你好 世界 ", i%4)))
			}
			n, err := f.Pick(ctx, "Which one? "+arg, lines, 20)
			if err != nil {
				f.Say("no: " + err.Error())
				return "", err
			}
			f.Say(fmt.Sprintf("picked %d", n))
			return fmt.Sprintf("took %d", n), nil
		},
	}
}

// pickers are the windows that the list is shown in.
var pickers = [][2]uint16{{80, 24}, {40, 10}, {20, 6}}

func TestPick(t *testing.T) {
	t.Parallel()
	for _, size := range pickers {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			s := open(t, "loop", size[0], size[1])
			s.prompt(1)
			s.send("/pick\r")
			s.see("> line 20", 1)
			s.send("\x1b[A")
			s.see("> line 19", 1)
			if text := s.shown(); strings.Contains(text, "> line 20") || !strings.Contains(text, "Which one?") {
				t.Errorf("after the key up there is:\n%s", text)
			}
			s.send("\x1bO") // an arrow that comes in two parts
			s.send("B\x1b[B")
			s.see("> line 21", 1)
			s.send("3")
			s.see("> line 03", 1) // the first that has a 3
			s.send("7")
			s.see("> line 37", 1)
			s.send("x")
			s.see("37x", 1)
			s.send("\r\x7f") // Enter picks nothing where there is nothing
			s.see("> line 37", 1)
			s.send("\r")
			s.see("picked 37", 1)
			s.see("> took 37", 1)
			if text := s.shown(); strings.Contains(text, "line 37") || strings.Contains(text, "Which one?") {
				t.Errorf("the list stays:\n%s", text)
			}
			s.send("!\r")
			s.see("37!", 2)
			s.send("\x04")
			s.exit(0)
		})
	}
}

// TestPickFindsWhatIsShown types words that the row has no room for.
func TestPickFindsWhatIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 20, 6)
	s.prompt(1)
	s.send("/pick\r")
	s.see("> line 20", 1)
	s.send("世界")
	s.see("(1/10)", 1) // in the other twenty it is cut off
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	s.see("(1/30)", 1)
	s.send("\r")
	s.see("> took 1", 1)
	s.send("\x15\x04")
	s.exit(0)
}

func TestPickNothing(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"escape": "\x1b", "Ctrl-C": "\x03", "Ctrl-D": "\x04", "Ctrl-G": "\x07"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "loop", 80, 24)
			s.prompt(1)
			s.send("/pick\r")
			s.see("> line 20", 1)
			s.send(key)
			s.see("no: nothing was chosen", 1)
			s.prompt(3)
			s.send("still here\r")
			s.see(`you said "still here"`, 1)
			s.send("\x04")
			s.exit(0)
		})
	}
}

func TestPickResized(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 24)
	s.prompt(1)
	s.send("/pick\r")
	s.see("> line 20", 1)
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: 40, Rows: 8}); err != nil {
		t.Fatal(err)
	}
	s.send("\x1b[B\r")
	s.see("> took 21", 1)
	s.send("\x15\x04")
	s.exit(0)
}

func TestPickByNumber(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 60, "TERM=dumb")
	s.see(">", 1)
	s.send("/pick\r")
	s.see("Number >", 1)
	s.send("3\r")
	s.see("picked 2", 1)
	s.see("> took 2", 1) // there is no line to begin
	s.send("\x04")
	s.exit(0)
}

func TestAddedCommandsAreListed(t *testing.T) {
	t.Parallel()
	s := open(t, "loop", 80, 40)
	s.prompt(1)
	s.send("/help\r")
	s.see("/pick [WORD]    choose a line", 1)
	s.send("/pik\r")
	s.see("/pick?", 1)
	s.send("\x04")
	s.exit(0)
}
