package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// spellings gives the clean paths an argument may stand for: as it is, with
// its links resolved, and, where it begins with "~", what a shell would make
// of it. The first that exists is the one that counts for the file's kind.
func (j *judging) spellings(arg string) (clean []string, info fs.FileInfo) {
	raw := []string{arg}
	if !filepath.IsAbs(arg) {
		raw[0] = j.cwd + string(os.PathSeparator) + arg
	}
	if rest, ok := strings.CutPrefix(arg, "~"); ok && j.e.opt.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		raw = append(raw, j.e.opt.Home+rest)
	}
	for _, path := range raw {
		real := j.real(path)
		clean = append(clean, filepath.Clean(path))
		if real != clean[len(clean)-1] {
			clean = append(clean, real)
		}
		if info == nil {
			if found, err := j.e.files.Stat(real); err == nil {
				info = found
			}
		}
	}
	return clean, info
}

// real resolves the links of a path, as far as it exists.
func (j *judging) real(path string) string {
	tail := ""
	for {
		real, err := j.e.files.RealPath(path)
		if err == nil {
			return filepath.Join(real, tail)
		}
		path = strings.TrimRight(path, string(os.PathSeparator))
		up, last := filepath.Split(path)
		if last == "" || up == path {
			return filepath.Join(path, tail)
		}
		tail = filepath.Join(last, tail)
		path = up
	}
}

// readPath judges a path that is read. walks says how a folder is read: ""
// not below, "names" or "content".
func (j *judging) readPath(arg, walks string) {
	if arg == "-" || arg == "" {
		return
	}
	p := j.e.places()
	if p.err != nil {
		j.hit(protocol.Confirm, "broken rules", p.err.Error())
	}
	paths, info := j.spellings(arg)
	if info != nil && info.Mode()&(fs.ModeDevice|fs.ModeCharDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 && paths[len(paths)-1] != os.DevNull {
		j.hit(protocol.Confirm, "unbounded", clip(arg)+" is a device or pipe and may never end", protocol.FactUnbounded)
	}
	for _, path := range paths {
		names := split(path)
		switch {
		case p.secret(path, names, info):
			j.hit(protocol.Confirm, "secrets", clip(arg)+" is a place of keys or credentials", protocol.FactSecrets)
		case walks == "content" && p.homeTrees().above(names):
			j.hit(protocol.Confirm, "secrets", clip(arg)+" has places of keys or credentials below it", protocol.FactSecrets)
		}
		if p.endless.in(names) {
			j.hit(protocol.Confirm, "unbounded", clip(arg)+" may never end", protocol.FactUnbounded)
		}
		if walks != "" && p.vast.is(names) {
			j.hit(protocol.Confirm, "unbounded", clip(arg)+" is too large to be walked unasked", protocol.FactUnbounded)
		}
	}
}

// writePath judges a path that is written or removed.
func (j *judging) writePath(arg string) {
	j.hit(protocol.Confirm, "", "", protocol.FactWrite)
	p := j.e.places()
	paths, info := j.spellings(arg)
	j.writes = append(j.writes, paths[len(paths)-1])
	device := info != nil && info.Mode()&fs.ModeDevice != 0 && paths[len(paths)-1] != os.DevNull
	for _, path := range paths {
		names := split(path)
		device = device || len(names) > 1 && names[0] == "dev" && p.endless.in(names)
	}
	if device {
		j.hit(protocol.Block, "device", clip(arg)+" is a device: writing to it cannot be undone", protocol.FactDestructive, protocol.FactWrite)
	}
	for _, path := range paths {
		names := split(path)
		if p.guarded.in(names) {
			j.hit(protocol.Block, "own settings", clip(arg)+" holds the settings that decide what may run", protocol.FactWrite)
		}
		if p.secret(path, names, info) {
			j.hit(protocol.Confirm, "secrets", clip(arg)+" is a place of keys or credentials", protocol.FactSecrets)
		}
	}
}

// removePath judges a path that a recursive or forced removal names.
func (j *judging) removePath(arg string) {
	p := j.e.places()
	paths, _ := j.spellings(arg)
	for _, path := range paths {
		if p.precious.is(split(path)) || within(j.cwd, path) || j.e.opt.Workspace != "" && within(j.e.opt.Workspace, path) {
			j.hit(protocol.Block, "precious", clip(arg)+" must not be removed", protocol.FactDestructive, protocol.FactWrite)
			return
		}
	}
}
