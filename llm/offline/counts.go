package offline

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func askFileLines(t *turn) protocol.Reply {
	return propose(t.lang.reading(t.file), t.lang.effectRead(), step("wc", t.home(safePath(t.file))))
}

func tellFileLines(t *turn) protocol.Reply {
	l := t.lang
	last := &t.rounds[len(t.rounds)-1][0]
	if program(last) == "find" {
		paths, _, _ := fileList(last)
		if len(paths) == 1 && argument(paths[0]) {
			return propose(l.reading(paths[0]), l.effectRead(), step("wc", safePath(paths[0])))
		}
		return tellRead(t)
	}
	f := strings.Fields(last.StdoutTail)
	if !succeeded(last) || len(f) < 4 {
		if strings.Contains(last.StderrTail, "No such file") && len(t.rounds) == 1 && !strings.Contains(t.file, "/") {
			return propose(l.lookingFor(t.file), l.effectList(), find(".", "-iname", t.file))
		}
		return t.failed(last)
	}
	return say(paragraphs(l.fileCounts(cmpOr(lastArg(last), t.file), int(parseInt(f[0])), int(parseInt(f[1])), size(parseInt(f[2]))), t.notes()),
		l.showQuestion(t.file), l.linesQuestion())
}

// codeGlobs are the files that count as code where no kind is named.
func codeGlobs() []string {
	var globs []string
	for _, row := range kinds() {
		switch row.kind.name {
		case "Markdown", "text", "JSON", "YAML", "TOML", "XML", "CSV", "log", "PDF", "image", "test":
		default:
			globs = append(globs, row.kind.globs...)
		}
	}
	return globs
}

func askLines(t *turn) protocol.Reply {
	globs := codeGlobs()
	if t.kind != nil {
		globs = t.kind.globs
	}
	return propose(t.lang.countingLines(), t.lang.effectCount(), find(t.root(), named("-name", globs...)...))
}

// emptyTree is the name that git gives to a tree without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// maxCounted is how many files are given to one wc.
const maxCounted = 400

func tellLines(t *turn) protocol.Reply {
	l := t.lang
	name := l.f("code", "代码")
	globs := codeGlobs()
	if t.kind != nil {
		name, globs = t.kind.name, t.kind.globs
	}
	if len(t.rounds) == 1 {
		o := t.of("find", "")
		paths, total, _ := fileList(o)
		paths = slices.DeleteFunc(paths, func(p string) bool { return !argument(p) })
		switch {
		case len(paths) == 0 && !succeeded(o):
			return t.failed(o)
		case len(paths) == 0:
			return say(paragraphs(l.noFiles(firstLines(globs, 3)), t.notes()), l.countQuestion(), l.listQuestion())
		case total > len(paths) || o.Truncated || len(paths) > maxCounted:
			// Too many to name. Git knows how many lines they have.
			args := []string{"diff", "--shortstat", emptyTree, "HEAD", "--"}
			for _, g := range globs {
				if root := t.root(); root != "." {
					g = path.Join(root, g)
				}
				args = append(args, g)
			}
			return propose(l.countingWithGit(total), l.effectCount(), step("git", args...))
		}
		args := []string{"-l"}
		for _, p := range paths {
			args = append(args, safePath(p))
		}
		return propose(l.countingIn(len(paths)), l.effectCount(), step("wc", args...))
	}
	if o := t.of("git", "diff"); o != nil {
		_, total, exact := fileList(t.of("find", ""))
		files, added := shortstat(o)
		if !succeeded(o) || files == 0 {
			return say(paragraphs(l.tooManyToCount(total, exact), t.notes()), l.countQuestion(), l.sizeQuestion())
		}
		return say(paragraphs(l.linesTracked(name, added, files), t.notes()), l.countQuestion(), l.largestQuestion())
	}
	return t.tellCounted(t.of("wc", ""), name)
}

func shortstat(o *protocol.Observation) (files, added int) {
	for part := range strings.SplitSeq(o.StdoutTail, ",") {
		f := strings.Fields(part)
		if len(f) < 2 {
			continue
		}
		switch {
		case strings.HasPrefix(f[1], "file"):
			files = int(parseInt(f[0]))
		case strings.HasPrefix(f[1], "insertion"):
			added = int(parseInt(f[0]))
		}
	}
	return files, added
}

// tellCounted sums what wc -l printed, kind by kind.
func (t *turn) tellCounted(o *protocol.Observation, name string) protocol.Reply {
	l := t.lang
	if o == nil {
		return t.failed(o)
	}
	sums := map[string]group{}
	type counted struct {
		name  string
		lines int
	}
	var all []counted
	sum, printed := 0, 0
	for _, row := range lines(o) {
		n, file, ok := strings.Cut(strings.TrimLeft(row, " "), " ")
		if !ok {
			continue
		}
		count := int(parseInt(n))
		if file == "total" || file == "总计" || file == "总用量" {
			printed = count
			continue
		}
		k := l.f("other", "其他")
		if known := kindOfFile(file); known != nil {
			k = known.name
		}
		s := sums[k]
		sums[k] = group{k, s.n + count}
		sum += count
		all = append(all, counted{strings.TrimPrefix(file, "./"), count})
	}
	total := max(len(o.Args)-1, len(all))
	if len(all) == 0 {
		return t.failed(o)
	}
	slices.SortFunc(all, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.lines, a.lines), strings.Compare(a.name, b.name))
	})
	groups := make([]group, 0, len(sums))
	for _, g := range sums {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.name, b.name)) })
	var kindsText string
	if len(groups) > 1 && !o.Truncated {
		var items []string
		for _, g := range groups {
			items = append(items, g.name+l.f(": ", "：")+l.some(g.n, "line", "行"))
		}
		kindsText = l.bullets(items, 12)
	}
	longest := make([]string, 0, 5)
	for _, c := range all[:min(5, len(all))] {
		longest = append(longest, code(c.name)+" ("+digits(c.lines)+")")
	}
	var longestText string
	if len(all) > 1 && !o.Truncated {
		longestText = l.longest() + "\n" + l.bullets(longest, 5)
	}
	return say(paragraphs(l.linesCounted(name, max(sum, printed), total), kindsText, longestText, l.unreadable(o), t.notes()),
		l.largestQuestion(), l.countQuestion())
}

func askCount(t *turn) protocol.Reply {
	var tests []string
	if t.kind != nil {
		tests = named("-iname", t.kind.globs...)
	}
	return propose(t.lang.countingFiles(), t.lang.effectCount(), find(t.root(), tests...))
}

func tellCount(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("find", "")
	if !ran(o) || !succeeded(o) && len(lines(o)) == 0 {
		return t.failed(o)
	}
	paths, total, exact := fileList(o)
	name := ""
	if t.kind != nil {
		name = t.kind.name
	}
	var exts string
	if t.kind == nil && !o.Truncated {
		exts = l.byKind(tally(paths, func(p string) string {
			if e := path.Ext(p); e != "" && e != path.Base(p) {
				return "*" + e
			}
			return l.f("no ending", "无扩展名")
		}))
	}
	return say(paragraphs(l.filesCounted(name, total, exact), exts, l.unreadable(o), t.notes()), l.linesQuestion(), l.largestQuestion())
}
