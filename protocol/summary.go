package protocol

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/schemas"
)

// MaxSummaryBytes is the most that the answer to a request for a summary may
// have, as text.
const MaxSummaryBytes = 1 << 20

// Summary is what a model makes of the older part of a conversation
// (plugin-ai document, section 8.4).
type Summary struct {
	Text      string   `json:"summary"`
	KeyFacts  []string `json:"keyFacts"`
	OpenTasks []string `json:"openTasks"`
}

// DecodeSummary reads a whole answer to a request for a summary: one JSON
// object that follows the schema summary, with a byte order mark, white space
// or one code fence around it. Everything else is an [*InvalidError]; so is an
// answer that did not end normally or is damaged, since what it lost would be
// lost for good.
func DecodeSummary(text []byte, o Options) (Summary, error) {
	switch {
	case len(text) > MaxSummaryBytes:
		return Summary{}, invalid("", fmt.Sprintf("a summary of at most %d bytes", MaxSummaryBytes), fmt.Sprintf("one of %d bytes", len(text)))
	case o.Finish != "" && o.Finish != FinishStop:
		return Summary{}, invalid("", "a summary that ended normally", "one that ended by "+string(o.Finish))
	case o.Damaged:
		return Summary{}, invalid("", "a summary that arrived as it was said", "one that is damaged")
	}
	inner, _ := peel(text)
	value, err := parse(inner)
	if err != nil {
		return Summary{}, err
	}
	schema, err := schemas.Load("summary")
	if err != nil {
		return Summary{}, err
	}
	if found := schema.Check(value); len(found) > 0 {
		return Summary{}, &InvalidError{found}
	}
	var s Summary
	if err := json.Unmarshal(inner, &s); err != nil {
		return Summary{}, syntaxViolation(inner, err)
	}
	if strings.TrimSpace(s.Text) == "" {
		return Summary{}, invalid("/summary", "a text", "an empty one")
	}
	return s, nil
}
