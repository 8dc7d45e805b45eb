package contextmgr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// size is the length of a text as JSON writes it in a request.
func size(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n += 2
		case c < ' ':
			n += 6
		default:
			n++
		}
	}
	return n
}

// cut keeps the beginning of a text in at most n bytes as JSON writes it.
func cut(s string, n int) string {
	if size(s) <= n {
		return s
	}
	const mark = "…"
	return prefix(s, n-len(mark)) + mark
}

// cutHead keeps the end of a text, from the beginning of a line where it can.
func cutHead(s string, n int) string {
	if size(s) <= n {
		return s
	}
	s = suffix(s, n)
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 && i < len(s)/2 {
		return s[i+1:]
	}
	return s
}

// cutMiddle keeps the beginning and the end of a text.
func cutMiddle(s string, n int) string {
	if size(s) <= n {
		return s
	}
	mark := fmt.Sprintf("\n… (%d bytes left out) …\n", len(s))
	n -= size(mark)
	if n < 0 {
		return ""
	}
	head, tail := prefix(s, n*2/3), suffix(s, n/3)
	return head + fmt.Sprintf("\n… (%d bytes left out) …\n", len(s)-len(head)-len(tail)) + tail
}

// prefix gives the longest beginning of whole characters in n bytes.
func prefix(s string, n int) string {
	end := 0
	for end < len(s) {
		_, width := utf8.DecodeRuneInString(s[end:])
		if n -= size(s[end : end+width]); n < 0 {
			break
		}
		end += width
	}
	return s[:end]
}

// suffix gives the longest end of whole characters in n bytes.
func suffix(s string, n int) string {
	from := len(s)
	for from > 0 {
		_, width := utf8.DecodeLastRuneInString(s[:from])
		if n -= size(s[from-width : from]); n < 0 {
			break
		}
		from -= width
	}
	return s[from:]
}
