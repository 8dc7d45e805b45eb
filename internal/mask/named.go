package mask

import "strings"

// How far is looked from a name, in bytes.
const (
	longestName   = 64
	longestSpace  = 32
	longestValue  = 128 // of a value that is judged; a secret is taken as a whole
	longestHeader = 8 << 10
)

// value is what stands behind a name.
type value struct {
	open       int // where it begins with its quotation mark
	start, end int
	quote      byte // 0 is none
	env        bool // a line NAME=value
	spaced     bool // white space around an equals sign, as in source code
	colon      bool // behind a colon, as in JSON
	stop       byte // what follows; 0 is the end of the text
}

// finder finds the values of names that say that they are secrets.
func (t *nameTable) finder(anchor string) func(s string, at int) (span, bool, int) {
	return func(s string, at int) (span, bool, int) { return t.named(s, at, len(anchor)) }
}

func (t *nameTable) named(s string, at, size int) (span, bool, int) {
	start, end := nameAround(s, at, size)
	v, ok := valueOf(s, start, end) // most names have none, which is soon seen
	if !ok || v.end <= v.start {
		return span{}, false, end
	}
	kind := t.classify(strings.Trim(s[start:end], "-."))
	if kind == ordinary {
		return span{}, false, end
	}
	if kind == header {
		return headerValue(s, v, end)
	}
	if kind == cookies {
		return cookieValue(s, v, end)
	}
	text := s[v.start:v.end]
	if !isSecret(kind, text, v) || t.standsFor(kind, text, v) || closes(s, start, v) {
		return span{}, false, end
	}
	if v.end-v.start >= longestValue {
		v = v.at(s, v.open, len(s))
	}
	sp := span{start: v.start, end: v.end, hide: kind == password}
	if kind == password {
		sp.kind = "password"
	}
	if v.quote == 0 && v.colon && skipQuote(s, end) > end {
		// A number in JSON becomes a string: stars alone would be neither.
		sp.quote = s[end:skipQuote(s, end)]
	}
	return sp, true, v.end
}

// nameAround gives the whole name around an anchor.
func nameAround(s string, at, size int) (start, end int) {
	if s[at] >= 0x80 {
		return at, at + size
	}
	inName := func(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c == '.' }
	start, end = at, at
	for start > 0 && at-start < longestName && inName(s[start-1]) {
		start--
	}
	for end < len(s) && end-at < longestName && inName(s[end]) {
		end++
	}
	// "\napi_key" in a JSON text: the n belongs to the escape.
	if start > 0 && s[start-1] == '\\' && start < at && strings.IndexByte("nrt", s[start]) >= 0 {
		start++
	}
	return start, end
}

// valueOf finds the value behind a name: name=value, "name": "value",
// name := "value", name: type = "value", --name value, <name>value<.
func valueOf(s string, start, end int) (value, bool) {
	var v value
	i := skipQuote(s, end)
	if i < len(s) && s[i] == ']' {
		i++
	}
	gap := skipSpace(s, i)
	switch rest := s[gap:]; {
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "::"), rest == "":
		return v, false
	case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, ":="):
		i, v.spaced = gap+2, true
	case strings.HasPrefix(rest, "："):
		i = gap + len("：")
	case rest[0] == '=':
		v.spaced = gap > i
		i = gap + 1
		v.env = !v.spaced && isEnvLine(s, start, end)
	case rest[0] == ':':
		i, v.colon = skipType(s, gap+1), true
	case rest[0] == '>' && start > 0 && s[start-1] == '<':
		i = gap + 1
	case gap > i && (start+2 < end && s[start:start+2] == "--" || isNetrc(s, start, end)):
		i = gap
	case gap > i:
		typed := skipType(s, gap)
		if typed == gap {
			return v, false
		}
		i, v.spaced = typed, true
	default:
		return v, false
	}
	i = skipSpace(s, i)
	return v.at(s, i, longestValue), true
}

// isEnvLine tells that a line begins with a name in capital letters.
func isEnvLine(s string, start, end int) bool {
	name := s[start:end]
	from := max(0, start-longestSpace)
	if i := strings.LastIndexByte(s[from:start], '\n'); i >= 0 {
		from += i + 1
	} else if from > 0 {
		return false
	}
	line := s[from:start]
	line = strings.TrimPrefix(strings.TrimLeft(line, " \t+-"), "export ")
	return line == "" && strings.ToUpper(name) == name
}

// isNetrc tells the word password in "login NAME password VALUE".
func isNetrc(s string, start, end int) bool {
	from := max(0, start-longestValue)
	line := s[from+strings.LastIndexByte(s[from:start], '\n')+1 : start]
	return s[start:end] == "password" && (strings.HasPrefix(line, "login ") || strings.Contains(line, " login "))
}

// skipType skips a type between a name and an equals sign, if there is both.
func skipType(s string, i int) int {
	from := skipSpace(s, i)
	to := from
	for to < min(len(s), from+longestName) && (isAlnum(s[to]) || strings.IndexByte("_.*[]", s[to]) >= 0) {
		to++
	}
	if next := skipSpace(s, to); to > from && next < len(s) && s[next] == '=' && !strings.HasPrefix(s[next:], "==") {
		return next + 1
	}
	return i
}

func skipSpace(s string, i int) int {
	for n := 0; i < len(s) && n < longestSpace && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	return i
}

// skipQuote skips a quotation mark with the backslashes of a JSON text in
// JSON before it.
func skipQuote(s string, i int) int {
	j := i
	for j < len(s) && j-i < 8 && s[j] == '\\' {
		j++
	}
	if j < len(s) && isQuote(s[j]) {
		return j + 1
	}
	return i
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// at reads the value that begins at an offset, as far as a number of bytes.
func (v value) at(s string, i, limit int) value {
	v.open, v.start = i, skipQuote(s, i)
	limit = min(len(s), v.start+limit)
	v.end = v.start
	if v.start > i {
		v.quote = s[v.start-1]
		mark := s[i:v.start]
		for ; v.end < limit && s[v.end] != '\n'; v.end++ {
			if s[v.end] == mark[0] && strings.HasPrefix(s[v.end:], mark) {
				return v
			}
			if s[v.end] == '\\' && len(mark) == 1 && v.end+1 < limit {
				v.end++ // the next one is escaped
			}
		}
		return v
	}
	for v.end < limit && s[v.end] > ' ' && (v.env || !endsValue(s[v.end])) {
		if s[v.end] == '\\' {
			// The end of a line or a text in JSON, or in JSON in JSON.
			next := v.end + 1
			for next < len(s) && s[next] == '\\' {
				next++
			}
			if next == len(s) || strings.IndexByte(`nrt"`, s[next]) >= 0 {
				break
			}
			v.end = next
			continue
		}
		v.end++
	}
	if v.end < len(s) {
		v.stop = s[v.end]
	}
	return v
}

// endsValue tells a character that no value without quotation marks has.
func endsValue(c byte) bool {
	switch c {
	case '"', '\'', '`', ',', ';', '&', '(', ')', '[', ']', '{', '}', '<', '>', '|':
		return true
	}
	return false
}

// headerValue finds the credentials of an Authorization header behind the
// name of their scheme.
func headerValue(s string, v value, seen int) (span, bool, int) {
	text := s[v.start:v.end]
	if v.quote == 0 && v.spaced {
		return span{}, false, seen // source code
	}
	if v.quote == 0 {
		// The value goes on behind the scheme.
		line := s[v.start:min(len(s), v.start+longestHeader)]
		if i := strings.IndexAny(line, "\r\n\"'`"); i >= 0 {
			line = line[:i]
		}
		text = line
	}
	scheme, rest, spaced := strings.Cut(text, " ")
	if !spaced {
		scheme, rest = "", text
	}
	start := v.start + len(text) - len(rest)
	rest, _, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	rest = strings.TrimRight(rest, ",;\\")
	start += strings.Index(text[start-v.start:], rest)
	basic := strings.EqualFold(scheme, "basic") && len(rest) >= 8
	if rest == "" || isTemplate(rest) || !basic && !credential(rest) || !spaced && isWordy(rest) {
		return span{}, false, seen
	}
	return span{start: start, end: start + len(rest)}, true, start + len(rest)
}

// cookieValue finds what a header says of cookies, where one of them has a
// value that could stand for a login.
func cookieValue(s string, v value, seen int) (span, bool, int) {
	if v.colon {
		// What follows is no type: Cookie: name=value.
		colon := seen + strings.IndexByte(s[seen:], ':')
		v = value{}.at(s, skipSpace(s, colon+1), longestValue)
	} else if v.quote == 0 {
		return span{}, false, seen
	}
	text := s[v.start:min(len(s), v.start+longestHeader)]
	stop := "\r\n\"'`\\"
	if v.quote != 0 {
		stop = "\r\n\\" + string(v.quote)
	}
	if i := strings.IndexAny(text, stop); i >= 0 {
		text = text[:i]
	}
	text = text[:runeStart([]byte(text))]
	for pair := range strings.SplitSeq(text, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if ok && name != "" && !strings.ContainsAny(name, " \t") && len(value) >= 16 && !isTemplate(value) && !isWordy(value) {
			return span{start: v.start, end: v.start + len(text), hide: true, kind: "cookie"}, true, v.start + len(text)
		}
	}
	return span{}, false, seen
}

// standsFor tells a value that is a name of a secret: another variable, or a
// word for a key in a test.
func (t *nameTable) standsFor(kind class, text string, v value) bool {
	if kind == password && (v.quote != 0 || !v.spaced && v.stop != ',') || v.env {
		return false
	}
	if v.quote != 0 && strings.ContainsAny(text, digits) {
		return false
	}
	return len(text) <= longestName && t.classify(text) > weak
}

// closes tells that what was taken for a value's quotation mark ends the text
// that the name is in: "TOKEN="+token.
func closes(s string, start int, v value) bool {
	if v.quote == 0 {
		return false
	}
	if start > 0 && s[start-1] == v.quote && v.open > start && strings.IndexByte(s[start:v.open], v.quote) < 0 {
		return true
	}
	text := s[v.start:v.end]
	return text[0] == '+' && isWordy(strings.Trim(text, "+ ()"))
}

// isSecret judges a value by its name's class and by how it looks.
func isSecret(kind class, text string, v value) bool {
	if len(text) < 6 || isTemplate(text) || strings.ContainsAny(text, " \t") || strings.Contains(text, "://") || strings.HasPrefix(text, "urn:") {
		return false
	}
	if v.quote == 0 && isNumber(text) || isEscapes(text) {
		return false
	}
	if v.quote == 0 && !v.env && strings.IndexByte("([{", v.stop) >= 0 && v.stop != 0 {
		return false // a call or an index
	}
	look := lookOf(text)
	if v.quote == 0 && !v.env {
		variable := text[0] == '$' && len(text) > 1 && (isLower(text[1]) || isUpper(text[1]))
		next := text[len(text)-1] == '=' && isWordy(strings.TrimSuffix(text, "=")) // the name of another value
		if variable || next || text[0] == ':' {
			return false
		}
	}
	switch kind {
	case password:
		path := text[0] == '/' || text[0] == '.' || text[0] == '~' || len(text) > 2 && text[1:3] == `:\`
		switch {
		case path && look.wordy:
			return false
		case v.env:
			return true
		case v.quote == 0 && !look.symbol && (look.wordy && v.spaced || v.stop == ',' && (look.wordy || !look.digit)):
			return false // another variable
		}
		return look.classes >= 2 && (look.digit || look.symbol || !look.wordy)
	case strong:
		if v.quote == 0 && v.spaced && !look.digit && (len(text) < shownFrom || strings.ContainsAny(text, ".*&")) {
			return false // another variable
		}
		return len(text) >= 8 && !look.wordy && look.distinct >= 5
	case weak:
		if v.quote == 0 && v.spaced && strings.Contains(text, ".") {
			return false // a field of another variable
		}
		return len(text) >= 20 && look.mixed && !look.wordy
	case ordinary, header, cookies, neutral, public: // are judged elsewhere
	}
	return false
}

// isNumber tells a number as source code spells it. Longer ones can be keys.
func isNumber(s string) bool {
	s = strings.TrimLeft(s, "-+")
	if len(s) > len("0x")+16+3 {
		return false
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		return isHex(strings.ReplaceAll(hex, "_", ""))
	}
	return false
}

// isEscapes tells a text of nothing but \uXXXX: no key is written so.
func isEscapes(s string) bool {
	for ; s != ""; s = s[6:] {
		if len(s) < 6 || s[:2] != `\u` || !isHex(s[2:6]) {
			return false
		}
	}
	return true
}
