// Package diff compares two texts as people read it: line by line, with the
// words that differ.
package diff

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
	OldStart, OldLines int // lines count from 1
	NewStart, NewLines int
	Lines              []Line
}

// A Line is a line of a hunk, without its end.
type Line struct {
	Kind Kind
	// Parts are the text in order; together they are the whole line.
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
