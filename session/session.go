package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// A Session is one open conversation: a tree of entries and the leaf that the
// next one follows. It is safe for concurrent use.
type Session struct {
	header Header
	form   form
	path   string
	config Config
	write  bool // it may be appended to

	mu       sync.Mutex
	f        *file // nil before the first entry
	x        *index
	stale    bool   // the index has to be made anew
	leaf     uint32 // record of the leaf, from 1; 0 is before the first entry
	leafID   string // its id; "" is that of the newest entry, or none
	problems problems
	lost     []Problem // what was cut off; it is not in the file any more
}

// openSession opens a file.
func openSession(path string, config Config, write bool) (*Session, error) {
	var f *file
	var err error
	if write {
		f, err = lockFile(path, false)
	} else {
		f, err = openFile(path)
	}
	if err != nil {
		return nil, err
	}
	s := &Session{path: f.path, config: config, write: write, f: f}
	if s.header, s.form, err = readHeader(f); err == nil && s.form == formPi && write {
		// It is not ours to lock.
		if err := f.Close(); err != nil {
			return nil, err
		}
		return openSession(path, config, false)
	}
	if err == nil {
		err = s.load()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.leaf = s.x.Count
	return s, nil
}

// load takes the index, or makes it.
func (s *Session) load() error {
	if s.form == formOurs && s.f.end > 0 {
		if x, err := loadIndex(s.indexPath(), s.f, s.write); err == nil {
			if x.Problems == 0 {
				s.x = x
				return nil
			}
			x.Close() // the problems have to be found again
		}
	}
	return s.rebuild()
}

func (s *Session) indexPath() string { return s.path + ".idx" }

// parse reads a line of this file.
func (s *Session) parse(raw []byte) (Line, error) {
	if s.form == formPi {
		return parsePi(raw)
	}
	return ParseLine(raw)
}

// reading runs f, and once more with a new index where the old one does not
// fit the file.
func (s *Session) reading(f func() error) error {
	if s.stale {
		if err := s.rebuild(); err != nil {
			return err
		}
	}
	err := f()
	if errors.Is(err, errIndex) && s.f != nil {
		if err := s.rebuild(); err != nil {
			return err
		}
		err = f()
	}
	return err
}

// line reads an entry, and checks that it is the one that its record means.
func (s *Session) line(n uint32) (Line, record, error) {
	l, r, err := s.bare(n)
	if err != nil || r.Parent == 0 && l.parent != parentNamed {
		return l, r, err
	}
	if r.Guessed {
		l.ParentID = ""
		if r.Parent > 0 {
			above, _, err := s.bare(r.Parent)
			if err != nil {
				return l, r, err
			}
			l.ParentID = above.ID
		}
		return l, r, nil
	}
	above, err := s.x.at(r.Parent)
	if err == nil && above.ID != hashID(l.ParentID) {
		err = errIndex
	}
	return l, r, err
}

// bare reads an entry without looking at its parent.
func (s *Session) bare(n uint32) (Line, record, error) {
	r, err := s.x.at(n)
	if err != nil {
		return Line{}, r, err
	}
	raw, err := s.f.read(r.Offset, r.Length)
	if err != nil {
		return Line{}, r, errors.Join(errIndex, err)
	}
	l, err := s.parse(raw)
	if err != nil {
		return Line{}, r, errors.Join(errIndex, err)
	}
	l.Number, l.Offset = int(r.Number), r.Offset
	l.count()
	if hashID(l.ID) != r.ID {
		return Line{}, r, errIndex
	}
	return l, r, nil
}

// Append adds entries after the leaf, each following the one before it, and
// makes the last one the leaf. They go to the disk in one write; when Append
// returns they are safe there, and after an error none of them is in the file;
// where a part of them cannot be taken back, the error says so, and the next
// opening cuts it off. The file is made with the first entry.
func (s *Session) Append(ctx context.Context, drafts ...Draft) (lines []Line, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil || len(drafts) == 0 {
		return nil, err
	}
	err = s.reading(func() error {
		lines = lines[:0]
		at := position{}
		if s.leaf > 0 {
			leaf, _, err := s.bare(s.leaf)
			if err != nil {
				return err
			}
			at.parent = leaf.ID
			if leaf.counted {
				if err := s.unforkable(s.leaf, leaf); err != nil {
					return err
				}
				at.follows = true
			}
		}
		seq, now := s.x.MaxSeq, s.config.Now()
		if s.x.Count == 0 {
			seq = newSequence()
		}
		for i, d := range drafts {
			if at.id, seq, err = s.nextID(seq, lines); err != nil {
				return err
			}
			l, err := d.line(now, s.config.Mask, &at)
			if err != nil {
				return fmt.Errorf("entry %d of %d: %w", i+1, len(drafts), err)
			}
			if at.follows {
				l.ParentID = at.parent
			}
			lines = append(lines, l)
			at.parent, at.follows = at.id, false
		}
		return nil
	})
	if err == nil {
		err = s.commit(lines)
	}
	if err != nil {
		return nil, err
	}
	return lines, nil
}

// nextID gives an id that is neither in the session nor of the new lines.
func (s *Session) nextID(seq uint32, lines []Line) (string, uint32, error) {
	if seq < rowEnd {
		return entryID(seq + 1), seq + 1, nil
	}
	for {
		id := entryID(newSequence())
		n, err := s.lookup(id)
		if err != nil {
			return "", seq, err
		}
		for _, l := range lines {
			if l.ID == id {
				n = 1
			}
		}
		if n == 0 {
			return id, seq, nil
		}
	}
}

// commit writes lines that follow the leaf, and takes them into the index.
func (s *Session) commit(lines []Line) error {
	if !s.write {
		return fmt.Errorf("%s: %w; clone it to go on from it", s.path, ErrReadOnly)
	}
	var above record
	if s.leaf > 0 {
		var err error
		if above, err = s.x.at(s.leaf); err != nil {
			return err
		}
	}
	made := s.f == nil
	if made {
		if err := s.create(); err != nil {
			return err
		}
	}
	err := s.add(lines, above)
	if err != nil && made {
		err = errors.Join(err, s.f.Close())
		s.f = nil
	}
	return err
}

// create makes the file.
func (s *Session) create() (err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	if s.f, err = lockFile(s.path, true); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(s.path)); err != nil {
		err = errors.Join(err, s.f.Close())
		s.f = nil
		return err
	}
	return nil
}

func (s *Session) add(lines []Line, above record) error {
	var data []byte
	begun := s.f.end == 0
	if begun {
		h, err := s.header.line()
		if err != nil {
			return err
		}
		data = append(append(data, h.raw...), '\n')
	}
	first := int64(len(data))
	for _, l := range lines {
		data = append(append(data, l.raw...), '\n')
	}
	start, err := s.f.append(data)
	if err != nil {
		return err
	}
	if begun {
		s.x.Lines++
	}
	recs := make([]record, 0, len(lines))
	offset := start + first
	for i := range lines {
		l := &lines[i]
		s.x.Lines++
		l.Number, l.Offset = int(s.x.Lines), offset
		offset += int64(len(l.raw)) + 1
		above = s.x.add(*l, s.leaf, above, l.parent == parentMissing)
		recs = append(recs, above)
		s.leaf, s.leafID = s.x.Count, l.ID
	}
	if s.x.commit(s.f, recs) != nil {
		s.stale = true
	} else if begun && s.form == formOurs {
		s.x.save(s.indexPath())
	}
	return nil
}

// Close ends the session and lets others write to it.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write = false
	if s.x != nil {
		s.x.Close()
	}
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	s.f, s.x, s.leaf, s.leafID = nil, newIndex(), 0, ""
	return err
}
