package mask

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// clip gives the spans of a JSON text so that what is masked stays JSON: the
// parts of strings, and whole numbers. It is nil where the text is no JSON,
// where the masked text is one anyhow, and where nothing would be left to
// mask: a secret is hidden at any price.
func clip(s, masked string, spans []span) []span {
	trimmed := strings.TrimLeft(s, " \t\r\n")
	if trimmed == "" || strings.IndexByte(`{["`, trimmed[0]) < 0 || isJSON(masked) || !isJSON(s) {
		return nil
	}
	var clipped []span
	next := 0
	for at := 0; at < len(s) && next < len(spans); {
		start, end := at, at+1
		quote := ""
		switch c := s[at]; {
		case c == '"':
			start = at + 1
			for end = start; s[end] != '"'; {
				end = unitEnd(s, end)
			}
			at = end + 1
		case strings.IndexByte("{}[]:, \t\r\n", c) >= 0:
			at++
			continue
		default:
			for end < len(s) && strings.IndexByte("{}[]:, \t\r\n", s[end]) < 0 {
				end++
			}
			quote = `"`
			at = end
		}
		for next < len(spans) && spans[next].end <= start {
			next++
		}
		for i := next; i < len(spans) && spans[i].start < end; i++ {
			part := spans[i]
			part.quote = quote
			if quote == "" {
				part.start, part.end = units(s, start, end, max(start, part.start), min(end, part.end))
			} else {
				part.start, part.end = start, end
			}
			n := len(clipped)
			if part.start >= part.end || s[part.start:part.end] == stars || n > 0 && part.start < clipped[n-1].end {
				continue
			}
			part.hide = part.hide || part.start != spans[i].start || part.end != spans[i].end
			clipped = append(clipped, part)
		}
	}
	return clipped
}

// units widens a part of a JSON string to whole characters and escapes.
func units(s string, start, end, from, to int) (int, int) {
	first, last := from, to
	for at := start; at < end; {
		next := unitEnd(s, at)
		if at < from && from < next {
			first = at
		}
		if at < to && to < next {
			last = next
		}
		at = next
	}
	return first, last
}

// unitEnd gives the end of the character or escape at an offset of a string;
// two escapes that make one character are one.
func unitEnd(s string, at int) int {
	switch {
	case s[at] != '\\':
		_, n := utf8.DecodeRuneInString(s[at:])
		return at + n
	case s[at+1] != 'u':
		return at + 2
	case strings.IndexByte("dD", s[at+2]) >= 0 && strings.IndexByte("89abAB", s[at+3]) >= 0:
		return at + 12
	}
	return at + 6
}

// isJSON tells that a text is one or more JSON values and nothing else.
func isJSON(s string) bool {
	d := jsontext.NewDecoder(bytes.NewBufferString(s), jsontext.AllowDuplicateNames(true))
	for {
		if err := d.SkipValue(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
