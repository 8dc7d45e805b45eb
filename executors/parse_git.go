package executors

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func gitParser(c Command, l *items) *records {
	sub, args := gitCommand(c.Args)
	switch sub {
	case "status":
		return statusParser(args, l)
	case "log", "show":
		return logParser(sub, args, l)
	case "diff":
		return diffParser(args, l)
	case "grep":
		return gitGrepParser(c, args, l)
	case "ls-files":
		return lsFilesParser(args, l)
	}
	return nil
}

// gitCommand finds the sub-command behind git's own options.
func gitCommand(args []string) (sub string, rest []string) {
	valued := []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}
	for i := 0; i < len(args); i++ {
		switch {
		case slices.Contains(valued, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i], args[i+1:]
		}
	}
	return "", nil
}

func gitGrepParser(c Command, args []string, l *items) *records {
	a := readArguments(args, "efmABCO", "--max-count", "--max-depth", "--threads", "--after-context", "--before-context", "--context")
	paths := a.operands
	dashed := a.dashed
	if !a.has("-e", "-f") && len(paths) > 0 {
		paths, dashed = paths[1:], max(dashed-1, 0)
	}
	s := search{
		named:    !a.has("-h") || a.has("-H"),
		numbered: a.has("-n", "--line-number"),
		column:   a.has("--column"),
		context:  a.has("-A", "-B", "-C", "-NUM", "--after-context", "--before-context", "--context", "-p", "--show-function", "-W", "--function-context"),
		nul:      a.has("-z", "--null"),
	}
	s.quoted = !s.nul
	if dashed > 0 && len(paths) > 0 && !exists(c.Dir, paths[0]) {
		s.prefix = paths[0] + ":" // names begin with the revision
	}
	switch {
	case a.has("-q", "--quiet", "--heading", "--break", "-O", "--open-files-in-pager", "-p", "--show-function", "-W", "--function-context"):
		return nil
	case a.has("-l", "-L", "--files-with-matches", "--name-only", "--files-without-match"):
		return gitNameParser(protocol.ParsedFileList, s.nul, 1, func(name string) {
			l.add(File{Path: name})
		}, l)
	case a.has("-c", "--count"):
		return countParser(l, s)
	}
	return matchParser(l, s)
}

func lsFilesParser(args []string, l *items) *records {
	a := readArguments(args, "xX", "--exclude", "--exclude-from", "--exclude-per-directory", "--with-tree")
	if a.has("-t", "-v", "-f", "-u", "--unmerged", "--eol", "--format", "--debug", "--resolve-undo") {
		return nil
	}
	if a.has("-s", "--stage") {
		return gitNameParser(protocol.ParsedFileList, a.has("-z"), 0, func(entry string) {
			_, name, _ := strings.Cut(entry, "\t")
			l.add(File{Path: unquoteName([]byte(name))})
		}, l)
	}
	return gitNameParser(protocol.ParsedFileList, a.has("-z"), 0, func(name string) { l.add(File{Path: name}) }, l)
}

// gitNameParser reads one name per line, quoted as git does, or per NUL byte.
func gitNameParser(kind protocol.ParsedKind, nul bool, none int, add func(string), l *items) *records {
	p := lines(kind, func(line []byte) bool {
		if len(line) == 0 {
			return false
		}
		if !l.wants() {
			return true
		}
		if nul {
			add(clean(line))
		} else {
			add(unquoteName(line))
		}
		return true
	})
	if nul {
		p.sep = 0
	}
	p.none = none
	return p
}

// unquoteName undoes git's quoting of names with odd characters.
func unquoteName(name []byte) string {
	if s, rest, ok := cutQuoted(name); ok && len(rest) == 0 {
		return clean(s)
	}
	return clean(name)
}

// cutQuoted takes a name in double quotes with C escapes from the front of b.
func cutQuoted(b []byte) (name, rest []byte, ok bool) {
	if len(b) < 2 || b[0] != '"' {
		return nil, b, false
	}
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == '"':
			return name, b[i+1:], true
		case b[i] != '\\':
			name = append(name, b[i])
			continue
		case i+1 >= len(b):
			return nil, b, false
		}
		i++
		if at := strings.IndexByte(`abtnvfr"\`, b[i]); at >= 0 {
			name = append(name, "\a\b\t\n\v\f\r\"\\"[at])
			continue
		}
		if i+3 > len(b) {
			return nil, b, false
		}
		n, err := strconv.ParseUint(string(b[i:i+3]), 8, 8)
		if err != nil {
			return nil, b, false
		}
		name = append(name, byte(n))
		i += 2
	}
	return nil, b, false
}

// A Commit is an item of [protocol.ParsedGitLog].
type Commit struct {
	Commit  string `json:"commit"`
	Author  string `json:"author,omitzero"`
	Date    string `json:"date,omitzero"` // as git wrote it
	Subject string `json:"subject"`
}

func logParser(sub string, args []string, l *items) *records {
	a := readArguments(args, "nSGLO", "--max-count", "--skip", "--since", "--after", "--until", "--before", "--author", "--grep", "--date")
	if a.has("-z", "--graph", "-g", "--walk-reflogs", "--source", "--left-right", "--boundary", "--cherry-mark", "--parents", "--children", "-q") {
		return nil
	}
	form := "medium"
	if a.has("--oneline") {
		form = "oneline"
	}
	if v, ok := a.value("--pretty", "--format"); ok && v != "" {
		form = v
	}
	patched := a.has("-p", "-u", "--patch", "--stat", "--numstat", "--shortstat", "--name-only", "--name-status", "--raw", "--summary", "-L", "--cc", "-c", "--dirstat")
	switch form {
	case "oneline":
		if sub == "show" || patched && !a.has("--stat", "--shortstat") || a.has("-p", "-u", "--patch") {
			return nil // what follows a commit looks like one
		}
		return lines(protocol.ParsedGitLog, func(line []byte) bool {
			if len(line) == 0 || line[0] == ' ' {
				return patched
			}
			hash, subject, _ := bytes.Cut(line, []byte(" "))
			if !isHash(hash) {
				return false
			}
			if l.wants() {
				l.add(Commit{Commit: string(hash), Subject: short(withoutRefs(subject, a))})
			}
			return true
		})
	case "short", "medium", "full", "fuller":
		return longLogParser(l, sub == "show")
	}
	return nil
}

// withoutRefs takes off the names of branches and tags that --decorate adds.
func withoutRefs(subject []byte, a arguments) []byte {
	if a.has("--decorate") && bytes.HasPrefix(subject, []byte("(")) {
		if i := bytes.Index(subject, []byte(") ")); i >= 0 {
			return subject[i+2:]
		}
	}
	return subject
}

func isHash(b []byte) bool {
	if len(b) < 4 || len(b) > 64 {
		return false
	}
	return len(bytes.Trim(b, "0123456789abcdef")) == 0
}

// longLogParser reads commits with a header. What else stands at a line's
// beginning belongs to a statistic or a patch. needed says that there must be
// a commit.
func longLogParser(l *items, needed bool) *records {
	var c *Commit
	flush := func() {
		if c != nil && l.wants() {
			l.add(*c)
		}
		c = nil
	}
	begun := false
	p := lines(protocol.ParsedGitLog, func(line []byte) bool {
		if rest, ok := bytes.CutPrefix(line, []byte("commit ")); ok {
			hash, _, _ := bytes.Cut(rest, []byte(" "))
			if !isHash(hash) {
				return false
			}
			flush()
			begun, c = true, &Commit{Commit: string(hash)}
			return true
		}
		if c == nil {
			return begun
		}
		if text, ok := bytes.CutPrefix(line, []byte("    ")); ok {
			c.Subject = short(bytes.TrimSpace(text))
			flush()
			return true
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		switch string(key) {
		case "Author":
			c.Author = short(bytes.TrimSpace(value))
		case "Date", "AuthorDate":
			c.Date = short(bytes.TrimSpace(value))
		}
		return true
	})
	p.last = func() bool {
		flush()
		return begun || !needed
	}
	return p
}
