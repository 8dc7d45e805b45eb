package transcript

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
)

// A Transcript is the present branch of a session.
type Transcript struct {
	ID      string
	Name    string // "" is none
	CWD     string // the working directory; "" is not known
	Created time.Time
	Entries []Entry
	Others  int // messages on other branches
	// Problems are what could not be taken as it is, in words.
	Problems []string
}

// Read gives the branch that ends at the session's leaf. Every text passes
// mask once.
func Read(ctx context.Context, s *session.Session, mask func(string) string) (*Transcript, error) {
	h := s.Header()
	t := &Transcript{ID: h.ID, Name: mask(s.Name()), CWD: h.CWD, Created: h.Created}
	messages := 0
	for l, err := range s.Branch("") {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		e := Parse(l)
		e.mask(mask)
		if e.Role != "" {
			messages++
		}
		if o := e.Observation; o != nil { // it tells what was called, and more
			for i := len(t.Entries) - 1; i >= 0 && t.Entries[i].Role != session.User; i-- {
				above := &t.Entries[i]
				above.Calls = slices.DeleteFunc(above.Calls, func(c Call) bool { return c.ID == o.ID })
			}
		}
		t.Entries = append(t.Entries, e)
	}
	t.Others = s.Counts().Messages() - messages
	for _, p := range s.Problems() {
		t.Problems = append(t.Problems, p.String())
	}
	return t, nil
}

// Instruction is the system message that a session begins with, on whichever
// branch: what the files of pai tell the model to be. ok is that there is one.
func Instruction(s *session.Session) (l session.Line, ok bool, err error) {
	for l, err := range s.All() {
		if err != nil {
			return session.Line{}, false, err
		}
		if l.Role != "" {
			if l.Role == session.System {
				return l, true, nil
			}
			break
		}
	}
	return session.Line{}, false, nil
}

// mask hides secrets in all texts of an entry.
func (e *Entry) mask(mask func(string) string) {
	e.Context, e.Partial = mask(e.Context), mask(e.Partial)
	if e.Observation == nil {
		e.Text = mask(e.Text)
	} else {
		o := *e.Observation
		o.CWD, o.Note, o.StdoutTail, o.StderrTail = mask(o.CWD), mask(o.Note), mask(o.StdoutTail), mask(o.StderrTail)
		o.Args = maskAll(o.Args, mask)
		o.Parsed = maskParsed(o.Parsed, mask)
		e.Observation, e.Text = &o, ""
	}
	for i, image := range e.Images {
		e.Images[i] = mask(image)
	}
	for i, c := range e.Calls {
		e.Calls[i] = Call{c.ID, mask(c.Name), mask(c.Arguments)}
	}
	if e.Suggestions != nil {
		e.Suggestions = maskAll(e.Suggestions, mask)
	}
	if e.Commands != nil {
		e.Commands = maskAll(e.Commands, mask)
	}
	if s := e.Summary; s != nil {
		e.Summary = &protocol.Summary{Text: mask(s.Text), KeyFacts: maskAll(s.KeyFacts, mask), OpenTasks: maskAll(s.OpenTasks, mask)}
	}
}

// maskParsed keeps the items that are JSON still.
func maskParsed(p *protocol.Parsed, mask func(string) string) *protocol.Parsed {
	if p == nil {
		return nil
	}
	masked := protocol.Parsed{Kind: p.Kind, Total: p.Total, Items: []jsontext.Value{}}
	for _, item := range p.Items {
		if v := jsontext.Value(mask(string(item))); json.Unmarshal(v, new(any)) == nil {
			masked.Items = append(masked.Items, v)
		}
	}
	return &masked
}
