package jsonfile

import (
	"crypto/rand"
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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/atomicfile"
)

// A store is the open folder of backups. A backup is two files: ID.old has
// what the file had, byte for byte, and ID.json the record. Until the file is
// written, the record's name ends in .pending: it may never be. They are
// written in this order, so that a crash leaves at most one pending record,
// which tells with its hashes whether the file was written. Who writes holds
// the folder's lock.
type store struct {
	*atomicfile.Dir
	path string
}

const (
	oldSuffix     = ".old"
	recordSuffix  = ".json"
	pendingSuffix = ".pending"
	maxRecord     = 64 << 10 // bytes
)

// record is a backup's file.
type record struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Path    string    `json:"path"`
	Time    time.Time `json:"time"`
	Existed bool      `json:"existed"`
	Before  string    `json:"before"` // sha256 of the text; "" where there is no file
	After   string    `json:"after"`
	Undoes  string    `json:"undoes,omitzero"` // an id

	pending bool
	broken  error // why this is no record
}

const recordVersion = 1

// openStore opens the folder of backups. Where it is missing and not to be
// made, the store is nil.
func (e *Editor) openStore(create bool) (*store, error) {
	path := e.cfg.Backups
	if create {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fileError(path, "the folder for backups cannot be made", err)
		}
	}
	dir, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(path, "the folder for backups cannot be opened", err)
	}
	return &store{dir, path}, nil
}

// sum is how a record names a text.
func sum(text []byte, there bool) string {
	if !there {
		return ""
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// idLayout makes ids that sort by time, such as 20261121-140316000000-3f2a.
const idLayout = "20060102-150405"

// record makes the record of a change that comes after all others, also where
// the clock stands or goes back.
func (e *Editor) record(c *Change, last time.Time) record {
	now := e.cfg.Now().Round(time.Microsecond)
	if !now.After(last) {
		now = last.Add(time.Microsecond)
	}
	return record{
		Version: recordVersion, Path: c.Path, Time: now, Existed: c.Existed,
		Before: sum(c.Old, c.Existed), After: sum(c.New, c.New != nil), Undoes: c.Undoes,
		ID: now.UTC().Format(idLayout) + fmt.Sprintf("%06d", now.Nanosecond()/1000) + "-" + strings.ToLower(rand.Text()[:4]),
	}
}

// isID keeps names that lead elsewhere away.
func isID(id string) bool {
	return len(id) > 0 && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// keepOld writes the backup, as one whose change was not made.
func (e *Editor) keepOld(s *store, r record, old []byte) error {
	text, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err == nil {
		err = s.Replace(r.ID+oldSuffix, old, 0o600, nil)
		e.did("kept")
	}
	if err == nil {
		err = s.Replace(r.ID+pendingSuffix, append(text, '\n'), 0o600, nil)
		e.did("recorded")
	}
	if err != nil {
		return errors.Join(fileError(s.path, "the backup cannot be written, so nothing was changed", err), s.drop(r.ID))
	}
	return nil
}

// confirm says that the change of a backup was made.
func (s *store) confirm(id string) error {
	if err := s.Rename(id+pendingSuffix, id+recordSuffix); err != nil {
		return err
	}
	s.Sync()
	return nil
}

// drop removes a backup, the record first.
func (s *store) drop(id string) error {
	var failed error
	for _, suffix := range []string{pendingSuffix, recordSuffix, oldSuffix} {
		if err := s.Remove(id + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fileError(filepath.Join(s.path, id+suffix), "it cannot be removed", err))
		}
	}
	return failed
}

// read reads a plain file of the folder.
func (s *store) read(name string, most int64) ([]byte, error) {
	info, err := s.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("expected a file, got " + info.Mode().Type().String())
	}
	f, err := s.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("expected at most %d bytes, got more", most)
	}
	return text, err
}

// records reads all records, the oldest first. What is none has broken set,
// and its name as the id.
func (s *store) records() ([]record, error) {
	entries, err := fs.ReadDir(s.FS(), ".")
	if err != nil {
		return nil, fileError(s.path, "the backups cannot be listed", err)
	}
	var found []record
	for _, entry := range entries {
		id, confirmed := strings.CutSuffix(entry.Name(), recordSuffix)
		if !confirmed {
			var pending bool
			if id, pending = strings.CutSuffix(entry.Name(), pendingSuffix); !pending {
				continue
			}
		}
		r, err := s.record(id, entry.Name())
		if err != nil {
			r = record{ID: id, broken: fmt.Errorf("%s: %w", filepath.Join(s.path, entry.Name()), err)}
		}
		r.pending = !confirmed
		found = append(found, r)
	}
	slices.SortFunc(found, func(a, b record) int { return strings.Compare(a.ID, b.ID) })
	return found, nil
}

func (s *store) record(id, name string) (record, error) {
	var r record
	text, err := s.read(name, maxRecord)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	switch {
	case err != nil:
		return r, err
	case r.Version != recordVersion:
		return r, fmt.Errorf("expected a record of version %d, got %d", recordVersion, r.Version)
	case !isID(id) || r.ID != id || !filepath.IsAbs(r.Path):
		return r, errors.New("expected a record with the id that is its name and the path of a file, got another")
	}
	return r, nil
}

// settle finds out, with the file locked, what became of changes that were
// not confirmed: one that was written is confirmed, one that was not is
// dropped. Where the file is neither the old nor the new one, that cannot be
// told, and the backup stays as it is. It removes what killed writers left in
// the folder, and gives the time of the newest backup.
func (s *store) settle(path string, now state) (last time.Time, err error) {
	found, err := s.records()
	if err != nil {
		return last, err
	}
	is := sum(now.text, now.info != nil)
	known := map[string]bool{}
	for _, r := range found {
		known[r.ID] = true
		if r.Time.After(last) {
			last = r.Time
		}
		if !r.pending || r.Path != path {
			continue
		}
		switch is {
		case r.After:
			err = s.confirm(r.ID)
		case r.Before:
			err = s.drop(r.ID)
		}
		if err != nil {
			return last, fileError(s.path, "an earlier backup cannot be settled", err)
		}
	}
	return last, s.sweep(known)
}

// sweep removes texts without a record and files that were not finished.
func (s *store) sweep(known map[string]bool) error {
	entries, err := fs.ReadDir(s.FS(), ".")
	if err != nil {
		return fileError(s.path, "the backups cannot be listed", err)
	}
	for _, entry := range entries {
		name, unfinished := strings.CutPrefix(entry.Name(), ".")
		if unfinished {
			name, _, unfinished = strings.Cut(name, ".new-")
		}
		id, suffix, _ := strings.Cut(name, ".")
		ours := isID(id) && entry.Type().IsRegular() && ("."+suffix == oldSuffix || "."+suffix == pendingSuffix)
		if !ours || !unfinished && ("."+suffix != oldSuffix || known[id]) {
			continue
		}
		if err := s.Remove(entry.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(s.path, "what a killed writer left cannot be removed", err)
		}
	}
	return nil
}

// prune removes the oldest backups of a file.
func (s *store) prune(path string, keep int) error {
	found, err := s.records()
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(r record) bool { return r.Path != path })
	for _, r := range found[:max(0, len(found)-keep)] {
		err = errors.Join(err, s.drop(r.ID))
	}
	return err
}
