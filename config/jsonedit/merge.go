package jsonedit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Merge changes a text so that it means what another JSON text means, and
// keeps every byte that need not change: order, indentation, line ends, a byte
// order mark, the white space at the end. Members and items that are new or
// have another value are written as want spells them; objects whose members
// differ only in their order are the same. What is new in an object stands at
// its end. Both must be one JSON value in UTF-8 without doubled keys.
//
// The work is one pass over both, and arrays are compared item by item.
func Merge(text []byte, want jsontext.Value) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	old, err := parse(body)
	if err != nil {
		return nil, err
	}
	fresh, err := parse(want)
	if err != nil {
		return nil, fmt.Errorf("the wanted value: %w", err)
	}
	m := &merger{text: body, want: want, style: styleOf(body), budget: alignBudget}
	m.out = make([]byte, 0, len(text)+len(text)/8)
	if marked {
		m.out = append(m.out, byteOrderMark...)
	}
	m.out = append(m.out, body[:old.start]...)
	m.value(old, fresh, indentAt(body, int(old.start)), true)
	m.out = append(m.out, body[old.end:]...)
	if len(m.out) > maxText {
		return nil, errTooLong
	}
	return m.out, nil
}

const byteOrderMark = "\ufeff"

// merger writes the merged text.
type merger struct {
	text, want []byte
	style      style
	out        []byte
	budget     int // of comparisons of items; see align
}

// value writes what stands in the text as n so that it means w. indent is the
// white space at the start of its line; lines tells that it may take more than
// one.
func (m *merger) value(n, w *node, indent string, lines bool) {
	switch {
	case n.same(m.text, w, m.want):
		m.out = append(m.out, m.text[n.start:n.end]...)
	case n.kind != w.kind || n.kind != '{' && n.kind != '[' || len(n.kids) == 0:
		s := m.style
		s.lines = s.lines && lines
		m.out = append(m.out, s.render(m.want[w.start:w.end], m.text[n.start:n.end], indent)...)
	case n.kind == '{':
		m.container(n, w, n.matchMembers(w), indent)
	default:
		m.container(n, w, m.align(n, w), indent)
	}
}

// entry is an item of the merged container: an old one, changed to mean a new
// one, or a new one alone.
type entry struct {
	old int // -1 is none
	new int
}

// matchMembers keeps the order of the old object; what is new comes last.
func (n *node) matchMembers(w *node) []entry {
	place := make(map[string]int, len(w.kids))
	for j := range w.kids {
		place[w.kids[j].name] = j
	}
	entries := make([]entry, 0, len(w.kids))
	for i := range n.kids {
		if j, ok := place[n.kids[i].name]; ok {
			entries = append(entries, entry{i, j})
			delete(place, n.kids[i].name)
		}
	}
	for j := range w.kids {
		if _, ok := place[w.kids[j].name]; ok {
			entries = append(entries, entry{-1, j})
		}
	}
	return entries
}

// container writes an object or array that has items, with the white space
// that stood around those that stay.
func (m *merger) container(n, w *node, entries []entry, indent string) {
	m.out = append(m.out, n.kind)
	if len(entries) == 0 {
		m.out = append(m.out, m.text[n.end-1])
		return
	}
	g := m.gapsOf(n)
	for p, e := range entries {
		if p > 0 {
			if last := entries[p-1].old; last >= 0 && last < len(n.kids)-1 {
				m.out = append(m.out, n.trail(m.text, last)...)
			}
			m.out = append(m.out, ',')
		}
		lead := g.lead(p, e.old)
		m.out = append(m.out, lead...)
		at := indent
		if i := bytes.LastIndexByte(lead, '\n'); i >= 0 {
			at = blanks(lead[i+1:])
		}
		m.item(n, w, e, g, at)
		indent = at // the next one may stand on the same line
	}
	m.out = append(m.out, n.trail(m.text, len(n.kids)-1)...)
	m.out = append(m.out, m.text[n.end-1])
}

func (m *merger) item(n, w *node, e entry, g gaps, indent string) {
	fresh := &w.kids[e.new]
	if e.old >= 0 {
		old := &n.kids[e.old]
		m.out = append(m.out, m.text[old.name0:old.start]...) // the name and the colon
		m.value(old, fresh, indent, g.lines)
		return
	}
	if w.kind == '{' {
		m.out = append(m.out, m.want[fresh.name0:fresh.colon]...)
		m.out = append(m.out, g.colon...)
	}
	s := m.style
	s.lines = s.lines && g.lines
	m.out = append(m.out, s.render(m.want[fresh.start:fresh.end], nil, indent)...)
}

// gaps is the white space of a container.
type gaps struct {
	old    [][]byte // before each item
	first  []byte   // before a new one that comes first
	next   []byte   // before another new one
	colon  []byte   // between a name and its value
	lines  bool     // items stand on lines of their own
	closed bool     // the first item's line is not its own
}

func (m *merger) gapsOf(n *node) gaps {
	g := gaps{old: make([][]byte, len(n.kids))}
	before := n.start + 1
	for i := range n.kids {
		g.old[i] = m.text[before:n.kids[i].name0]
		before = n.kids[i].end + int32(len(n.trail(m.text, i))) + 1 // the comma
	}
	first, last := g.old[0], g.old[len(g.old)-1]
	g.first, g.next = lastLine(first), lastLine(last)
	g.lines = bytes.IndexByte(last, '\n') >= 0
	if len(n.kids) == 1 && !g.lines {
		g.next = nil
		if m.style.lines {
			g.next = []byte(" ")
		}
	}
	g.closed = bytes.IndexByte(first, '\n') < 0
	if n.kind == '{' {
		g.colon = m.text[n.kids[0].colon:n.kids[0].start]
	}
	return g
}

// lead is the white space before the item that comes at a place.
func (g gaps) lead(place, old int) []byte {
	switch {
	case old < 0 && place == 0:
		return g.first
	case old < 0:
		return g.next
	case place == 0 && old > 0 && (g.closed || bytes.IndexByte(g.old[old], '\n') < 0):
		return g.old[0]
	case place > 0 && old == 0 && g.closed:
		return g.next
	}
	return g.old[old]
}

// lastLine is white space without the lines that are empty.
func lastLine(space []byte) []byte {
	i := bytes.LastIndexByte(space, '\n')
	if i > 0 && space[i-1] == '\r' {
		i--
	}
	return space[max(i, 0):]
}

// blanks are the spaces and tabs that a text begins with.
func blanks(text []byte) string {
	return string(text[:len(text)-len(bytes.TrimLeft(text, " \t"))])
}

// alignBudget bounds the comparisons of items of one text, where arrays are
// not alike at their start and end.
const alignBudget = 16 << 20

// align finds which items of an array stay. What is alike at the start and at
// the end stays as it is; between, the longest common sequence does, and what
// lies between its items is changed pair by pair.
func (m *merger) align(n, w *node) []entry {
	same := func(i, j int) bool { return n.kids[i].same(m.text, &w.kids[j], m.want) }
	entries := make([]entry, 0, len(w.kids))
	i, j := 0, 0
	for i < len(n.kids) && j < len(w.kids) && same(i, j) {
		entries = append(entries, entry{i, j})
		i, j = i+1, j+1
	}
	iEnd, jEnd := len(n.kids), len(w.kids)
	for iEnd > i && jEnd > j && same(iEnd-1, jEnd-1) {
		iEnd, jEnd = iEnd-1, jEnd-1
	}
	fromI, fromJ := i, j
	for _, a := range append(m.common(n.kids[i:iEnd], w.kids[j:jEnd]), entry{iEnd - i, jEnd - j}) {
		toI, toJ := fromI+a.old, fromJ+a.new
		for ; i < toI && j < toJ; i, j = i+1, j+1 {
			entries = append(entries, entry{i, j})
		}
		for ; j < toJ; j++ {
			entries = append(entries, entry{-1, j})
		}
		if j < jEnd { // one that both have, not the end
			entries = append(entries, entry{toI, toJ})
			i, j = toI+1, toJ+1
		}
	}
	for i, j = iEnd, jEnd; j < len(w.kids); i, j = i+1, j+1 {
		entries = append(entries, entry{i, j})
	}
	return entries
}

// common gives a longest sequence of equal items, or none where looking for it
// would take too long.
func (m *merger) common(a, b []node) []entry {
	if len(a) == 0 || len(b) == 0 || len(a) > m.budget/len(b) {
		return nil
	}
	m.budget -= len(a) * len(b)
	width := len(b) + 1
	length := make([]int32, (len(a)+1)*width) // of what is common from i and j on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].sum == b[j].sum {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var found []entry
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].sum == b[j].sum:
			found = append(found, entry{i, j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return slices.Clip(found)
}
