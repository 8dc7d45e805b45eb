package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A file is an open session file. With a lock nobody else that locks writes
// to it; without one it is only read.
type file struct {
	path    string // of the file itself, where the given one is a link
	f       *os.File
	lock    *flock.Flock
	end     int64 // where the next line goes
	lacksLF bool  // the last line has no end yet
	torn    bool  // behind end there may be a part of a line that could not be taken back
	created bool
}

// openFile opens a file for reading.
func openFile(path string) (*file, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	return (&file{path: path, f: f}).measured()
}

// lockFile opens a file for writing and locks it, without waiting. With
// create a file that is not there is made.
func lockFile(path string, create bool) (*file, error) {
	path, err := resolve(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && (!missing || !create) {
		return nil, err
	}
	flags := os.O_RDWR | openFlags
	if create {
		flags |= os.O_CREATE
	}
	lockFlags := flags
	if !lockIsFile {
		lockFlags |= os.O_CREATE
	}
	lock := flock.New(lockPath(path), flock.SetFlag(lockFlags), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		err = fmt.Errorf("%s: %w; try again when it is done", path, ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flags&^os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	file := &file{path: path, f: f, lock: lock, created: missing}
	if lockIsFile && !file.same(lock.Stat()) || !file.inPlace() {
		// Another process put a new file here in this very moment.
		return nil, errors.Join(fmt.Errorf("%s: %w; try again when it is done", path, ErrLocked), file.Close())
	}
	return file.measured()
}

// resolve follows links to the file that is meant, and refuses what opening
// could wait for. The error of a file that is not there is fs.ErrNotExist,
// and the path is good.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if to, lerr := os.Readlink(path); lerr == nil {
			return "", fmt.Errorf("%s is a link to %s, which is not there; make that file or remove the link", path, to)
		}
		return path, err
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w; name a file", path, ErrNotRegular)
	}
	return filepath.EvalSymlinks(path)
}

// measured looks at the size and the last byte.
func (f *file) measured() (*file, error) {
	info, err := f.f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w; name a file", f.path, ErrNotRegular)
	}
	if err == nil {
		err = f.ends(info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ends notes where the file ends.
func (f *file) ends(size int64) error {
	f.end, f.lacksLF = size, false
	if size == 0 {
		return nil
	}
	last := []byte{0}
	_, err := f.f.ReadAt(last, size-1)
	f.lacksLF = last[0] != '\n'
	return err
}

// same reports whether info is of the file that is open.
func (f *file) same(info fs.FileInfo, err error) bool {
	own, err2 := f.f.Stat()
	return err == nil && err2 == nil && os.SameFile(own, info)
}

// inPlace reports whether the open file is still what its path names.
func (f *file) inPlace() bool { return f.same(os.Stat(f.path)) }

// unchanged checks that nobody else wrote to the file or replaced it.
func (f *file) unchanged() error {
	info, err := f.f.Stat()
	if err != nil {
		return err
	}
	what := ""
	switch {
	case !f.inPlace():
		what = "another file, or none, is in its place"
	case f.torn:
		return f.takeBack()
	case info.Size() < f.end:
		what = fmt.Sprintf("it had %d bytes and has %d", f.end, info.Size())
	case info.Size() > f.end:
		what = fmt.Sprintf("it had %d bytes and has %d; nothing was added to it here", f.end, info.Size())
	default:
		return nil
	}
	return fmt.Errorf("%s: %w: %s; open it again", f.path, ErrChanged, what)
}

// append writes whole lines, their ends included, in one write and makes sure
// that they are on the disk. It gives where the first one begins. After an
// error none of them is in the file.
func (f *file) append(lines []byte) (start int64, err error) {
	if err := f.unchanged(); err != nil {
		return 0, err
	}
	start = f.end
	if f.lacksLF {
		lines = append([]byte{'\n'}, lines...)
		start++
	}
	_, err = f.f.WriteAt(lines, f.end)
	if err == nil {
		err = f.f.Sync()
	}
	if err != nil {
		err = fmt.Errorf("%s: %d bytes cannot be added: %w", f.path, len(lines), err)
		return 0, errors.Join(err, f.takeBack())
	}
	f.end += int64(len(lines))
	f.lacksLF = false
	return start, nil
}

// takeBack removes what a failed write left.
func (f *file) takeBack() error {
	err := f.f.Truncate(f.end)
	if err == nil {
		err = f.f.Sync()
	}
	if f.torn = err != nil; f.torn {
		return fmt.Errorf("%s: a part of a line is left at its end, at byte %d: %w", f.path, f.end, err)
	}
	return nil
}

// cut takes a torn end off the file and keeps it in a file beside, whose path
// it gives.
func (f *file) cut(from int64, now time.Time) (kept string, err error) {
	if err := f.unchanged(); err != nil {
		return "", err
	}
	aside, err := createAside(f.path + ".torn-" + now.UTC().Format("20060102T150405.000Z"))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(aside, io.NewSectionReader(f.f, from, f.end-from))
	if err == nil {
		err = aside.Sync()
	}
	if cerr := aside.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = syncDir(filepath.Dir(f.path))
	}
	if err == nil {
		err = f.f.Truncate(from)
	}
	if err == nil {
		err = f.f.Sync()
	}
	if err != nil {
		return "", fmt.Errorf("%s: its torn end cannot be cut off: %w", f.path, err)
	}
	return aside.Name(), f.ends(from)
}

// createAside makes a file that is not there yet.
func createAside(path string) (*os.File, error) {
	for n := 1; ; n++ {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s-%d", path, n)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Close gives the lock back. A file that was made here and is still empty is
// removed.
func (f *file) Close() error {
	var err error
	if f.lock != nil {
		if f.created && f.end == 0 && f.inPlace() {
			err = os.Remove(f.path)
		}
		err = errors.Join(err, f.f.Close(), f.lock.Close())
		f.lock = nil
		return err
	}
	return f.f.Close()
}

// read gives the bytes of a part of the file.
func (f *file) read(offset int64, length uint32) ([]byte, error) {
	b := make([]byte, length)
	_, err := f.f.ReadAt(b, offset)
	return b, err
}

// A rawLine is what stands between two line ends.
type rawLine struct {
	text   []byte // without its end
	number int    // from 1
	offset int64
	ended  bool // it has an end
	long   bool // above MaxLine; the text is not given
}

// A lineReader takes lines off a file, one after the other, in bounded memory.
type lineReader struct {
	r      *bufio.Reader
	number int
	offset int64
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, 64<<10)} }

var bom = []byte("\xEF\xBB\xBF") //nolint:gochecknoglobals // a constant

// next gives the next line; io.EOF is the end. The text is the caller's.
func (r *lineReader) next() (rawLine, error) {
	r.number++
	l := rawLine{number: r.number, offset: r.offset}
	for {
		part, err := r.r.ReadSlice('\n')
		r.offset += int64(len(part))
		if len(l.text)+len(part) > MaxLine+len("\r\n") {
			l.long, l.text = true, nil
		}
		if !l.long {
			l.text = append(l.text, part...)
		}
		switch {
		case err == nil:
			l.ended = true
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case !errors.Is(err, io.EOF):
			return rawLine{}, err
		case r.offset == l.offset:
			return rawLine{}, io.EOF
		}
		break
	}
	if l.number == 1 && bytes.HasPrefix(l.text, bom) {
		l.text = l.text[len(bom):]
		l.offset += int64(len(bom))
	}
	if l.ended && !l.long {
		l.text = bytes.TrimSuffix(l.text[:len(l.text)-1], []byte{'\r'})
	}
	return l, nil
}

// blank reports whether nothing is in a line.
func (l rawLine) blank() bool { return !l.long && len(bytes.Trim(l.text, " \t\r")) == 0 }

// looksTorn reports whether a last line that is no entry is what a crash
// leaves: its end is missing, or blocks of it were never written.
func (l rawLine) looksTorn() bool { return !l.ended || bytes.IndexByte(l.text, 0) >= 0 }

// problem says that a line is none.
func (l rawLine) problem(path string, err error) Problem {
	p := Problem{Kind: Broken, Path: path, Line: l.number, Offset: l.offset}
	if l.long {
		p.Kind, err = TooLong, fmt.Errorf("expected at most %d bytes, there are more", MaxLine)
	}
	p.What = err.Error()
	return p
}
