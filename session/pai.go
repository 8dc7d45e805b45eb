package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ReadFile reads a flat session file: its lines in their order, and what is
// wrong with the others. It changes nothing and needs no lock. A file that is
// not there is fs.ErrNotExist.
func ReadFile(path string) ([]Line, []Problem, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	lines, problems, err := f.lines()
	return lines, problems, errors.Join(err, f.Close())
}

// AppendFile adds lines to a flat session file, which is made where it is not
// there: all of them or, after an error, none. It takes the lock without
// waiting, and reads no more than the last line; a torn one is cut off and
// kept beside, which is the problem that it gives.
func AppendFile(ctx context.Context, path string, lines ...Line) ([]Problem, error) {
	f, err := lockFile(path, true)
	if err != nil {
		return nil, err
	}
	p := &PaiFile{f: f, now: time.Now}
	err = p.Append(ctx, lines...)
	return p.problems, errors.Join(err, p.Close())
}

// Rewrite puts other lines in the place of all there are in a flat session
// file, at once: a reader sees the old file or the new one. It takes the lock
// without waiting. A file with broken lines is refused, as they would be lost.
func Rewrite(ctx context.Context, path string, lines ...Line) error {
	p, err := OpenFile(path)
	if err != nil {
		return err
	}
	return errors.Join(p.Rewrite(ctx, lines...), p.Close())
}

// A PaiFile is a flat session file that is locked from when it is read until
// it is written: between them a model may be asked, and no other process can
// come in between.
type PaiFile struct {
	f        *file
	now      func() time.Time
	lines    []Line
	problems []Problem
}

// OpenFile locks a flat session file without waiting, and reads it. A file
// that is not there is made, and removed by Close when nothing was written.
func OpenFile(path string) (*PaiFile, error) {
	f, err := lockFile(path, true)
	if err != nil {
		return nil, err
	}
	p := &PaiFile{f: f, now: time.Now}
	if p.lines, p.problems, err = f.lines(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// Lines gives what was read.
func (p *PaiFile) Lines() []Line { return p.lines }

// Problems gives what is wrong with the file. A torn end is in it from the
// beginning, and where it is kept when something was written.
func (p *PaiFile) Problems() []Problem { return p.problems }

// Append adds lines: all of them or, after an error, none. They are safe on
// the disk when it returns.
func (p *PaiFile) Append(ctx context.Context, lines ...Line) error {
	if err := ctx.Err(); err != nil || len(lines) == 0 {
		return err
	}
	data, err := joined(lines)
	if err != nil {
		return err
	}
	if err := p.cutTorn(); err != nil {
		return err
	}
	_, err = p.f.append(data)
	return err
}

// Rewrite puts other lines in the place of all there are. It can be used
// once, and nothing can be appended after it.
func (p *PaiFile) Rewrite(ctx context.Context, lines ...Line) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, problem := range p.problems {
		if problem.Kind != Torn {
			return fmt.Errorf("%s; mend or remove that line first, as writing the file anew would lose it", problem)
		}
	}
	data, err := joined(lines)
	if err != nil {
		return err
	}
	if err := p.cutTorn(); err != nil {
		return err
	}
	if err := p.f.unchanged(); err != nil {
		return err
	}
	info, err := p.f.f.Stat()
	if err != nil {
		return err
	}
	next, err := writeNew(p.f.path, data, info.Mode().Perm())
	if err == nil && !lockIsFile {
		err = p.f.f.Close() // an open file cannot be replaced there
	}
	if err != nil {
		return err
	}
	if err := os.Rename(next, p.f.path); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return syncDir(filepath.Dir(p.f.path))
}

// writeNew writes a file that is to take the place of another.
func writeNew(path string, data []byte, mode fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// Close gives the lock back.
func (p *PaiFile) Close() error {
	err := p.f.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// cutTorn takes a torn last line off.
func (p *PaiFile) cutTorn() error {
	last, err := p.f.lastLine()
	if err != nil || last.blank() || !last.looksTorn() {
		return err
	}
	err = errors.New("the line is too long")
	if !last.long {
		_, err = ParseLine(last.text)
	}
	if err == nil {
		return nil
	}
	problem := last.problem(p.f.path, err)
	problem.Kind, problem.What = Torn, "the last line is unfinished: "+problem.What
	if problem.Kept, err = p.f.cut(last.offset, p.now()); err != nil {
		return err
	}
	if i := slices.IndexFunc(p.problems, func(q Problem) bool { return q.Kind == Torn }); i >= 0 {
		p.problems[i].Kept = problem.Kept
	} else {
		p.problems = append(p.problems, problem)
	}
	return nil
}

// joined gives lines as they are written.
func joined(lines []Line) ([]byte, error) {
	var data []byte
	for i, l := range lines {
		if len(l.raw) == 0 {
			return nil, fmt.Errorf("line %d of %d to be written is empty; make it with NewLine or ParseLine", i+1, len(lines))
		}
		data = append(append(data, l.raw...), '\n')
	}
	return data, nil
}

// lines reads the whole file.
func (f *file) lines() (lines []Line, _ []Problem, _ error) {
	var found problems
	r := newLineReader(io.NewSectionReader(f.f, 0, f.end))
	for {
		raw, err := r.next()
		if errors.Is(err, io.EOF) {
			return lines, found.list, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if raw.blank() {
			continue
		}
		var l Line
		if err = errors.New("the line is too long"); !raw.long {
			l, err = ParseLine(raw.text)
		}
		if err != nil {
			p := raw.problem(f.path, err)
			if r.offset == f.end && raw.looksTorn() {
				p.Kind, p.What = Torn, "the last line is unfinished: "+p.What
			}
			found.add(p)
			continue
		}
		l.Number, l.Offset = raw.number, raw.offset
		lines = append(lines, l)
	}
}

// lastLine reads the last line alone. Its number is not known.
func (f *file) lastLine() (rawLine, error) {
	if f.end == 0 {
		return rawLine{ended: true}, nil
	}
	begin := int64(0)
	// The last byte may be the line's own end.
	for to := f.end - 1; to > 0; {
		from := max(0, to-64<<10)
		part, err := f.read(from, uint32(to-from))
		if err != nil {
			return rawLine{}, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			begin = from + int64(i) + 1
			break
		}
		to = from
	}
	l, err := newLineReader(io.NewSectionReader(f.f, begin, f.end-begin)).next()
	l.number, l.offset = 0, l.offset+begin
	return l, err
}
