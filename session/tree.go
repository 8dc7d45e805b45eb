package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Header says what the session is about.
func (s *Session) Header() Header { return s.header }

// Path is the session's file, which is there from the first entry on.
func (s *Session) Path() string { return s.path }

// ReadOnly reports whether Append is refused: the session was opened for
// reading, or it is pi's.
func (s *Session) ReadOnly() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.write
}

// Flat reports whether the file has no header, as pai's have none: only
// messages belong into it.
func (s *Session) Flat() bool { return s.form == formFlat }

// Problems tells what could not be taken as it is, in the order of the file.
func (s *Session) Problems() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.problems.list, s.lost)
}

// Counts are numbers of entries, on all branches.
type Counts struct{ System, User, Assistant, Tool, Other int }

// Messages is how many are messages.
func (c Counts) Messages() int { return c.System + c.User + c.Assistant + c.Tool }

func (x *index) counts() Counts {
	k := x.Kinds
	return Counts{int(k[kindSystem]), int(k[kindUser]), int(k[kindAssistant]), int(k[kindTool]), int(k[kindOther])}
}

// Counts tells how many entries there are.
func (s *Session) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.x.counts()
}

// Name is the name that was given last, at most 200 bytes of it; "" is none.
func (s *Session) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cString(s.x.Name[:])
}

// SetName gives the session a name. Space around it is taken off; "" takes
// the name away.
func (s *Session) SetName(ctx context.Context, name string) error {
	_, err := s.Append(ctx, Mark(TypeName).With("name", strings.ToValidUTF8(strings.TrimSpace(name), "\uFFFD")))
	return err
}

// SetLabel puts a mark for people on an entry; "" takes it away.
func (s *Session) SetLabel(ctx context.Context, id, label string) error {
	if _, err := s.Entry(id); err != nil {
		return err
	}
	d := Mark(TypeLabel).With("targetId", id)
	if label != "" {
		d = d.With("label", strings.ToValidUTF8(label, "\uFFFD"))
	}
	_, err := s.Append(ctx, d)
	return err
}

// Labels gives the labels of entries by their ids.
func (s *Session) Labels() (labels map[string]string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		labels = map[string]string{}
		for n := uint32(1); n <= s.x.Count; n++ {
			r, err := s.x.at(n)
			if err != nil {
				return err
			}
			if r.Kind != kindOther {
				continue
			}
			l, _, err := s.bare(n)
			if err != nil {
				return err
			}
			if l.Type != TypeLabel {
				continue
			}
			target := l.FieldText("targetId")
			if labels[target] = l.FieldText("label"); labels[target] == "" {
				delete(labels, target)
			}
		}
		return nil
	})
	return labels, err
}

// Leaf is the entry that the next one will follow; "" is none.
func (s *Session) Leaf() (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		id = ""
		if s.leaf == 0 {
			return nil
		}
		l, _, err := s.bare(s.leaf)
		id = l.ID
		return err
	})
	return id, err
}

// Messages is how many messages the present branch has.
func (s *Session) Messages() (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		if n = 0; s.leaf == 0 {
			return nil
		}
		r, err := s.x.at(s.leaf)
		n = int(r.Messages)
		return err
	})
	return n, err
}

// lookup gives the record of an id; 0 is none.
func (s *Session) lookup(id string) (uint32, error) {
	return s.x.find(hashID(id), func(n uint32) (bool, error) {
		l, _, err := s.bare(n)
		return l.ID == id, err
	})
}

// must gives the record of an id that has to be there.
func (s *Session) must(id string) (uint32, error) {
	n, err := s.lookup(id)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w: %q", s.path, ErrNoEntry, shorten(id, 80))
	}
	return n, err
}

// Entry gives one entry. Without one the error is [ErrNoEntry].
func (s *Session) Entry(id string) (l Line, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		n, err := s.must(id)
		if err == nil {
			l, _, err = s.line(n)
		}
		return err
	})
	return l, err
}

// Fork makes an earlier entry the leaf, so that the next one begins a new
// branch there; "" is before the first. It is in the file when something is
// appended; until then another opening has the newest entry as its leaf. An
// earlier entry without an id of its own is [ErrNoID].
func (s *Session) Fork(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reading(func() error {
		if id == "" {
			s.leaf, s.leafID = 0, ""
			return nil
		}
		n, err := s.must(id)
		if err != nil {
			return err
		}
		if s.write {
			l, _, err := s.bare(n)
			if err == nil {
				err = s.unforkable(n, l)
			}
			if err != nil {
				return err
			}
		}
		s.leaf, s.leafID = n, id
		return nil
	})
}

// unforkable fails where nothing that is written now could follow an entry.
func (s *Session) unforkable(n uint32, l Line) error {
	if l.counted && n < s.x.Count {
		return fmt.Errorf("%s: line %d: %w; go on in a copy of the session", s.path, l.Number, ErrNoID)
	}
	return nil
}

// Window gives the newest n entries of the present branch, oldest first.
func (s *Session) Window(n int) (lines []Line, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		lines = nil
		for at := s.leaf; at > 0 && len(lines) < n; {
			l, r, err := s.line(at)
			if err != nil {
				return err
			}
			lines = append(lines, l)
			at = r.Parent
		}
		slices.Reverse(lines)
		return nil
	})
	return lines, err
}

// Latest gives the newest entry of a type (no message) on the present branch,
// as the last summary or the last model. It does not look at messages.
func (s *Session) Latest(typ string) (found Line, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		for at := s.leaf; at > 0; {
			r, err := s.x.at(at)
			if err != nil || r.Mark == 0 {
				return err
			}
			l, r, err := s.line(r.Mark)
			if err != nil {
				return err
			}
			if l.Type == typ && l.Role == "" {
				found, ok = l, true
				return nil
			}
			at = r.Parent
		}
		return nil
	})
	return found, ok, err
}

// Children gives the ids of the entries that follow one, oldest first; of ""
// those that begin a branch.
func (s *Session) Children(id string) (ids []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		ids = nil
		parent := uint32(0)
		if id != "" {
			var err error
			if parent, err = s.must(id); err != nil {
				return err
			}
		}
		for n := parent + 1; n <= s.x.Count; n++ {
			r, err := s.x.at(n)
			if err != nil {
				return err
			}
			if r.Parent != parent {
				continue
			}
			l, _, err := s.bare(n)
			if err != nil {
				return err
			}
			ids = append(ids, l.ID)
		}
		return nil
	})
	return ids, err
}

// A Node is an entry as a tree shows it.
type Node struct {
	ID        string
	Role      string // "" is no message
	Type      string
	Timestamp string
	Words     string // the first of the message, on one line
	Label     string
	Leaf      bool // the next entry follows it
	Children  []*Node
}

// Tree gives the beginnings of all branches, with what follows them.
func (s *Session) Tree() (roots []*Node, err error) {
	labels, err := s.Labels()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.reading(func() error {
		roots = nil
		nodes := make([]*Node, s.x.Count+1)
		for n := uint32(1); n <= s.x.Count; n++ {
			l, r, err := s.bare(n)
			if err != nil {
				return err
			}
			node := &Node{ID: l.ID, Role: l.Role, Type: l.Type, Timestamp: l.Timestamp,
				Words: shorten(firstWords(l), 200), Label: labels[l.ID], Leaf: n == s.leaf}
			nodes[n] = node
			if r.Parent == 0 {
				roots = append(roots, node)
			} else {
				above := nodes[r.Parent]
				above.Children = append(above.Children, node)
			}
		}
		return nil
	})
	return roots, err
}

// cloneBatch is how many lines a clone writes at once.
const cloneBatch = 1000

// Clone makes a new session in the same store and for the same folder, with
// the branch that ends at an entry, which keeps its ids; "" is an empty one.
// The new session names this one as its parent. It is how to go on from a
// session that cannot be written, too.
func (s *Session) Clone(ctx context.Context, at string) (*Session, error) {
	c, err := s.config.create(Header{CWD: s.header.CWD, Parent: s.path})
	if err != nil || at == "" {
		return c, err
	}
	var batch []Line
	for l, err := range s.Branch(at) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			l, err = l.ours(s.form)
		}
		if batch = append(batch, l); err == nil && len(batch) == cloneBatch {
			err = c.adopt(batch)
			batch = batch[:0]
		}
		if err != nil {
			return nil, errors.Join(err, c.discard())
		}
	}
	if err := c.adopt(batch); err != nil {
		return nil, errors.Join(err, c.discard())
	}
	return c, nil
}

// adopt writes lines of another session.
func (s *Session) adopt(lines []Line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(lines) == 0 {
		return nil
	}
	return s.commit(lines)
}

// discard removes a session that was not finished.
func (s *Session) discard() error { return errors.Join(s.Close(), removeFiles(s.path)) }
