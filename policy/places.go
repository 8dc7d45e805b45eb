package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// A placeSet is a list of places made ready to be asked often.
type placeSet struct {
	floating map[string][][]string // first name of a "~/" place → all its names
	fixed    map[string][][]string // the same of absolute places; "" for those that begin with *
	root     bool                  // "/" is one of them
}

// newPlaceSet reads a list. With home, "~/" places are those of that home
// folder alone.
func newPlaceSet(list []string, home string, anchored bool) *placeSet {
	s := &placeSet{floating: map[string][][]string{}, fixed: map[string][][]string{}}
	for _, place := range list {
		into := s.fixed
		if rest, ok := strings.CutPrefix(place, "~"); ok {
			if anchored && home == "" {
				continue
			}
			if anchored {
				place = home + rest
			} else {
				into, place = s.floating, rest
			}
		}
		names := split(place)
		if len(names) == 0 {
			s.root = true
			continue
		}
		first := names[0]
		if strings.Contains(first, "*") {
			first = ""
		}
		into[first] = append(into[first], names)
	}
	return s
}

// in says whether a path, given by its names, is or lies below one of the
// places.
func (s *placeSet) in(names []string) bool {
	for at := range names {
		if below(s.floating[names[at]], names[at:]) {
			return true
		}
	}
	return len(names) > 0 && (below(s.fixed[names[0]], names) || below(s.fixed[""], names))
}

// is says whether a path is one of the places itself.
func (s *placeSet) is(names []string) bool {
	if len(names) == 0 {
		return s.root
	}
	for _, list := range [][][]string{s.fixed[names[0]], s.fixed[""]} {
		for _, want := range list {
			if len(want) == len(names) && sameNames(want, names) {
				return true
			}
		}
	}
	return false
}

// above says whether one of the absolute places lies below the path.
func (s *placeSet) above(names []string) bool {
	if len(names) == 0 {
		return len(s.fixed) > 0
	}
	for _, place := range s.fixed[names[0]] {
		if len(place) >= len(names) && sameNames(place[:len(names)], names) {
			return true
		}
	}
	return false
}

func below(list [][]string, names []string) bool {
	for _, want := range list {
		if len(want) <= len(names) && sameNames(want, names) {
			return true
		}
	}
	return false
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

// split gives the names of a path in lower case.
func split(path string) []string {
	return strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '/' || r == os.PathSeparator })
}

// A nameSet is a list of file names and patterns of them.
type nameSet struct {
	exact    map[string]bool
	patterns []string
}

func newNameSet(list []string) *nameSet {
	s := &nameSet{exact: make(map[string]bool, len(list))}
	for _, name := range list {
		if strings.Contains(name, "*") {
			s.patterns = append(s.patterns, name)
		} else {
			s.exact[name] = true
		}
	}
	return s
}

func (s *nameSet) has(name string) bool {
	if s.exact[name] {
		return true
	}
	for _, pattern := range s.patterns {
		if glob(pattern, name) {
			return true
		}
	}
	return false
}

// places are the lists of the built-in file and of the person together.
type places struct {
	trees                      *placeSet
	homeTrees                  func() *placeSet
	endless, vast              *placeSet
	guarded, precious          *placeSet
	secretNames, harmlessNames *nameSet
	absoluteTrees              []string
	absoluteGuarded            []string
	err                        error
}

func (e *Engine) loadPlaces() *places {
	p := &places{}
	var all placeLists
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
			all.add(file.Paths)
		}
	}
	all.Trees = append(all.Trees, e.opt.SecretPaths...)
	home := e.opt.Home
	p.absoluteTrees = absoluteTrees(all.Trees, home)
	p.absoluteGuarded = absoluteTrees(all.Guarded, home)
	p.trees = newPlaceSet(all.Trees, home, false)
	p.homeTrees = sync.OnceValue(func() *placeSet { return newPlaceSet(all.Trees, home, true) })
	p.endless, p.vast = newPlaceSet(all.Endless, home, false), newPlaceSet(all.Vast, home, true)
	p.guarded, p.precious = newPlaceSet(all.Guarded, home, false), newPlaceSet(all.Precious, home, true)
	p.secretNames, p.harmlessNames = newNameSet(all.Names), newNameSet(all.Harmless)
	return p
}

func (l *placeLists) add(more *placeLists) {
	l.Trees = append(l.Trees, more.Trees...)
	l.Names = append(l.Names, more.Names...)
	l.Harmless = append(l.Harmless, more.Harmless...)
	l.Endless = append(l.Endless, more.Endless...)
	l.Vast = append(l.Vast, more.Vast...)
	l.Guarded = append(l.Guarded, more.Guarded...)
	l.Precious = append(l.Precious, more.Precious...)
}

// secretName says whether a file name alone tells of keys or credentials.
func (p *places) secretName(name string) bool {
	name = strings.ToLower(name)
	return p.secretNames.has(name) && !p.harmlessNames.has(name)
}

// secret says whether a clean path is a secret place or lies in one. A folder
// is not secret by its name alone.
func (p *places) secret(path string, names []string, info fs.FileInfo) bool {
	folder := info != nil && info.IsDir()
	return !folder && p.secretName(filepath.Base(path)) || p.trees.in(names)
}
