package shell

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
	"mvdan.cc/sh/v3/syntax"
)

// A value is what a word becomes when bash runs it.
type value struct {
	fields []string
	known  bool
	// paths is set where fields are names as the judgement finds them: files
	// that a pattern matches, or a path in the home folder, still with its ~.
	paths bool
	// expanded is set where the word holds an expansion of any kind.
	expanded bool
	pattern  bool   // only a pattern of file names makes it unknown
	text     string // what is known of the word
}

// text of a word with, for each byte, whether it is outside quotes.
type runText struct {
	text   []byte
	active []bool
}

func (r *runText) add(s string, active bool) {
	for i := range len(s) {
		r.text = append(r.text, s[i])
		r.active = append(r.active, active)
	}
}

func (r *runText) has(marks string) bool {
	for i, b := range r.text {
		if r.active[i] && strings.IndexByte(marks, b) >= 0 {
			return true
		}
	}
	return false
}

// plainChars are bytes of a value that no splitting and no pattern changes.
const plainChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-"

// word says what a word becomes, and judges the commands inside it.
func (j *judging) word(w *syntax.Word, s *state) value {
	if w == nil {
		return value{}
	}
	j.inner(w, s)
	var r runText
	v := value{known: true}
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			literal(&r, p.Value)
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				if strings.ContainsAny(text, `\`) {
					v.known = false
				}
			}
			r.add(text, false)
		case *syntax.DblQuoted:
			v.known = v.known && !p.Dollar
			j.quoted(&r, &v, p, s)
		case *syntax.ParamExp:
			v.expanded = true
			text, ok := s.vars[paramName(p)]
			ok = ok && text != "" && strings.Trim(text, plainChars) == ""
			v.known = v.known && ok
			r.add(text, false)
		default:
			v.known, v.expanded = false, true
		}
	}
	v.text = string(r.text)
	if v.known {
		j.expand(&v, &r, s)
	}
	return v
}

// paramName gives the name of a plain expansion, or "".
func paramName(p *syntax.ParamExp) string {
	if !plainParam(p) {
		return ""
	}
	return p.Param.Value
}

// literal adds text outside quotes: a backslash quotes what follows it.
func literal(r *runText, s string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] != '\n' {
				r.add(s[i:i+1], false)
			}
			continue
		}
		r.add(s[i:i+1], true)
	}
}

// quoted adds text in double quotes.
func (j *judging) quoted(r *runText, v *value, q *syntax.DblQuoted, s *state) {
	for _, part := range q.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			for i := 0; i < len(p.Value); i++ {
				if p.Value[i] == '\\' && i+1 < len(p.Value) && strings.IndexByte("$`\"\\\n", p.Value[i+1]) >= 0 {
					if i++; p.Value[i] == '\n' {
						continue
					}
				}
				r.add(p.Value[i:i+1], false)
			}
		case *syntax.ParamExp:
			text, ok := s.vars[paramName(p)]
			v.known, v.expanded = v.known && ok, true
			r.add(text, false)
		default:
			v.known, v.expanded = false, true
		}
	}
}

// expand does what bash does with the text of a word.
func (j *judging) expand(v *value, r *runText, s *state) {
	text := v.text
	v.fields = []string{text}
	braces := r.has("{}") && text != "{}"
	tilde := len(text) > 0 && text[0] == '~' && r.active[0]
	for i := 1; i < len(text); i++ {
		if text[i] == '~' && r.active[i] && (text[i-1] == '=' || text[i-1] == ':') {
			v.known, v.expanded = false, true
		}
	}
	pattern := r.has("*?") || r.has("[]") && text != "[" && text != "]"
	switch {
	case !braces && !tilde && !pattern:
	case braces && !tilde && !pattern:
		v.expanded = true
		v.fields, v.known = braced(r)
	case tilde && !braces && !pattern:
		v.expanded, v.paths = true, true
		v.known = v.known && (len(text) == 1 || text[1] == '/' && r.active[1])
	case pattern && !braces && !tilde:
		v.expanded, v.paths = true, true
		v.known, v.pattern = v.known && j.matches(v, r, s), v.known
	default:
		v.known, v.expanded = false, true
	}
}

// braced expands one list in braces of plain words, a{b,c}d, or one range of
// numbers, {1..3}.
func braced(r *runText) ([]string, bool) {
	text := string(r.text)
	if slices.Contains(r.active, false) || strings.Trim(text, plainChars+"{}") != "" {
		return nil, false
	}
	before, rest, _ := strings.Cut(text, "{")
	list, after, ok := strings.Cut(rest, "}")
	if !ok || strings.ContainsAny(before, "}") || strings.ContainsAny(list, "{") || strings.ContainsAny(after, "{}") {
		return nil, false
	}
	items := strings.Split(list, ",")
	if len(items) < 2 {
		first, last, ok := strings.Cut(list, "..")
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if !ok || err1 != nil || err2 != nil || strconv.Itoa(from) != first || strconv.Itoa(to) != last || from > to || to-from > 200 || from < 0 {
			return nil, false
		}
		items = nil
		for n := from; n <= to; n++ {
			items = append(items, strconv.Itoa(n))
		}
	}
	var fields []string
	for _, item := range items {
		field := before + item + after
		if item == "" || field == "" {
			return nil, false
		}
		fields = append(fields, field)
	}
	return fields, true
}

// matches finds the files that a pattern stands for. The pattern has to begin
// with a fixed folder, so that no name can be taken for an option, and its
// last name alone may hold * and ?.
func (j *judging) matches(v *value, r *runText, s *state) bool {
	slash := strings.LastIndexByte(v.text, '/')
	if slash < 0 || v.text[0] == '-' || s.lost {
		return false
	}
	var name strings.Builder
	question := false
	for i, b := range r.text {
		active := r.active[i] && strings.IndexByte("*?[]", b) >= 0
		if active && (i < slash || b == '[' || b == ']') {
			return false
		}
		if i > slash {
			question = question || active && b == '?'
			if !active && strings.IndexByte(`*?[]\`, b) >= 0 {
				name.WriteByte('\\')
			}
			name.WriteByte(b)
		}
	}
	folder := v.text[:slash+1]
	at := folder
	if !filepath.IsAbs(at) {
		at = s.cwd + "/" + folder // not made clean: the kernel goes up from where links point
	}
	names, ok := j.names(at)
	if !ok {
		return false
	}
	var found []string
	for _, n := range names {
		if strings.HasPrefix(n, ".") && !strings.HasPrefix(name.String(), ".") {
			continue
		}
		if strings.IndexFunc(n, func(r rune) bool { return r >= 0x80 || r < ' ' }) >= 0 {
			// How many characters ? stands for depends on the locale.
			wide, err := path.Match(strings.ReplaceAll(name.String(), "?", "*"), n)
			if err != nil || wide && (question || unusual(n) != "") {
				return false
			}
		}
		if ok, err := path.Match(name.String(), n); err != nil {
			return false
		} else if ok {
			found = append(found, folder+n)
		}
	}
	if strings.HasPrefix(name.String(), ".") {
		return false // versions of bash differ in whether . and .. are among them
	}
	if len(found) > maxMatches {
		return false
	}
	if len(found) > 0 {
		slices.Sort(found)
		v.fields = found
	}
	return true
}

// names reads the names in a folder, where they are not too many.
func (j *judging) names(folder string) ([]string, bool) {
	if j.reads++; j.reads > maxReads {
		return nil, false
	}
	dir, err := os.Open(folder)
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxEntries + 1)
	return names, (err == nil || errors.Is(err, io.EOF)) && len(names) <= maxEntries
}

// unknown counts a word whose text is known only when the script runs.
func (j *judging) unknown(command, what string) {
	j.hit(protocol.Confirm, ruleUnknown, clip(command)+": "+what+" is known only when it runs", protocol.FactCode)
}
