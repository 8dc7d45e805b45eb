package mask

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Counts says how many secrets of which kinds were masked. A kind is a short
// name such as "GitHub token", and tells nothing of the secret.
type Counts map[string]int

// Total gives the number of all of them.
func (c Counts) Total() int {
	n := 0
	for _, count := range c {
		n += count
	}
	return n
}

// String lists the kinds in their order, as in "GitHub token, 2 × password".
func (c Counts) String() string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		switch n := c[kind]; {
		case n == 1:
			parts = append(parts, kind)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d × %s", n, kind))
		}
	}
	return strings.Join(parts, ", ")
}

// maxTally is how many different secrets are told from each other.
const maxTally = 10_000

// tally counts secrets, each once, however often and on however many ways it
// was masked. It keeps no secret, only hashes with a seed of its own.
type tally struct {
	mu    sync.Mutex
	seed  maphash.Seed
	seen  map[uint64]bool
	found Counts
}

func (t *tally) add(s string, spans []span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seed, t.seen, t.found = maphash.MakeSeed(), map[uint64]bool{}, Counts{}
	}
	for _, sp := range spans {
		h := maphash.String(t.seed, s[sp.start:sp.end])
		if t.seen[h] || len(t.seen) >= maxTally {
			continue
		}
		t.seen[h] = true
		t.found[sp.kind]++
	}
}

// Hidden tells which secrets were masked since the last call, each counted
// once, however often it was masked; nil is none. It is meant to be told to a
// person after each turn.
func (m *Masker) Hidden() Counts {
	t := &m.hidden
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.found
	t.seen, t.found = nil, nil
	return found
}
