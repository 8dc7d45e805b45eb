package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Config says where sessions are and how they are written.
type Config struct {
	Dir  string              // the folder of all sessions; made with the first one
	Now  func() time.Time    // nil is the clock
	Mask func(string) string // goes over the texts of messages before they are written; nil is none
}

// A Store is the sessions of a person: a folder for each working directory,
// and in it a file for each session. Folders are 0700 and files 0600.
type Store struct{ config Config }

// NewStore prepares a store.
func NewStore(c Config) *Store {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Store{c}
}

// directoryKey is the name of the folder for a working directory: its last
// part for people, and a hash of the whole.
func directoryKey(cwd string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(cwd)))
	base := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, filepath.Base(cwd))
	return strings.Trim(shorten(base, 60), ".-") + "-" + hex.EncodeToString(sum[:6])
}

// Create makes a session for a working directory, which is an absolute path.
// parent is the path of the session before it, or "". There is no file before
// the first entry.
func (s *Store) Create(cwd, parent string) (*Session, error) {
	return s.config.create(Header{CWD: cwd, Parent: parent})
}

func (c Config) create(h Header) (*Session, error) {
	if c.Dir == "" {
		return nil, errors.New("expected a folder for sessions, there is none; name one")
	}
	h.ID, h.Created = newSessionID(), c.Now().UTC()
	path := filepath.Join(c.Dir, directoryKey(h.CWD), h.fileName())
	return &Session{header: h, path: path, config: c, write: true, x: newIndex()}, nil
}

// Open opens a session to go on with it, by its path, its id or the beginning
// of its id. Nobody else can write to it until it is closed; that somebody
// does is [ErrLocked]. A session of pi's is opened for reading.
func (s *Store) Open(ctx context.Context, ref string) (*Session, error) {
	return s.open(ctx, ref, true)
}

// View opens a session for reading, as it is now, also while another process
// writes to it: what that one has half written is told of as [Torn].
func (s *Store) View(ctx context.Context, ref string) (*Session, error) {
	return s.open(ctx, ref, false)
}

func (s *Store) open(ctx context.Context, ref string, write bool) (*Session, error) {
	path, err := s.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	return openSession(path, s.config, write)
}

// Find gives the path of a session that is named by its path, its id or the
// beginning of its id. The error of an id that none or more have is
// [ErrNoSession].
func (s *Store) Find(ctx context.Context, ref string) (string, error) {
	if strings.ContainsAny(ref, `/\`) || filepath.Ext(ref) == extension {
		return filepath.Abs(ref)
	}
	paths, err := s.paths(ctx, "")
	if err != nil {
		return "", err
	}
	var found []string
	for _, path := range paths {
		id := headerOfName(path).ID
		if id == ref {
			return path, nil
		}
		if ref != "" && strings.HasPrefix(id, ref) {
			found = append(found, path)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%w with an id that begins with %q in %s", ErrNoSession, ref, s.config.Dir)
	default:
		return "", fmt.Errorf("%w that %q alone means: %d ids begin with it; give more of the id", ErrNoSession, ref, len(found))
	}
}

// paths gives the files of all sessions, or of those of a working directory.
func (s *Store) paths(ctx context.Context, cwd string) ([]string, error) {
	dirs := []string{directoryKey(cwd)}
	if cwd == "" {
		dirs = nil
		entries, err := readDir(s.config.Dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			dirs = append(dirs, e.Name())
		}
	}
	var paths []string
	for _, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir = filepath.Join(s.config.Dir, dir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		entries, err := readDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if filepath.Ext(path) != extension {
				continue
			}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

func readDir(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// Info is what a list shows of a session.
type Info struct {
	Header
	Path     string
	Changed  time.Time // when it was written to last
	Name     string
	First    string // the first words of the user, at most 200 bytes
	Messages int    // on all branches; -1 is not known without reading the whole
	Size     int64  // in bytes
	Err      error  // why nothing more is known
}

// List gives the sessions of a working directory, or with "" all, the one
// that was written to last first. It reads beginnings and indexes only.
func (s *Store) List(ctx context.Context, cwd string) ([]Info, error) {
	paths, err := s.paths(ctx, cwd)
	if err != nil {
		return nil, err
	}
	list := make([]Info, 0, len(paths))
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if info := s.describe(path); !errors.Is(info.Err, fs.ErrNotExist) {
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(a, b Info) int { return b.Changed.Compare(a.Changed) })
	return list, nil
}

// describeWhole is the size of a file that is read whole for a list when its
// index does not fit, and describePart how much is read of a larger one.
const (
	describeWhole = 1 << 20
	describePart  = 64 << 10
)

// describe says what a list shows.
func (s *Store) describe(path string) (info Info) {
	info = Info{Header: headerOfName(path), Path: path, Messages: -1}
	f, err := openFile(path)
	if err != nil {
		info.Err = err
		return info
	}
	defer func() { info.Err = errors.Join(info.Err, f.Close()) }()
	stat, err := f.f.Stat()
	if err != nil {
		info.Err = err
		return info
	}
	info.Size, info.Changed = stat.Size(), stat.ModTime()
	v := &Session{path: f.path, config: s.config, f: f}
	if info.Header, v.form, info.Err = readHeader(f); info.Err != nil {
		return info
	}
	x, err := loadIndex(v.indexPath(), f, false)
	known := err == nil && v.form == formOurs
	if !known {
		known = f.end <= describeWhole
		if !known {
			f.end = describePart
		}
		if info.Err = v.rebuild(); info.Err != nil {
			return info
		}
		x = v.x
	}
	defer x.Close()
	info.Name, info.First = cString(x.Name[:]), cString(x.First[:])
	if known {
		info.Messages = x.counts().Messages()
	}
	return info
}

// Remove deletes a session with all that is kept beside it. One that somebody
// writes to stays; the error is [ErrLocked].
func (s *Store) Remove(ctx context.Context, ref string) error {
	path, err := s.Find(ctx, ref)
	if err != nil {
		return err
	}
	return s.remove(path)
}

func (s *Store) remove(path string) error {
	f, err := lockFile(path, false)
	if err != nil {
		return err
	}
	if !lockIsFile {
		// An open file cannot be removed there.
		return errors.Join(f.Close(), removeFiles(path))
	}
	return errors.Join(removeFiles(path), f.Close())
}

// removeFiles removes a session's file (of a link, the link) and what is
// beside it, and its folder where that is empty then.
func removeFiles(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	beside, rerr := readDir(filepath.Dir(path))
	err = errors.Join(err, rerr)
	for _, e := range beside {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if ok && (rest == "idx" || rest == "idx.new" || rest == "lock" || strings.HasPrefix(rest, "torn-")) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	_ = os.Remove(filepath.Dir(path)) // it works when the folder is empty
	return err
}

// A Rule says which sessions to prune: those to which one of its parts
// applies. A part that is zero applies to none.
type Rule struct {
	OlderThan time.Duration // since they were written to last
	Keep      int           // all but the newest so many
	MaxBytes  int64         // the oldest, until all together have no more bytes
	DryRun    bool          // remove none
}

// Prune removes sessions of a working directory, or with "" of all, and says
// which. Those that somebody writes to stay.
func (s *Store) Prune(ctx context.Context, cwd string, rule Rule) ([]Info, error) {
	list, err := s.List(ctx, cwd)
	if err != nil {
		return nil, err
	}
	var gone []Info
	var total int64
	for i, info := range list {
		if info.Changed.IsZero() {
			continue // it could not be looked at
		}
		old := rule.OlderThan > 0 && s.config.Now().Sub(info.Changed) > rule.OlderThan
		many := rule.Keep > 0 && i >= rule.Keep
		large := rule.MaxBytes > 0 && total+info.Size > rule.MaxBytes
		if !old && !many && !large {
			total += info.Size
			continue
		}
		err := ctx.Err()
		if err == nil && rule.DryRun {
			err = probe(info.Path)
		} else if err == nil {
			err = s.remove(info.Path)
		}
		if errors.Is(err, ErrLocked) {
			total += info.Size
			continue
		}
		if err != nil {
			return gone, err
		}
		gone = append(gone, info)
	}
	return gone, nil
}

// probe reports whether a file could be removed.
func probe(path string) error {
	f, err := lockFile(path, false)
	if err != nil {
		return err
	}
	return f.Close()
}

// eachMessage reads the messages of a file, and leaves out what is broken.
func eachMessage(ctx context.Context, path string, f func(Line) bool) error {
	file, err := openFile(path)
	if err != nil {
		return err
	}
	return errors.Join(file.eachMessage(ctx, f), file.Close())
}

func (f *file) eachMessage(ctx context.Context, do func(Line) bool) error {
	_, form, err := readHeader(f)
	if err != nil {
		return err
	}
	s := &Session{form: form}
	r := newLineReader(io.NewSectionReader(f.f, 0, f.end))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if raw.long {
			continue
		}
		l, err := s.parse(raw.text)
		if err != nil || l.Role == "" {
			continue
		}
		l.Number, l.Offset = raw.number, raw.offset
		l.count()
		if !do(l) {
			return nil
		}
	}
}
