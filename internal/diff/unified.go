package diff

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a line in [Diff.Unified], in characters.
const (
	unifiedNear = 60   // unchanged text that is kept on each side of a change
	unifiedMost = 2000 // of a change
	unifiedLine = 8000 // of a line
)

// Mask gives the diff with mask applied to every line. Where that changes a
// line, the words that differ are looked for anew in what is left, and a line
// that then differs in nothing any more is one changed part.
func (d Diff) Mask(mask func(string) string) Diff {
	masked := Diff{Added: d.Added, Removed: d.Removed}
	for _, h := range d.Hunks {
		lines := make([]Line, 0, len(h.Lines))
		for i := 0; i < len(h.Lines); {
			n := block(h.Lines[i:])
			lines = append(lines, maskBlock(h.Lines[i:i+n], mask)...)
			i += n
		}
		h.Lines = lines
		masked.Hunks = append(masked.Hunks, h)
	}
	return masked
}

// block counts the lines that belong together: removed ones with the added
// ones that follow, or one unchanged line.
func block(lines []Line) int {
	n := 0
	for n < len(lines) && lines[n].Kind == Removed {
		n++
	}
	for n < len(lines) && lines[n].Kind == Added {
		n++
	}
	return max(n, 1)
}

func maskBlock(lines []Line, mask func(string) string) []Line {
	masked := make([]Line, len(lines))
	hit := make([]bool, len(lines))
	anyHit := false
	for i, l := range lines {
		text := l.content()
		kept := mask(text)
		hit[i] = kept != text
		anyHit = anyHit || hit[i]
		masked[i] = Line{Kind: l.Kind, Unended: l.Unended, Parts: []Part{{Text: kept}}}
	}
	if !anyHit {
		return lines
	}
	if lines[0].Kind != Same {
		emphasise(masked)
	}
	for i, l := range lines {
		if hit[i] && l.changed() && !masked[i].changed() {
			masked[i].Parts = []Part{{masked[i].Text(), true}}
		}
		if l.crShown() {
			masked[i].Parts = append(masked[i].Parts, Part{"\r", true})
		}
	}
	return masked
}

// crShown tells that the line's last part is the "\r" of its end.
func (l Line) crShown() bool {
	n := len(l.Parts)
	return n > 1 && l.Parts[n-1] == Part{"\r", true} && !l.Unended
}

// content is the line without the "\r" of its end.
func (l Line) content() string {
	if l.crShown() {
		l.Parts = l.Parts[:len(l.Parts)-1]
	}
	return l.Text()
}

// changed tells that a part other than the line's end is marked.
func (l Line) changed() bool {
	if l.crShown() {
		l.Parts = l.Parts[:len(l.Parts)-1]
	}
	for _, p := range l.Parts {
		if p.Changed {
			return true
		}
	}
	return false
}

// Cut gives a line without what is far from its changes: near characters of
// unchanged text stay on each side of a change, and of a change that has more
// than most characters the first and the last; 0 is no such limit. "…" stands
// for unchanged text that is left out, "…(+N)…" for N characters of a change.
// A removed or added line without marked parts is a change as a whole.
func (l Line) Cut(near, most int) Line {
	whole := l.Kind != Same && !l.changed()
	var parts []Part
	for i, p := range l.Parts {
		switch {
		case whole || p.Changed:
			p.Text = shorten(p.Text, most/2, most-most/2, most > 0, true)
		case i == 0 && len(l.Parts) == 1:
			p.Text = shorten(p.Text, 2*near, 0, true, false)
		case i == 0:
			p.Text = shorten(p.Text, 0, near, true, false)
		case i == len(l.Parts)-1:
			p.Text = shorten(p.Text, near, 0, true, false)
		default:
			p.Text = shorten(p.Text, near, near, true, false)
		}
		parts = append(parts, p)
	}
	l.Parts = parts
	return l
}

// shorten leaves head and tail characters of a longer text.
func shorten(text string, head, tail int, limited, count bool) string {
	const little = 8 // that are not worth leaving out
	if !limited || len(text) <= head+tail+little {
		return text
	}
	n := utf8.RuneCountInString(text)
	if n <= head+tail+little {
		return text
	}
	mark := "…"
	if count {
		mark = "…(+" + strconv.Itoa(n-head-tail) + ")…"
	}
	return text[:offset(text, head)] + mark + text[offset(text, n-tail):]
}

// offset is where character n of text begins.
func offset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// Unified gives the diff in the unified format, "" where nothing differs; old
// and new name the sides. Of a line at most 8000 characters are shown: what is
// far from its changes is left out ("…"), and the middle of a change of more
// than 2000. A "\r" that is shown is written ␍.
func (d Diff) Unified(old, new string) string {
	if d.Empty() {
		return ""
	}
	var b strings.Builder
	b.WriteString("--- " + name(old) + "\n+++ " + name(new) + "\n")
	for _, h := range d.Hunks {
		b.WriteString(h.Header() + "\n")
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Kind))
			cr := l.crShown()
			text := l.Cut(unifiedNear, unifiedMost).content()
			b.WriteString(shorten(text, unifiedLine, 0, true, true))
			if cr {
				b.WriteString("␍")
			}
			b.WriteByte('\n')
			if l.Unended {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

// Header gives the line that begins the hunk in the unified format.
func (h Hunk) Header() string {
	return fmt.Sprintf("@@ -%s +%s @@", span(h.OldStart, h.OldLines), span(h.NewStart, h.NewLines))
}

func span(start, lines int) string {
	if lines == 1 {
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(lines)
}

// name quotes the name of a side that would break the line.
func name(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}
