package executors

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A GitChange is an item of [protocol.ParsedGitStatus]. Index and Worktree
// are git's letters (M, A, D, R, C, T, U, ? and !); "" is unchanged.
type GitChange struct {
	Path     string `json:"path"`
	Index    string `json:"index,omitzero"`
	Worktree string `json:"worktree,omitzero"`
	From     string `json:"from,omitzero"` // the old name
}

func exists(dir, name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	_, err := os.Lstat(name)
	return err == nil
}

func statusParser(args []string, l *items) *records {
	a := readArguments(args, "")
	s := &status{out: l, nul: a.has("-z")}
	version, given := a.value("--porcelain")
	read := s.short
	switch {
	case a.has("-v", "--verbose", "--column"):
		return nil
	case given && version != "" && version != "v1" && version != "v2" && version != "1" && version != "2":
		return nil
	case version == "v2" || version == "2":
		read = s.v2
	case given || s.nul || a.has("-s", "--short"):
	default:
		p := lines(protocol.ParsedGitStatus, s.long)
		p.last = func() bool { return s.known }
		return p
	}
	p := lines(protocol.ParsedGitStatus, read)
	if s.nul {
		p.sep = 0
		p.last = func() bool { return s.renamed == nil }
	}
	return p
}

// status reads the forms of git status.
type status struct {
	out     *items
	nul     bool
	renamed *GitChange // waits for its old name, which is the next record
	section byte       // of the long form: i(ndex), w(orktree), u(nmerged), ? or !
	known   bool       // the long form was recognised
}

func (s *status) add(c GitChange) {
	if s.out.wants() {
		s.out.add(c)
	}
}

func (s *status) name(b []byte) string {
	if s.nul {
		return clean(b)
	}
	return unquoteName(b)
}

// letter is a state letter; a blank and a dot are no change.
func letter(b byte) (string, bool) {
	if b == ' ' || b == '.' {
		return "", true
	}
	return string(rune(b)), strings.IndexByte("MADRCTU?!m", b) >= 0
}

func (s *status) short(line []byte) bool {
	if s.renamed != nil {
		s.renamed.From = clean(line)
		s.add(*s.renamed)
		s.renamed = nil
		return true
	}
	if bytes.HasPrefix(line, []byte("## ")) {
		return true
	}
	if len(line) < 4 || line[2] != ' ' {
		return false
	}
	index, ok1 := letter(line[0])
	worktree, ok2 := letter(line[1])
	if !ok1 || !ok2 {
		return false
	}
	c := GitChange{Index: index, Worktree: worktree}
	moved := strings.ContainsAny(index+worktree, "RC")
	switch {
	case moved && s.nul:
		c.Path = clean(line[3:])
		s.renamed = &c
		return true
	case moved:
		from, to := cutArrow(line[3:])
		c.From, c.Path = s.name(from), s.name(to)
	default:
		c.Path = s.name(line[3:])
	}
	s.add(c)
	return true
}

// cutArrow parts "old -> new", where either may be quoted.
func cutArrow(b []byte) (from, to []byte) {
	if _, rest, ok := cutQuoted(b); ok {
		if to, ok := bytes.CutPrefix(rest, []byte(" -> ")); ok {
			return b[:len(b)-len(rest)], to
		}
	}
	from, to, ok := bytes.Cut(b, []byte(" -> "))
	if !ok {
		return nil, b
	}
	return from, to
}

func (s *status) v2(line []byte) bool {
	if s.renamed != nil {
		return s.short(line)
	}
	if len(line) < 3 || line[1] != ' ' {
		return false
	}
	fields := map[byte]int{'1': 8, '2': 9, 'u': 10, '?': 1, '!': 1, '#': 1}[line[0]]
	parts := bytes.SplitN(line, []byte(" "), fields+1)
	if fields == 0 || len(parts) != fields+1 {
		return false
	}
	name := parts[fields]
	switch line[0] {
	case '#':
		return true
	case '?', '!':
		mark := string(line[:1])
		s.add(GitChange{Path: s.name(name), Index: mark, Worktree: mark})
		return true
	}
	if len(parts[1]) != 2 {
		return false
	}
	index, ok1 := letter(parts[1][0])
	worktree, ok2 := letter(parts[1][1])
	if !ok1 || !ok2 {
		return false
	}
	c := GitChange{Index: index, Worktree: worktree}
	switch {
	case line[0] != '2':
		c.Path = s.name(name)
	case s.nul:
		c.Path = clean(name)
		s.renamed = &c
		return true
	default:
		to, from, ok := bytes.Cut(name, []byte("\t"))
		if !ok {
			return false
		}
		c.Path, c.From = s.name(to), s.name(from)
	}
	s.add(c)
	return true
}

// long reads what git status shows to people, in English.
func (s *status) long(line []byte) bool {
	entry, indented := bytes.CutPrefix(line, []byte("\t"))
	if !indented {
		switch text := string(line); {
		case text == "Changes to be committed:":
			s.section, s.known = 'i', true
		case text == "Changes not staged for commit:":
			s.section, s.known = 'w', true
		case text == "Unmerged paths:":
			s.section, s.known = 'u', true
		case text == "Untracked files:":
			s.section, s.known = '?', true
		case text == "Ignored files:":
			s.section, s.known = '!', true
		case strings.HasPrefix(text, "nothing to commit"), strings.HasPrefix(text, "nothing added to commit"),
			strings.HasPrefix(text, "no changes added to commit"), strings.HasPrefix(text, "On branch "), strings.HasPrefix(text, "HEAD detached "):
			s.known = true
		}
		return true
	}
	if s.section == 0 {
		return false
	}
	if s.section == '?' || s.section == '!' {
		mark := string(rune(s.section))
		s.add(GitChange{Path: unquoteName(entry), Index: mark, Worktree: mark})
		return true
	}
	word, name, ok := bytes.Cut(entry, []byte(":"))
	if !ok {
		return false
	}
	name = bytes.TrimLeft(name, " ")
	if s.section == 'u' {
		index, worktree := unmerged(string(word))
		s.add(GitChange{Path: unquoteName(name), Index: index, Worktree: worktree})
		return index != ""
	}
	mark := map[string]string{"modified": "M", "new file": "A", "deleted": "D", "renamed": "R", "copied": "C", "typechange": "T"}[string(word)]
	if mark == "" {
		return false
	}
	c := GitChange{}
	if mark == "R" || mark == "C" {
		from, to := cutArrow(name)
		c.From, c.Path = unquoteName(from), unquoteName(to)
	} else {
		if s.section == 'w' { // "(modified content)" of a submodule may follow
			if i := bytes.LastIndex(name, []byte(" (")); i > 0 && bytes.HasSuffix(name, []byte("content)")) {
				name = name[:i]
			}
		}
		c.Path = unquoteName(name)
	}
	if s.section == 'i' {
		c.Index = mark
	} else {
		c.Worktree = mark
	}
	s.add(c)
	return true
}

func unmerged(word string) (index, worktree string) {
	switch word {
	case "both modified":
		return "U", "U"
	case "both added":
		return "A", "A"
	case "both deleted":
		return "D", "D"
	case "added by us":
		return "A", "U"
	case "added by them":
		return "U", "A"
	case "deleted by us":
		return "D", "U"
	case "deleted by them":
		return "U", "D"
	}
	return "", ""
}
