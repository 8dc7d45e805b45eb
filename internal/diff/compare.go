package diff

import "strings"

// context is how many unchanged lines are shown around a change.
const context = 3

// Compare gives what differs between two texts, with three lines around each
// change. Lines end with "\n" or "\r\n".
func Compare(old, new string) Diff {
	if old == new {
		return Diff{}
	}
	b := &builder{old: lines(old), new: lines(new)}
	b.oldCR, b.newCR = strings.Contains(old, "\r\n"), strings.Contains(new, "\r\n")
	runs := slide(script(b.old, b.new), b.old, b.new)
	for i, r := range runs {
		if r.same {
			b.unchanged(r.old, i == 0, i == len(runs)-1)
		} else {
			b.changed(r.old, r.new)
		}
	}
	b.finish()
	return b.diff
}

// lines parts a text after each "\n".
func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// mostSlide is how many lines a stretch is moved at most.
const mostSlide = 200

// slide moves stretches that were only added or only removed to where people
// would say that they are: of the places that give the same text, the one
// where the stretch begins and ends with its least indented lines, such as the
// braces of an object.
func slide(runs []run, old, new []string) []run {
	atOld, atNew := 0, 0
	for i := range runs {
		r := runs[i]
		lines, at, n := new, atNew, r.new
		if r.new == 0 {
			lines, at, n = old, atOld, r.old
		}
		atOld, atNew = atOld+r.old, atNew+r.new
		if r.same || r.old > 0 && r.new > 0 || i == 0 || i == len(runs)-1 {
			continue
		}
		// One line stays between two stretches.
		up, down := runs[i-1].old-1, runs[i+1].old-1
		by, found := 0, whole(lines[at:at+n])
		for d := 1; !found && d <= min(up, mostSlide) && lines[at-d] == lines[at+n-d]; d++ {
			by, found = -d, whole(lines[at-d:at+n-d])
		}
		for d := 1; !found && d <= min(down, mostSlide) && lines[at+d-1] == lines[at+n+d-1]; d++ {
			by, found = d, whole(lines[at+d:at+n+d])
		}
		if found && by != 0 {
			runs[i-1].old, runs[i-1].new = runs[i-1].old+by, runs[i-1].new+by
			runs[i+1].old, runs[i+1].new = runs[i+1].old-by, runs[i+1].new-by
			atOld, atNew = atOld+by, atNew+by
		}
	}
	return runs
}

// whole tells whether no line is less indented than the first and the last.
func whole(lines []string) bool {
	edge := indentation(lines[0])
	if edge != indentation(lines[len(lines)-1]) {
		return false
	}
	for _, l := range lines {
		if strings.TrimSpace(l) != "" && indentation(l) < edge {
			return false
		}
	}
	return true
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// A builder makes hunks of an edit script.
type builder struct {
	old, new     []string
	oldCR, newCR bool // there are "\r\n" ends
	atOld, atNew int  // lines that are done
	hunk         *Hunk
	diff         Diff
}

// unchanged adds what is shown of equal lines.
func (b *builder) unchanged(n int, first, last bool) {
	end := b.atOld + n
	if !first {
		for range min(n, context) {
			b.add(Same)
		}
	}
	if last {
		return
	}
	if rest := end - b.atOld; rest > context {
		b.finish()
		b.atOld, b.atNew = b.atOld+rest-context, b.atNew+rest-context
	}
	for b.atOld < end {
		b.add(Same)
	}
}

// changed adds removed and added lines, with what differs in them.
func (b *builder) changed(removed, added int) {
	b.open()
	from := len(b.hunk.Lines)
	var cr []bool
	for range removed {
		cr = append(cr, b.add(Removed))
	}
	for range added {
		cr = append(cr, b.add(Added))
	}
	b.diff.Removed += removed
	b.diff.Added += added
	these := b.hunk.Lines[from:]
	with := emphasise(these)
	for i := range these {
		other := b.newCR
		if these[i].Kind == Added {
			other = b.oldCR
		}
		if j := with[i]; j >= 0 {
			other = cr[j] || these[j].Unended
		}
		if cr[i] && !other {
			these[i].Parts = append(these[i].Parts, Part{"\r", true})
		}
	}
}

// open begins a hunk where none is.
func (b *builder) open() {
	if b.hunk == nil {
		b.hunk = &Hunk{OldStart: b.atOld, NewStart: b.atNew}
	}
}

// add adds the next line and tells whether it ends with "\r\n".
func (b *builder) add(kind Kind) (cr bool) {
	b.open()
	var text string
	if kind == Added {
		text = b.new[b.atNew]
	} else {
		text = b.old[b.atOld]
	}
	if kind != Added {
		b.atOld++
		b.hunk.OldLines++
	}
	if kind != Removed {
		b.atNew++
		b.hunk.NewLines++
	}
	line := Line{Kind: kind}
	text, ended := strings.CutSuffix(text, "\n")
	line.Unended = !ended
	if ended {
		text, cr = strings.CutSuffix(text, "\r")
	}
	line.Parts = []Part{{Text: text}}
	b.hunk.Lines = append(b.hunk.Lines, line)
	return cr
}

// finish ends the hunk.
func (b *builder) finish() {
	if b.hunk == nil {
		return
	}
	if b.hunk.OldLines > 0 {
		b.hunk.OldStart++
	}
	if b.hunk.NewLines > 0 {
		b.hunk.NewStart++
	}
	b.diff.Hunks = append(b.diff.Hunks, *b.hunk)
	b.hunk = nil
}
