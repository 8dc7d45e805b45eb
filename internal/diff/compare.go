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
	runs := script(b.old, b.new)
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
