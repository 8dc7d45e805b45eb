package mask

import "strings"

// urlPassword finds the password of scheme://user:password@host. Many a
// password stands unescaped, so it goes on to the last @ of the place.
func urlPassword(s string, at int) (span, bool, int) {
	const longest = 1024
	from := at + len("://")
	colon, last := -1, -1
scan:
	for i := from; i < min(len(s), from+longest); i++ {
		switch c := s[i]; {
		case c <= ' ' || c == '/' || c == '?' || c == '#' && last >= 0 || strings.IndexByte("\"'`<>\\", c) >= 0:
			break scan
		case c == ':' && colon < 0:
			colon = i
		case c == '@':
			last = i
		}
	}
	if colon < 0 || last < colon {
		return span{}, false, from
	}
	password := s[colon+1 : last]
	if len(password) < len(stars)+1 || isTemplate(password) {
		return span{}, false, from
	}
	return span{start: colon + 1, end: last, hide: true}, true, last
}

// curlUser finds the password in what -u of curl gives, behind the colon.
func curlUser(s string, at int) (span, bool, int) {
	seen := at + len("curl ")
	line := s[at:min(len(s), at+longestHeader)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if !border(s, at) {
		return span{}, false, seen
	}
	for _, option := range []string{" -u ", " -u", " --user ", " --user="} {
		i := strings.Index(line, option)
		if i < 0 {
			continue
		}
		v := value{}.at(s, at+i+len(option), longestValue)
		user, password, ok := strings.Cut(s[v.start:v.end], ":")
		if ok && user != "" && len(password) > len(stars) && !isTemplate(password) {
			return span{start: v.end - len(password), end: v.end, hide: true}, true, v.end
		}
	}
	return span{}, false, seen
}

// isTemplate tells that a value stands for another one: $NAME, ${NAME},
// <name>, {name}, {{ name }}, %s, env:NAME, keyring:NAME.
func isTemplate(s string) bool {
	for _, scheme := range []string{"env:", "keyring:"} {
		if name, ok := strings.CutPrefix(s, scheme); ok && name != "" && isWordy(name) {
			return true
		}
	}
	switch s[0] {
	case '$':
		return len(s) < 2 || s[1] == '{' || s[1] == '(' || s[1] == '_' || 'A' <= s[1] && s[1] <= 'Z' && strings.ToUpper(s) == s
	case '<', '{':
		return true
	case '%':
		return len(s) == 2 || s[len(s)-1] == '%'
	}
	return isMasked(s)
}

const dashes = "-----"

// pemBody says what a private key block's body can be made of: base64, white
// space, headers, and what stands around it in quotes or as a comment.
const pemBody = alnum + "+/=" + " \t\r\n" + "\"'`\\,:.#*>|-"

// privateKey finds the body of a private key block, in one line or in many.
// Without its end it goes on as long as it looks like one.
func privateKey(s string, at int) (span, bool, int) {
	start, end, state := pemBlock(s, at)
	if state == pemNone {
		return span{}, false, end
	}
	return trimBody(s, start, end), true, end
}

type pemState int

const (
	pemNone   pemState = iota // no private key
	pemClosed                 // with its end
	pemOpen                   // the text ends before it does
	pemBroken                 // something else follows
)

// pemBlock gives the body of the block whose first line begins at an offset.
func pemBlock(s string, at int) (start, end int, state pemState) {
	label := strings.Index(s[at+len(dashes):min(len(s), at+80)], dashes)
	if label < 0 {
		if rest := s[at:]; len(rest) < 80 && strings.IndexByte(rest, '\n') < 0 {
			return at, len(s), pemNone
		}
		return at, at + 1, pemNone
	}
	start = at + len(dashes) + label + len(dashes)
	if !strings.Contains(s[at:start], "PRIVATE KEY") {
		return start, start, pemNone
	}
	set := charsOf(pemBody)
	state = pemOpen
	for end = start; end < len(s); end++ {
		if strings.HasPrefix(s[end:], dashes) {
			state = pemClosed
			break
		}
		if !set.has(s[end]) {
			state = pemBroken
			break
		}
	}
	if state != pemClosed {
		end = proseFrom(s, start, end, state == pemOpen)
	}
	if !hasBase64(s[start:end]) {
		last := keyRuns(s, start)
		if state != pemBroken || last == start {
			return start, end, pemNone
		}
		end = last
	}
	return start, end, state
}

// keyRuns gives the end of key material in one line, where lines are parted
// by escapes or are texts of their own, as in JSON.
func keyRuns(s string, start int) int {
	const shortest = 32
	base64, between := charsOf(alnum+"+/="), charsOf(" \t\"'\\,")
	last := start
	for at := start; ; {
		from := run(s, at, &between)
		for from > start && from < len(s) && s[from-1] == '\\' && (s[from] == 'n' || s[from] == 'r') {
			from = run(s, from+1, &between)
		}
		at = run(s, from, &base64)
		if at-from < shortest {
			return last
		}
		last = at
	}
}

// proseFrom gives the end of a body without an end of its own: the first line
// that is a sentence, or that has something else in it.
func proseFrom(s string, start, end int, whole bool) int {
	for at := start; at < end; {
		next := strings.IndexByte(s[at:end], '\n') + 1
		if next == 0 {
			if !whole {
				return at
			}
			next = end - at
		}
		line := strings.TrimSpace(s[at : at+next])
		if strings.Contains(line, " ") && !strings.Contains(line, ": ") && at > start {
			return at
		}
		at += next
	}
	return end
}

// hasBase64 tells that there is key material and not only words.
func hasBase64(s string) bool {
	n := 0
	for i := range len(s) {
		if c := s[i]; isAlnum(c) || c == '+' || c == '/' {
			if n++; n >= 16 {
				return true
			}
			continue
		}
		n = 0
	}
	return false
}

// trimBody leaves the line ends around a body.
func trimBody(s string, start, end int) span {
	const space = " \t\r\n"
	for start < end && strings.IndexByte(space, s[start]) >= 0 {
		start++
	}
	for start < end && strings.IndexByte(space, s[end-1]) >= 0 {
		end--
	}
	return span{start: start, end: end, hide: true}
}

// privateKeyTail finds the lines before the end of a block whose beginning
// was cut off.
func privateKeyTail(s string, at int) (span, bool, int) {
	until := at + len(dashes)
	line := s[at:min(len(s), at+80)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if !strings.Contains(line, "PRIVATE KEY") {
		return span{}, false, until
	}
	// The last line is as long as it may be.
	start := at
	if start > 0 && s[start-1] == '\n' {
		from := strings.LastIndexByte(s[:start-1], '\n') + 1
		set := charsOf(alnum + "+/=")
		text := strings.TrimSuffix(s[from:start-1], "\r")
		if text != "" && run(text, 0, &set) == len(text) {
			start = from
		}
	}
	if _, long := keyLine(s, start); !long {
		if _, long = keyLine(s, at); !long {
			return span{}, false, until
		}
	}
	for {
		from, ok := keyLine(s, start)
		if !ok {
			break
		}
		start = from
	}
	sp := trimBody(s, start, at)
	if sp.end-sp.start < shownFrom {
		return span{}, false, until
	}
	return sp, true, until
}

// keyLine tells that the line that ends at an offset is one of base64, as long
// as those of keys are, and where it begins.
func keyLine(s string, end int) (start int, ok bool) {
	const shortest, longest = 40, 100
	if end < shortest || s[end-1] != '\n' {
		return end, false
	}
	from := max(0, end-longest-2)
	i := strings.LastIndexByte(s[from:end-1], '\n')
	if i < 0 && from > 0 {
		return end, false
	}
	start = from + i + 1
	set := charsOf(alnum + "+/=")
	text := strings.TrimSuffix(s[start:end-1], "\r")
	return start, len(text) >= shortest && run(text, 0, &set) == len(text)
}
