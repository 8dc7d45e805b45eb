package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is one unit of a question: a word, a path, a quoted text, or one Han
// character.
type word struct {
	text       string // as it was written, without quotes
	low        string // in lower case; what patterns see
	start, end int    // its bytes in the question
	quoted     bool
}

// closing gives the mark that closes a quote, or 0.
func closing(open rune) rune {
	switch open {
	case '"', '\'', '`':
		return open
	case '“':
		return '”'
	case '‘':
		return '’'
	case '「':
		return '」'
	case '『':
		return '』'
	case '《':
		return '》'
	}
	return 0
}

// filler are words that change nothing about a request. They are no words of
// a question.
func filler(low string) bool {
	switch low {
	case "the", "a", "an", "me", "please", "pls", "just", "kindly", "hey", "okay", "now", "dear":
		return true
	}
	return false
}

// dropPoliteness takes what people say around a request off both ends.
func dropPoliteness(words []word) []word {
	const starts = "can you|could you|would you|will you|i want to|i'd like to|i would like to|so|and now|ai|then|let us|" +
		"请问|请|帮我|帮忙|麻烦|能不能|能否|给我|我想|那么"
	ends := []string{"吗", "吧", "呀", "啊", "嘛", "了"}
	kept := words
	for again := true; again; {
		again = false
		for alt := range strings.SplitSeq(starts, "|") {
			if n := matchWords(alt, kept); n > 0 {
				kept, again = kept[n:], true
			}
		}
	}
	for len(kept) > 1 && !kept[len(kept)-1].quoted && slices.Contains(ends, kept[len(kept)-1].low) {
		kept = kept[:len(kept)-1]
	}
	if len(kept) == 0 {
		return words
	}
	return kept
}

// split parts a question into words. Punctuation around words is dropped, and
// so are fillers, unless nothing else is there.
func split(s string) []word {
	var all, kept []word
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if end := closing(r); end != 0 {
			if n := strings.IndexRune(s[i+size:], end); n > 0 && quoteEnds(s[i+size+n+utf8.RuneLen(end):]) {
				text := s[i+size : i+size+n]
				next := i + size + n + utf8.RuneLen(end)
				all = append(all, word{text: text, low: strings.ToLower(text), start: i, end: next, quoted: true})
				i = next
				continue
			}
		}
		switch {
		case unicode.Is(unicode.Han, r):
			all = append(all, word{text: s[i : i+size], low: s[i : i+size], start: i, end: i + size})
			i += size
		case unicode.IsSpace(r) || leading(r):
			i += size
		default:
			n := strings.IndexFunc(s[i:], func(r rune) bool {
				return unicode.IsSpace(r) || unicode.Is(unicode.Han, r) || r > unicode.MaxASCII && unicode.IsPunct(r) && r != '’'
			})
			if n < 0 {
				n = len(s) - i
			}
			if text := strings.TrimRight(s[i:i+n], "?!,;:.()'\"`"); text != "" {
				all = appendWord(all, text, i)
			}
			i += n
		}
	}
	for i, w := range all {
		if !w.quoted && (filler(w.low) || w.low == "一" && i+1 < len(all) && all[i+1].low == "下" || w.low == "下" && i > 0 && all[i-1].low == "一") {
			continue
		}
		kept = append(kept, w)
	}
	if len(kept) == 0 {
		return all
	}
	return dropPoliteness(kept)
}

// appendWord adds a word, with "what's" as the two words that it is.
func appendWord(all []word, text string, at int) []word {
	low := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	switch head, found := strings.CutSuffix(low, "'s"); {
	case found && head == "let":
		return all
	case found:
		at2 := at + len(head)
		return append(all, word{text: text[:len(head)], low: head, start: at, end: at2}, word{text: "is", low: "is", start: at2, end: at + len(text)})
	}
	return append(all, word{text: text, low: low, start: at, end: at + len(text)})
}

// leading are marks that may stand before a word and are no part of it.
func leading(r rune) bool {
	return strings.ContainsRune("?!,;:(\"'`", r) || r > unicode.MaxASCII && unicode.IsPunct(r)
}

// quoteEnds tells whether a closing mark really closes: nothing of a word
// follows it, as in "don't".
func quoteEnds(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.Is(unicode.Han, r)
}

// isFile tells whether a word reads as the name of a file or a path.
func isFile(w string) bool {
	if w == "" || strings.Contains(w, "://") || strings.ContainsAny(w, "*?<>|") {
		return false
	}
	if known := knownFile(w); known != "" {
		return true
	}
	if strings.ContainsRune(w, '/') {
		return strings.Trim(w, "/") != "" && !strings.EqualFold(w, "and/or")
	}
	dot := strings.LastIndexByte(w, '.')
	if dot < 0 || dot == len(w)-1 {
		return false
	}
	ext := w[dot+1:]
	if len(ext) > 12 || dot == 0 && len(ext) < 4 {
		return false // ".go" is a kind of file, ".gitignore" is a file
	}
	if strings.ToLower(ext) != ext && strings.ToUpper(ext) != ext {
		return false // a name in code, such as sync.Once
	}
	letter := false
	for _, r := range ext {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return false
		}
		letter = letter || unicode.IsLetter(r)
	}
	return letter
}

// knownFile gives the usual spelling of a file that people name without its
// ending, or "".
func knownFile(w string) string {
	switch strings.ToLower(w) {
	case "readme":
		return "README"
	case "license", "licence":
		return "LICENSE"
	case "makefile":
		return "Makefile"
	case "dockerfile":
		return "Dockerfile"
	case "changelog":
		return "CHANGELOG"
	}
	return ""
}

// files gives the words of a question that read as files, with "/" and ".."
// as they were written. Han characters right before an ending belong to the
// name, as far as they are no verb.
func files(q string, words []word) []string {
	var out []string
	for i, w := range words {
		text := w.text
		if !w.quoted && strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "..") {
			start := w.start
			for j := i - 1; j >= 0 && words[j].end == start && isHanWord(words[j]) && !hanVerb(words[j].low); j-- {
				start = words[j].start
			}
			if start < w.start {
				text = q[start:w.end]
			}
		}
		if isFile(text) {
			out = append(out, text)
		}
	}
	return out
}

func isHanWord(w word) bool { return !w.quoted && hasHan(w.low) }

func hanVerb(s string) bool {
	return strings.Contains("看读开示找查改了下的在把结释个是用索", s)
}
