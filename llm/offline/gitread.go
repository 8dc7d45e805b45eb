package offline

import (
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

type commit struct{ hash, date, author, subject string }

func readCommits(o *protocol.Observation) []commit {
	var out []commit
	for _, l := range lines(o) {
		parts := strings.SplitN(l, "|", 4)
		if len(parts) == 4 && len(parts[1]) == len("2006-01-02") {
			out = append(out, commit{parts[0], parts[1], parts[2], parts[3]})
		}
	}
	return out
}

func (l lang) commits(list []commit) string {
	items := make([]string, len(list))
	for i, c := range list {
		items[i] = code(c.hash) + " " + c.date + " " + inline(c.author) + l.f(": ", "：") + inline(c.subject)
	}
	return l.bullets(items, 50)
}

// changes are the uncommitted ones, by what happened to them.
type changes struct {
	branch, upstream, distance string // distance is "ahead 1, behind 2"
	born                       bool   // false before the first commit
	kinds                      [6][]string
	total                      int
}

// The kinds of changes, in the order in which they are told.
const (
	changedConflict = iota
	changedStaged
	changedModified
	changedDeleted
	changedRenamed
	changedNew
)

// readStatus reads git status --porcelain=v1 --branch.
func readStatus(o *protocol.Observation) changes {
	c := changes{born: true}
	for _, l := range lines(o) {
		if head, ok := strings.CutPrefix(l, "## "); ok {
			c.readHead(head)
			continue
		}
		if len(l) < 4 || l[2] != ' ' {
			continue
		}
		x, y, name := l[0], l[1], unquoteGit(l[3:])
		k := changedModified
		switch {
		case x == '?':
			k = changedNew
		case x == 'U' || y == 'U' || x == 'A' && y == 'A' || x == 'D' && y == 'D':
			k = changedConflict
		case x == 'R' || y == 'R':
			k = changedRenamed
		case x == 'D' || y == 'D':
			k = changedDeleted
		case x != ' ' && y == ' ':
			k = changedStaged
		}
		c.kinds[k] = append(c.kinds[k], name)
		c.total++
	}
	if o.Truncated && o.Parsed != nil && o.Parsed.Kind == protocol.ParsedGitStatus {
		c.total = max(c.total, o.Parsed.Total)
	}
	return c
}

func (c *changes) readHead(head string) {
	for _, prefix := range []string{"No commits yet on ", "Initial commit on "} {
		if rest, ok := strings.CutPrefix(head, prefix); ok {
			head, c.born = rest, false
		}
	}
	head, distance, ok := strings.Cut(head, " [")
	if ok {
		c.distance = strings.TrimSuffix(distance, "]")
	}
	c.branch, c.upstream, _ = strings.Cut(head, "...")
}

// unquoteGit reads a name as git prints it: in double quotes with octal
// escapes where it is not plain.
func unquoteGit(s string) string {
	unquote := func(s string) string {
		if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
			if u, err := strconv.Unquote(s); err == nil {
				return u
			}
		}
		return s
	}
	if from, to, ok := strings.Cut(s, " -> "); ok {
		return unquote(from) + " → " + unquote(to)
	}
	return unquote(s)
}

// noRepository tells whether git said that there is none.
func noRepository(o *protocol.Observation) bool {
	return ran(o) && exit(o) == 128 && (strings.Contains(o.StderrTail, "not a git repository") || strings.Contains(o.StderrTail, "不是 git 仓库") || strings.Contains(o.StderrTail, "不是一个 git 仓库"))
}

// noCommits tells whether git failed because there is no commit yet.
func noCommits(o *protocol.Observation) bool {
	return ran(o) && exit(o) == 128 && (strings.Contains(o.StderrTail, "does not have any commits") || strings.Contains(o.StderrTail, "unknown revision") || strings.Contains(o.StderrTail, "bad revision 'HEAD'") || strings.Contains(o.StderrTail, "尚无任何提交") || strings.Contains(o.StderrTail, "没有任何提交"))
}
