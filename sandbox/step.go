package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// scratchPrefix begins the names of scratch folders.
const scratchPrefix = "ai-step-"

// A Step is a program that was started behind the wall.
type Step struct {
	Enforced string // for an observation: "read-only (landlock 6, seccomp)"
	Scratch  string // its folder for temporary files, which TMPDIR names

	leave chan struct{} // closed when its thread may end; nil where there is none
	left  chan struct{} // closed when the thread has no more to do
	once  sync.Once
}

// Close removes what the step had to itself. The program must have ended; one
// that has not is killed.
func (t *Step) Close() error {
	if t.leave != nil {
		t.once.Do(func() { close(t.leave) })
		<-t.left
	}
	if t.Scratch == "" {
		return nil
	}
	return removeAll(t.Scratch)
}

// removeAll removes a folder, also where a program took rights away from parts
// of it.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
