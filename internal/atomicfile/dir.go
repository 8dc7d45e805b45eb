package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Dir is an open folder. What is done in it stays in it, also where the
// folder is moved or a link is put in its place meanwhile.
type Dir struct {
	*os.Root
	path string
}

// Open opens a folder that is there.
func Open(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root, path}, nil
}

// Sync makes sure that what was renamed or removed in the folder survives a
// crash. Where folders cannot be synced, it does nothing: the files are safe.
func (d *Dir) Sync() {
	if f, err := d.Open("."); err == nil {
		syncFolder(f)
		_ = f.Close()
	}
}

// ErrDangling is that a link leads to nothing.
var ErrDangling = errors.New("a link to what is not there")

// Target follows a link to the file that is meant. A path where nothing is
// stays as it is; for a link to nothing the error is [ErrDangling].
func Target(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDangling, err)
	}
	return real, nil
}
