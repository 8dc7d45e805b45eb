package mask

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	table func() *table // made on its first use

	known  atomic.Pointer[[]string] // spellings of known secrets, sorted
	adding sync.Mutex
	hidden tally
}

// New makes a masker that knows these secrets, besides what looks like one.
// See [Masker.Add]. The forms of secrets are read when the first text is
// masked, which takes about half a millisecond once; masking "" beside other
// work does it ahead.
func New(secrets ...string) *Masker { return NewWith(nil, secrets...) }

// NewWith makes a masker that knows a person's own patterns besides; nil is
// none.
func NewWith(own *Patterns, secrets ...string) *Masker {
	m := &Masker{table: builtIn}
	if own != nil {
		m.table = sync.OnceValue(func() *table { return newTable(own) })
	}
	m.known.Store(&[]string{})
	m.Add(secrets...)
	return m
}

// Add makes more secrets known, for all texts that are masked from then on.
// Those of fewer than four bytes are left out: they would be found
// everywhere.
func (m *Masker) Add(secrets ...string) {
	m.adding.Lock()
	defer m.adding.Unlock()
	known := slices.Clone(*m.known.Load())
	for _, s := range secrets {
		known = append(known, spellings(s)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	m.known.Store(&known)
}

// String masks a text, and tells how many secrets it held. What it gives is
// the same when it is masked again, is valid UTF-8 where the text is, and is
// valid JSON where the text is and the secrets stand inside its values.
func (m *Masker) String(s string) (masked string, count int) {
	masked, found := m.Text(s)
	return masked, found.Total()
}

// Text masks a text like [Masker.String], and tells what kinds of secrets it
// held; nil is none.
func (m *Masker) Text(s string) (masked string, found Counts) {
	// Stars can make a border where there was none, so that something new
	// looks like a secret. Each round shortens the text.
	for range maxRounds {
		spans := m.find(s)
		if len(spans) == 0 {
			break
		}
		masked := replace(s, spans)
		if clipped := clip(s, masked, spans); clipped != nil {
			spans, masked = clipped, replace(s, clipped)
		}
		if found == nil {
			found = Counts{}
		}
		for _, sp := range spans {
			found[sp.kind]++
		}
		m.hidden.add(s, spans)
		s = masked
	}
	return s, found
}

// maxRounds bounds the work on a text that is made to need many rounds.
const maxRounds = 16

// span is a secret's place in a text.
type span struct {
	start, end int
	hide       bool   // show nothing of it
	quote      string // put around the stars
	kind       string
	rank       rank
}

// rank says whose kind counts where a secret is found in several ways.
type rank int

const (
	rankKnown rank = iota
	rankOwn
	rankForm
	rankName
)

// rule finds secrets from a text that they begin with or stand behind.
type rule struct {
	anchor string // of three bytes or more
	fold   bool   // the anchor is in lower case and found in any
	kind   string // of what it finds, where that has none of its own
	rank   rank
	// find looks at an anchor at an offset. It gives the secret's span, if
	// there is one, and how far there is nothing more to find for this rule.
	find func(s string, at int) (found span, ok bool, seen int)
}

// find gives all secrets of a text, sorted and apart from each other.
func (m *Masker) find(s string) []span {
	var found []span
	for _, k := range *m.known.Load() {
		for at := 0; ; {
			i := strings.Index(s[at:], k)
			if i < 0 {
				break
			}
			found = append(found, span{start: at + i, end: at + i + len(k), kind: "known secret", rank: rankKnown})
			at += i + len(k)
		}
	}
	t := m.table()
	found = t.match(s, found)
	if len(s) < minAnchor {
		return join(found)
	}
	var seen []int
	three := uint32(s[0])<<8 | uint32(s[1])
	for i := 2; i < len(s); i++ {
		three = (three<<8 | uint32(s[i])) & 0xffffff
		slot := t.slots[slotOf(three)]
		if slot == 0 {
			continue
		}
		at := i - 2
		for _, n := range t.chains[slot-1] {
			r := &t.rules[n]
			if seen != nil && at < seen[n] || !hasAnchor(s[at:], r) {
				continue
			}
			if seen == nil {
				seen = make([]int, len(t.rules))
			}
			sp, ok, until := r.find(s, at)
			if ok {
				if sp.kind == "" {
					sp.kind = r.kind
				}
				sp.rank = r.rank
				found = append(found, sp)
			}
			seen[n] = max(until, at+1)
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
			if sp.rank < last.rank {
				last.kind, last.rank = sp.kind, sp.rank
			}
			if sp.quote == "" {
				last.quote = ""
			}
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
		b.WriteString(sp.quote)
		b.WriteString(shown(s[sp.start:sp.end], sp.hide || sp.quote != ""))
		b.WriteString(sp.quote)
		at = sp.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// shown is what stands for a secret. It is shorter than any secret.
func shown(secret string, hide bool) string {
	if hide || len(secret) < shownFrom || strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return stars
	}
	return secret[:shownHead] + stars + secret[len(secret)-shownTail:]
}

// isMasked tells that a value is what shown gives.
func isMasked(s string) bool {
	i := strings.Index(s, stars)
	return i >= 0 && i <= shownHead && len(s)-i-len(stars) <= shownTail
}
