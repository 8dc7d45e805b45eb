package registry

import (
	"fmt"
	"strings"
	"unicode"
)

// Aliases gives the names of the installed plugins in one line of at most
// limit bytes, for the model: "loc, notes, todo". What does not fit is counted:
// "loc, … and 2 more". A name that SlothTool would not give, with blanks,
// control characters or of great length, is only counted: anybody who can
// write the file could otherwise write to the model.
func (r *Registry) Aliases(limit int) string {
	var names []string
	for _, p := range r.plugins {
		if name := clean(p.Alias); name != "" {
			names = append(names, name)
		}
	}
	for shown := len(names); ; shown-- {
		line := strings.Join(names[:shown], ", ")
		if more := len(r.plugins) - shown; more > 0 {
			line = strings.TrimPrefix(fmt.Sprintf("%s, … and %d more", line, more), ", ")
		}
		if len(line) <= limit {
			return line
		}
		if shown == 0 {
			return ""
		}
	}
}

// maxAlias is the length in bytes of the longest name that is shown.
const maxAlias = 64

// clean gives a name as it may stand in a text, or "" for one that may not.
func clean(alias string) string {
	odd := func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.@/+", r)
	}
	if len(alias) > maxAlias || strings.ContainsFunc(alias, odd) {
		return ""
	}
	return alias
}
