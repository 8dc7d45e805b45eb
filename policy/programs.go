package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A place is where a program was looked for.
type place struct {
	path    string // the real path; "" where there is none to be trusted
	refused string // a path that was found and not trusted
}

// resolve finds the program that the step would run and says in words where
// there is none.
func (e *Engine) resolve(j *judging, step Step) string {
	program := step.Program
	if strings.ContainsAny(program, `/\`) {
		return e.resolvePath(j, program)
	}
	if !plainName(program) {
		return ""
	}
	return j.find(program, step.CWD, "")
}

// find looks for a program by its bare name. Where there is none to be
// trusted, the reason goes on with the remedy.
func (j *judging) find(program, cwd, remedy string) string {
	at := j.e.lookup(program, cwd)
	switch {
	case at.path != "":
	case at.refused != "":
		j.hit(protocol.Confirm, "untrusted program", program+" was found only at "+clip(at.refused)+", where others can put programs"+remedy, protocol.FactCode)
	default:
		j.hit(protocol.Safe, "not installed", program+" is not in the folders programs are taken from"+remedy)
	}
	return at.path
}

// resolvePath judges a program given by its path. It counts as the program of
// that name only if it is the very one the bare name stands for.
func (e *Engine) resolvePath(j *judging, program string) string {
	j.hit(protocol.Confirm, "program path", "the program is named by the path "+clip(program)+" instead of its bare name", protocol.FactCode)
	if !filepath.IsAbs(program) {
		return ""
	}
	name := filepath.Base(program)
	if !plainName(name) || !e.allows(name) {
		return ""
	}
	at := e.lookup(name, j.cwd)
	if real, err := e.files.RealPath(program); err != nil || real != at.path {
		return ""
	}
	j.listed = true
	return at.path
}

// lookup finds a bare name in the search path. What was found is kept: the
// same name stays the same program for the life of the engine.
func (e *Engine) lookup(name, cwd string) place {
	if kept, ok := e.found.Load(name); ok {
		return kept.(place)
	}
	var at place
	system := defaultSearchPath()
	for _, folder := range e.opt.SearchPath {
		path := e.executable(folder, name)
		if path == "" {
			continue
		}
		real, err := e.files.RealPath(path)
		if err != nil {
			continue
		}
		if e.shared(folder) || e.shared(filepath.Dir(real)) || !slices.Contains(system, folder) && (e.inWorkspace(path, cwd) || e.inWorkspace(real, cwd)) {
			at.refused = path
			continue
		}
		kept, _ := e.found.LoadOrStore(name, place{path: real})
		return kept.(place)
	}
	return at
}

// executable gives the path of a program in a folder, or "".
func (e *Engine) executable(folder, name string) string {
	if !filepath.IsAbs(folder) {
		return ""
	}
	for _, ending := range programEndings() {
		path := filepath.Join(folder, name+ending)
		info, err := e.files.Stat(path)
		if err == nil && info.Mode().IsRegular() && runnable(info) {
			return path
		}
	}
	return ""
}

// shared says whether others can put programs in the folder: everybody may
// write in it, or may replace it from a folder above. A sticky folder above,
// such as /tmp, does not let them.
func (e *Engine) shared(folder string) bool {
	for above := false; ; above = true {
		info, err := e.files.Stat(folder)
		if err != nil || worldWritable(info) && (!above || info.Mode()&os.ModeSticky == 0) {
			return true
		}
		up := filepath.Dir(folder)
		if up == folder {
			return false
		}
		folder = up
	}
}

// inWorkspace says whether path lies where the work is done. The root of the
// file system is no workspace.
func (e *Engine) inWorkspace(path, cwd string) bool {
	for _, root := range []string{e.opt.Workspace, cwd} {
		if root == "" || filepath.Dir(root) == root {
			continue
		}
		if within(path, root) {
			return true
		}
		if real, err := e.files.RealPath(root); err == nil && filepath.Dir(real) != real && within(path, real) {
			return true
		}
	}
	return false
}

// within says whether path is root or below it. Both are clean.
func within(path, root string) bool {
	root = strings.TrimSuffix(root, string(os.PathSeparator))
	return path == root || strings.HasPrefix(path, root) && os.IsPathSeparator(path[len(root)])
}
