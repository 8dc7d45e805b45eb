package contextmgr

import (
	"slices"

	"github.com/holic512/plugin-ai/llm"
)

// toldShare is what the texts of a person's own commands may take of a request.
const toldShare = 35 // percent

// said is what the person says while a turn is under way.
type said struct {
	after  int // rounds of commands that were there before
	text   string
	images []llm.Image
}

// Tell adds texts that the model is to know before the question of this turn,
// such as what the person's own commands wrote.
func (m *Manager) Tell(texts ...string) {
	if m.turn == nil {
		return
	}
	for _, text := range texts {
		m.turn.told = append(m.turn.told, m.config.Mask(text))
	}
}

// Say adds what the person says while the turn is under way. Where there is
// none it begins one.
func (m *Manager) Say(text string, images ...llm.Image) {
	if m.turn == nil {
		m.Ask(text, "")
		m.Attach(images...)
		return
	}
	m.turn.said = append(m.turn.said, said{len(m.turn.rounds), m.config.Mask(text), images})
}

// Reopen takes the newest turn up again where it was abandoned. It tells
// whether there is one.
func (m *Manager) Reopen() bool {
	if m.turn != nil || m.abandoned == nil || len(m.past) == 0 {
		return false
	}
	m.past = m.past[: len(m.past)-1 : len(m.past)-1]
	m.turn, m.abandoned = m.abandoned, nil
	m.turn.repair = nil
	return true
}

// Empty tells whether nothing was said yet.
func (m *Manager) Empty() bool { return m.turn == nil && len(m.past) == 0 && m.summary.Text == "" }

// toldTexts gives what was told, each of equal share of the room.
func toldTexts(told []string, room int) []string {
	return shares(told, room)
}

// saidTexts gives what was said meanwhile.
func saidTexts(list []said, room int) []string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.text
	}
	return shares(texts, room)
}

// shares cuts texts so that all together fit; short ones leave their share to
// the longer ones.
func shares(texts []string, room int) []string {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return size(texts[a]) - size(texts[b]) })
	out := make([]string, len(texts))
	for n, i := range order {
		out[i] = cutMiddle(texts[i], room/(len(order)-n))
		room -= size(out[i])
	}
	return out
}
