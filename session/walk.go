package session

import (
	"fmt"
	"iter"
	"slices"
)

// Branch gives the entries from the beginning of a branch to one of its
// entries; "" is the leaf. They are read one by one, and an error is the last.
func (s *Session) Branch(id string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		(&walk{s: s, find: func() ([]uint32, error) { return s.branch(id) }}).each(yield)
	}
}

// branch gives the records from the root to an entry.
func (s *Session) branch(id string) (path []uint32, err error) {
	at := s.leaf
	if id != "" {
		if at, err = s.must(id); err != nil {
			return nil, err
		}
	}
	for at > 0 {
		r, err := s.x.at(at)
		if err != nil {
			return nil, err
		}
		path = append(path, at)
		at = r.Parent
	}
	slices.Reverse(path)
	return path, nil
}

// All gives the entries of all branches, in the order of the file.
func (s *Session) All() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		(&walk{s: s, find: s.records}).each(yield)
	}
}

// records gives all records.
func (s *Session) records() ([]uint32, error) {
	all := make([]uint32, s.x.Count)
	for i := range all {
		all[i] = uint32(i) + 1
	}
	return all, nil
}

// A walk gives the entries of some records, one by one; between them the
// session can be used. When the index turns out not to fit the file, a new one
// is made, in which records have other numbers: the walk goes on where it was.
type walk struct {
	s       *Session
	find    func() ([]uint32, error)
	x       *index // what the numbers are of
	numbers []uint32
	i       int
	last    string // the id that was given last
}

func (w *walk) each(yield func(Line, error) bool) {
	for {
		l, more, err := w.next()
		if !more && err == nil || !yield(l, err) || err != nil {
			return
		}
	}
}

func (w *walk) next() (l Line, more bool, err error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	err = w.s.reading(func() (err error) {
		if w.x != w.s.x {
			if err := w.begin(); err != nil {
				return err
			}
		}
		if more = w.i < len(w.numbers); more {
			l, _, err = w.s.line(w.numbers[w.i])
		}
		return err
	})
	w.i++
	w.last = l.ID
	return l, more, err
}

// begin finds the records, and its place in them.
func (w *walk) begin() (err error) {
	if w.numbers, err = w.find(); err != nil {
		return err
	}
	if w.i > len(w.numbers) {
		return fmt.Errorf("%s: %w; read it again", w.s.path, ErrChanged)
	}
	if w.i > 0 {
		before, _, err := w.s.bare(w.numbers[w.i-1])
		if err != nil {
			return err
		}
		if before.ID != w.last {
			return fmt.Errorf("%s: %w; read it again", w.s.path, ErrChanged)
		}
	}
	w.x = w.s.x
	return nil
}
