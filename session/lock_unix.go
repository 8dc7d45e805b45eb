//go:build unix

package session

import (
	"os"
	"syscall"
)

// openFlags keep the opening of a pipe, which may have come in the place of
// the file, from waiting.
const openFlags = syscall.O_NONBLOCK

// lockIsFile says that the lock is on the file itself: a lock here keeps
// nobody from reading, and leaves nothing behind.
const lockIsFile = true

func lockPath(path string) string { return path }

// syncDir makes sure that the names in a folder are on the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
