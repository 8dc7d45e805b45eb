package contextmgr

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/protocol"
)

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

// fit gives the text of an observation in at most room bytes.
func fit(o protocol.Observation, text string, room int) string {
	if size(text) <= room {
		return text
	}
	return observationText(shorten(o, text, room))
}

// shorten makes an observation whose text has at most room bytes, shrinking
// what says least first: tails, then parsed items, then the rest.
func shorten(o protocol.Observation, text string, room int) protocol.Observation {
	if size(text) <= room {
		return o
	}
	for _, share := range []int{85, 60, 40, 25, 12, 5, 1} {
		n := max(room, 0) * share / 100
		shorter := o
		shorter.Parsed = capItems(o.Parsed, n/2)
		shorter.StderrTail = cutHead(o.StderrTail, n/3)
		shorter.StdoutTail = cutHead(o.StdoutTail, n-itemsSize(shorter.Parsed)-size(shorter.StderrTail))
		shorter.Truncated = o.Truncated || shorter.StdoutTail != o.StdoutTail || shorter.StderrTail != o.StderrTail
		if size(observationText(shorter)) <= room {
			return shorter
		}
	}
	bare := protocol.Observation{
		Event: o.Event, Tool: o.Tool, ID: o.ID, CWD: "", Program: o.Program, Args: []string{},
		ExitCode: o.ExitCode, DurationMs: o.DurationMs, Outcome: o.Outcome, Truncated: true,
		Note: "too long to show; ask for less",
	}
	if size(observationText(bare)) <= max(room, 0) || o.Program == nil {
		return bare
	}
	o.Program = nil
	return shorten(o, observationText(o), room)
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

// itemsSize is what the items of a parsed output take, about.
func itemsSize(p *protocol.Parsed) int {
	n := 0
	if p != nil {
		for _, item := range p.Items {
			n += 2 * len(item)
		}
	}
	return n
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
		lines = append(lines, fit(o, observationText(o), each-2))
	}
	return strings.Join(lines, "\n")
}

// shrink makes of a result what is kept of it for later: its structure where
// that is all of the output, else its tails.
func shrink(o protocol.Observation, room int) protocol.Observation {
	o.Verdict = nil
	if p := o.Parsed; p != nil {
		if short := o; len(p.Items) == p.Total && p.Total > 0 && saysAll(p.Kind) {
			short.StdoutTail, short.Truncated = "", o.Truncated || o.StdoutTail != ""
			if size(observationText(short)) <= room {
				return short
			}
		}
		o.Parsed = nil
	}
	return shorten(o, observationText(o), room)
}

// saysAll tells whether a parsed output holds what the output said. The others
// say what it was about.
func saysAll(kind protocol.ParsedKind) bool {
	return kind != protocol.ParsedFileSnippet && kind != protocol.ParsedGitDiff
}
