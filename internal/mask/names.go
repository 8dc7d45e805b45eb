package mask

import (
	"bytes"
	"slices"
	"strings"
)

// class says how much a name tells about its value.
type class int

const (
	ordinary class = iota
	weak           // may be a secret: "key"
	strong         // is a secret: "api_key", "token"
	password       // is a secret that a person may have chosen
	header         // is an Authorization header
	cookies        // is a header with cookies
	neutral        // a word at the end that changes nothing
	public         // a word anywhere that makes a name ordinary
)

func classOf(as string) class {
	switch as {
	case "key":
		return weak
	case "secret":
		return strong
	case "password":
		return password
	case "authorization":
		return header
	case "cookie":
		return cookies
	case "neutral":
		return neutral
	case "public":
		return public
	}
	return ordinary
}

// hidesByName tells a class whose names have to be found in a text.
func hidesByName(as string) bool {
	return slices.Contains([]class{weak, strong, password, header, cookies}, classOf(as))
}

// nameTable says what names mean.
type nameTable struct {
	words   map[string]class // the last one, two or three words; "* pass" is pass behind another one
	neutral map[string]bool
	public  map[string]bool
	endings []ending
	anchors []string // one of them is in every name that hides its value
}

type ending struct {
	text string
	as   class
}

func newNameTable(list []names) nameTable {
	t := nameTable{words: map[string]class{}, neutral: map[string]bool{}, public: map[string]bool{}}
	var anchors []string
	for _, n := range list {
		as := classOf(n.As)
		for _, w := range n.Words {
			switch as {
			case neutral:
				t.neutral[w] = true
			case public:
				t.public[w] = true
			default: // a later file's word counts
				t.words[w] = as
			}
			if hidesByName(n.As) {
				anchors = append(anchors, anchorOf(w))
			}
		}
		for _, e := range n.Endings {
			t.endings = append(t.endings, ending{e, as})
			if hidesByName(n.As) {
				anchors = append(anchors, e)
			}
		}
	}
	slices.SortFunc(anchors, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	// Where a shorter one is in it, the name is found by that.
	for _, a := range anchors {
		if !slices.ContainsFunc(t.anchors, func(b string) bool { return a == b || a[0] < 0x80 && strings.Contains(a, b) }) {
			t.anchors = append(t.anchors, a)
		}
	}
	return t
}

// anchorOf gives the word by which a name is found: the last one, or the
// longest where that is too short.
func anchorOf(phrase string) string {
	words := strings.Fields(phrase)
	best := words[len(words)-1]
	for _, w := range words {
		if len(best) < minAnchor && len(w) > len(best) && w != "*" {
			best = w
		}
	}
	return best
}

// classify looks at the words of a name.
func (t *nameTable) classify(name string) class {
	var space [2 * longestName]byte
	text := appendWords(space[:0], name)
	for rest := text; len(rest) > 0; {
		var w []byte
		w, rest, _ = bytes.Cut(rest, []byte{' '})
		if t.public[string(w)] {
			return ordinary
		}
	}
	for {
		i := bytes.LastIndexByte(text, ' ')
		if i < 0 || !t.isNeutral(text[i+1:]) {
			break
		}
		text = text[:i]
	}
	if len(text) == 0 {
		return ordinary
	}
	var from [3]int // where the last word, the last two and the last three begin
	n := 0
	for end := len(text); n < len(from) && end >= 0; n++ {
		from[n] = bytes.LastIndexByte(text[:end], ' ') + 1
		end = from[n] - 1
	}
	for i := n - 1; i >= 0; i-- {
		if as, ok := t.words[string(text[from[i]:])]; ok {
			return as
		}
	}
	last := text[from[0]:]
	if n > 1 {
		var buffer [longestName + 2]byte
		if as, ok := t.words[string(append(append(buffer[:0], "* "...), last...))]; ok {
			return as
		}
	}
	word := string(last)
	for i := len(t.endings) - 1; i >= 0; i-- {
		if strings.HasSuffix(word, t.endings[i].text) {
			return t.endings[i].as
		}
	}
	return ordinary
}

// isNeutral tells a word at the end of a name that changes nothing.
func (t *nameTable) isNeutral(w []byte) bool {
	for len(w) > 0 && isDigit(w[0]) {
		w = w[1:]
	}
	return len(w) == 0 || t.neutral[string(w)]
}

// appendWords parts a name at _, -, . and where a capital letter begins a
// word. The words are in small letters, with blanks between them.
func appendWords(b []byte, name string) []byte {
	cut := func() {
		if len(b) > 0 && b[len(b)-1] != ' ' {
			b = append(b, ' ')
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case !isAlnum(c) && c < 128:
			cut()
			continue
		case i > 0 && isUpper(c) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])):
			cut()
		}
		if isUpper(c) {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return bytes.TrimSuffix(b, []byte{' '})
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
