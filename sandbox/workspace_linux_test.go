//go:build amd64 || arm64

package sandbox_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/holic512/plugin-ai/sandbox"
)

func TestWorkspace(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	if got := sandbox.Workspace(dir + "/b"); !slices.Equal(got, []string{dir + "/b", dir}) {
		t.Errorf("in a repository: %v", got)
	}
	plain := t.TempDir()
	if got := sandbox.Workspace(plain); !slices.Equal(got, []string{plain}) {
		t.Errorf("elsewhere: %v", got)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	cmd := exec.CommandContext(t.Context(), "git", "worktree", "add", "-q", tree)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := sandbox.Workspace(tree); !slices.Equal(got, []string{tree, tree, dir + "/.git"}) {
		t.Errorf("in a worktree: %v", got)
	}
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	commit := exec.CommandContext(t.Context(), "/bin/sh", "-c", "echo x > x && git add x && git commit -qm x")
	commit.Dir = tree
	if got := run(t, s, sandbox.WorkspaceWrite(sandbox.Workspace(tree)...), commit); got.code != 0 {
		t.Errorf("%+v", got)
	}
	// A repository cannot make another folder its own.
	write(t, map[string]string{plain + "/.git": "gitdir: " + dir + "/.git/worktrees/tree\n", plain + "/victim/x": "x"})
	if got := sandbox.Workspace(plain); !slices.Equal(got, []string{plain, plain}) {
		t.Errorf("with a foreign pointer: %v", got)
	}
}

func TestAllowing(t *testing.T) {
	t.Parallel()
	h, s := home(t)
	for _, c := range []struct {
		script string
		want   bool
	}{
		{"touch work/x", true}, {"echo x >> notes.txt", true}, {"cat .ssh/id_rsa", true}, {"curl -sS http://127.0.0.1:9", true},
		{"touch new", false}, {"kill -0 1", false},
	} {
		p := sandbox.ReadOnly()
		var got outcome
		for range 3 { // each time what is refused is allowed
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", c.script)
			cmd.Dir = h
			got = run(t, s, p, cmd)
			v := s.Explain(p, h, &got.code, got.stderr)
			if v == nil {
				break
			}
			var ok bool
			if p, ok = s.Allowing(p, v); !ok {
				if c.want {
					t.Errorf("%s: nothing allows %v", c.script, v)
				}
				break
			}
		}
		if got.code == 127 {
			continue // it is not installed
		}
		if (got.code == 0 || got.code == 7) != c.want {
			t.Errorf("%s: %+v", c.script, got)
		}
	}
}
