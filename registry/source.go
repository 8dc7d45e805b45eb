package registry

import (
	"io/fs"
	"os"
	"sync"
	"time"
)

// A Source is a registry that follows its file: it is read again when the file
// has changed, and only then. Methods may be called at the same time.
type Source struct {
	path string

	mu      sync.Mutex
	current *Registry   // nil: nothing that could be kept
	from    fs.FileInfo // the file it was read from
}

// Open gives the registry at path, which need not be there yet. Nothing is
// read before it is asked for.
func Open(path string) *Source { return &Source{path: path} }

// Current gives what is installed now, as [Load] does. An error holds for this
// call alone: the next one reads the file again.
func (s *Source) Current() (*Registry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.unchanged() {
		return s.current, nil
	}
	s.current, s.from = nil, nil
	start := time.Now()
	r, info, err := load(s.path)
	if err != nil {
		return nil, err
	}
	// A file that was written just now may be written again without a change of
	// its time: such a one is not kept.
	if info != nil && start.Sub(info.ModTime()) > coarsest {
		s.current, s.from = r, info
	}
	return r, nil
}

// coarsest is the roughest unit in which a file system keeps times (FAT).
const coarsest = 2 * time.Second

func (s *Source) unchanged() bool {
	info, err := os.Stat(s.path)
	return err == nil && os.SameFile(info, s.from) && info.Size() == s.from.Size() && info.ModTime().Equal(s.from.ModTime())
}
