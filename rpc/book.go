package rpc

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/holic512/plugin-ai/session"
)

// Types of lines that only this protocol writes.
const (
	typeThinking = "thinking_level_change" // thinkingLevel
	typeBash     = "bash_execution"        // command, output, …
	typeCustom   = "custom_message"        // customType, content, details
	typeAttempt  = "attempt"               // an answer that was not taken: call, partial
)

// A book keeps the conversation: in a session's file, or in memory only. It is
// safe for concurrent use.
type book struct {
	mu      sync.Mutex
	session *session.Session // nil: in memory
	memory  []session.Line   // of all branches
	leaf    string
	id      string
	name    string
	parent  string
	waiting []session.Draft // not written yet, because that failed
	count   int             // messages of the present context; -1 is not known
	model   string          // that the newest line of its kind names
	level   string
}

// newMemory begins a conversation that no file keeps.
func newMemory(parent string) *book { return &book{id: newID(8), parent: parent} }

// newBook keeps a conversation in a session.
func newBook(s *session.Session) *book { return &book{session: s, count: -1} }

func newID(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// append writes lines down, each after the one before it.
func (b *book) append(drafts ...session.Draft) ([]session.Line, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session == nil {
		return b.remember(drafts)
	}
	n := len(b.waiting)
	lines, err := b.session.Append(context.Background(), append(b.waiting, drafts...)...)
	if err != nil {
		b.waiting = append(b.waiting, drafts...)
		return nil, err
	}
	b.waiting = nil
	b.counted(lines)
	return lines[n:], nil
}

func (b *book) counted(lines []session.Line) {
	for _, l := range lines {
		switch {
		case l.Type == session.TypeCompaction:
			b.count = -1
		case b.count >= 0 && isMessage(l):
			b.count++
		}
	}
}

func (b *book) remember(drafts []session.Draft) ([]session.Line, error) {
	lines := make([]session.Line, len(drafts))
	leaf := b.leaf
	for i, d := range drafts {
		l, err := session.NewLine(d, time.Now())
		if err != nil {
			return nil, err
		}
		l.ID, l.ParentID = newID(4), leaf
		leaf, lines[i] = l.ID, l
	}
	b.memory, b.leaf = append(b.memory, lines...), leaf
	b.counted(lines)
	return lines, nil
}

// all gives the lines of all branches.
func (b *book) all() iter.Seq2[session.Line, error] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != nil {
		return b.session.All()
	}
	return listed(slices.Clip(b.memory))
}

func listed(lines []session.Line) iter.Seq2[session.Line, error] {
	return func(yield func(session.Line, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// branch gives the lines of the present branch, from its beginning.
func (b *book) branch() iter.Seq2[session.Line, error] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != nil {
		return b.session.Branch("")
	}
	return listed(b.path(b.leaf))
}

// path gives the lines of memory that lead to one.
func (b *book) path(leaf string) []session.Line {
	var out []session.Line
	for i := len(b.memory) - 1; i >= 0 && leaf != ""; i-- {
		if b.memory[i].ID == leaf {
			out = append(out, b.memory[i])
			leaf = b.memory[i].ParentID
		}
	}
	slices.Reverse(out)
	return out
}

// context gives the lines that the conversation consists of now: the newest
// summary, and what came after what it replaced.
func (b *book) context() ([]session.Line, error) {
	var lines []session.Line
	newest := -1
	for l, err := range b.branch() {
		if err != nil {
			return nil, err
		}
		if lines = append(lines, l); l.Type == session.TypeCompaction {
			newest = len(lines) - 1
		}
	}
	if newest < 0 {
		return lines, nil
	}
	kept := lines[newest].FieldText("firstKeptEntryId")
	from := slices.IndexFunc(lines, func(l session.Line) bool { return l.ID == kept })
	if from < 0 || from > newest {
		from = newest
	}
	out := []session.Line{lines[newest]}
	for i, l := range lines[from:] {
		if from+i != newest && l.Type != session.TypeCompaction {
			out = append(out, l)
		}
	}
	return out, nil
}

// messages is how many messages the context has.
func (b *book) messages() int {
	b.mu.Lock()
	n := b.count
	b.mu.Unlock()
	if n >= 0 {
		return n
	}
	lines, err := b.context()
	if err != nil {
		return 0
	}
	n = 0
	for _, l := range lines {
		if isMessage(l) {
			n++
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count = n
	return n
}

// entry finds a line; the error of an id that is not there is
// session.ErrNoEntry.
func (b *book) entry(id string) (session.Line, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != nil {
		return b.session.Entry(id)
	}
	if i := slices.IndexFunc(b.memory, func(l session.Line) bool { return l.ID == id }); i >= 0 {
		return b.memory[i], nil
	}
	return session.Line{}, session.ErrNoEntry
}

// last is the line that the next one follows; "" is none.
func (b *book) last() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != nil {
		return b.session.Leaf()
	}
	return b.leaf, nil
}

// clone makes a book of the branch that ends at a line.
func (b *book) clone(at string) (*book, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 {
		return nil, errors.New("a part of the session could not be written yet")
	}
	if b.session != nil {
		s, err := b.session.Clone(context.Background(), at)
		if err != nil {
			return nil, err
		}
		return newBook(s), nil
	}
	fresh := newMemory(b.id)
	fresh.memory, fresh.leaf, fresh.count = b.path(at), at, -1
	return fresh, nil
}

// file is where the conversation is kept; "" is nowhere.
func (b *book) file() string {
	if b.session == nil {
		return ""
	}
	return b.session.Path()
}

// identity is the session's id.
func (b *book) identity() string {
	if b.session == nil {
		return b.id
	}
	return b.session.Header().ID
}

func (b *book) title() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != nil {
		return b.session.Name()
	}
	return b.name
}

func (b *book) setTitle(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != nil {
		return b.session.SetName(context.Background(), name)
	}
	b.name = name
	_, err := b.remember([]session.Draft{session.Mark(session.TypeName).With("name", name)})
	return err
}

func (b *book) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session == nil {
		return nil
	}
	if len(b.waiting) > 0 {
		if _, err := b.session.Append(context.Background(), b.waiting...); err != nil {
			return errors.Join(fmt.Errorf("%d lines of the session are lost: %w", len(b.waiting), err), b.session.Close())
		}
		b.waiting = nil
	}
	return b.session.Close()
}

// asks notes who is asked and how hard they think, where the book says another
// or, with first, nothing yet.
func (b *book) asks(m Model, level string, first bool) error {
	b.mu.Lock()
	model := m.Provider + "/" + m.ID
	var drafts []session.Draft
	if b.model != model && m.ID != "" && (first || b.model != "") {
		drafts = append(drafts, session.Mark(session.TypeModel).With("provider", m.Provider).With("modelId", m.ID))
	}
	if b.level != level && (first || b.level != "") {
		drafts = append(drafts, session.Mark(typeThinking).With("thinkingLevel", level))
	}
	b.mu.Unlock()
	if len(drafts) == 0 {
		return nil
	}
	if _, err := b.append(drafts...); err != nil {
		return err
	}
	b.asked(model, level)
	return nil
}

// asked tells what the newest lines say already.
func (b *book) asked(model, level string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model, b.level = model, level
}
