package decide

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// A Decision is the option that a person chose for one item.
type Decision struct {
	ID     int64  `json:"id"`
	Chosen string `json:"chosen"`
	Note   string `json:"note,omitzero"` // what the person wrote beside it; "" is nothing
}

// Decisions are what a person decided, one for every item, in their order. The
// schema "decide_output" says what each field is.
type Decisions struct {
	Decisions []Decision `json:"decisions"`
}

// JSON gives the decisions in one line, as `result` prints them.
func (d Decisions) JSON() ([]byte, error) { return json.Marshal(d) }

// ParseDecisions reads decisions and holds them against the questions: every
// item once, and one of its own values. A note of white space is none. The
// order becomes that of the items.
func ParseDecisions(in *Input, text []byte) (Decisions, error) {
	var given struct {
		Decisions []struct {
			ID     *int64  `json:"id"`
			Chosen *string `json:"chosen"`
			Note   *string `json:"note"`
		} `json:"decisions"`
	}
	if err := json.Unmarshal(text, &given, json.RejectUnknownMembers(true)); err != nil {
		return Decisions{}, fmt.Errorf("expected {\"decisions\":[{\"id\",\"chosen\",\"note\"}]}: %w", err)
	}
	items := map[int64]int{}
	for i, item := range in.Items {
		items[item.ID] = i
	}
	out := make([]Decision, len(in.Items))
	for i, d := range given.Decisions {
		at := fmt.Sprintf("decisions[%d]", i)
		if d.ID == nil || d.Chosen == nil {
			return Decisions{}, fmt.Errorf("%s: expected id and chosen, got less", at)
		}
		index, known := items[*d.ID]
		switch {
		case !known:
			return Decisions{}, fmt.Errorf("%s.id: expected the id of an item, got %d", at, *d.ID)
		case out[index].ID != 0:
			return Decisions{}, fmt.Errorf("%s.id: expected every item once, got %d a second time", at, *d.ID)
		case !in.Items[index].offers(*d.Chosen):
			return Decisions{}, fmt.Errorf("%s.chosen: expected one of the values of item %d, got %s", at, *d.ID, quoted(*d.Chosen))
		}
		out[index] = Decision{ID: *d.ID, Chosen: *d.Chosen}
		if d.Note != nil && strings.TrimSpace(*d.Note) != "" {
			if n := utf8.RuneCountInString(*d.Note); n > MaxNoteRunes {
				return Decisions{}, fmt.Errorf("%s.note: expected at most %d characters, got %d", at, MaxNoteRunes, n)
			}
			out[index].Note = strings.TrimSpace(*d.Note)
		}
	}
	for i, d := range out {
		if d.ID == 0 {
			return Decisions{}, fmt.Errorf("decisions: expected one for every item, got none for %d", in.Items[i].ID)
		}
	}
	return Decisions{out}, nil
}

// MaxNoteRunes is the longest note, in characters.
const MaxNoteRunes = 20_000

func (i Item) offers(value string) bool {
	for _, o := range i.Options {
		if o.Value == value {
			return true
		}
	}
	return false
}
