//go:build amd64 || arm64

package sandbox

import (
	"os"
	"os/exec"
	"testing"
)

// TestOldKernels uses only what older versions of Landlock can do.
func TestOldKernels(t *testing.T) {
	t.Parallel()
	have := Detect()
	for version := 1; version <= have.Landlock; version++ {
		dir, scratch := t.TempDir(), t.TempDir()
		s, err := New(Config{Secret: []string{dir + "/secret"}, ScratchDir: scratch})
		if err != nil {
			t.Fatal(err)
		}
		s.support = func() Support { return Support{Landlock: version, Seccomp: true} }
		if err := os.WriteFile(dir+"/secret", []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		for script, well := range map[string]bool{
			"echo x > " + dir + "/made":  false,
			"cat " + dir + "/secret":     false,
			"kill -0 $PPID":              version < 6,
			"echo x > $TMPDIR/x":         true,
			"echo x > /dev/null; ls -la": true,
			"perl -MSocket -e 'socket(S,PF_INET,SOCK_STREAM,0) or die'": false,
		} {
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
			cmd.Dir = dir
			step, err := s.Start(cmd, ReadOnly())
			if err != nil {
				t.Fatalf("version %d: %v", version, err)
			}
			if err := cmd.Wait(); (err == nil) != well {
				t.Errorf("version %d: %s: %v", version, script, err)
			}
			if err := step.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if have.Landlock == 0 {
		t.Skipf("the kernel has no sandbox: %s", have.Missing)
	}
}
