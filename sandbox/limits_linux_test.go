//go:build amd64 || arm64

package sandbox_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/sandbox"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	small := sandbox.Profile{Limits: sandbox.Limits{
		CPU: time.Second, Memory: 64 << 20, FileSize: 1 << 20, Processes: 20, Files: 16,
	}}
	for name, c := range map[string]struct{ script, stderr string }{
		"memory": {`perl -e '$x = "x" x (200 << 20)'`, "memory"},
		"disk":   {`trap "" XFSZ; head -c 2000000 /dev/zero > $TMPDIR/x`, "File too large"},
		"disk, by signal": {`head -c 2000000 /dev/zero > $TMPDIR/x; code=$?; test $(stat -c %s $TMPDIR/x) -le 1048576 || exit 0; exit $code`,
			""},
		"CPU":        {`while :; do :; done`, ""},
		"open files": {`perl -e 'for (1..20) { open(my $f, "<", "/dev/null") or die "$!"; push @f, $f }'`, "Too many open files"},
		"raised":     {`ulimit -n 1000`, ""},
		"core":       {`ulimit -c 1`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sh(t, s, small, c.script)
			if got.code == 0 || !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("%+v", got)
			}
		})
	}
	// What is limited already stays so, and what is lower.
	got := sh(t, s, sandbox.ReadOnly(), "ulimit -c; ulimit -n; ulimit -f; ulimit -d; ulimit -t")
	if got.stdout != "0\n4096\n2097152\n4194304\n600\n" {
		t.Errorf("%+v", got)
	}
}

func TestForkBombIsLimited(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	p := sandbox.Profile{Limits: sandbox.Limits{Processes: 20}}
	// It holds what it can fork, and says how many that are.
	const bomb = `my @p; for (1..5000) { my $pid = fork; last unless defined $pid; if (!$pid) { sleep 600; exit } push @p, $pid }
print scalar @p; kill 9, @p; 1 while wait > 0`
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip("there is no perl")
	}
	cmd := exec.CommandContext(t.Context(), perl, "-e", bomb)
	if os.Getuid() == 0 {
		// The kernel counts for ordinary users only.
		setpriv, err := exec.LookPath("setpriv")
		if err != nil {
			t.Skip("root's processes are not limited, and there is no setpriv to become somebody else")
		}
		cmd = exec.CommandContext(t.Context(), setpriv, "--reuid=65534", "--clear-groups", "--", perl, "-e", bomb)
	}
	cmd.Dir = "/"
	got := run(t, s, p, cmd)
	machine := 0
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, total, _ := strings.Cut(strings.Fields(string(data))[3], "/")
		machine, _ = strconv.Atoi(total)
	}
	if n, err := strconv.Atoi(got.stdout); err != nil || n == 0 || n > machine+500 {
		t.Errorf("%d processes on the machine: %+v", machine, got)
	}
}
