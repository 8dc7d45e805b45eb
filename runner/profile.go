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
// does: change the folders it works in and the caches of builders, use the
// network, read secrets. A command that runs no other code may also change the
// places that its words name.
//
// The kernel cannot allow to make a file in the home folder itself, or in one
// above it, without allowing the same in the secret folders below. A command
// that names such a place, and does nothing but write there, is not ok: it can
// only do its work without a sandbox, and the question says so.
//
// More are further folders that a confirmed step may change, such as where
// plugins keep their data.
func Profile(j policy.Judgement, workspace, home string, more ...string) (p sandbox.Profile, ok bool) {
	p = sandbox.ReadOnly()
	if j.Level == protocol.Safe {
		return p, true
	}
	has := func(f protocol.Fact) bool { return slices.Contains(j.Facts, f) }
	ok = true
	if has(protocol.FactWrite) || has(protocol.FactDestructive) || has(protocol.FactCode) {
		folders := append(sandbox.Caches(home), more...)
		for _, dir := range []string{workspace, j.CWD} {
			if !isRoot(dir) {
				folders = append(folders, sandbox.Workspace(dir)...)
			}
		}
		if !has(protocol.FactCode) {
			for _, path := range j.Writes {
				if folder := filepath.Dir(path); within(home, folder) {
					ok = has(protocol.FactNetwork)
				} else if !slices.Contains(folders, folder) {
					folders = append(folders, folder)
				}
			}
		}
		p = sandbox.WorkspaceWrite(folders...)
	}
	if has(protocol.FactNetwork) {
		p = p.WithNetwork()
	}
	p.Secrets = has(protocol.FactSecrets)
	return p, ok
}

// within tells whether a path is a folder or lies below it.
func within(path, folder string) bool {
	return isRoot(folder) || path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// isRoot tells whether a folder is the top of a file system.
func isRoot(folder string) bool { return filepath.Dir(folder) == folder }
