package executors

import (
	"os"
	"strings"
	"testing"
)

func TestFullDiskIsOnlyNoted(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	s := spool{spools: newSpools(t.TempDir(), 1<<20, 1), ending: "stdout", file: full}
	s.write([]byte("text"))
	s.write([]byte("more"))
	if path, note := s.finish(true, nil); path == "" || !strings.Contains(note, "incomplete: no space left") {
		t.Errorf("got %q, %q", path, note)
	}
}
