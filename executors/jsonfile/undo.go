package jsonfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Backup is a change that can be taken back.
type Backup struct {
	ID      string // sorts by time, safe as the name of a file
	Path    string // of the file
	Time    time.Time
	Existed bool // the file was there before; else taking back removes it
	Undo    bool // the change took another one back
	Undone  bool // the change was taken back
	// Unsure tells that the change was begun, and that it is not known whether
	// it was made.
	Unsure bool
	// Err is why this is no backup, but something else in their folder: only ID
	// is filled then, with its name.
	Err error

	before, after string
}

// Backups lists the backups, the newest first.
func (e *Editor) Backups() ([]Backup, error) {
	s, err := e.openStore(false)
	if err != nil || s == nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	found, err := s.records()
	if err != nil {
		return nil, err
	}
	var list []Backup
	undone := map[string]bool{}
	for _, r := range slices.Backward(found) {
		if r.broken != nil {
			list = append(list, Backup{ID: r.ID, Err: r.broken})
			continue
		}
		unsure := r.pending && !e.written(r)
		if unsure && e.current(r.Path) == r.Before {
			continue // it was never made, or is being made
		}
		list = append(list, Backup{ID: r.ID, Path: r.Path, Time: r.Time, Existed: r.Existed,
			Undo: r.Undoes != "", Undone: undone[r.ID], Unsure: unsure, before: r.Before, after: r.After})
		if !unsure && r.Undoes != "" && !undone[r.ID] {
			undone[r.Undoes] = true
		}
	}
	return list, nil
}

// written tells that a file is what an unconfirmed change made of it.
func (e *Editor) written(r record) bool { return e.current(r.Path) == r.After }

// unreadable is no file's sum.
const unreadable = "?"

// current is the sum of a file as it is now.
func (e *Editor) current(path string) string {
	if real, err := e.place(path, ""); err != nil || real != path {
		return unreadable
	}
	now, err := readPath(path)
	if err != nil {
		return unreadable
	}
	return sum(now.text, now.info != nil)
}

// PlanUndo plans to put back what a file was before a change: that of an id,
// or, for "", the last one that was made, is not itself an undo, was not
// undone, and whose file is not already as it was before. Undoing an undo by
// its id makes the change again. What is put back is not held against a
// schema: it was there before.
func (e *Editor) PlanUndo(id string) (*Change, Backup, error) {
	list, err := e.Backups()
	if err != nil {
		return nil, Backup{}, err
	}
	i := slices.IndexFunc(list, func(b Backup) bool {
		if id != "" {
			return b.ID == id
		}
		return b.Err == nil && !b.Undo && !b.Undone && !b.Unsure && e.current(b.Path) != b.before
	})
	if i < 0 && id == "" {
		return nil, Backup{}, &Error{Kind: KindNothing, Message: "there is no change to take back"}
	}
	if i < 0 {
		return nil, Backup{}, &Error{Kind: KindNothing, Message: fmt.Sprintf("there is no backup %q", id), Advice: "list the backups"}
	}
	if list[i].Err != nil {
		return nil, list[i], &Error{Kind: KindFile, Path: e.cfg.Backups, Message: "the backup cannot be used: " + list[i].Err.Error(), Err: list[i].Err}
	}
	c, err := e.undo(list[i])
	return c, list[i], err
}

func (e *Editor) undo(b Backup) (*Change, error) {
	s, err := e.openStore(false)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, &Error{Kind: KindFile, Path: e.cfg.Backups, Message: "the folder for backups is not there any more"}
	}
	defer func() { _ = s.Close() }()
	real, err := e.place(b.Path, "")
	if err != nil {
		return nil, err
	}
	if real != b.Path {
		return nil, &Error{Kind: KindPlace, Path: b.Path, Message: "expected the file that was changed, got a path that leads to " + real + " now"}
	}
	old, err := s.read(b.ID+oldSuffix, MaxBytes)
	if err == nil && sum(old, b.Existed) != b.before {
		err = errors.New("expected the text that was kept, got another")
	}
	if err == nil && b.Existed {
		err = checkText(real, old)
	}
	if err != nil {
		return nil, fileError(e.cfg.Backups, "the backup "+b.ID+" cannot be used", err)
	}
	now, err := readPath(real)
	if err != nil {
		return nil, err
	}
	c := &Change{Path: real, Existed: now.info != nil, Old: now.text, info: now.info, Undoes: b.ID}
	if b.Existed {
		c.New = bytes.Clone(old)
	}
	c.ChangedSince = sum(now.text, now.info != nil) != b.after
	c.Members = differing(membersOf(c.Old), membersOf(c.New))
	c.plan = func() (*Change, error) { return e.undo(b) }
	return c, nil
}
