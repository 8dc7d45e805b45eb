package offline

import (
	"strconv"
	"strings"
)

// A pattern says how a request may be worded. Its elements are parted by
// blanks and must follow each other in the question, starting anywhere:
//
//	show|read     one of these words; a trailing * takes any ending
//	in_the        two words in a row; Han text needs no sign, as in 提交记录
//	word?         an element that may be missing
//	..            up to five words of any kind
//	<word>        one word that is kept as the slot "word"
//	<text+>       one or more words, as many as fit, kept as the slot "text"
//	^ and $       the beginning and the end of the question
//
// Fillers such as "the" and "please" are no words of a question (words.go).
type pattern []element

type element struct {
	kind     byte // 'w'ord, '.' gap, 's'lot, '^', '$'
	alts     [][]string
	name     string
	many     bool
	optional bool
}

const maxGap = 5

func parsePattern(s string) pattern {
	fields := strings.Fields(s)
	p := make(pattern, 0, len(fields))
	for _, f := range fields {
		switch {
		case f == "^" || f == "$":
			p = append(p, element{kind: f[0]})
		case f == "..":
			p = append(p, element{kind: '.'})
		case f[0] == '<':
			name := strings.Trim(f, "<>")
			name, many := strings.CutSuffix(name, "+")
			p = append(p, element{kind: 's', name: name, many: many})
		default:
			f, optional := strings.CutSuffix(f, "?")
			e := element{kind: 'w', optional: optional}
			for alt := range strings.SplitSeq(f, "|") {
				e.alts = append(e.alts, literal(alt))
			}
			p = append(p, e)
		}
	}
	return p
}

// literal parts the words of an alternative, each Han character being one.
func literal(s string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '_' || r == ' ' }) {
		if !hasHan(part) {
			out = append(out, part)
			continue
		}
		ascii := ""
		for _, r := range part {
			if r < 0x80 {
				ascii += string(r)
				continue
			}
			if ascii != "" {
				out, ascii = append(out, ascii), ""
			}
			out = append(out, string(r))
		}
		if ascii != "" {
			out = append(out, ascii)
		}
	}
	return out
}

// match tells whether the words fit, and fills slots.
func (p pattern) match(q string, words []word, slots map[string]string) bool {
	if len(p) > 0 && p[0].kind == '^' {
		return matchHere(p[1:], q, words, 0, slots)
	}
	for i := 0; i <= len(words); i++ {
		if matchHere(p, q, words, i, slots) {
			return true
		}
	}
	return false
}

func matchHere(p pattern, q string, words []word, i int, slots map[string]string) bool {
	if len(p) == 0 {
		return true
	}
	e := &p[0]
	switch e.kind {
	case '$':
		return i == len(words)
	case '.':
		for n := 0; n <= maxGap && i+n <= len(words); n++ {
			if matchHere(p[1:], q, words, i+n, slots) {
				return true
			}
		}
		return false
	case 's':
		last := min(i+1, len(words))
		if e.many {
			last = len(words)
		}
		// As few words as the rest of the pattern allows.
		for end := i + 1; end <= last; end++ {
			if matchHere(p[1:], q, words, end, slots) {
				slots[e.name] = slice(q, words[i:end])
				return true
			}
		}
		return false
	}
	for _, alt := range e.alts {
		if n := matchWords(alt, words[i:]); n > 0 && matchHere(p[1:], q, words, i+n, slots) {
			return true
		}
	}
	return e.optional && matchHere(p[1:], q, words, i, slots)
}

func matchWords(alt []string, words []word) int {
	if len(alt) > len(words) {
		return 0
	}
	for k, want := range alt {
		w := &words[k]
		if w.quoted {
			return 0
		}
		if stem, ok := strings.CutSuffix(want, "*"); ok && stem != "" {
			if !strings.HasPrefix(w.low, stem) {
				return 0
			}
		} else if w.low != want {
			return 0
		}
	}
	return len(alt)
}

// slice gives the question's own text of some words.
func slice(q string, words []word) string {
	if len(words) == 1 {
		return words[0].text
	}
	return q[words[0].start:words[len(words)-1].end]
}

// number reads a number as digits or as a small number word; 0 is none.
func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 && n <= 1_000_000 {
		return n
	}
	for i, names := range []string{
		1: "one 一", 2: "two 二 两", 3: "three 三", 4: "four 四", 5: "five 五",
		6: "six 六", 7: "seven 七", 8: "eight 八", 9: "nine 九", 10: "ten 十",
	} {
		for name := range strings.FieldsSeq(names) {
			if s == name {
				return i
			}
		}
	}
	return 0
}
