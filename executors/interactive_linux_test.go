package executors_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// Behind the wall the program's own terminal can be opened by its names and
// set; nothing can be put into its input, and other terminals are shut.
func TestInteractiveTerminalBehindTheWall(t *testing.T) {
	t.Parallel()
	other, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(other.Close(), slave.Close()) }()
	if !sandbox.Detect().Enough() {
		t.Skip("the system has no sandbox")
	}
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("this system has no perl")
	}
	c := command(t, "perl", "-e", `
$| = 1;
chomp(my $own = `+"`tty`"+`);
for my $name ($own, "/dev/tty", $ARGV[0]) {
  print open(my $f, "+<", $name) ? "OPEN\n" : "SHUT $!\n";
}
my $key = "x";
print ioctl(STDIN, 0x5412, $key) ? "PUSHED\n" : "REFUSED $!\n";
print system("stty -echo && stty echo && stty size") ? "UNSET\n" : "SET\n";`, slave.Name())
	s := lend(t, lending{Command: behind(c, sandbox.ReadOnly())})
	for _, want := range []string{"OPEN", "OPEN", "SHUT Permission denied", "REFUSED Operation not permitted", "30 100", "SET"} {
		s.sees(want + "\r\n")
	}
	wantExit(t, s.result(), 0)
	// A step that has no terminal gets none this way.
	e, _ := sandboxed(t, executors.ExecConfig{})
	for device, want := range map[string]string{"/dev/null": "is no terminal", "/dev/none": "no such file"} {
		p := sandbox.ReadOnly()
		p.Terminal = device
		if r := e.Run(t.Context(), behind(c, p), nil); r.Outcome != protocol.NotStarted || !strings.Contains(r.Note, want) {
			t.Errorf("%s: unexpected result %+v", device, r)
		}
	}
}
