package contextmgr

import (
	_ "embed" // the system text of the request for a summary
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

//go:embed compaction.txt
var compactionText string

const (
	reserve    = 4 // the part of what a model can read and write that is left for its answer: a quarter
	tokenBytes = 3 // that a token has at the least, as a rule
)

// A Compaction is the request for a summary, and what the summary replaces.
type Compaction struct {
	Request llm.Context
	Turns   int // the oldest earlier turns, which are folded
	Kept    int // earlier turns that stay

	folded int // of the manager when this was planned
}

// Due tells whether earlier turns are beyond what a request should show of
// them, or the newest request filled what the model can read, and whether they
// can be folded into the summary (plugin-ai document, section 8.3).
func (m *Manager) Due() bool {
	messages, bytes := m.recentSize()
	full := m.tokens > 0 && m.sent.Tokens > m.tokens-m.tokens/reserve
	return len(m.past) > 1 && (messages > m.config.MaxRecentMessages || bytes > m.config.MaxRecentBytes || full)
}

// recentSize measures the earlier turns that are not folded.
func (m *Manager) recentSize() (messages, bytes int) {
	for _, p := range m.past {
		messages += len(p.messages)
		bytes += p.bytes
	}
	return messages, bytes
}

// Size estimates what the history takes of a request: the summary, earlier
// turns and results, as far as they are kept.
func (m *Manager) Size() (bytes, tokens int) {
	count := func(text string) {
		bytes += size(text)
		tokens += EstimateTokens(text)
	}
	count(Readable(m.summary))
	for _, p := range m.past {
		for _, line := range p.messages {
			count(line.text)
		}
	}
	for _, o := range m.digests {
		count(observationText(o))
	}
	return bytes, tokens
}

// Compaction plans a summary: the request for it, and the turns that it
// replaces, which are always whole and always the oldest. The newest turn
// stays, and so do, unless all is true, as many as are good to have in full
// and leave room for more. A history too long for one request is folded in
// several compactions. It is false where there is nothing to fold. focus is
// what the summary should keep above all; "" is nothing.
func (m *Manager) Compaction(focus string, all bool) (Compaction, bool) {
	fold := len(m.past) - 1
	if !all {
		messages, bytes := 0, 0
		for ; fold >= 0; fold-- {
			messages += len(m.past[fold].messages)
			bytes += m.past[fold].bytes
			if messages > m.config.MaxRecentMessages/2 || bytes > m.config.MaxRecentBytes/2 {
				break
			}
		}
		fold = min(fold+1, len(m.past)-1)
	}
	if fold < 1 {
		return Compaction{}, false
	}

	type line struct {
		Role    llm.Role       `json:"role"`
		Content jsontext.Value `json:"content"`
	}
	type memory struct {
		Earlier      *protocol.Summary `json:"earlier,omitzero"`
		Focus        string            `json:"focus,omitzero"`
		Conversation []line            `json:"conversation"`
	}
	request := memory{Focus: cutMiddle(m.config.Mask(focus), m.ceiling/16)}
	room := m.ceiling - size(compactionText)
	if m.summary.Text != "" {
		earlier := squeeze(m.summary, room/2)
		request.Earlier = &earlier
	}
	empty, err := json.Marshal(request)
	if err != nil {
		return Compaction{}, false // valid UTF-8 always can be written
	}
	room -= size(string(empty))

	c := Compaction{folded: m.folded}
	for _, p := range m.past[:fold] {
		lines := make([]line, len(p.messages))
		need := 0
		for most := historyBytes; ; most /= 2 {
			need = 0
			for i, message := range p.messages {
				lines[i] = line{message.role, content(message.text, most)}
				need += size(string(lines[i].Content)) + len(`{\"role\":\"assistant\",\"content\":},`)
			}
			// The first turn must fit, and is cut where it does not.
			if need <= room || c.Turns > 0 || most < summaryBytes {
				break
			}
		}
		if need > room {
			break
		}
		room -= need
		c.Turns++
		request.Conversation = append(request.Conversation, lines...)
	}
	text, err := json.Marshal(request)
	if err != nil || c.Turns == 0 {
		return Compaction{}, false
	}
	c.Kept = len(m.past) - c.Turns
	c.Request = llm.Context{System: []string{compactionText}, Messages: []llm.Message{llm.UserText(string(text))}}
	return c, true
}

// content is a message's text as a JSON value: itself where it is JSON and
// short enough, else a string, cut.
func content(text string, most int) jsontext.Value {
	if v := jsontext.Value(text); size(text) <= most && v.Kind() == '{' && v.IsValid() {
		return v
	}
	quoted, err := jsontext.AppendQuote(nil, cutMiddle(text, most))
	if err != nil {
		return jsontext.Value(`""`)
	}
	return quoted
}

// Fold replaces the turns of a compaction by the summary that was made of
// them. It fails, and changes nothing, where the conversation went on in a way
// that the compaction does not know of.
func (m *Manager) Fold(c Compaction, s protocol.Summary) error {
	if c.folded != m.folded || c.Turns < 1 || c.Turns >= len(m.past) {
		return fmt.Errorf("the summary is of %d turns that are not there any more", c.Turns)
	}
	s = m.bounded(s)
	if s.Text == "" {
		return fmt.Errorf("the summary of %d turns is empty", c.Turns)
	}
	m.summary = s
	m.past = append([]past(nil), m.past[c.Turns:]...)
	m.folded += c.Turns
	return nil
}

// Summary is what is kept of the turns that were folded; without text there
// were none.
func (m *Manager) Summary() protocol.Summary { return m.summary }

// ForModel tells how many tokens the model that is asked from now on can read
// and write at once; 0 is unknown. The ceiling of requests goes down where that
// is little, and what an earlier model refused is forgotten.
func (m *Manager) ForModel(tokens int) {
	m.tokens, m.ceiling, m.sent = tokens, m.config.MaxBytes, Usage{}
	if tokens > 0 {
		most := (tokens - tokens/reserve) * tokenBytes
		m.ceiling = max(min(m.ceiling, most), lowestBytes)
	}
}

// lowestBytes is the least that the ceiling is lowered to: the language, and
// little more than the question.
const lowestBytes = 6 << 10

// Lower takes the ceiling of this conversation's requests down, because one of
// that many bytes was refused as too long. It is false where the ceiling
// cannot be below that.
func (m *Manager) Lower(refused int) bool {
	next := max(refused/2, lowestBytes)
	if next >= m.ceiling || next >= refused {
		return false
	}
	m.ceiling = next
	return true
}
