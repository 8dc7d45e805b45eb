package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// placeLists are the lists of places in a rule file. In all of them case does
// not count and * stands for any text in one name.
type placeLists struct {
	// Trees are secret with all that is below: absolute, or with a leading
	// "~/" in every home folder and wherever the same names stand.
	Trees []string `json:"trees,omitzero"`
	// Names are secret file names; Harmless are exceptions from them.
	Names    []string `json:"names,omitzero"`
	Harmless []string `json:"harmless,omitzero"`
	// Endless are files that never end or wait, beside devices and pipes.
	Endless []string `json:"endless,omitzero"`
	// Vast are folders that are not walked unasked.
	Vast []string `json:"vast,omitzero"`
	// Guarded may not be written at all: the program's own leash.
	Guarded []string `json:"guarded,omitzero"`
	// Precious may not be removed at all.
	Precious []string `json:"precious,omitzero"`
}

// places are the lists of the built-in file and of the person together.
type places struct {
	placeLists
	home string
	err  error
}

func (e *Engine) loadPlaces() *places {
	p := &places{home: e.opt.Home}
	for _, f := range e.lib.families {
		if f.file != pathsFile && f.file != "" {
			continue
		}
		file, err := f.loaded()
		if err != nil {
			p.err = err
			continue
		}
		if file.Paths != nil {
			p.add(file.Paths)
		}
	}
	p.Trees = append(p.Trees, e.opt.SecretPaths...)
	return p
}

func (p *places) add(l *placeLists) {
	p.Trees = append(p.Trees, l.Trees...)
	p.Names = append(p.Names, l.Names...)
	p.Harmless = append(p.Harmless, l.Harmless...)
	p.Endless = append(p.Endless, l.Endless...)
	p.Vast = append(p.Vast, l.Vast...)
	p.Guarded = append(p.Guarded, l.Guarded...)
	p.Precious = append(p.Precious, l.Precious...)
}

// secretName says whether a file name alone tells of keys or credentials.
func (p *places) secretName(name string) bool {
	name = strings.ToLower(name)
	return matchAny(p.Names, name) && !matchAny(p.Harmless, name)
}

func matchAny(patterns []string, s string) bool {
	for _, pattern := range patterns {
		if glob(pattern, s) {
			return true
		}
	}
	return false
}

// secret says whether a clean path is a secret place or lies in one. A folder
// is not secret by its name alone.
func (p *places) secret(path string, info fs.FileInfo) bool {
	folder := info != nil && info.IsDir()
	return !folder && p.secretName(filepath.Base(path)) || p.in(p.Trees, path)
}

// in says whether a clean path is, or lies below, one of the listed places.
func (p *places) in(list []string, path string) bool {
	names := split(path)
	for _, place := range list {
		if rest, ok := strings.CutPrefix(place, "~/"); ok {
			want := split(rest)
			for at := 0; at+len(want) <= len(names); at++ {
				if sameNames(want, names[at:]) {
					return true
				}
			}
			continue
		}
		if want := split(place); len(want) <= len(names) && sameNames(want, names) {
			return true
		}
	}
	return false
}

// is says whether a clean path is one of the listed places itself.
func (p *places) is(list []string, path string) bool {
	names := split(path)
	for _, place := range list {
		if rest, ok := strings.CutPrefix(place, "~/"); ok {
			place = p.home + "/" + rest
		} else if place == "~" {
			place = p.home
		}
		if want := split(place); len(want) == len(names) && sameNames(want, names) && place != "" {
			return true
		}
	}
	return false
}

// above says whether a clean path is above a secret place of this machine.
func (p *places) above(path string) bool {
	for _, place := range p.Trees {
		if rest, ok := strings.CutPrefix(place, "~/"); ok {
			if p.home == "" {
				continue
			}
			place = filepath.Join(p.home, rest)
		}
		if within(place, path) {
			return true
		}
	}
	return false
}

func split(path string) []string {
	return strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '/' || r == os.PathSeparator })
}

// sameNames says whether names begins with want, name by name.
func sameNames(want, names []string) bool {
	for i, w := range want {
		if !glob(w, names[i]) {
			return false
		}
	}
	return true
}

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
		switch {
		case p.secret(path, info):
			j.hit(protocol.Confirm, "secrets", clip(arg)+" is a place of keys or credentials", protocol.FactSecrets)
		case walks == "content" && p.above(path):
			j.hit(protocol.Confirm, "secrets", clip(arg)+" has places of keys or credentials below it", protocol.FactSecrets)
		}
		if p.in(p.Endless, path) {
			j.hit(protocol.Confirm, "unbounded", clip(arg)+" may never end", protocol.FactUnbounded)
		}
		if walks != "" && p.is(p.Vast, path) {
			j.hit(protocol.Confirm, "unbounded", clip(arg)+" is too large to be walked unasked", protocol.FactUnbounded)
		}
	}
}

// writePath judges a path that is written or removed.
func (j *judging) writePath(arg string) {
	j.hit(protocol.Confirm, "", "", protocol.FactWrite)
	p := j.e.places()
	paths, info := j.spellings(arg)
	if info != nil && info.Mode()&fs.ModeDevice != 0 && paths[len(paths)-1] != os.DevNull {
		j.hit(protocol.Block, "device", clip(arg)+" is a device: writing to it cannot be undone", protocol.FactDestructive, protocol.FactWrite)
	}
	for _, path := range paths {
		if p.in(p.Guarded, path) {
			j.hit(protocol.Block, "own settings", clip(arg)+" holds the settings that decide what may run", protocol.FactWrite)
		}
		if p.secret(path, info) {
			j.hit(protocol.Confirm, "secrets", clip(arg)+" is a place of keys or credentials", protocol.FactSecrets)
		}
	}
}

// removePath judges a path that a recursive or forced removal names.
func (j *judging) removePath(arg string) {
	p := j.e.places()
	paths, _ := j.spellings(arg)
	for _, path := range paths {
		if p.is(p.Precious, path) || within(j.cwd, path) || j.e.opt.Workspace != "" && within(j.e.opt.Workspace, path) {
			j.hit(protocol.Block, "precious", clip(arg)+" must not be removed", protocol.FactDestructive, protocol.FactWrite)
			return
		}
	}
}
