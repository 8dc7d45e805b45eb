package jsonfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/holic512/plugin-ai/internal/atomicfile"
)

// lockWait is how long another writer is waited for.
const lockWait = 10 * time.Second

// Commit writes a planned change, where the file still is what it was planned
// with, and gives the id of the backup: "" where there was nothing to do.
// Another writer is waited for up to ten seconds.
//
// The file is replaced at once and keeps its mode and, as far as the system
// allows, its owner; a new one is 0600. After an error, or a crash at any
// moment, the file is the old or the new one, whole. The error is an [*Error],
// or that of ctx.
func (e *Editor) Commit(ctx context.Context, c *Change) (backup string, err error) {
	if c.Same() {
		return "", nil
	}
	dir, err := e.openPlace(c.Path, c.New != nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	name := filepath.Base(c.Path)
	unlock, err := dir.Lock(ctx, name, lockWait)
	if err != nil {
		return "", lockError(ctx, c.Path, err)
	}
	defer unlock()
	e.did("locked")
	if err := dir.Clean(name); err != nil {
		return "", fileError(c.Path, "what a killed writer left cannot be removed", err)
	}
	now, release, err := e.readLocked(ctx, dir, c.Path)
	if err != nil {
		return "", err
	}
	defer release()
	if !unchanged(c, now) {
		return "", changedError(c.Path)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return e.write(ctx, dir, c, now)
}

// readLocked reads a file while other programs that lock it are kept out.
func (e *Editor) readLocked(ctx context.Context, dir *atomicfile.Dir, path string) (now state, release func(), err error) {
	held, now, err := read(dir, path)
	if err != nil || held == nil {
		return now, func() {}, err
	}
	unlock, err := atomicfile.LockFile(ctx, held, lockWait)
	if err != nil {
		_ = held.Close()
		return state{}, nil, lockError(ctx, path, err)
	}
	release = func() { unlock(); _ = held.Close() }
	// Whoever had it locked may have written it.
	again, now, err := read(dir, path)
	if again != nil {
		_ = again.Close()
	}
	if err != nil {
		release()
		return state{}, nil, err
	}
	return now, release, nil
}

// write makes the backup and then the change, with the file locked.
func (e *Editor) write(ctx context.Context, dir *atomicfile.Dir, c *Change, now state) (string, error) {
	store, err := e.openStore(true)
	if err != nil {
		return "", err
	}
	defer func() { _ = store.Close() }()
	unlock, err := store.Lock(ctx, "backups", lockWait)
	if err != nil {
		return "", lockError(ctx, e.cfg.Backups, err)
	}
	defer unlock()
	last, err := store.settle(c.Path, now)
	if err != nil {
		return "", err
	}
	r := e.record(c, last)
	if err := e.keepOld(store, r, c.Old); err != nil {
		return "", err
	}
	if err := e.replace(dir, c, now); err != nil {
		// Nothing was written, so nothing can be taken back.
		return "", errors.Join(err, store.drop(r.ID))
	}
	if err := store.confirm(r.ID); err != nil {
		// The change is made, and its backup is found all the same.
		return r.ID, nil
	}
	e.did("confirmed")
	_ = store.prune(c.Path, e.cfg.Keep) // a backup too many is no failure
	e.did("pruned")
	return r.ID, nil
}

// replace puts the new file in the place of the old one, or removes it.
func (e *Editor) replace(dir *atomicfile.Dir, c *Change, now state) error {
	name := filepath.Base(c.Path)
	if c.New == nil {
		if err := dir.Remove(name); err != nil {
			return fileError(c.Path, "it cannot be removed", err)
		}
		e.did("replaced")
		dir.Sync()
		return nil
	}
	mode := fs.FileMode(0o600)
	if now.info != nil {
		mode = now.info.Mode().Perm()
	}
	pending, err := dir.Prepare(name, c.New, mode, now.info)
	if err != nil {
		return fileError(c.Path, "it cannot be written", err)
	}
	e.did("prepared")
	if err := pending.Commit(); err != nil {
		return fileError(c.Path, "it cannot be replaced", err)
	}
	e.did("replaced")
	return nil
}

// unchanged tells that a file still is what was planned with.
func unchanged(c *Change, now state) bool {
	if c.Existed != (now.info != nil) {
		return false
	}
	return !c.Existed || os.SameFile(c.info, now.info) && bytes.Equal(c.Old, now.text)
}

// openPlace opens the folder of a file that may be changed, and makes it where
// it is missing.
func (e *Editor) openPlace(path string, create bool) (*atomicfile.Dir, error) {
	folder := filepath.Dir(path)
	if create {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fileError(path, "its folder cannot be made", err)
		}
	}
	dir, err := atomicfile.Open(folder)
	if err != nil {
		return nil, fileError(path, "its folder cannot be opened", err)
	}
	// A link may have come into the path since it was looked at.
	real, err := e.place(path, "")
	held, herr := dir.Stat(".")
	there, terr := os.Lstat(folder)
	if err == nil && (real != path || herr != nil || terr != nil || !os.SameFile(held, there)) {
		err = changedError(path)
	}
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	return dir, nil
}

func lockError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if busy, ok := errors.AsType[*atomicfile.BusyError](err); ok {
		return &Error{Kind: KindBusy, Path: path, Message: busy.Error() + "; nothing was written", Advice: "try again when it is done", Err: err}
	}
	return fileError(path, "it cannot be locked", err)
}

// did tells a test what was just done.
func (e *Editor) did(what string) {
	if e.step != nil {
		e.step(what)
	}
}
