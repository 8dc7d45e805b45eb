package mask

import (
	"math/bits"
	"slices"
	"strings"
)

// stars stand for what was taken out. No secret's form allows them, so that
// masked text is not masked again.
const stars = "***"

// What is shown of a long secret, so that a person can tell which it was.
const (
	shownHead = 3
	shownTail = 4
	shownFrom = 20 // shorter ones are not shown at all
)

// A Masker masks text. It is safe for concurrent use.
type Masker struct {
	known []string // spellings of known secrets
	rules []rule
	// starts says which rules' anchors have a byte at their first, second and
	// third place, as a set of bits.
	starts [3][256]uint64
}

// New makes a masker that knows these secrets, besides what looks like one.
// Secrets of fewer than four bytes are left out: they would be found
// everywhere.
func New(secrets ...string) *Masker {
	m := &Masker{rules: rules()}
	for _, s := range secrets {
		m.known = append(m.known, spellings(s)...)
	}
	slices.Sort(m.known)
	m.known = slices.Compact(m.known)
	for n, r := range m.rules {
		for place := range m.starts {
			c := r.anchor[place]
			m.starts[place][c] |= 1 << n
			if r.fold && isLower(c) {
				m.starts[place][c-'a'+'A'] |= 1 << n
			}
		}
	}
	return m
}

// String masks a text, and tells how many secrets it held. What it gives is
// the same when it is masked again, and is valid UTF-8 where the text is.
func (m *Masker) String(s string) (masked string, count int) {
	// Stars can make a border where there was none, so that something new
	// looks like a secret. Each round shortens the text.
	for range maxRounds {
		found := m.find(s)
		if len(found) == 0 {
			break
		}
		count += len(found)
		s = replace(s, found)
	}
	return s, count
}

// maxRounds bounds the work on a text that is made to need many rounds.
const maxRounds = 16

// span is a secret's place in a text.
type span struct {
	start, end int
	hide       bool // show nothing of it
}

// rule finds secrets from a text that they begin with or stand behind.
type rule struct {
	anchor string // of three bytes or more
	fold   bool   // the anchor is in lower case and found in any
	// find looks at an anchor at an offset. It gives the secret's span, if
	// there is one, and how far there is nothing more to find for this rule.
	find func(s string, at int) (found span, ok bool, seen int)
}

// find gives all secrets of a text, sorted and apart from each other.
func (m *Masker) find(s string) []span {
	var found []span
	for _, k := range m.known {
		for at := 0; ; {
			i := strings.Index(s[at:], k)
			if i < 0 {
				break
			}
			found = append(found, span{start: at + i, end: at + i + len(k)})
			at += i + len(k)
		}
	}
	seen := make([]int, len(m.rules))
	for i := 0; i+2 < len(s); i++ {
		set := m.starts[0][s[i]] & m.starts[1][s[i+1]] & m.starts[2][s[i+2]]
		for ; set != 0; set &= set - 1 {
			n := bits.TrailingZeros64(set)
			r := &m.rules[n]
			if i < seen[n] || !hasAnchor(s[i:], r) {
				continue
			}
			sp, ok, until := r.find(s, i)
			if ok {
				found = append(found, sp)
			}
			seen[n] = max(until, i+1)
		}
	}
	return join(found)
}

func hasAnchor(s string, r *rule) bool {
	if len(s) < len(r.anchor) {
		return false
	}
	if !r.fold {
		return s[:len(r.anchor)] == r.anchor
	}
	for i := range len(r.anchor) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != r.anchor[i] {
			return false
		}
	}
	return true
}

// join sorts spans and makes one of those that overlap.
func join(found []span) []span {
	slices.SortFunc(found, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	joined := found[:0]
	for _, sp := range found {
		if n := len(joined); n > 0 && sp.start < joined[n-1].end {
			last := &joined[n-1]
			last.end, last.hide = max(last.end, sp.end), last.hide || sp.hide
			continue
		}
		joined = append(joined, sp)
	}
	return joined
}

func replace(s string, found []span) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, sp := range found {
		b.WriteString(s[at:sp.start])
		b.WriteString(shown(s[sp.start:sp.end], sp.hide))
		at = sp.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// shown is what stands for a secret. It is shorter than any secret.
func shown(secret string, hide bool) string {
	if hide || len(secret) < shownFrom || strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return stars
	}
	return secret[:shownHead] + stars + secret[len(secret)-shownTail:]
}

// isMasked tells that a value is what shown gives.
func isMasked(s string) bool {
	i := strings.Index(s, stars)
	return i >= 0 && i <= shownHead && len(s)-i-len(stars) <= shownTail
}
