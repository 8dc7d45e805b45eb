package offline

import (
	"strconv"
	"strings"
	"unicode/utf8"
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
type pattern []string

const maxGap = 5

// match tells whether the words fit, and fills slots.
func (p pattern) match(q string, words []word, slots map[string]string) bool {
	if len(p) > 0 && p[0] == "^" {
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
	switch e := p[0]; {
	case e == "$":
		return i == len(words)
	case e == "..":
		for n := 0; n <= maxGap && i+n <= len(words); n++ {
			if matchHere(p[1:], q, words, i+n, slots) {
				return true
			}
		}
		return false
	case e[0] == '<':
		name, many := strings.CutSuffix(e[1:len(e)-1], "+")
		last := min(i+1, len(words))
		if many {
			last = len(words)
		}
		// As few words as the rest of the pattern allows.
		for end := i + 1; end <= last; end++ {
			if matchHere(p[1:], q, words, end, slots) {
				slots[name] = slice(q, words[i:end])
				return true
			}
		}
		return false
	default:
		alts, optional := strings.CutSuffix(e, "?")
		for alts != "" {
			var alt string
			alt, alts, _ = strings.Cut(alts, "|")
			if n := matchWords(alt, words[i:]); n > 0 && matchHere(p[1:], q, words, i+n, slots) {
				return true
			}
		}
		return optional && matchHere(p[1:], q, words, i, slots)
	}
}

// matchWords tells how many words an alternative takes at the beginning of
// words; 0 is that it does not stand there.
func matchWords(alt string, words []word) int {
	n := 0
	for alt != "" {
		if alt[0] == '_' || alt[0] == ' ' {
			alt = alt[1:]
			continue
		}
		if n == len(words) || words[n].quoted {
			return 0
		}
		low := words[n].low
		end := partLen(alt)
		part := alt[:end]
		if stem, any := strings.CutSuffix(part, "*"); any && stem != "" {
			if !strings.HasPrefix(low, stem) {
				return 0
			}
		} else if low != part {
			return 0
		}
		alt = alt[end:]
		n++
	}
	return n
}

// partLen gives the length of the first word of an alternative: one Han
// character, or what comes up to the next blank, sign or Han character.
func partLen(alt string) int {
	if alt[0] >= utf8.RuneSelf {
		_, size := utf8.DecodeRuneInString(alt)
		return size
	}
	for i := range len(alt) {
		if c := alt[i]; c == '_' || c == ' ' || c >= utf8.RuneSelf {
			return i
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
