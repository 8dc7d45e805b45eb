package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unusual says what in the text of a script different shells, versions or
// locales may read differently; "" where there is nothing.
func unusual(text string) string {
	if !utf8.ValidString(text) {
		return "is not UTF-8"
	}
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
		case r < ' ' || r == 0x7f:
			return "holds a control character"
		case !unicode.IsPrint(r):
			return "holds an invisible character"
		}
	}
	// A line that goes on: only between words.
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] == '\n' && (i == 0 || text[i-1] != ' ' && text[i-1] != '\t') {
			return "goes on in the next line within a word"
		}
		// In a comment bash does not go on; the parser does.
		if text[i+1] == '\n' && strings.Contains(text[strings.LastIndexByte(text[:i], '\n')+1:i], "#") {
			return "goes on in the next line after a #"
		}
		i++
	}
	return ""
}

// clip shortens a text for a reason and takes out what a terminal would act on.
func clip(s string) string {
	const most = 80
	s = strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// quote puts a word in single quotes where it needs them.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
