package runner

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// Profile says what the kernel lets a step do. What runs unasked may read and
// no more. What a person confirmed may do what the judgement says that it
// does: change the folders it works in, the places that its arguments name
// and the caches of builders, use the network, read secrets.
//
// The kernel cannot allow to make a file in the home folder itself without
// allowing the same in the secret folders below. A confirmed command that does
// no more than its words say, and names such a place, is not ok: it can only
// do its work without a sandbox.
func Profile(j policy.Judgement, args []string, workspace, home string) (p sandbox.Profile, ok bool) {
	p = sandbox.ReadOnly()
	if j.Level == protocol.Safe {
		return p, true
	}
	has := func(f protocol.Fact) bool { return slices.Contains(j.Facts, f) }
	ok = true
	if has(protocol.FactWrite) || has(protocol.FactDestructive) || has(protocol.FactCode) {
		folders := append(sandbox.Workspace(workspace), sandbox.Workspace(j.CWD)...)
		folders = append(folders, sandbox.Caches(home)...)
		places, open := named(args, j.CWD, home)
		ok = !open || has(protocol.FactCode)
		p = sandbox.WorkspaceWrite(append(folders, places...)...)
	}
	if has(protocol.FactNetwork) {
		p = p.WithNetwork()
	}
	p.Secrets = has(protocol.FactSecrets)
	return p, ok
}

// named gives the folders of the files that arguments name: the person who
// confirmed the command saw them. It tells of a folder that cannot be opened:
// the home folder itself, or one above it.
func named(args []string, cwd, home string) (folders []string, open bool) {
	for _, a := range args {
		if i := strings.IndexByte(a, '='); i >= 0 && strings.HasPrefix(a, "-") {
			a = a[i+1:]
		}
		if strings.HasPrefix(a, "-") || strings.Contains(a, "://") {
			continue
		}
		path := a
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		folder := filepath.Dir(filepath.Clean(path))
		switch {
		case within(home, folder):
			open = true
		case !slices.Contains(folders, folder):
			folders = append(folders, folder)
		}
	}
	return folders, open
}

// within tells whether a path is a folder or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}
