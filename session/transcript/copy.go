package transcript

import (
	"context"
	"time"

	"github.com/holic512/plugin-ai/session"
)

// copied is how many messages are written at once.
const copied = 256

// Copy adds the messages of a session's present branch to another, which it
// was not written for: all texts pass mask, and lines that are no messages, which
// name entries by ids, are left out. The session's instruction comes first.
func Copy(ctx context.Context, from, to *session.Session, mask func(string) string) error {
	var drafts []session.Draft
	flush := func() error {
		if len(drafts) == 0 {
			return nil
		}
		_, err := to.Append(ctx, drafts...)
		drafts = drafts[:0]
		return err
	}
	instruction, instructed, err := Instruction(from)
	if err != nil {
		return err
	}
	if instructed { // it holds for all branches
		d, err := copyOf(instruction, mask)
		if err != nil {
			return err
		}
		drafts = append(drafts, d)
	}
	for l, err := range from.Branch("") {
		if err != nil {
			return err
		}
		if l.Role == "" || instructed && l.ID == instruction.ID {
			continue
		}
		d, err := copyOf(l, mask)
		if err != nil {
			return err
		}
		if drafts = append(drafts, d); len(drafts) == copied {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// copyOf is a message as this program keeps it. Pictures and other blocks that
// are no text do not come along.
func copyOf(l session.Line, mask func(string) string) (d session.Draft, err error) {
	e := Parse(l)
	e.mask(mask)
	switch {
	case e.Observation != nil:
		if d, err = Result(*e.Observation); err != nil {
			return d, err
		}
	case e.Role == session.User:
		d = Question(e.Text, e.Context)
	case e.Role == session.Assistant && e.End != "":
		d = Unanswered(e.End, e.Text, e.Partial)
	default:
		d = session.Message(e.Role, e.Text)
		if e.Role == session.Assistant {
			d = Reply(e.Reply(), func(s string) string { return s })
			if len(e.Commands) > 0 {
				d = d.With("commands", e.Commands)
			}
		}
	}
	if at, err := time.Parse(time.RFC3339, l.Timestamp); err == nil {
		d.Time = at
	}
	return d, nil
}
