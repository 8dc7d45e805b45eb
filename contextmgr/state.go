package contextmgr

import (
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// State is a conversation as the plugin-ai document writes it (section 8.1).
type State struct {
	Version int            `json:"version"` // 1
	Summary string         `json:"summary"` // with its key facts and open tasks
	Recent  []StateMessage `json:"recent"`  // that requests show, room permitting
	Digest  []StateDigest  `json:"toolDigest"`
	// Waiting are the older messages, which requests do not show any more, and
	// the summary does not know yet.
	Waiting []StateMessage `json:"waiting,omitempty"`
}

// StateMessage is a message of an earlier turn.
type StateMessage struct {
	Role    llm.Role `json:"role"`
	Content string   `json:"content"`
}

// StateDigest is what is kept of an earlier result.
type StateDigest struct {
	Program    *string  `json:"program"` // null where the tool has none
	Args       []string `json:"args"`
	ExitCode   *int     `json:"exitCode"`
	StdoutTail string   `json:"stdoutTail"`
	StderrTail string   `json:"stderrTail"`
}

// State gives the conversation without the turn under way, secrets masked.
func (m *Manager) State() State {
	s := State{Version: 1, Recent: []StateMessage{}, Digest: []StateDigest{}}
	if m.summary.Text != "" {
		s.Summary = Readable(m.summary)
	}
	shown := m.shown()
	for i, p := range m.past {
		for _, line := range p.messages {
			message := StateMessage{line.role, line.text}
			if i < shown {
				s.Waiting = append(s.Waiting, message)
			} else {
				s.Recent = append(s.Recent, message)
			}
		}
	}
	for _, o := range m.digests {
		s.Digest = append(s.Digest, StateDigest{o.Program, o.Args, o.ExitCode, o.StdoutTail, o.StderrTail})
	}
	return s
}

// shown is the first of the earlier turns that requests show.
func (m *Manager) shown() int {
	messages, from := 0, len(m.past)
	for from > 0 {
		if messages += len(m.past[from-1].messages); messages > m.config.MaxRecentMessages {
			break
		}
		from--
	}
	return from
}

// An Entry is one thing that was said or done, as a session keeps it: a
// question, which may have pictures, a reply or an observation.
type Entry struct {
	Question    string // what the person said
	Images      []llm.Image
	Reply       *protocol.Reply
	Observation *protocol.Observation // of the cmd reply before it
}

// Restore puts an earlier conversation back in place of this one: the newest
// summary, if there is one, and what was said after what it replaced, oldest
// first. Replies and observations before the first question belong to one that
// is not there any more, and say so.
func (m *Manager) Restore(s protocol.Summary, entries []Entry) {
	m.Forget()
	m.summary = m.bounded(s)
	var reply *protocol.Reply // whose observations follow
	var observations []protocol.Observation
	commands := func() {
		if reply != nil {
			m.Commands(*reply, observations)
		}
		reply, observations = nil, nil
	}
	for _, e := range entries {
		if e.Observation != nil && reply != nil {
			observations = append(observations, *e.Observation)
			continue
		}
		commands()
		if e.Question != "" || e.Images != nil {
			m.Ask(e.Question, "")
			m.Attach(e.Images...)
			continue
		}
		if m.turn == nil {
			m.Ask("(what was asked here is not kept)", "")
		}
		switch {
		case e.Observation != nil: // of a reply that is not there
			reply = &protocol.Reply{Type: protocol.KindCmd}
			observations = append(observations, *e.Observation)
		case e.Reply != nil && e.Reply.Type == protocol.KindCmd:
			reply = e.Reply
		case e.Reply != nil:
			m.Answer(*e.Reply)
		}
	}
	commands()
	m.closeTurn(nil)
}
