//go:build amd64 || arm64

package sandbox_test

import (
	"os/exec"
	"testing"

	"github.com/holic512/plugin-ai/sandbox"
)

// TestViolationsAreTold lets real programs fail at the wall and asks why.
func TestViolationsAreTold(t *testing.T) {
	t.Parallel()
	h, s := home(t)
	ro, ww := sandbox.ReadOnly(), sandbox.WorkspaceWrite(h+"/work")
	write(t, map[string]string{h + "/work/repo/.keep": "", h + "/outside/file": "x", h + "/文件夹/ä.txt": "x"})
	for _, c := range []struct {
		profile sandbox.Profile
		script  string
		kind    sandbox.Kind
		path    string
	}{
		{ro, "touch work/x", sandbox.KindWrite, "work/x"},
		{ro, "echo x > work/x", sandbox.KindWrite, "work/x"},
		{ro, "bash -c 'echo x > work/x'", sandbox.KindWrite, "work/x"},
		{ro, "mkdir 文件夹/新", sandbox.KindWrite, "文件夹/新"},
		{ro, "rm -f 文件夹/ä.txt", sandbox.KindWrite, "文件夹/ä.txt"},
		{ro, "cp notes.txt work/x", sandbox.KindWrite, "work/x"},
		{ro, "chmod 600 notes.txt", sandbox.KindWrite, "notes.txt"},
		{ro, "sed -i s/a/b/ work/main.go", sandbox.KindWrite, "work/sed"},
		{ro, "python3 -c 'open(\"work/x\",\"w\")'", sandbox.KindWrite, "work/x"},
		{ro, "node -e 'require(\"fs\").writeFileSync(\"work/x\",\"\")'", sandbox.KindWrite, "work/x"},
		{ro, "perl -e 'open(F,\">\",\"work/x\") or die \"work/x: $!\"'", sandbox.KindWrite, "work/x"},
		{ro, "git init work/repo", sandbox.KindWrite, "work/repo/.git"},
		{ww, "touch outside/x", sandbox.KindWrite, "outside/x"},
		{ww, "touch work/x && rm outside/file", sandbox.KindWrite, "outside/file"},
		{ro, "cat .ssh/id_rsa", sandbox.KindSecret, ".ssh/id_rsa"},
		{ro, "cat innocent", sandbox.KindSecret, "innocent"},
		{ro, "cat .npmrc", sandbox.KindSecret, ".npmrc"},
		{ro, "grep -r x .aws", sandbox.KindSecret, ".aws/credentials"},
		{ww, "echo x >> .ssh/id_rsa", sandbox.KindSecret, ".ssh/id_rsa"},
		{ro, "head -c1 /dev/ptmx", sandbox.KindDevice, "/dev/ptmx"},
		{ro, "curl -sS http://127.0.0.1:9", sandbox.KindNetwork, ""},
		{ro, "curl -sS http://example.invalid", sandbox.KindNetwork, ""},
		{ro, "git ls-remote https://example.invalid/x", sandbox.KindNetwork, ""},
		{ro, "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\",9))'", sandbox.KindNetwork, ""},
		{ro, "python3 -c 'import urllib.request as u; u.urlopen(\"http://example.invalid\")'", sandbox.KindNetwork, ""},
		{ro, "node -e 'require(\"http\").get(\"http://127.0.0.1:9\").on(\"error\",e=>{throw e})'", sandbox.KindNetwork, ""},
		{ro, "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.' >&2; exit 1", sandbox.KindLocal, ""},
		{ro, "kill -0 1", sandbox.KindProcess, ""},
		{ro, "bash -c 'kill 1'", sandbox.KindProcess, ""},
		// What is not the wall's doing.
		{ro, "cat nothing", "", ""},
		{ro, "touch nothing/here/x", "", ""},
		{ro, "false", "", ""},
		{ro, "echo 'x: Permission denied' >&2; exit 0", "", ""},
		{ro, "echo 'server said: Permission denied (publickey)' >&2; exit 1", "", ""},
		{ww, "chmod 755 /nothing", "", ""},
		{ww, "echo 'work/main.go: Permission denied' >&2; exit 1", "", ""},
		{ro, "echo x > /proc/version", "", ""},
		{ro, "grep nothing notes.txt", "", ""},
		{ro.WithNetwork(), "curl -sS http://127.0.0.1:9", "", ""},
	} {
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", c.script)
		cmd.Dir = h
		got := run(t, s, c.profile, cmd)
		if got.code == 127 {
			continue // it is not installed
		}
		v := s.Explain(c.profile, h, &got.code, got.stderr)
		switch {
		case c.kind == "" && v == nil:
		case v == nil || v.Kind != c.kind:
			t.Errorf("%s: %v, expected %s of %s; it said %q", c.script, v, c.kind, c.path, got.stderr)
		case c.path != "" && len(v.Path) < len(c.path), c.path != "" && v.Path != c.path && v.Path[:min(len(v.Path), len(h)+1+len(c.path))] != h+"/"+c.path:
			t.Errorf("%s: %v, expected %s; it said %q", c.script, v, c.path, got.stderr)
		}
	}
}
