package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/holic512/plugin-ai/internal/atomicfile"
)

// lockWait is how long another writer is waited for.
const lockWait = 10 * time.Second

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
	folder, err := atomicfile.Open(filepath.Dir(path))
	if err != nil {
		return fileError(path, "its folder cannot be opened", err)
	}
	defer func() { _ = folder.Close() }()
	unlock, err := folder.Lock(ctx, filepath.Base(path), lockWait)
	if errors.Is(err, context.DeadlineExceeded) {
		busy := &atomicfile.BusyError{Err: err}
		_ = errors.As(err, &busy)
		return &Error{Kind: ErrFile, File: path, Message: busy.Error(), Advice: "try again when it is done", Err: err}
	}
	if err != nil {
		return fileError(path, "it cannot be locked", err)
	}
	defer unlock()

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
	if err := folder.Replace(filepath.Base(path), text, mode, nil); err != nil {
		return fileError(path, "it cannot be written", err)
	}
	return nil
}

// target follows links to the file that is meant.
func target(path string) (string, error) {
	real, err := atomicfile.Target(path)
	if errors.Is(err, atomicfile.ErrDangling) {
		to, _ := os.Readlink(path)
		return "", &Error{Kind: ErrFile, File: path, Message: fmt.Sprintf("it is a link to %s, which is not there", to),
			Advice: "make the file there, or remove the link", Err: err}
	}
	if err != nil {
		return "", fileError(path, "it cannot be looked at", err)
	}
	return real, nil
}

func fileError(path, what string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return &Error{Kind: ErrFile, File: path, Message: what + ": " + cause(err), Advice: "look at the rights of the file and its folder", Err: err}
}
