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

	// Messages of earlier turns (plugin-ai document, section 8.1). What is
	// beyond waits to be folded into the summary.
	DefaultRecentMessages = 10
	MinRecentMessages     = 6
	DefaultRecentBytes    = 10_000
	DefaultDigestBytes    = 2 << 10
	MinDigestBytes        = 256

	maxDigests = 3 // results before the newest ones
	maxRounds  = 6 // rounds of commands of this turn, before the newest
)

// Config says how a conversation is kept.
type Config struct {
	// MaxBytes is the ceiling of all text of a request; 0 is DefaultMaxBytes.
	MaxBytes int
	// MaxRecentMessages is how many messages of earlier turns a request shows at
	// most; more than that, or more than MaxRecentBytes of text, are due to be
	// folded into the summary. 0 is DefaultRecentMessages, DefaultRecentBytes.
	MaxRecentMessages, MaxRecentBytes int
	// MaxMessageBytes is how much of an earlier question and of its answer a
	// request shows where there is room for both; else, and where it is 0, it
	// is 2 KiB.
	MaxMessageBytes int
	// MaxDigestBytes is the most that is kept of an earlier result; 0 is
	// DefaultDigestBytes.
	MaxDigestBytes int
	// Instruction is what the person told the model to be or to do in all of the
	// conversation. It follows the language, which it cannot replace; "" is
	// none. Of a long one the beginning and the end are sent.
	Instruction string
	// Facts gives what the model should know about the place, as it is now: the
	// folder, the system, the date, the plugins. It follows the instruction. Nil
	// gives nothing.
	Facts func() string
	// Mask hides secrets. Everything that goes into the conversation passes
	// it once. Nil hides nothing.
	Mask func(string) string
}

// A Manager holds one conversation. It is used by one goroutine at a time.
type Manager struct {
	config  Config
	ceiling int              // of a request; MaxBytes, or less once that was refused
	tokens  int              // that the model can read and write; 0 is unknown
	summary protocol.Summary // of what was folded; without text there is none
	past    []past           // earlier turns that are not folded, oldest first
	folded  int              // turns that were
	turn    *turn
	// abandoned is the newest earlier turn where it got no answer.
	abandoned *turn
	// digests are the newest results of earlier rounds and turns, oldest first.
	digests []protocol.Observation
	sent    Usage // of the newest request
}

// turn is what the person asked last, and what became of it so far.
type turn struct {
	question, context string
	images            []llm.Image
	told              []string // before the question
	said              []said   // after it
	rounds            []round
	repair            *repair
}

// round is a cmd reply and its observations; once it is not the newest any
// more, only a line for each of them.
type round struct {
	reply        protocol.Reply
	observations []protocol.Observation
	lines        []string
}

// repair is an answer that broke the language.
type repair struct {
	raw        string
	violations []protocol.Violation
}

// New starts a conversation. It fails when the ceiling is too low for the
// language itself.
func New(config Config) (*Manager, error) {
	for _, limit := range []struct {
		name            string
		value           *int
		least, fallback int
	}{
		{"the ceiling of a request is %d bytes; expected %d or more", &config.MaxBytes, MinMaxBytes, DefaultMaxBytes},
		{"a request shows %d earlier messages; expected %d or more", &config.MaxRecentMessages, MinRecentMessages, DefaultRecentMessages},
		{"earlier messages are folded beyond %d bytes; expected %d or more", &config.MaxRecentBytes, 1, DefaultRecentBytes},
		{"of an earlier result %d bytes are kept; expected %d or more", &config.MaxDigestBytes, MinDigestBytes, DefaultDigestBytes},
	} {
		if *limit.value == 0 {
			*limit.value = limit.fallback
		}
		if *limit.value < limit.least {
			return nil, fmt.Errorf(limit.name, *limit.value, limit.least)
		}
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
	return &Manager{config: config, ceiling: config.MaxBytes}, nil
}

// Ask begins a turn with what the person says, and what was piped in beside
// it ("" is nothing).
func (m *Manager) Ask(question, context string) {
	m.closeTurn(nil)
	m.turn = &turn{question: m.config.Mask(question), context: m.config.Mask(context)}
}

// Attach adds pictures to what the person said last. They go with it as long
// as requests show it, and do not count against the ceiling.
func (m *Manager) Attach(images ...llm.Image) {
	if m.turn != nil {
		m.turn.images = append(m.turn.images, images...)
	}
}

// Commands adds a cmd reply and what its steps did.
func (m *Manager) Commands(reply protocol.Reply, observations []protocol.Observation) {
	m.turn.repair = nil
	if rounds := m.turn.rounds; len(rounds) > 0 {
		before := &rounds[len(rounds)-1]
		m.digest(before.observations)
		before.lines, before.observations = before.ran(), nil
	}
	masked := make([]protocol.Observation, len(observations))
	for i, o := range observations {
		masked[i] = m.Mask(o)
	}
	reply.Message = m.config.Mask(reply.Message)
	m.turn.rounds = append(m.turn.rounds, round{reply: reply, observations: masked})
}

// Invalid adds an answer that broke the language. The next window asks for it
// again.
func (m *Manager) Invalid(raw string, violations []protocol.Violation) {
	m.turn.repair = &repair{m.config.Mask(raw), violations}
}

// Answer ends the turn with the reply that the person saw.
func (m *Manager) Answer(reply protocol.Reply) {
	said := m.config.Mask(reply.Message)
	m.closeTurn(func(most int) string { return answerText(reply.Type, said, nil, most) })
}

// Abandon ends the turn without an answer. The conversation goes on with what
// there is of it.
func (m *Manager) Abandon(why string) {
	open := m.turn
	m.closeTurn(func(most int) string { return answerText(protocol.KindError, why, nil, most) })
	m.abandoned = open
}

// Forget drops the conversation. What is known of the model stays, such as a
// ceiling that was lowered.
func (m *Manager) Forget() {
	*m = Manager{config: m.config, ceiling: m.ceiling, tokens: m.tokens}
}

// Instruct puts another instruction in the place of [Config.Instruction]: that of
// the session that the conversation goes on with. "" is none.
func (m *Manager) Instruct(text string) { m.config.Instruction = text }

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

// errNoTurn is a programmer's error.
var errNoTurn = errors.New("contextmgr: a window was asked for before a question")
