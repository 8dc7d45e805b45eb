package decide

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/atomicfile"
)

// Why a [Store] has no decisions to give.
var (
	ErrNoPending = errors.New("no questions were handed over")
	ErrUndecided = errors.New("nobody decided yet")
	ErrOutdated  = errors.New("the decisions belong to other questions")
)

// A DamagedError is that a file of the store cannot be understood.
type DamagedError struct {
	Name string // of the file, without its folder
	Err  error
}

// Error names the file.
func (e *DamagedError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

// Unwrap gives what is wrong.
func (e *DamagedError) Unwrap() error { return e.Err }

const (
	pendingName = "pending.json"
	// lockWait is how long another writer of the folder is waited for; writing
	// takes milliseconds.
	lockWait = 10 * time.Second
	// sessionForm is the time that names a session, and timeForm how times are
	// written: always with the distance from UTC.
	sessionForm = "2006-01-02T15-04-05"
	timeForm    = "2006-01-02T15:04:05-07:00"
	// maxFileBytes is the largest file that is read: questions, decisions with
	// their notes, indented.
	maxFileBytes = 64 << 20
)

// A Store is the folder of a project that keeps the questions that are open
// (pending.json) and one record for each that was decided. Other programs may
// read and write there too; all files are replaced at once, under a lock.
type Store struct{ dir string }

// NewStore keeps everything in a folder, which need not be there yet.
func NewStore(dir string) *Store { return &Store{dir} }

type meta struct {
	CreatedAt string `json:"created_at"`
	SessionID string `json:"session_id"`
}

// Open makes questions the ones that are open, over those that were, and gives
// the name of the session, which no other has.
func (s *Store) Open(ctx context.Context, in *Input, now time.Time) (session string, err error) {
	err = s.locked(ctx, func(dir *atomicfile.Dir) error {
		session = s.newSession(dir, now)
		_meta, err := json.Marshal(meta{now.Format(timeForm), session})
		if err != nil {
			return err
		}
		// in is an object with members, always.
		text := append(bytes.TrimSuffix(in.raw.Clone(), []byte("}")), `,"_meta":`...)
		text = append(append(text, _meta...), '}')
		return write(dir, pendingName, text)
	})
	return session, err
}

// newSession gives the second that it is, and a number behind it where that
// is taken: by a record, or by the questions that are open now.
func (s *Store) newSession(dir *atomicfile.Dir, now time.Time) string {
	base := now.Format(sessionForm)
	n := 1
	if p, err := readPending(dir); err == nil {
		if rest, ok := strings.CutPrefix(p.session, base); ok {
			n = 2
			if last, err := strconv.Atoi(strings.TrimPrefix(rest, "-")); err == nil && last >= n {
				n = last + 1
			}
		}
	}
	for {
		session := base
		if n > 1 {
			session += "-" + strconv.Itoa(n)
		}
		if _, err := dir.Lstat(session + ".json"); errors.Is(err, fs.ErrNotExist) {
			return session
		}
		n++
	}
}

// Save keeps what was decided in a session. It tells whether the session's
// questions are still those that are open.
func (s *Store) Save(ctx context.Context, session string, in *Input, d Decisions, now time.Time) (current bool, err error) {
	text, err := json.Marshal(record{in.raw, d, now.Format(timeForm)})
	if err != nil {
		return false, err
	}
	err = s.locked(ctx, func(dir *atomicfile.Dir) error {
		if _, err := dir.Lstat(session + ".json"); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s.json: expected no such file yet, got one", session)
		}
		p, err := readPending(dir)
		current = err == nil && p.session == session
		return write(dir, session+".json", text)
	})
	return current, err
}

type record struct {
	Input       jsontext.Value `json:"input"`
	Output      Decisions      `json:"output"`
	CompletedAt string         `json:"completed_at"`
}

// Result gives the decisions on the questions that are open. The error is
// ErrNoPending, ErrUndecided, ErrOutdated, a [*DamagedError], or that of a
// file that cannot be read.
func (s *Store) Result() (Decisions, error) {
	dir, err := atomicfile.Open(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Decisions{}, ErrNoPending
	}
	if err != nil {
		return Decisions{}, err
	}
	defer func() { _ = dir.Close() }()
	p, err := readPending(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Decisions{}, ErrNoPending
	}
	if err != nil {
		return Decisions{}, err
	}
	d, err := readRecord(dir, p)
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return Decisions{}, err
	}
	for _, e := range entries {
		if n := e.Name(); n != pendingName && strings.HasSuffix(n, ".json") && !strings.HasPrefix(n, ".") {
			return Decisions{}, ErrOutdated
		}
	}
	return Decisions{}, ErrUndecided
}

type pending struct {
	in      *Input
	session string
}

// readPending reads the open questions. Where there are none, the error is
// fs.ErrNotExist.
func readPending(dir *atomicfile.Dir) (pending, error) {
	text, err := read(dir, pendingName)
	if err != nil {
		return pending{}, err
	}
	damaged := func(err error) (pending, error) { return pending{}, &DamagedError{pendingName, err} }
	var whole struct {
		Meta *meta `json:"_meta"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return damaged(err)
	}
	if whole.Meta == nil || !isSession(whole.Meta.SessionID) {
		return damaged(errors.New("expected _meta.session_id, the name of a session"))
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		return damaged(err)
	}
	delete(members, "_meta")
	rest, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return damaged(err)
	}
	in, err := ParseInput(rest)
	if err != nil {
		return damaged(err)
	}
	return pending{in, whole.Meta.SessionID}, nil
}

// isSession tells whether a text from a file may be part of a file name.
func isSession(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "0123456789T-") == "" && !strings.HasPrefix(s, "-")
}

func readRecord(dir *atomicfile.Dir, p pending) (Decisions, error) {
	name := p.session + ".json"
	text, err := read(dir, name)
	if err != nil {
		return Decisions{}, err
	}
	var r struct {
		Input  jsontext.Value `json:"input"`
		Output jsontext.Value `json:"output"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return Decisions{}, &DamagedError{name, err}
	}
	if same, err := equal(r.Input, p.in.raw); err != nil {
		return Decisions{}, &DamagedError{name, err}
	} else if !same {
		return Decisions{}, ErrOutdated
	}
	d, err := ParseDecisions(p.in, r.Output)
	if err != nil {
		return Decisions{}, &DamagedError{name, err}
	}
	return d, nil
}

// equal tells whether two JSON values mean the same.
func equal(a, b jsontext.Value) (bool, error) {
	a, b = a.Clone(), b.Clone()
	if err := errors.Join(a.Canonicalize(), b.Canonicalize()); err != nil {
		return false, err
	}
	return bytes.Equal(a, b), nil
}

func read(dir *atomicfile.Dir, name string) ([]byte, error) {
	// A pipe or a device would be waited for when it is opened.
	info, err := dir.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &DamagedError{name, errors.New("expected a file, got something else")}
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		return nil, &DamagedError{name, fmt.Errorf("expected at most %d bytes, got more", maxFileBytes)}
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// write puts JSON into a file as the document shows it: indented by two, with
// an end of line.
func write(dir *atomicfile.Dir, name string, text []byte) error {
	shown, err := reformat(text, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return dir.Replace(name, append(shown, '\n'), 0o600, nil)
}

// locked does something in the folder while no other writer can. The folder is
// made where it is not there.
func (s *Store) locked(ctx context.Context, do func(*atomicfile.Dir) error) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	dir, err := atomicfile.Open(s.dir)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	unlock, err := dir.Lock(ctx, pendingName, lockWait)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(s.dir, pendingName), err)
	}
	defer unlock()
	if err := dir.Clean(pendingName); err != nil {
		return err
	}
	return do(dir)
}
