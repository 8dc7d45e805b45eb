package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of finding out which line took the place of which.
const (
	alike     = 0.3     // of the words, from where two lines are versions of one
	mostPairs = 4000    // of removed and added lines in one place
	mostText  = 1 << 21 // bytes looked at, over all pairs
)

// emphasise marks the words that differ in removed lines and the added ones
// that took their place. For each line it gives the index of the other, or -1.
func emphasise(lines []Line) (with []int) {
	with = make([]int, len(lines))
	for i := range with {
		with[i] = -1
	}
	removed := 0
	for removed < len(lines) && lines[removed].Kind == Removed {
		removed++
	}
	old, new := lines[:removed], lines[removed:]
	for _, p := range pairs(old, new) {
		with[p.old], with[removed+p.new] = removed+p.new, p.old
		a, b := &old[p.old], &new[p.new]
		a.Parts, b.Parts = mark(a.Parts[0].Text, b.Parts[0].Text)
	}
	return with
}

// pairs finds for removed lines the added ones that took their place, in
// order: so that together they are as alike as can be, or, where that is too
// much to find out, one by one.
func pairs(old, new []Line) []pair {
	if len(old) == 0 || len(new) == 0 {
		return nil
	}
	size := 0
	for _, l := range old {
		size += len(l.Parts[0].Text) * len(new)
	}
	for _, l := range new {
		size += len(l.Parts[0].Text) * len(old)
	}
	if len(old)*len(new) == 1 || len(old)*len(new) > mostPairs || size > mostText {
		var all []pair
		for i := range min(len(old), len(new)) {
			all = append(all, pair{i, i})
		}
		return all
	}
	oldBags, newBags := make([]bag, len(old)), make([]bag, len(new))
	for i, l := range old {
		oldBags[i] = bagOf(l.Parts[0].Text)
	}
	for i, l := range new {
		newBags[i] = bagOf(l.Parts[0].Text)
	}
	// best[i][j] is the most likeness that old[i:] and new[j:] can have.
	best := make([][]float64, len(old)+1)
	like := make([][]float64, len(old))
	for i := range best {
		best[i] = make([]float64, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		like[i] = make([]float64, len(new))
		for j := len(new) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like[i][j] = oldBags[i].like(newBags[j]); like[i][j] >= alike {
				best[i][j] = max(best[i][j], best[i+1][j+1]+like[i][j])
			}
		}
	}
	var all []pair
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch {
		case like[i][j] >= alike && best[i][j] == best[i+1][j+1]+like[i][j]:
			all = append(all, pair{i, j})
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return all
}

// A bag is how often each word is in a line, blanks left out.
type bag struct {
	words map[string]int
	size  int // bytes
}

func bagOf(text string) bag {
	b := bag{words: map[string]int{}}
	for _, w := range words(text) {
		if strings.TrimSpace(w) != "" {
			b.words[w]++
			b.size += len(w)
		}
	}
	return b
}

// like tells from 0 to 1 how much two lines have in common.
func (b bag) like(other bag) float64 {
	if b.size+other.size == 0 {
		return 1
	}
	common := 0
	for w, n := range b.words {
		common += len(w) * min(n, other.words[w])
	}
	return 2 * float64(common) / float64(b.size+other.size)
}

// mark parts two lines into what they have in common and what not. Where that
// is almost everything, nothing is marked.
func mark(old, new string) (oldParts, newParts []Part) {
	head := wordHead(old, new)
	tail := wordTail(old[head:], new[head:])
	oldWords, newWords := words(old[head:len(old)-tail]), words(new[head:len(new)-tail])
	var a, b marker
	a.add(old[:head], false)
	b.add(new[:head], false)
	for _, r := range script(oldWords, newWords) {
		a.add(strings.Join(oldWords[:r.old], ""), !r.same)
		b.add(strings.Join(newWords[:r.new], ""), !r.same)
		oldWords, newWords = oldWords[r.old:], newWords[r.new:]
	}
	a.add(old[len(old)-tail:], false)
	b.add(new[len(new)-tail:], false)
	if total := a.size + b.size; total > 0 && float64(a.same+b.same) < alike*float64(total) {
		return []Part{{Text: old}}, []Part{{Text: new}}
	}
	return a.done(), b.done()
}

// A marker collects the parts of a line.
type marker struct {
	parts      []Part
	size, same int // bytes that are not blank
}

func (m *marker) add(text string, changed bool) {
	if text == "" {
		return
	}
	n := len(strings.TrimSpace(text))
	m.size += n
	if !changed {
		m.same += n
	}
	if i := len(m.parts) - 1; i >= 0 && m.parts[i].Changed == changed {
		m.parts[i].Text += text
		return
	}
	m.parts = append(m.parts, Part{text, changed})
}

func (m *marker) done() []Part {
	if m.parts == nil {
		return []Part{{}}
	}
	return m.parts
}

// wordHead is how many bytes two lines begin with alike, up to the end of a
// word. A character that is a word by itself ends one in both.
func wordHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 {
		r, size := utf8.DecodeLastRuneInString(a[:n])
		if class(r) == single && (r != utf8.RuneError || size > 1) {
			break
		}
		n -= size
	}
	return n
}

// wordTail is how many bytes two lines end with alike, from the start of a
// word on.
func wordTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 {
		r, size := utf8.DecodeRuneInString(a[len(a)-n:])
		if class(r) == single && (r != utf8.RuneError || size > 1) {
			break
		}
		n -= size
	}
	return n
}

// words parts a line: words of letters, digits and _; blanks; every other
// character, and every character of scripts without blanks, by itself.
func words(text string) []string {
	var all []string
	from, was := 0, single
	for i, r := range text {
		is := class(r)
		if i > 0 && (is == single || is != was) {
			all = append(all, text[from:i])
			from = i
		}
		was = is
	}
	if text != "" {
		all = append(all, text[from:])
	}
	return all
}

// The classes of characters.
const (
	single = iota // a word by itself
	blank
	letter
)

func class(r rune) int {
	switch {
	case r == ' ', r == '\t':
		return blank
	case r < 0x80:
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return letter
		}
		return single
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return single
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		return letter
	}
	return single
}
