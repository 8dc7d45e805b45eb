package contextmgr

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// Ceilings of the parts, as shares of what the language leaves of the whole.
const (
	resultShare  = 45 // percent: the newest results
	digestShare  = 15 // percent: earlier results; the input may have all the rest
	historyBytes = 2 << 10
	summaryBytes = 160
	reasonBytes  = 500 // of a cmd's message, once its round is over
	repairBytes  = 1 << 10
	noteBytes    = 200 // what notes on omissions may take
)

// A Part is a share of a window, for people who want to know what is sent.
type Part struct {
	Name  string // system, facts, digests, recent, input, rounds, results, repair, notes
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
	room := m.config.MaxBytes - w.Bytes - noteBytes
	if facts := cut(m.config.Mask(m.config.Facts()), room/4); facts != "" {
		w.System = append(w.System, facts)
		w.add("facts", size(facts))
	}
	room = m.config.MaxBytes - w.Bytes - noteBytes

	// What matters most takes its room first.
	repairs := repairTexts(t.repair)
	for _, s := range repairs {
		room -= size(s)
	}
	results := resultTexts(t.rounds, room*resultShare/100)
	digests := digestText(m.digests, room*digestShare/100)
	left := room - size(digests)
	for _, s := range results {
		left -= size(s)
	}
	input, cutInput := inputText(t, left)
	left -= size(input)
	rounds, cutRounds := newestThatFit(roundTexts(t.rounds), llm.RoleAssistant, &left)
	recent, cutRecent := newestThatFit(m.recent, llm.RoleUser, &left)

	if digests != "" {
		w.System = append(w.System, digests)
		w.add("digests", size(digests))
	}
	if note := omissions(m.dropped+cutRecent, cutRounds, cutInput); note != "" {
		w.System = append(w.System, note)
		w.add("notes", size(note))
	}
	say := func(part string, role llm.Role, text string) {
		message := llm.UserText(text)
		if role == llm.RoleAssistant {
			message = llm.AssistantText(text)
		}
		w.Messages = append(w.Messages, message)
		w.add(part, size(text))
	}
	for _, r := range recent {
		say("recent", r.role, r.text)
	}
	say("input", llm.RoleUser, input)
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
	question := cut(t.question, room)
	left = len(t.question) - len(question)
	if left > 0 {
		left += len("…")
	}
	if t.context == "" {
		return question, left
	}
	const head = "\n\n--- standard input ---\n"
	context := cutMiddle(t.context, room-size(question)-size(head))
	if len(context) < len(t.context) {
		left += len(t.context) - len(context)
	}
	return question + head + context, left
}

// resultTexts is the newest round: the reply, its observations, and the
// message that asks to go on. Observations share the room.
func resultTexts(rounds []round, room int) []string {
	if len(rounds) == 0 {
		return nil
	}
	newest := rounds[len(rounds)-1]
	texts := []string{cut(newest.history(), room/4)}
	room -= size(texts[0]) + size(protocol.Continue)
	// Small ones leave their share to the larger ones.
	whole := make([]string, len(newest.observations))
	sizes := make([]int, len(whole))
	order := make([]int, len(whole))
	for i, o := range newest.observations {
		whole[i], order[i] = observationText(o), i
		sizes[i] = size(whole[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return sizes[a] - sizes[b] })
	for n, i := range order {
		share := room / (len(order) - n)
		whole[i] = fit(newest.observations[i], whole[i], share)
		room -= size(whole[i])
	}
	texts = append(texts, whole...)
	return append(texts, protocol.Continue)
}

// fit gives the text of an observation in at most room bytes, shrinking what
// says least first: tails, then parsed items, then the rest.
func fit(o protocol.Observation, text string, room int) string {
	if size(text) <= room {
		return text
	}
	for _, share := range []int{60, 40, 25, 12, 5, 1} {
		n := max(room, 0) * share / 100
		shorter := o
		shorter.StdoutTail, shorter.StderrTail = cutHead(o.StdoutTail, n*2/3), cutHead(o.StderrTail, n/3)
		shorter.Truncated = o.Truncated || shorter.StdoutTail != o.StdoutTail || shorter.StderrTail != o.StderrTail
		shorter.Parsed = capItems(o.Parsed, n/2)
		if text = observationText(shorter); size(text) <= room {
			return text
		}
	}
	text = observationText(protocol.Observation{
		Event: o.Event, Tool: o.Tool, ID: o.ID, CWD: "", Program: o.Program, Args: []string{},
		ExitCode: o.ExitCode, DurationMs: o.DurationMs, Outcome: o.Outcome, Truncated: true,
		Note: "too long to show; ask for less",
	})
	if size(text) <= max(room, 0) || o.Program == nil {
		return text
	}
	o.Program = nil
	return fit(o, text, room)
}

func capItems(p *protocol.Parsed, room int) *protocol.Parsed {
	if p == nil {
		return nil
	}
	short := *p
	short.Items = nil
	for _, item := range p.Items {
		if room -= 2 * len(item); room < 0 {
			break
		}
		short.Items = append(short.Items, item)
	}
	return &short
}

func observationText(o protocol.Observation) string {
	b, err := json.Marshal(o)
	if err != nil {
		// Only text that is not UTF-8 cannot be marshalled, and executors
		// give none.
		return `{"_event":"tool_result","note":"this result could not be written"}`
	}
	return string(b)
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
		first := historyText(protocol.KindCmd, fmt.Sprintf("(%d earlier rounds of this turn are left out)", n), nil)
		texts = append([]message{{llm.RoleAssistant, first}, {llm.RoleUser, protocol.Continue}}, texts...)
	}
	return texts
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

// digestText is the system part with earlier results, cut.
func digestText(digests []protocol.Observation, room int) string {
	if len(digests) == 0 {
		return ""
	}
	const head = "Earlier results, shortened:"
	room -= size(head)
	lines := []string{head}
	each := room / len(digests)
	for _, o := range digests {
		o.Verdict, o.Parsed = nil, nil
		lines = append(lines, fit(o, observationText(o), each-2))
	}
	return strings.Join(lines, "\n")
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
		parts = append(parts, fmt.Sprintf("%d bytes of the person's input", input))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Left out for want of room: " + strings.Join(parts, "; ") + "."
}

// size is the length of a text as JSON writes it in a request.
func size(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n += 2
		case c < ' ':
			n += 6
		default:
			n++
		}
	}
	return n
}

// cut keeps the beginning of a text in at most n bytes as JSON writes it.
func cut(s string, n int) string {
	if size(s) <= n {
		return s
	}
	const mark = "…"
	return prefix(s, n-len(mark)) + mark
}

// cutHead keeps the end of a text, from the beginning of a line where it can.
func cutHead(s string, n int) string {
	if size(s) <= n {
		return s
	}
	s = suffix(s, n)
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 && i < len(s)/2 {
		return s[i+1:]
	}
	return s
}

// cutMiddle keeps the beginning and the end of a text.
func cutMiddle(s string, n int) string {
	if size(s) <= n {
		return s
	}
	mark := fmt.Sprintf("\n… (%d bytes left out) …\n", len(s))
	n -= size(mark)
	if n < 0 {
		return ""
	}
	head, tail := prefix(s, n*2/3), suffix(s, n/3)
	return head + fmt.Sprintf("\n… (%d bytes left out) …\n", len(s)-len(head)-len(tail)) + tail
}

// prefix gives the longest beginning of whole characters in n bytes.
func prefix(s string, n int) string {
	end := 0
	for end < len(s) {
		_, width := utf8.DecodeRuneInString(s[end:])
		if n -= size(s[end : end+width]); n < 0 {
			break
		}
		end += width
	}
	return s[:end]
}

// suffix gives the longest end of whole characters in n bytes.
func suffix(s string, n int) string {
	from := len(s)
	for from > 0 {
		_, width := utf8.DecodeLastRuneInString(s[:from])
		if n -= size(s[from-width : from]); n < 0 {
			break
		}
		from -= width
	}
	return s[from:]
}
