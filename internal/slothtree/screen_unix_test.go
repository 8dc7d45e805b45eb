//go:build unix

package slothtree_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/holic512/plugin-ai/internal/slothtree"
)

// TestNotesScreen drives the full screen as a person does.
func TestNotesScreen(t *testing.T) {
	t.Parallel()
	p := plant(t)
	cmd := p.command(t.Context(), slothtree.Notes)
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var seen bytes.Buffer
	// until reads until a text is there, after what was read before.
	until := func(want string) {
		t.Helper()
		from := seen.Len()
		part := make([]byte, 1024)
		for !bytes.Contains(seen.Bytes()[from:], []byte(want)) {
			n, err := terminal.Read(part)
			seen.Write(part[:n])
			if err != nil {
				t.Fatalf("%v before %q:\n%q", err, want, &seen)
			}
		}
	}
	until("> call \"Ann\" at 5\r\n  买牛奶\r\n\r\n[j/k]")
	if _, err := io.WriteString(terminal, "j"); err != nil {
		t.Fatal(err)
	}
	until("> 买牛奶\r\n\r\n[j/k]")
	if _, err := io.WriteString(terminal, "q"); err != nil {
		t.Fatal(err)
	}
	until("\x1b[?1049lbye\r\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
