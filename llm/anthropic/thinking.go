package anthropic

import (
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/llm"
)

// leastAnswer is how many tokens of an answer's limit are left to what is said
// after thinking; leastBudget is the least that the API lets a model think.
const (
	leastAnswer = 1024
	leastBudget = 1024
)

// think fills in how hard the model is to think. Models up to 4.5, and those
// whose name tells no version, are given a number of tokens; later ones decide
// by themselves, and are told an effort.
func think(r *request, model llm.Model, options llm.Options) {
	if !model.Reasoning || options.Level == "" || options.Params["thinking"] != nil {
		return
	}
	if options.Level == llm.LevelOff {
		r.Thinking = &thinking{Type: "disabled"}
		return
	}
	budget := options.Level.Budget()
	if budget == 0 {
		return
	}
	v := versionOf(model.ID)
	if v.atLeast(4, 6) {
		r.Thinking = &thinking{Type: "adaptive"}
		if v.atLeast(4, 7) {
			r.Thinking.Display = "summarized" // else only a signature comes
		}
		r.OutputConfig = &outputConfig{Effort: effort(options.Level, v)}
		r.Temperature = nil // the API takes none beside thinking
		return
	}
	if r.MaxTokens > 0 {
		most := r.MaxTokens + budget
		if model.MaxTokens > 0 {
			most = min(most, model.MaxTokens)
		}
		r.MaxTokens = max(most, r.MaxTokens)
		budget = min(budget, r.MaxTokens-leastAnswer)
	}
	if budget < leastBudget {
		return // no room: a small limit was asked for
	}
	r.Thinking = &thinking{Type: "enabled", Budget: budget}
	r.Temperature = nil
}

// effort is the API's name of a level.
func effort(level llm.Level, v version) string {
	switch level {
	case llm.LevelMinimal, llm.LevelLow:
		return "low"
	case llm.LevelMedium:
		return "medium"
	case llm.LevelXHigh:
		if v.atLeast(4, 7) {
			return "xhigh"
		}
		return "high"
	default:
		return "high"
	}
}

// A version is what the name of a model tells of it; zero is nothing.
type version struct{ major, minor int }

// versionOf reads names such as claude-sonnet-4-5-20250929, claude-opus-5 and
// claude-3-7-sonnet-latest, also behind a vendor's name.
func versionOf(id string) (v version) {
	_, name, ok := strings.Cut(strings.ToLower(id), "claude-")
	if !ok {
		return version{}
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '.' || r == '@' || r == ':' }) {
		n, err := strconv.Atoi(part)
		switch {
		case err != nil || n < 0 || len(part) > 2: // a word, or a date
			if v.major > 0 {
				return v
			}
		case v.major > 0:
			v.minor = n
			return v
		default:
			v.major = n
		}
	}
	return v
}

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}
