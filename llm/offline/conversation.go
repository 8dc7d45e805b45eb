package offline

import (
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// A turn is all that is known when an answer is made: the question, what was
// observed for it so far, and what was asked before.
type turn struct {
	lang     lang
	now      time.Time
	system   []string
	earlier  []question // oldest first
	question question
	// rounds holds the observations of each reply with commands that was
	// given for this question.
	rounds [][]protocol.Observation
	// changes are the lines about changes of settings files in this
	// conversation, as far as it is there.
	changes []string

	// What the intents go by, set once the question is understood: the
	// question that counts (an earlier one after "more"), its words, what the
	// matching pattern kept, and the things that it names.
	text  string
	words []word
	slots map[string]string
	page  int    // 0, or how often more of the same was asked for
	file  string // the first file or path; "" is none
	kind  *kind  // the first kind of files; nil is none
	n     int    // the first number; 0 is none
}

// A question is what a person said, and the text that was piped in with it.
type question struct {
	text  string
	piped string
	gone  bool // there was piped text, and it is not in the conversation any more
}

// pipedMark is the line that parts a question from piped text.
const pipedMark = "--- standard input ---"

// readTurn reads a conversation. The current question is the last user text
// that is no event; what was observed after it belongs to it.
func readTurn(c llm.Context, language string) *turn {
	t := &turn{system: c.System}
	asked := false
	var ran [][]string // what each reply's steps were, in short
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.Role == llm.RoleAssistant {
			t.rounds = append(t.rounds, nil)
			lines := readRan(m.Text())
			ran = append(ran, lines)
			for _, l := range lines {
				if file, _ := changedFile(l); file != "" {
					t.changes = append(t.changes, l)
				}
			}
			continue
		}
		var said []string
		for _, b := range m.Content {
			text, ok := b.(llm.Text)
			if !ok {
				continue
			}
			event, observation := readEvent(text.Text)
			if !event {
				said = append(said, text.Text)
				continue
			}
			if observation == nil {
				continue
			}
			if len(t.rounds) == 0 {
				t.rounds, ran = append(t.rounds, nil), append(ran, nil)
			}
			last := len(t.rounds) - 1
			t.rounds[last] = append(t.rounds[last], *observation)
		}
		if len(said) == 0 || m.Role != llm.RoleUser {
			continue
		}
		if asked {
			t.earlier = append(t.earlier, t.question)
		}
		t.question, t.rounds, ran, asked = splitQuestion(strings.Join(said, "\n")), nil, nil, true
	}
	// Only the newest round stands there in full. Of the ones before, what is
	// left is what the system text keeps of earlier results, and a line for
	// each step. A reply that nothing was observed for is no round.
	kept := t.rounds[:0]
	var results map[string]protocol.Observation
	for i, r := range t.rounds {
		if len(r) == 0 && len(ran[i]) > 0 {
			if results == nil {
				results = earlierResults(c.System)
			}
			for _, s := range ran[i] {
				r = append(r, recall(s, results))
			}
		}
		if len(r) > 0 {
			kept = append(kept, r)
		}
	}
	t.rounds = kept
	t.lang = chooseLang(language, t.question, t.earlier)
	return t
}

// readEvent tells whether a user text is an event of the runner, and gives the
// observation where it is one. What stands inside an observation is data,
// whatever it looks like.
func readEvent(text string) (event bool, _ *protocol.Observation) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return false, nil
	}
	var head struct {
		Event string `json:"_event"`
	}
	if json.Unmarshal([]byte(text), &head) != nil || head.Event == "" {
		return false, nil
	}
	if head.Event != "tool_result" {
		return true, nil
	}
	var o protocol.Observation
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return true, &protocol.Observation{Event: head.Event, Outcome: protocol.NotStarted, Note: err.Error()}
	}
	return true, &o
}

// readRan gives the lines about its steps that a reduced reply has.
func readRan(reply string) []string {
	var r struct {
		Ran []string `json:"ran"`
	}
	if !strings.HasPrefix(reply, "{") || json.Unmarshal([]byte(reply), &r) != nil {
		return nil
	}
	return r.Ran
}

// earlierResults gives the observations that the system text keeps, by id.
func earlierResults(system []string) map[string]protocol.Observation {
	results := map[string]protocol.Observation{}
	for _, s := range system {
		for l := range strings.Lines(s) {
			if _, o := readEvent(l); o != nil && o.ID != "" {
				results[o.ID] = *o
			}
		}
	}
	return results
}

// recall makes an observation from a line such as "git status (cmd_001, exit
// 0)": the kept one of that id, else one without output.
func recall(s string, results map[string]protocol.Observation) protocol.Observation {
	at := strings.LastIndex(s, " (")
	if at < 0 {
		return protocol.Observation{Outcome: protocol.Skipped}
	}
	id, end, _ := strings.Cut(strings.TrimSuffix(s[at+2:], ")"), ", ")
	if o, ok := results[id]; ok {
		return o
	}
	o := protocol.Observation{ID: id, Outcome: protocol.Outcome(end), Truncated: true}
	if code, ok := strings.CutPrefix(end, "exit "); ok {
		n := int(parseInt(code))
		o.ExitCode, o.Outcome = &n, protocol.Ran
	}
	if name, args, err := protocol.ParseCommand(s[:at]); err == nil {
		o.Program, o.Args = &name, args
	}
	return o
}

func splitQuestion(s string) question {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if rest, ok := strings.CutPrefix(s, pipedMark+"\n"); ok {
		return question{piped: rest}
	}
	text, piped, _ := strings.Cut(s, "\n"+pipedMark+"\n")
	if i := strings.LastIndex(text, "\n(with "); i >= 0 && strings.HasSuffix(text, " bytes of standard input, left out)") {
		return question{text: strings.TrimSpace(visible(text[:i])), gone: true}
	}
	return question{text: strings.TrimSpace(visible(text)), piped: piped}
}

// visible drops what no question has and no command may have.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// chooseLang gives the language of the answer: the configured one, else the
// one of the question. A question without a single word (a number, a file
// name) goes by the one before.
func chooseLang(configured string, q question, earlier []question) lang {
	switch configured {
	case "zh":
		return zh
	case "en":
		return en
	}
	if hasHan(q.text) {
		return zh
	}
	if len(strings.Fields(q.text)) <= 1 && len(earlier) > 0 && hasHan(earlier[len(earlier)-1].text) {
		return zh
	}
	return en
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// all gives the observations of every round, in order.
func (t *turn) all() []protocol.Observation {
	var all []protocol.Observation
	for _, r := range t.rounds {
		all = append(all, r...)
	}
	return all
}

// of gives the last observation of a program and its sub-command ("" is any),
// or nil.
func (t *turn) of(name, sub string) *protocol.Observation {
	for i := len(t.rounds) - 1; i >= 0; i-- {
		for j := range t.rounds[i] {
			if o := &t.rounds[i][j]; program(o) == name && (sub == "" || subCommand(o) == sub) {
				return o
			}
		}
	}
	return nil
}
