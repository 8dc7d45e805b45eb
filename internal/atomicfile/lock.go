package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a lock that somebody holds is looked at.
const lockRetry = 5 * time.Millisecond

// A BusyError is that somebody else kept a lock for as long as was waited.
type BusyError struct {
	Holder string // such as "process 4711 (vim)"; "" is not known
	Err    error  // why the waiting ended
}

// Error names the holder.
func (e *BusyError) Error() string {
	if e.Holder == "" {
		return "another program keeps it locked"
	}
	return e.Holder + " keeps it locked"
}

// Unwrap gives why the waiting ended.
func (e *BusyError) Unwrap() error { return e.Err }

// Lock takes the lock that all writers of a file take: a file beside it,
// which stays. A holder is waited for; then the error is a [*BusyError]. The
// end of ctx ends the waiting too, with its own error.
func (d *Dir) Lock(ctx context.Context, name string, wait time.Duration) (unlock func(), err error) {
	name = "." + name + ".lock"
	// A pipe or a device would be waited for when it is opened.
	if info, err := d.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: expected a file that serves as the lock, got %s; remove it", name, info.Mode().Type())
	}
	path := filepath.Join(d.path, name)
	lock := flock.New(path, flock.SetPermissions(0o600))
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if _, err := lock.TryLockContext(limited, lockRetry); err != nil {
		_ = lock.Close()
		return nil, waited(ctx, err, func() (fs.FileInfo, error) { return os.Stat(path) })
	}
	return func() { _ = lock.Close() }, nil // closing gives the lock back
}

// LockFile takes the advisory lock of an open file itself, for programs that
// lock the file they write. It waits as [Dir.Lock] does. Where the system has
// no such locks, it does nothing.
func LockFile(ctx context.Context, f *os.File, wait time.Duration) (unlock func(), err error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tick := time.NewTicker(lockRetry)
	defer tick.Stop()
	for !tryLock(f) {
		select {
		case <-limited.Done():
			return nil, waited(ctx, limited.Err(), f.Stat)
		case <-tick.C:
		}
	}
	return func() { unlockFile(f) }, nil
}

// waited tells a wait that was too long from one that was called off.
func waited(ctx context.Context, err error, stat func() (fs.FileInfo, error)) error {
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	busy := &BusyError{Err: err}
	if info, serr := stat(); serr == nil {
		busy.Holder = holder(info)
	}
	return busy
}
