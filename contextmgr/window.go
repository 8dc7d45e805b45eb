package contextmgr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// Ceilings of the parts, as shares of what the language leaves of the whole.
const (
	// instructionShare is of what the language leaves of the whole, before the
	// other parts.
	instructionShare = 40

	resultShare  = 45 // percent: the newest results
	digestShare  = 15 // percent: earlier results
	summaryShare = 15 // percent: the summary; the input may have all the rest
	summaryMost  = 35 // percent: the summary, of what the others do not need
	historyBytes = 2 << 10
	summaryBytes = 160
	reasonBytes  = 500 // of a cmd's message, once its round is over
	repairBytes  = 1 << 10
	noteBytes    = 256 // what notes on omissions may take
)

// A Part is a share of a window, for people who want to know what is sent.
type Part struct {
	Name  string // system, instruction, facts, summary, digests, recent, told, input, said, rounds, results, repair, notes
	Bytes int    // as JSON writes it
}

// A Window is what is sent: system texts, messages, and what they are made of.
type Window struct {
	System   []string
	Messages []llm.Message
	Parts    []Part
	Bytes    int // the sum of Parts; never more than the ceiling
}

// add puts a text into the window under a part's name.
func (w *Window) add(part string, size int) {
	w.Bytes += size
	for i := range w.Parts {
		if w.Parts[i].Name == part {
			w.Parts[i].Bytes += size
			return
		}
	}
	w.Parts = append(w.Parts, Part{part, size})
}

// Window plans the next request. It is the same when planned twice.
func (m *Manager) Window() (Window, error) {
	t := m.turn
	if t == nil {
		return Window{}, errNoTurn
	}
	var w Window
	w.System = append(w.System, systemText)
	w.add("system", size(systemText))
	room := m.ceiling - w.Bytes - noteBytes
	if said := m.config.Mask(m.config.Instruction); said != "" {
		said = cutMiddle(said, room*instructionShare/100)
		w.System = append(w.System, said)
		w.add("instruction", size(said))
	}
	room = m.ceiling - w.Bytes - noteBytes
	if facts := cut(m.config.Mask(m.config.Facts()), room/4); facts != "" {
		w.System = append(w.System, facts)
		w.add("facts", size(facts))
	}
	room = m.ceiling - w.Bytes - noteBytes

	// What matters most takes its room first.
	repairs := repairTexts(t.repair)
	for _, s := range repairs {
		room -= size(s)
	}
	results := resultTexts(t.rounds, room*resultShare/100)
	digests := digestText(m.digests, room*digestShare/100)
	left := room - size(digests)
	told := toldTexts(t.told, room*toldShare/100)
	said := saidTexts(t.said, room*digestShare/100)
	for _, s := range slices.Concat(told, said) {
		left -= size(s)
	}
	for _, s := range results {
		left -= size(s)
	}
	spare := left - max(size(t.question)+size(t.context), room/4)
	summed := summaryText(m.summary, max(room*summaryShare/100, min(room*summaryMost/100, spare)))
	left -= size(summed)
	input, cutInput := inputText(t, left)
	left -= size(input)
	rounds, cutRounds := newestThatFit(roundTexts(t.rounds), llm.RoleAssistant, &left)
	recent, cutRecent := m.recent(left)

	if summed != "" {
		w.System = append(w.System, summed)
		w.add("summary", size(summed))
	}
	if digests != "" {
		w.System = append(w.System, digests)
		w.add("digests", size(digests))
	}
	if note := omissions(cutRecent, cutRounds, cutInput); note != "" {
		w.System = append(w.System, note)
		w.add("notes", size(note))
	}
	say := func(part string, role llm.Role, text string, images ...llm.Image) {
		message := llm.UserText(text)
		if role == llm.RoleAssistant {
			message = llm.AssistantText(text)
		}
		if len(images) > 0 && text == "" {
			message.Content = nil
		}
		for _, image := range images {
			message.Content = append(message.Content, image)
		}
		w.Messages = append(w.Messages, message)
		w.add(part, size(text))
	}
	for _, p := range recent {
		for i, r := range p.messages {
			if i == p.question {
				say("recent", r.role, r.text, p.images...)
			} else {
				say("recent", r.role, r.text)
			}
		}
	}
	for _, s := range told {
		say("told", llm.RoleUser, s)
	}
	say("input", llm.RoleUser, input, t.images...)
	heard := func(last bool) {
		for i, s := range t.said {
			if last == (s.after == len(t.rounds)) {
				say("said", llm.RoleUser, said[i], s.images...)
			}
		}
	}
	heard(false)
	for _, r := range rounds {
		say("rounds", r.role, r.text)
	}
	for i, s := range results {
		role := llm.RoleUser
		if i == 0 {
			role = llm.RoleAssistant
		}
		say("results", role, s)
	}
	heard(true)
	for i, s := range repairs {
		role := llm.RoleUser
		if i == 0 {
			role = llm.RoleAssistant
		}
		say("repair", role, s)
	}
	return w, nil
}

// inputText is what the person says, with what is piped in below it. It tells
// how many bytes had to be left out.
func inputText(t *turn, room int) (text string, left int) {
	question := cutMiddle(t.question, room)
	if question != t.question {
		left = max(1, len(t.question)-len(question))
	}
	if t.context == "" {
		return question, left
	}
	const head = "\n\n--- standard input ---\n"
	context := cutMiddle(t.context, room-size(question)-size(head))
	if context != t.context {
		left += max(1, len(t.context)-len(context))
	}
	return question + head + context, left
}

// roundTexts are the rounds of this turn before the newest, in short.
func roundTexts(rounds []round) []message {
	if len(rounds) < 2 {
		return nil
	}
	earlier := rounds[:len(rounds)-1]
	if n := len(earlier); n > maxRounds {
		earlier = earlier[n-maxRounds:]
	}
	var texts []message
	for _, r := range earlier {
		texts = append(texts, message{llm.RoleAssistant, r.history()}, message{llm.RoleUser, protocol.Continue})
	}
	if n := len(rounds) - 1 - len(earlier); n > 0 {
		first := historyText(fmt.Sprintf("(%d earlier rounds of this turn are left out)", n), nil)
		texts = append([]message{{llm.RoleAssistant, first}, {llm.RoleUser, protocol.Continue}}, texts...)
	}
	return texts
}

// recent gives the newest earlier turns that fit, whole, and how many messages
// are older than these and in no summary.
func (m *Manager) recent(left int) (kept []past, out int) {
	from := len(m.past)
	for shown := m.shown(); from > shown; from-- {
		p := m.past[from-1]
		if p.long != nil && p.longBytes <= left {
			p.messages, p.bytes = p.long, p.longBytes
		}
		if left -= p.bytes; left < 0 {
			break
		}
		kept = append(kept, p)
	}
	for _, p := range m.past[:from] {
		out += len(p.messages)
	}
	slices.Reverse(kept)
	return kept, out
}

// newestThatFit keeps the newest messages that fit. What is kept begins with
// the given role, so that no message is there without what it belongs to.
func newestThatFit(all []message, first llm.Role, left *int) (kept []message, dropped int) {
	from := len(all)
	for from > 0 && *left-size(all[from-1].text) >= 0 {
		from--
		*left -= size(all[from].text)
	}
	for from < len(all) && all[from].role != first {
		*left += size(all[from].text)
		from++
	}
	return all[from:], from
}

// repairTexts is an answer that broke the language, and what was wrong.
func repairTexts(r *repair) []string {
	if r == nil {
		return nil
	}
	violations := r.violations
	if len(violations) > 8 {
		violations = violations[:8]
	}
	short := make([]protocol.Violation, len(violations))
	for i, v := range violations {
		short[i] = protocol.Violation{Path: cut(v.Path, 120), Expected: cut(v.Expected, 200), Actual: cut(v.Actual, 120)}
	}
	event, err := json.Marshal(struct {
		Event      string               `json:"_event"`
		Violations []protocol.Violation `json:"violations"`
	}{"invalid_answer", short})
	if err != nil {
		event = []byte(`{"_event":"invalid_answer"}`)
	}
	raw := strings.ToValidUTF8(cutMiddle(r.raw, repairBytes), "\ufffd")
	if raw == "" {
		raw = "(an empty answer)"
	}
	return []string{raw, string(event)}
}

// omissions tells the model what it does not see.
func omissions(messages, rounds, input int) string {
	var parts []string
	if messages > 0 {
		parts = append(parts, fmt.Sprintf("the %d oldest messages of this conversation", messages))
	}
	if rounds > 0 {
		parts = append(parts, "the oldest rounds of this turn")
	}
	if input > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes of the person's input, where it is marked", input))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Left out for want of room: " + strings.Join(parts, "; ") + "."
}
