package config

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

// lockWait is how long another writer is waited for, and lockRetry how often
// it is looked at.
const (
	lockWait  = 10 * time.Second
	lockRetry = 5 * time.Millisecond
)

// changeFile reads a file, changes its text and writes it, while no other
// writer that does the same can. The text is nil where there is no file; a
// change that gives nil, or what was there, writes nothing.
//
// The file is replaced at once, so that a reader sees the old or the new one.
// A new file is 0600 and its folder 0700; an old one keeps its mode, with the
// bits of mask taken away. A link is followed, and stays.
func changeFile(ctx context.Context, path string, mask fs.FileMode, change func(text []byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fileError(path, "its folder cannot be made", err)
	}
	path, err := target(path)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"), flock.SetPermissions(0o600))
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(wait, lockRetry); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return &Error{Kind: ErrFile, File: path, Message: "another program keeps it locked", Advice: "try again when it is done", Err: err}
		}
		return fileError(path, "it cannot be locked", err)
	}
	defer func() { _ = lock.Close() }() // closing gives the lock back

	old, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = nil, nil
	}
	if err != nil {
		return fileError(path, "it cannot be read", err)
	}
	text, err := change(old)
	if err != nil || text == nil || old != nil && string(text) == string(old) {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm() &^ mask
	}
	if err := replace(path, text, mode); err != nil {
		return fileError(path, "it cannot be written", err)
	}
	return nil
}

// target follows links to the file that is meant.
func target(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", fileError(path, "it cannot be looked at", err)
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		to, _ := os.Readlink(path)
		return "", &Error{Kind: ErrFile, File: path, Message: fmt.Sprintf("it is a link to %s, which is not there", to),
			Advice: "make the file there, or remove the link", Err: err}
	}
	return real, nil
}

// replace puts a new file in the place of an old one at once.
func replace(path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func fileError(path, what string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return &Error{Kind: ErrFile, File: path, Message: what + ": " + cause(err), Advice: "look at the rights of the file and its folder", Err: err}
}
