package executors

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/protocol"
)

// A Match is an item of [protocol.ParsedSearchMatches].
type Match struct {
	File string `json:"file,omitzero"`
	Line int    `json:"line,omitzero"` // from 1; 0 where the output has none
	Text string `json:"text"`
}

// search says what the lines of a search look like.
type search struct {
	named    bool   // FILE: comes first
	numbered bool   // LINE: follows
	column   bool   // COLUMN: follows
	context  bool   // lines around the matches may come, and -- between them
	nul      bool   // a NUL byte ends the file's name
	file     string // the one file that is searched, where the lines do not name it
	prefix   string // what each name begins with and may hold a colon: a revision
	quoted   bool   // names with odd characters are quoted as git does
}

func grepParser(c Command, l *items) *records {
	a := readArguments(c.Args, "efmABCdD", "--regexp", "--file", "--max-count", "--after-context", "--before-context", "--context", "--include", "--exclude", "--exclude-dir")
	files := a.operands
	if !a.has("-e", "-f", "--regexp", "--file") && len(files) > 0 {
		files = files[1:]
	}
	s := search{
		numbered: a.has("-n", "--line-number"),
		context:  a.has("-A", "-B", "-C", "-NUM", "--after-context", "--before-context", "--context"),
		nul:      a.has("-Z", "--null"),
	}
	recursive := a.has("-r", "-R", "--recursive", "--dereference-recursive") || a.options["-d"] == "recurse"
	switch {
	case a.has("-h", "--no-filename"):
	case a.has("-H", "--with-filename"), len(files) > 1:
		s.named = true
	case recursive:
		s.named = len(files) == 0 || isFolder(c.Dir, files[0])
	}
	switch {
	case a.has("-q", "--quiet", "--silent", "-b", "--byte-offset", "-T", "--initial-tab", "-z", "--null-data", "--label"):
		return nil
	case a.has("-l", "-L", "--files-with-matches", "--files-without-match"):
		return nameParser(l, s.nul, 1)
	case a.has("-c", "--count"):
		return countParser(l, s)
	}
	if len(files) == 1 && !s.named {
		s.file = files[0]
	}
	return matchParser(l, s)
}

func ripgrepParser(c Command, l *items) *records {
	a := readArguments(c.Args, "efmABCtTgjMrdE", "--regexp", "--file", "--max-count", "--after-context", "--before-context", "--context",
		"--glob", "--iglob", "--type", "--type-not", "--threads", "--max-columns", "--replace", "--max-depth", "--encoding", "--color",
		"--colors", "--sort", "--sortr", "--max-filesize", "--ignore-file", "--engine", "--type-add", "--pre", "--path-separator")
	files := a.operands
	list := a.has("--files")
	if !list && !a.has("-e", "-f", "--regexp", "--file") && len(files) > 0 {
		files = files[1:]
	}
	s := search{
		column:  a.has("--column", "--vimgrep") && !a.has("--no-column"),
		context: a.has("-A", "-B", "-C", "--after-context", "--before-context", "--context"),
		nul:     a.has("-0", "--null"),
	}
	s.numbered = (a.has("-n", "--line-number", "--vimgrep") || s.column) && !a.has("-N", "--no-line-number")
	switch {
	case a.has("-I", "--no-filename"):
	case a.has("-H", "--with-filename", "--vimgrep"), len(files) != 1:
		s.named = true
	default:
		s.named = isFolder(c.Dir, files[0])
	}
	switch {
	case a.has("-q", "--quiet", "--heading", "-p", "--pretty", "-b", "--byte-offset", "--stats", "--null-data", "--passthru", "--type-list", "--debug", "--trace",
		"--context-separator", "--field-match-separator", "--field-context-separator"):
		return nil
	case a.has("--json"):
		return ripgrepJSON(l)
	case list || a.has("-l", "--files-with-matches", "--files-without-match"):
		return nameParser(l, s.nul, 1)
	case a.has("-c", "--count", "--count-matches"):
		return countParser(l, s)
	}
	if len(files) == 1 && !s.named {
		s.file = files[0]
	}
	return matchParser(l, s)
}

func isFolder(dir, name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func matchParser(l *items, s search) *records {
	p := lines(protocol.ParsedSearchMatches, func(line []byte) bool {
		if s.context && string(line) == "--" {
			return true
		}
		name, number, text, fit := s.split(line)
		if !fit {
			if note, ok := s.binaryNote(line); ok && l.wants() {
				l.add(note)
			} else if !ok {
				return s.context && s.around(line)
			}
			return true
		}
		if !l.wants() {
			return true
		}
		m := Match{File: s.file, Text: short(text)}
		if s.named {
			m.File = s.fileName(name)
		}
		m.Line = number
		l.add(m)
		return true
	})
	p.none = 1
	return p
}

// fileName gives a name as the file has it, behind its revision.
func (s search) fileName(name []byte) string {
	if !s.quoted {
		return clean(name)
	}
	if rest, ok := bytes.CutPrefix(name, []byte(s.prefix)); ok {
		return clean([]byte(s.prefix)) + unquoteName(rest)
	}
	return unquoteName(name)
}

// split parts a matching line.
func (s search) split(line []byte) (name []byte, number int, text []byte, fit bool) {
	rest := line
	if s.named {
		switch i := bytes.IndexByte(line, 0); {
		case s.nul && i < 0:
			return nil, 0, nil, false
		case s.nul:
			name, rest = line[:i], line[i+1:]
		case s.quoted && bytes.HasPrefix(line, []byte(s.prefix+`"`)):
			_, after, ok := cutQuoted(line[len(s.prefix):])
			if !ok || len(after) == 0 || after[0] != ':' {
				return nil, 0, nil, false
			}
			name, rest = line[:len(line)-len(after)], after[1:]
		case s.numbered:
			// A name may hold a colon: its end is where a number follows.
			name, rest = s.cutNumbered(line, ':')
		default:
			name, rest = s.cutName(line)
		}
		if len(name) == 0 {
			return nil, 0, nil, false
		}
		if s.context && !s.nul && s.numbered {
			// The line of a context has dashes where a match has colons.
			if before, _ := s.cutNumbered(line, '-'); before != nil && len(before) < len(name) {
				return nil, 0, nil, false
			}
		}
	}
	for _, want := range [2]bool{s.numbered, s.column} {
		if !want {
			continue
		}
		n, after, ok := cutNumber(rest)
		if !ok || len(after) == 0 || after[0] != ':' && after[0] != 0 {
			return nil, 0, nil, false
		}
		if number == 0 {
			number = n
		}
		rest = after[1:]
	}
	return name, number, rest, true
}

// cutName ends a name at its first colon, a drive letter's and a revision's
// apart.
func (s search) cutName(line []byte) (name, rest []byte) {
	from := 0
	if bytes.HasPrefix(line, []byte(s.prefix)) {
		from = len(s.prefix)
	}
	if from == 0 && len(line) > 2 && line[1] == ':' && (line[2] == '\\' || line[2] == '/') {
		from = 2
	}
	i := bytes.IndexByte(line[from:], ':')
	if i < 0 {
		return nil, nil
	}
	return line[:from+i], line[from+i+1:]
}

// cutNumbered ends a name where the separator, a number and the separator
// follow; rest begins with the number.
func (s search) cutNumbered(line []byte, sep byte) (name, rest []byte) {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], sep)
		if i < 0 {
			return nil, nil
		}
		at := from + i
		if _, after, ok := cutNumber(line[at+1:]); ok && len(after) > 0 && after[0] == sep {
			return line[:at], line[at+1:]
		}
		from = at + 1
	}
}

func cutNumber(b []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(b) && i < 10 && b[i] >= '0' && b[i] <= '9' {
		n = n*10 + int(b[i]-'0')
		i++
	}
	return n, b[i:], i > 0
}

// around tells whether a line can be one beside a match.
func (s search) around(line []byte) bool {
	switch {
	case s.nul:
		return bytes.IndexByte(line, 0) >= 0 || !s.named
	case s.named && s.numbered:
		name, _ := s.cutNumbered(line, '-')
		return name != nil
	case s.numbered:
		_, after, ok := cutNumber(line)
		return ok && len(after) > 0 && after[0] == '-'
	}
	return bytes.IndexByte(line, '-') >= 0
}

// binaryNote reads what is said about a file that is no text.
func (s search) binaryNote(line []byte) (Match, bool) {
	const note = "binary file matches"
	if rest, ok := bytes.CutPrefix(line, []byte("Binary file ")); ok {
		if name, ok := bytes.CutSuffix(rest, []byte(" matches")); ok {
			return Match{File: clean(name), Text: note}, true
		}
	}
	if i := bytes.Index(line, []byte(": "+note)); i >= 0 {
		return Match{File: clean(bytes.TrimPrefix(line[:i], []byte("grep: "))), Text: note}, true
	}
	if bytes.HasPrefix(line, []byte(note)) {
		return Match{File: s.file, Text: note}, true
	}
	return Match{}, false
}

// countParser reads FILE:COUNT lines; files without a match are left out.
func countParser(l *items, s search) *records {
	p := lines(protocol.ParsedFileList, func(line []byte) bool {
		sep := byte(':')
		if s.nul {
			sep = 0
		}
		i := bytes.LastIndexByte(line, sep)
		name := []byte(s.file)
		if s.named && i > 0 {
			name = line[:i]
		} else if s.named {
			return false
		}
		n, err := strconv.Atoi(string(line[i+1:]))
		if err != nil || n < 0 {
			return false
		}
		if n > 0 && l.wants() {
			l.add(File{Path: s.fileName(name), Count: n})
		}
		return true
	})
	p.none = 1
	return p
}

// ripgrepJSON reads the lines of rg --json.
func ripgrepJSON(l *items) *records {
	type text struct {
		Text  string `json:"text"`
		Bytes []byte `json:"bytes"`
	}
	match := []byte(`{"type":"match"`)
	p := lines(protocol.ParsedSearchMatches, func(line []byte) bool {
		if !bytes.HasPrefix(line, match) {
			return bytes.HasPrefix(line, []byte(`{"type":"`)) || bytes.HasPrefix(line, []byte(`{"data":`))
		}
		if !l.wants() {
			return true
		}
		var m struct {
			Data struct {
				Path  text `json:"path"`
				Lines text `json:"lines"`
				Line  int  `json:"line_number"`
			} `json:"data"`
		}
		if json.Unmarshal(line, &m) != nil {
			l.add(Match{Text: "a very long line"}) // it was cut
			return len(line) == maxRecord
		}
		get := func(t text) []byte {
			if t.Bytes != nil {
				return t.Bytes
			}
			return []byte(t.Text)
		}
		l.add(Match{
			File: clean(get(m.Data.Path)),
			Line: m.Data.Line,
			Text: short(bytes.TrimRight(get(m.Data.Lines), "\r\n")),
		})
		return true
	})
	p.none = 1
	return p
}
