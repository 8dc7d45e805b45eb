package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// value judges one option value or operand. option is "" for an operand.
func (j *judging) value(c *command, v *value, s, option, walks string) {
	what := c.name
	if option != "" {
		what += " " + option
	}
	if len(v.OneOf) > 0 && v.Kind != kindLetters && !slices.Contains(v.OneOf, s) {
		j.hit(protocol.Confirm, "unknown value", what+" "+clip(s)+" is not on the list of harmless values")
	}
	for _, bad := range v.Refuse {
		if holds(s, bad) {
			j.hit(protocol.Confirm, "unknown value", what+" "+clip(s)+" holds "+strconv.Quote(bad)+", which may do more than read")
		}
	}
	switch v.Kind {
	case kindNumber:
		j.number(v, s, what)
	case kindLetters:
		if s == "" || strings.Trim(s, v.OneOf[0]) != "" {
			j.hit(protocol.Confirm, "unknown value", what+" "+clip(s)+" is not on the list of harmless values")
		}
	case kindPath:
		j.readPath(s, walks)
	case kindRevision:
		j.readPath(s, walks)
		for rest := s; ; { // REVISION:PATH, :STAGE:PATH, :FUNCTION:PATH
			_, path, ok := strings.Cut(rest, ":")
			if !ok {
				break
			}
			j.readPath(path, "")
			rest = path
		}
	case kindOut:
		j.writePath(s)
	case kindRemove:
		j.writePath(s)
		j.removePath(s)
	case kindName:
		if j.e.places().secretName(strings.Trim(s[strings.LastIndexByte(s, '/')+1:], "*")) {
			j.hit(protocol.Confirm, "secrets", what+" "+clip(s)+" looks for keys or credentials", protocol.FactSecrets)
		}
	case kindSed:
		if why := sedScript(s); why != "" {
			j.hit(protocol.Confirm, c.id+".script", "the sed script "+clip(s)+" "+why, protocol.FactWrite, protocol.FactCode)
		}
	case kindAwk:
		if why := awkProgram(s); why != "" {
			j.hit(protocol.Confirm, c.id+".program", "the awk program "+clip(s)+" "+why, protocol.FactCode)
			j.code(s)
		}
	case kindShell:
		j.shell(s)
	case kindCode:
		j.code(s)
	case kindRemote, kindCommand, kindExec, kindNone, kindPattern, kindWord, kindDate, kindFormat, kindAssign:
	}
}

func (j *judging) number(v *value, s, what string) {
	if !number(s) {
		j.hit(protocol.Confirm, "unknown value", what+" "+clip(s)+" is not a number")
		return
	}
	if v.Max == 0 {
		return
	}
	whole, _, _ := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err != nil || n > v.Max {
		j.hit(protocol.Confirm, "unbounded", what+" "+clip(s)+" is very much", protocol.FactUnbounded)
	}
}

// holds says whether s holds the text; where the text is an identifier, as a
// word of its own.
func holds(s, text string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], text)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(text)
		if !wordByte(text[0]) || (start == 0 || !wordByte(s[start-1])) && (end == len(s) || !wordByte(s[end])) {
			return true
		}
		from = start + 1
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// assignment says whether s is NAME=value.
func assignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	if !ok || name == "" || digits(name[:1]) {
		return false
	}
	for i := range len(name) {
		if !wordByte(name[i]) {
			return false
		}
	}
	return true
}

// glob matches with * for any text. A * may stand anywhere, twice too.
func glob(pattern, s string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	s = s[len(head):]
	for {
		part, next, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(s, part)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(part):], next
	}
}
