package config

import (
	"fmt"
	"strings"

	"github.com/holic512/plugin-ai/schemas"
)

// ErrorKind sorts what can be wrong with settings by whose it is.
type ErrorKind string

// The kinds.
const (
	ErrUsage       ErrorKind = "usage"       // a flag, an environment variable, or a choice that nobody made
	ErrSetting     ErrorKind = "setting"     // a key or value of ai.json
	ErrFile        ErrorKind = "file"        // a file that cannot be read, written or understood
	ErrProfile     ErrorKind = "NO_PROFILE"  // llm-base.json has no such profile, or none
	ErrCredentials ErrorKind = "credentials" // no key where one is needed
)

// An Error is why settings cannot be used or changed. It never holds a
// secret.
type Error struct {
	Kind       ErrorKind
	File       string // "" where no file is meant
	Line       int    // in File, from 1; 0 is unknown
	Column     int    // in characters, from 1; 0 is unknown
	Message    string // what is wrong; "" where Violations say it
	Violations []schemas.Violation
	Advice     string // what to do
	Err        error  // the cause; may be nil
}

// Error gives the place, what is wrong, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	for i, v := range e.Violations {
		if i > 0 || e.Message != "" {
			b.WriteString("; ")
		}
		where := v.Path
		if where == "" {
			where = "the whole file"
		}
		fmt.Fprintf(&b, "%s: expected %s, got %s", where, v.Expected, v.Actual)
	}
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// nearest gives the known word that is closest to a word, where one is close
// enough to be meant.
func nearest(word string, known []string) (string, bool) {
	best, bestDistance := "", len(word)/3+2
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best, best != ""
}

// distance is the number of single-character edits between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
