package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A place is a path whose names may have *.
type place []string

func newPlace(path string) place { return splitPath(filepath.Clean(path)) }

func splitPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == os.PathSeparator })
}

// matches says whether a name is the one of a place; case does not count.
func matches(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.EqualFold(pattern, name)
	}
	pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	parts := strings.Split(pattern, "*")
	name, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, rest, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = rest
	}
	return strings.HasSuffix(name, parts[last])
}

// within says whether a clean path is one of the places or lies below one.
func within(places []place, path string) bool {
	names := splitPath(path)
	active := places
	for _, name := range names {
		var hit bool
		if active, hit = step(active, name); hit {
			return true
		}
	}
	return false
}

// step goes one name down. It gives the places below it, without that name,
// and tells whether one of them ends here.
func step(places []place, name string) (below []place, hit bool) {
	for _, p := range places {
		if len(p) == 0 || !matches(p[0], name) {
			continue
		}
		if len(p) == 1 {
			hit = true
		}
		below = append(below, p[1:])
	}
	return below, hit
}

// A cover is a list of paths that, with all below them, make up a tree without
// some places.
type cover struct {
	paths  []string
	above  []string    // the folders that were divided, or may have to be
	stamps []time.Time // when each of these was changed
	made   time.Time
}

// hidden names further files that are left out of divided folders.
type hidden func(folder, name string) bool

// coverOf divides a tree. Links are never followed: what they point at is part
// of the tree by its own path or not at all.
func coverOf(root string, places []place, hide hidden) *cover {
	seen := map[string]bool{}
	for range 8 {
		c := &cover{made: time.Now()}
		d := division{cover: c, hide: hide, seen: seen}
		active, hit := descend(places, root)
		switch {
		case hit:
		case len(active) == 0:
			c.paths = []string{root}
		default:
			d.folder(root, active)
		}
		if len(d.found) == 0 {
			return c
		}
		// A place was reached through a link; where it really is counts too.
		places = append(places[:len(places):len(places)], d.found...)
	}
	return &cover{made: time.Now()} // links without end: nothing is allowed
}

func descend(places []place, path string) (active []place, hit bool) {
	active = places
	for _, name := range splitPath(path) {
		if active, hit = step(active, name); hit {
			return nil, true
		}
	}
	return active, false
}

type division struct {
	*cover
	hide  hidden
	found []place         // where links above or at a place lead
	seen  map[string]bool // of these, all that were ever found
}

func (d *division) folder(path string, active []place) {
	d.above = append(d.above, path)
	var stamp time.Time
	if info, err := os.Lstat(path); err == nil {
		stamp = info.ModTime()
	}
	d.stamps = append(d.stamps, stamp)
	entries, err := os.ReadDir(path)
	if err != nil { // it cannot be listed, but what is known by name may be there
		entries = known(path, active)
	}
	if !concerned(entries, active) {
		d.paths = append(d.paths, path) // until it changes
		return
	}
	for _, e := range entries {
		below, hit := step(active, e.Name())
		full := filepath.Join(path, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if hit || len(below) > 0 {
				d.link(full, below)
			}
		case hit, d.hide != nil && !e.IsDir() && d.hide(path, e.Name()):
		case len(below) > 0 && e.IsDir():
			d.folder(full, below)
		default:
			d.paths = append(d.paths, full)
		}
	}
}

// concerned tells whether a folder has to be divided: it is the one that holds
// a place, or would, or the way to one has begun.
func concerned(entries []fs.DirEntry, active []place) bool {
	if slices.ContainsFunc(active, func(p place) bool { return len(p) == 1 }) {
		return true
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		below, _ := step(active, e.Name())
		return len(below) > 0
	})
}

// known looks for the entries that places name.
func known(path string, active []place) (entries []fs.DirEntry) {
	seen := map[string]bool{}
	for _, p := range active {
		if seen[p[0]] {
			continue
		}
		seen[p[0]] = true
		if info, err := os.Lstat(filepath.Join(path, p[0])); err == nil {
			entries = append(entries, fs.FileInfoToDirEntry(info))
		}
	}
	return entries
}

// link notes where a link on the way to a place leads. rest is what follows.
func (d *division) link(path string, rest []place) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return // it leads nowhere
	}
	for _, r := range rest {
		p := append(splitPath(real), r...)
		if key := strings.Join(p, "/"); !d.seen[key] {
			d.seen[key] = true
			d.found = append(d.found, p)
		}
	}
}

// settleTime is how long after its last change a folder's time is trusted to
// tell of the next one.
const settleTime = 50 * time.Millisecond

// fresh tells whether none of the divided folders has changed.
func (c *cover) fresh() bool {
	for i, path := range c.above {
		info, err := os.Lstat(path)
		if err != nil || !info.ModTime().Equal(c.stamps[i]) || c.made.Sub(c.stamps[i]) < settleTime {
			return false
		}
	}
	return true
}

// hides is asked for files in the person's folders.
func (s *Sandbox) hides(folder, name string) bool {
	if s.cfg.SecretName == nil || s.cfg.Home == "" {
		return false
	}
	rel, err := filepath.Rel(s.cfg.Home, folder)
	return err == nil && filepath.IsLocal(rel) && s.cfg.SecretName(name)
}
