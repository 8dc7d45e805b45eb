package session

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// rebuild makes the index from the whole file, finds what is wrong with it,
// and cuts off a torn end where the file may be written.
func (s *Session) rebuild() error {
	if s.x != nil {
		s.x.Close()
	}
	s.x, s.problems = newIndex(), problems{}
	ids := map[string]uint32{}
	r := newLineReader(io.NewSectionReader(s.f.f, 0, s.f.end))
	for {
		raw, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		last := r.offset == s.f.end
		if done, err := s.index(raw, last, ids); err != nil {
			return err
		} else if done {
			break
		}
		s.x.Lines++
	}
	info, err := s.f.f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == s.f.end {
		s.x.Size, s.x.Modified = info.Size(), info.ModTime().UnixNano()
	}
	s.x.Problems = uint32(min(s.problems.all, math.MaxInt32))
	if s.write && s.form == formOurs {
		s.x.save(s.indexPath())
	}
	// Numbers of records may have changed.
	s.stale = false
	if n, ok := ids[s.leafID]; ok {
		s.leaf = n
	} else if s.leaf > 0 {
		s.leaf, s.leafID = s.x.Count, ""
	}
	return nil
}

// shifted reports whether a parent that is named by its line's number is more
// likely the newest entry, which has no id either: earlier versions wrote such
// names, and lines that were put in front since then have moved all numbers.
// Taking it so keeps everything on one branch.
func (s *Session) shifted(n uint32) (bool, error) {
	if s.form != formFlat || n == s.x.Count {
		return false, nil
	}
	for _, n := range []uint32{n, s.x.Count} {
		if l, _, err := s.bare(n); err != nil || !l.counted {
			return false, err
		}
	}
	return true, nil
}

// index takes one line into a new index. It is done after a torn end.
func (s *Session) index(raw rawLine, last bool, ids map[string]uint32) (done bool, err error) {
	if raw.blank() {
		return false, nil
	}
	var l Line
	if err = errors.New("the line is too long"); !raw.long {
		l, err = s.parse(raw.text)
	}
	if err != nil {
		p := raw.problem(s.f.path, err)
		if !last || !raw.looksTorn() {
			s.problems.add(p)
			return false, nil
		}
		p.Kind, p.What = Torn, "the last line is unfinished: "+p.What
		if !s.write {
			s.problems.add(p)
			return true, nil
		}
		if p.Kept, err = s.f.cut(raw.offset, s.config.Now()); err != nil {
			return false, err
		}
		s.lost = append(s.lost, p)
		return true, nil
	}
	if raw.number == 1 && s.form != formFlat {
		return false, nil // the header
	}
	l.Number, l.Offset = raw.number, raw.offset
	l.count()
	parent, guessed := s.x.Count, true
	switch l.parent {
	case parentNull:
		parent, guessed = 0, false
	case parentNamed:
		if n, ok := ids[l.ParentID]; ok {
			if shifted, err := s.shifted(n); err != nil {
				return false, err
			} else if !shifted {
				parent, guessed = n, false
			}
			break
		}
		p := raw.problem(s.f.path, fmt.Errorf("its parent %q is not before it; it is taken to follow the entry before it", shorten(l.ParentID, 40)))
		p.Kind = NoParent
		s.problems.add(p)
	case parentMissing:
	}
	if first, ok := ids[l.ID]; ok {
		p := raw.problem(s.f.path, fmt.Errorf("it has the id %q, which entry %d has too; the newer one is meant by it from here on", shorten(l.ID, 40), first))
		p.Kind = Duplicate
		s.problems.add(p)
	}
	var above record
	if parent > 0 {
		if above, err = s.x.at(parent); err != nil {
			return false, err
		}
	}
	s.x.mem = encode(s.x.mem, s.x.add(l, parent, above, guessed))
	ids[l.ID] = s.x.Count
	return false, nil
}
