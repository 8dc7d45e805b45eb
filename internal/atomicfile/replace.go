package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// A Pending is a written and synced file that waits to take its place.
type Pending struct {
	dir        *Dir
	temp, name string
}

// Prepare writes a text into a new file beside name, with a mode, and syncs
// it. Where old is not nil, the new file gets its owner as far as the system
// allows it. After an error nothing is left behind.
func (d *Dir) Prepare(name string, text []byte, mode fs.FileMode, old fs.FileInfo) (_ *Pending, err error) {
	p := &Pending{d, tempPrefix(name) + strings.ToLower(rand.Text()[:12]), name}
	f, err := d.OpenFile(p.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Discard())
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		chownLike(f, old)
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return p, err
}

// Commit puts the file in its place and syncs the folder. After an error
// before that nothing is left behind.
func (p *Pending) Commit() error {
	if err := p.dir.Rename(p.temp, p.name); err != nil {
		return errors.Join(err, p.Discard())
	}
	p.dir.Sync()
	return nil
}

// Discard removes the file instead.
func (p *Pending) Discard() error { return p.dir.Remove(p.temp) }

// Replace is Prepare and Commit.
func (d *Dir) Replace(name string, text []byte, mode fs.FileMode, old fs.FileInfo) error {
	p, err := d.Prepare(name, text, mode, old)
	if err != nil {
		return err
	}
	return p.Commit()
}

// Clean removes what killed writers of a file left behind. Only the holder of
// the file's lock may do it: what others write is not left behind.
func (d *Dir) Clean(name string) error {
	entries, err := fs.ReadDir(d.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix(name)) && e.Type().IsRegular() {
			if err := d.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func tempPrefix(name string) string { return "." + name + ".new-" }
