package executors

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// spoolPrefix begins the name of every spool. The time follows, so that names
// sort by age.
const spoolPrefix = "step-"

// spools are the files that hold the whole output of one step. None is made
// before a stream outgrows what is kept of it.
type spools struct {
	dir  string
	keep int
	base string       // without the stream's ending
	room atomic.Int64 // bytes that may still be written
	max  int64
}

func newSpools(dir string, limit int64, keep int) *spools {
	s := &spools{dir: dir, keep: keep, max: limit}
	s.room.Store(limit)
	if dir != "" {
		s.base = spoolPrefix + time.Now().UTC().Format("20060102T150405.000000000") + "-" + rand.Text()[:8]
	}
	return s
}

// A spool is the file of one stream. Only its reader uses it.
type spool struct {
	*spools
	ending string // "stdout" or "stderr"
	file   *os.File
	err    error // the first; nothing is written after it
	capped bool
}

// write appends block. It never fails the step: an error is kept for the note.
func (s *spool) write(block []byte) {
	if s.dir == "" || s.err != nil || s.capped {
		return
	}
	if s.file == nil {
		if s.err = s.open(); s.err != nil {
			return
		}
	}
	left := s.room.Add(-int64(len(block)))
	if left < 0 {
		s.capped = true
		block = block[:max(0, int64(len(block))+left)]
	}
	if _, s.err = s.file.Write(block); s.err == nil && s.capped {
		_, s.err = fmt.Fprintf(s.file, "\n[the output went on; this file ends at its limit of %s bytes]\n", thousands(s.max))
	}
}

func (s *spool) open() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	s.prune()
	f, err := os.OpenFile(s.path(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	s.file = f
	return nil
}

func (s *spool) path() string { return filepath.Join(s.dir, s.base+"."+s.ending) }

// prune removes the spools of the oldest steps, so that keep remain with the
// new one. A file that another process removes first is no error, and one
// that cannot be removed is no reason to fail.
func (s *spools) prune() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var steps []string
	for _, e := range entries { // sorted by name, so by age
		base, _, ok := spoolStep(e.Name())
		if ok && base != s.base && !slices.Contains(steps, base) {
			steps = append(steps, base)
		}
	}
	for len(steps) > s.keep-1 {
		for _, ending := range []string{"stdout", "stderr"} {
			_ = os.Remove(filepath.Join(s.dir, steps[0]+"."+ending))
		}
		steps = steps[1:]
	}
}

func spoolStep(name string) (base, ending string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || !strings.HasPrefix(name, spoolPrefix) {
		return "", "", false
	}
	base, ending = name[:i], name[i+1:]
	return base, ending, ending == "stdout" || ending == "stderr"
}

// finish closes the spool. Where it is not wanted it is removed; where it is
// and all of the stream is in rest, it is written now.
func (s *spool) finish(wanted bool, rest []byte) (path, note string) {
	if s.dir == "" {
		return "", ""
	}
	if wanted && s.file == nil && s.err == nil {
		s.write(rest)
	}
	if s.file == nil {
		if wanted && s.err != nil {
			return "", "the output could not be kept in a file: " + reason(s.err)
		}
		return "", ""
	}
	if err := s.file.Close(); s.err == nil {
		s.err = err
	}
	switch {
	case !wanted:
		_ = os.Remove(s.path())
		return "", ""
	case s.err != nil:
		return s.path(), "the file of the " + s.ending + " is incomplete: " + reason(s.err)
	case s.capped:
		return s.path(), fmt.Sprintf("the file of the %s ends at its limit of %s bytes", s.ending, thousands(s.max))
	}
	return s.path(), ""
}

// reason is the system's own words for an error, without call and path.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}
