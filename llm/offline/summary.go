package offline

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// summaryFormat is the name of the answer's form where a summary is asked for.
const summaryFormat = "summary"

// Limits of a summary, in characters and sentences.
const (
	maxSummary = 1800
	maxSaid    = 160
	maxFacts   = 24
)

// remembered are the beginnings of sentences that tell something of the person
// or ask to keep something in mind.
const remembered = "remember |note that |keep in mind |my |our |i am |i'm |we |记住|请记住|注意|我是|我叫|我的|我们"

// askedBefore begins a summary.
func (l lang) askedBefore() string { return l.f("Asked before: ", "之前问过：") }

// summarize makes the summary that a conversation asks for. It understands
// nothing: it lists what was asked, and keeps word for word what the person
// said to be remembered.
func summarize(conversation llm.Context) string {
	var request struct {
		Earlier      protocol.Summary `json:"earlier"`
		Conversation []struct {
			Role    llm.Role `json:"role"`
			Content any      `json:"content"`
		} `json:"conversation"`
	}
	for i := range conversation.Messages {
		if text := conversation.Messages[i].Text(); json.Unmarshal([]byte(text), &request) == nil && request.Conversation != nil {
			break
		}
	}
	var asked []string
	s := protocol.Summary{KeyFacts: request.Earlier.KeyFacts, OpenTasks: request.Earlier.OpenTasks}
	l := en
	for _, line := range request.Conversation {
		text, ok := line.Content.(string)
		if !ok || line.Role != llm.RoleUser {
			continue
		}
		said := firstOf(strings.Join(strings.Fields(splitQuestion(text).text), " "), maxSaid)
		if said == "" {
			continue
		}
		l = chooseLang("", question{text: said}, nil)
		if worthKeeping(said) {
			s.KeyFacts = append(s.KeyFacts, said)
		} else {
			asked = append(asked, said)
		}
	}
	if n := len(s.KeyFacts); n > maxFacts {
		s.KeyFacts = s.KeyFacts[n-maxFacts:]
	}
	earlier := request.Earlier.Text
	for _, known := range []lang{en, zh} {
		earlier = strings.TrimPrefix(earlier, known.askedBefore())
	}
	if earlier != "" {
		asked = append([]string{earlier}, asked...)
	}
	text := strings.Join(asked, "; ")
	if over := utf8.RuneCountInString(text) - maxSummary; over > 0 {
		text = "… " + string([]rune(text)[over:])
	}
	if text == "" {
		text = "-"
	}
	s.Text = l.askedBefore() + text
	b, err := json.Marshal(s)
	if err != nil {
		return "" // what was read as JSON always can be written as such
	}
	return string(b)
}

// worthKeeping tells whether a sentence is no question but something to be
// kept in mind.
func worthKeeping(said string) bool {
	if strings.HasSuffix(said, "?") || strings.HasSuffix(said, "？") {
		return false
	}
	lower := strings.ToLower(said)
	for start := range strings.SplitSeq(remembered, "|") {
		if strings.HasPrefix(lower, start) {
			return true
		}
	}
	return false
}

// firstOf gives the first characters of a text.
func firstOf(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
