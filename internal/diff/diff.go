package diff

import "strings"

// Kind says what a line of a diff is.
type Kind byte

// The kinds of line, as the unified format writes them.
const (
	Same    Kind = ' '
	Removed Kind = '-'
	Added   Kind = '+'
)

// A Diff is what differs between two texts.
type Diff struct {
	Hunks          []Hunk
	Added, Removed int // lines
}

// A Hunk is a place that differs, with up to three unchanged lines around it.
type Hunk struct {
	// Lines count from 1. A side without lines starts at the line before it, as
	// the unified format has it.
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
}

// A Line is a line of a hunk, without its end.
type Line struct {
	Kind Kind
	// Parts are the text in order; together they are the whole line. A "\r" of
	// the line's end is one, the last, only where the other side ends otherwise.
	Parts []Part
	// Unended tells that the text ends here without a line end.
	Unended bool
}

// A Part is a stretch of a line.
type Part struct {
	Text string
	// Changed tells that the other side's line has something else here.
	Changed bool
}

// Text gives the whole line.
func (l Line) Text() string {
	if len(l.Parts) == 1 {
		return l.Parts[0].Text
	}
	var b strings.Builder
	for _, p := range l.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Empty tells that nothing differs.
func (d Diff) Empty() bool { return len(d.Hunks) == 0 }
