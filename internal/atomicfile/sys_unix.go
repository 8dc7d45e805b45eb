//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// syncFolder syncs a folder. Some file systems cannot.
func syncFolder(f *os.File) { _ = f.Sync() }

// chownLike gives a file the owner of another as far as is allowed.
func chownLike(f *os.File, old fs.FileInfo) {
	if old == nil {
		return
	}
	stat, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if err := f.Chown(int(stat.Uid), int(stat.Gid)); err != nil {
		_ = f.Chown(-1, int(stat.Gid)) // the group alone may be allowed
	}
}

// tryLock takes the lock of a file unless somebody holds one of either kind.
// A file system without locks has no holders.
func tryLock(f *os.File) bool {
	probe := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &probe); err == nil && probe.Type != unix.F_UNLCK {
		return false
	}
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	return !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR)
}

func unlockFile(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
