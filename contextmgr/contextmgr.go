package contextmgr

import (
	_ "embed" // the system text
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

//go:embed system.txt
var systemText string

// Defaults and limits of a window. Sizes are bytes of text as JSON writes it,
// which is how it travels.
const (
	DefaultMaxBytes = 48 << 10
	MinMaxBytes     = 16 << 10
	maxRecent       = 10 // messages of earlier turns (plugin-ai document, section 8.1)
	maxDigests      = 3  // results before the newest ones
	maxRounds       = 6  // rounds of commands of this turn, before the newest
)

// Config says how a conversation is kept.
type Config struct {
	// MaxBytes is the ceiling of all text of a request; 0 is DefaultMaxBytes.
	MaxBytes int
	// Facts gives what the model should know about the place, as it is now: the
	// folder, the system, the date, the plugins. It follows the language. Nil
	// gives nothing.
	Facts func() string
	// Mask hides secrets. Everything that goes into the conversation passes
	// it once. Nil hides nothing.
	Mask func(string) string
}

// A Manager holds one conversation. It is used by one goroutine at a time.
type Manager struct {
	config Config
	recent []message // of earlier turns
	turn   *turn
	// digests are the newest results of earlier rounds and turns, oldest first.
	digests []protocol.Observation
	dropped int // messages of earlier turns that are gone for good
}

// message is one line of an earlier turn.
type message struct {
	role llm.Role
	text string
}

// turn is what the person asked last, and what became of it so far.
type turn struct {
	question, context string
	rounds            []round
	repair            *repair
}

// round is a cmd reply and its observations.
type round struct {
	reply        protocol.Reply
	observations []protocol.Observation
}

// repair is an answer that broke the language.
type repair struct {
	raw        string
	violations []protocol.Violation
}

// New starts a conversation. It fails when the ceiling is too low for the
// language itself.
func New(config Config) (*Manager, error) {
	if config.MaxBytes == 0 {
		config.MaxBytes = DefaultMaxBytes
	}
	if config.MaxBytes < MinMaxBytes {
		return nil, fmt.Errorf("the ceiling of a request is %d bytes; expected %d or more", config.MaxBytes, MinMaxBytes)
	}
	mask := config.Mask
	config.Mask = func(s string) string {
		s = strings.ToValidUTF8(s, "\ufffd")
		if mask != nil {
			s = mask(s)
		}
		return s
	}
	if config.Facts == nil {
		config.Facts = func() string { return "" }
	}
	return &Manager{config: config}, nil
}

// Ask begins a turn with what the person says, and what was piped in beside
// it ("" is nothing).
func (m *Manager) Ask(question, context string) {
	m.closeTurn("")
	m.turn = &turn{question: m.config.Mask(question), context: m.config.Mask(context)}
}

// Commands adds a cmd reply and what its steps did.
func (m *Manager) Commands(reply protocol.Reply, observations []protocol.Observation) {
	m.turn.repair = nil
	if rounds := m.turn.rounds; len(rounds) > 0 {
		m.digest(rounds[len(rounds)-1].observations)
	}
	masked := make([]protocol.Observation, len(observations))
	for i, o := range observations {
		masked[i] = m.Mask(o)
	}
	reply.Message = m.config.Mask(reply.Message)
	m.turn.rounds = append(m.turn.rounds, round{reply, masked})
}

// Invalid adds an answer that broke the language. The next window asks for it
// again.
func (m *Manager) Invalid(raw string, violations []protocol.Violation) {
	m.turn.repair = &repair{m.config.Mask(raw), violations}
}

// Answer ends the turn with the reply that the person saw.
func (m *Manager) Answer(reply protocol.Reply) {
	m.closeTurn(historyText(reply.Type, m.config.Mask(reply.Message), nil))
}

// Abandon ends the turn without an answer. The conversation goes on with what
// there is of it.
func (m *Manager) Abandon(why string) {
	m.closeTurn(historyText(protocol.KindError, why, nil))
}

// Forget drops the conversation.
func (m *Manager) Forget() {
	m.recent, m.turn, m.digests, m.dropped = nil, nil, nil, 0
}

// closeTurn moves the current turn into the recent messages.
func (m *Manager) closeTurn(answer string) {
	t := m.turn
	if t == nil {
		return
	}
	m.turn = nil
	question := t.question
	if t.context != "" {
		question += fmt.Sprintf("\n(with %d bytes of standard input, left out)", len(t.context))
	}
	m.recent = append(m.recent, message{llm.RoleUser, cut(question, historyBytes)})
	for _, r := range t.rounds {
		m.recent = append(m.recent, message{llm.RoleAssistant, cut(r.history(), historyBytes)})
	}
	if n := len(t.rounds); n > 0 {
		m.digest(t.rounds[n-1].observations)
	}
	if answer != "" {
		m.recent = append(m.recent, message{llm.RoleAssistant, cut(answer, historyBytes)})
	}
	for len(m.recent) > maxRecent {
		m.recent = m.recent[1:]
		m.dropped++
	}
}

// digest keeps the newest results.
func (m *Manager) digest(observations []protocol.Observation) {
	m.digests = append(m.digests, observations...)
	if n := len(m.digests); n > maxDigests {
		m.digests = append(m.digests[:0:0], m.digests[n-maxDigests:]...)
	}
}

// MaskText hides the secrets in a text.
func (m *Manager) MaskText(text string) string { return m.config.Mask(text) }

// Mask hides the secrets in an observation. Masking twice changes nothing.
func (m *Manager) Mask(o protocol.Observation) protocol.Observation {
	o.StdoutTail = m.config.Mask(o.StdoutTail)
	o.StderrTail = m.config.Mask(o.StderrTail)
	args := make([]string, len(o.Args))
	for i, a := range o.Args {
		args[i] = m.config.Mask(a)
	}
	o.Args = args
	o.CWD, o.Note = m.config.Mask(o.CWD), m.config.Mask(o.Note)
	if o.Parsed != nil {
		p := *o.Parsed
		p.Items = nil
		for _, item := range o.Parsed.Items {
			// What is masked inside JSON text stays JSON, or is left out.
			masked := []byte(m.config.Mask(string(item)))
			if json.Unmarshal(masked, new(any)) == nil {
				p.Items = append(p.Items, masked)
			}
		}
		o.Parsed = &p
	}
	return o
}

// history is what a later request says of a round (plugin-ai document,
// section 8.5): the message, and what was run.
func (r round) history() string {
	ran := make([]string, len(r.observations))
	for i, o := range r.observations {
		ran[i] = summary(o)
	}
	return historyText(protocol.KindCmd, cut(r.reply.Message, reasonBytes), ran)
}

func historyText(kind protocol.Kind, text string, ran []string) string {
	b, err := json.Marshal(struct {
		Type    protocol.Kind `json:"type"`
		Message string        `json:"message"`
		Ran     []string      `json:"ran,omitempty"`
	}{kind, text, ran})
	if err != nil {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return string(b)
}

// summary says in a line what a step did.
func summary(o protocol.Observation) string {
	program := o.Tool
	if o.Program != nil {
		program = *o.Program
	}
	if change, ok := changed(o); ok {
		return fmt.Sprintf("%s: %s (%s, %s)", o.Tool, cut(change, summaryBytes), o.ID, o.Outcome)
	}
	line := cut(protocol.FormatCommand(program, o.Args), summaryBytes)
	switch {
	case o.ExitCode != nil:
		return fmt.Sprintf("%s (%s, exit %d)", line, o.ID, *o.ExitCode)
	default:
		return fmt.Sprintf("%s (%s, %s)", line, o.ID, o.Outcome)
	}
}

// changed says in short what a step changed in a settings file.
func changed(o protocol.Observation) (string, bool) {
	if o.Parsed == nil || o.Parsed.Kind != protocol.ParsedConfigDiff || len(o.Parsed.Items) != 1 {
		return "", false
	}
	var change protocol.ConfigDiff
	if json.Unmarshal(o.Parsed.Items[0], &change) != nil {
		return "", false
	}
	words := []string{change.Path}
	for _, operation := range change.Operations {
		words = append(words, operation.Op+" "+operation.Path)
	}
	return strings.Join(words, ", "), true
}

// errNoTurn is a programmer's error.
var errNoTurn = errors.New("contextmgr: a window was asked for before a question")
