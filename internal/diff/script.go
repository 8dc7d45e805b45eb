package diff

import (
	"slices"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// The bounds of one comparison, in symbols (lines or words).
const (
	mostAtOnce = 6000       // old and new together, that are compared exactly
	mostWork   = 60_000_000 // the sum of the squares of what is compared exactly
	lookWork   = 30         // of that, what looking for one symbol in the other list counts
)

// A run is a stretch of an edit script: equal symbols, or old ones that new
// ones take the place of.
type run struct {
	same     bool
	old, new int // how many
}

// symbols numbers strings so that equal ones have equal numbers.
type symbols struct {
	ids  map[string]rune
	next rune
	full bool
}

// of gives the number of s. It is a valid character, as the diff library
// carries symbols in strings; when there are no more, full is set.
func (y *symbols) of(s string) rune {
	if id, ok := y.ids[s]; ok {
		return id
	}
	if y.next == 0xd800 {
		y.next = 0xe000 // surrogates are no characters
	}
	if y.next > 0x10ffff {
		y.full = true
		return 0
	}
	id := y.next
	y.next++
	y.ids[s] = id
	return id
}

// script compares two lists of strings. Runs alternate between same and not.
func script(old, new []string) []run {
	var b scripter
	head := commonHead(old, new)
	old, new = old[head:], new[head:]
	tail := commonTail(old, new)
	old, new = old[:len(old)-tail], new[:len(new)-tail]
	b.same(head)
	y := symbols{ids: map[string]rune{}}
	oldIDs, newIDs := make([]rune, len(old)), make([]rune, len(new))
	for i, s := range old {
		oldIDs[i] = y.of(s)
	}
	for i, s := range new {
		newIDs[i] = y.of(s)
	}
	if y.full {
		b.replace(len(old), len(new))
	} else {
		b.compare(oldIDs, newIDs)
	}
	b.same(tail)
	return b.runs
}

// A scripter collects an edit script.
type scripter struct {
	runs []run
	work int
}

func (b *scripter) same(n int) {
	if n == 0 {
		return
	}
	if i := len(b.runs) - 1; i >= 0 && b.runs[i].same {
		b.runs[i].old += n
		b.runs[i].new += n
		return
	}
	b.runs = append(b.runs, run{true, n, n})
}

func (b *scripter) replace(old, new int) {
	if old == 0 && new == 0 {
		return
	}
	if i := len(b.runs) - 1; i >= 0 && !b.runs[i].same {
		b.runs[i].old += old
		b.runs[i].new += new
		return
	}
	b.runs = append(b.runs, run{false, old, new})
}

// compare adds the script of two lists: exactly where they are short enough,
// else parted at what occurs once in each.
func (b *scripter) compare(old, new []rune) {
	head := commonHead(old, new)
	b.same(head)
	old, new = old[head:], new[head:]
	tail := commonTail(old, new)
	old, new = old[:len(old)-tail], new[:len(new)-tail]
	n := len(old) + len(new)
	switch {
	case len(old) == 0 || len(new) == 0:
		b.replace(len(old), len(new))
	case n <= mostAtOnce && b.work+n*n <= mostWork:
		b.work += n * n
		b.exact(old, new)
	case b.work+lookWork*n > mostWork:
		b.replace(len(old), len(new))
	default:
		b.work += lookWork * n
		fromOld, fromNew := 0, 0
		anchors := anchors(old, new)
		for _, a := range anchors {
			b.compare(old[fromOld:a.old], new[fromNew:a.new])
			b.same(1)
			fromOld, fromNew = a.old+1, a.new+1
		}
		if len(anchors) == 0 {
			b.replace(len(old), len(new))
		} else {
			b.compare(old[fromOld:], new[fromNew:])
		}
	}
	b.same(tail)
}

// exact adds the shortest script.
func (b *scripter) exact(old, new []rune) {
	lib := diffmatchpatch.New()
	lib.DiffTimeout = 0 // no clock: the lists are short
	for _, d := range lib.DiffMainRunes(old, new, false) {
		n := len([]rune(d.Text))
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			b.same(n)
		case diffmatchpatch.DiffDelete:
			b.replace(n, 0)
		case diffmatchpatch.DiffInsert:
			b.replace(0, n)
		}
	}
}

// A pair is a place in the old list and one in the new.
type pair struct{ old, new int }

// anchors gives the longest ascending list of symbols that occur exactly once
// in each of the lists.
func anchors(old, new []rune) []pair {
	type seen struct{ inOld, inNew, old, new int }
	all := map[rune]*seen{}
	for i, r := range old {
		s := all[r]
		if s == nil {
			s = &seen{}
			all[r] = s
		}
		s.inOld, s.old = s.inOld+1, i
	}
	for i, r := range new {
		if s := all[r]; s != nil {
			s.inNew, s.new = s.inNew+1, i
		}
	}
	var unique []pair
	for i, r := range old {
		if s := all[r]; s.inOld == 1 && s.inNew == 1 {
			unique = append(unique, pair{i, s.new})
		}
	}
	// The longest ascending list: tails holds the best end of each length.
	var tails []int
	before := make([]int, len(unique))
	for i, p := range unique {
		k, _ := slices.BinarySearchFunc(tails, p.new, func(t, n int) int { return unique[t].new - n })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	longest := make([]pair, len(tails))
	for i, k := tails[len(tails)-1], len(tails)-1; k >= 0; i, k = before[i], k-1 {
		longest[k] = unique[i]
	}
	return longest
}

func commonHead[T comparable](a, b []T) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonTail[T comparable](a, b []T) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}
