package contextmgr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// maxPastMessages bounds the messages of an earlier turn: its question, what
// was run, and its answer.
const maxPastMessages = MinRecentMessages

// past is a turn that is over, as later requests show it.
type past struct {
	messages []message
	images   []llm.Image // of the question
	question int         // index of the question's message
	bytes    int         // of their texts

	// The same with more of the question and the answer, where
	// [Config.MaxMessageBytes] allows it; nil is no more.
	long      []message
	longBytes int
}

// message is one line of an earlier turn.
type message struct {
	role llm.Role
	text string
}

// closeTurn makes the current turn an earlier one. answer gives the answer in
// about so many bytes; nil is none.
func (m *Manager) closeTurn(answer func(most int) string) {
	t := m.turn
	if t == nil {
		return
	}
	m.turn, m.abandoned = nil, nil
	question := t.question
	if t.context != "" {
		question += fmt.Sprintf("\n(with %d bytes of standard input, left out)", len(t.context))
	}
	p := past{images: t.images, question: len(t.told)}
	for _, text := range t.told {
		p.messages = append(p.messages, message{llm.RoleUser, cutMiddle(text, historyBytes)})
	}
	p.messages = append(p.messages, message{llm.RoleUser, cut(question, historyBytes)})
	for _, s := range t.said {
		p.messages = append(p.messages, message{llm.RoleUser, cut(s.text, historyBytes)})
		p.images = append(p.images[:len(p.images):len(p.images)], s.images...)
	}
	rounds := t.rounds
	if merged := len(rounds) - (maxPastMessages - 3); merged > 1 {
		p.messages = append(p.messages, message{llm.RoleAssistant, merge(rounds[:merged])})
		rounds = rounds[merged:]
	}
	for _, r := range rounds {
		p.messages = append(p.messages, message{llm.RoleAssistant, historyText(cut(r.reply.Message, reasonBytes), newest(r.ran()))})
	}
	if n := len(t.rounds); n > 0 {
		m.digest(t.rounds[n-1].observations)
	}
	if answer != nil {
		p.messages = append(p.messages, message{llm.RoleAssistant, answer(historyBytes)})
	}
	p.bytes = sizeOf(p.messages)
	if most := m.config.MaxMessageBytes; most > historyBytes {
		p.long = slices.Clone(p.messages)
		p.long[p.question].text = cut(question, most)
		if answer != nil {
			p.long[len(p.long)-1].text = answer(most)
		}
		p.longBytes = sizeOf(p.long)
	}
	m.past = append(m.past, p)
}

func sizeOf(messages []message) (n int) {
	for _, line := range messages {
		n += size(line.text)
	}
	return n
}

// digest keeps the newest results.
func (m *Manager) digest(observations []protocol.Observation) {
	for _, o := range observations[max(0, len(observations)-maxDigests):] {
		m.digests = append(m.digests, shrink(o, m.config.MaxDigestBytes))
	}
	if n := len(m.digests); n > maxDigests {
		m.digests = append(m.digests[:0:0], m.digests[n-maxDigests:]...)
	}
}

// history is what a later request says of a round (plugin-ai document,
// section 8.5): the message, and what was run.
func (r round) history() string {
	return historyText(cut(r.reply.Message, reasonBytes), r.ran())
}

// ran says in a line each what the steps of a round did.
func (r round) ran() []string {
	if r.lines != nil {
		return r.lines
	}
	ran := make([]string, len(r.observations))
	for i, o := range r.observations {
		ran[i] = summary(o)
	}
	return ran
}

// merge is one message for several rounds: the newest of what they ran.
func merge(rounds []round) string {
	var ran []string
	for _, r := range rounds {
		ran = append(ran, r.ran()...)
	}
	return historyText(fmt.Sprintf("(%d rounds of commands; the newest are named)", len(rounds)), newest(ran))
}

// newest keeps the last lines of what was run, in what an earlier turn may
// say of it.
func newest(ran []string) []string {
	left, from := historyBytes-reasonBytes, len(ran)
	for from > 0 {
		if left -= 2*size(ran[from-1]) + 3; left < 0 {
			break
		}
		from--
	}
	return ran[from:]
}

// historyText is a cmd reply as later requests show it, in at most historyBytes
// as long as the lines of what was run allow it. It is JSON, also when cut.
func historyText(text string, ran []string) string {
	return answerText(protocol.KindCmd, text, ran, historyBytes)
}

// answerText is the same in at most that many bytes.
func answerText(kind protocol.Kind, text string, ran []string, most int) string {
	short := func(n int) string {
		b, err := json.Marshal(struct {
			Type    protocol.Kind `json:"type"`
			Message string        `json:"message"`
			Ran     []string      `json:"ran,omitempty"`
		}{kind, cut(text, n), ran})
		if err != nil {
			return strings.ToValidUTF8(text, "\ufffd")
		}
		return string(b)
	}
	// JSON in JSON is escaped twice; what has many quotes is cut shorter.
	for n := most; ; n /= 2 {
		s := short(n)
		if size(s) <= most || n < summaryBytes {
			return s
		}
		if over := size(s) - most; over < n/2 {
			if s = short(n - over); size(s) <= most {
				return s
			}
		}
	}
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
