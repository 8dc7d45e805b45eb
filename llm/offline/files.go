package offline

import (
	"path"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func fileIntents() []intent {
	return []intent{
		{
			name:  "files.find",
			pages: true,
			need: func(t *turn) bool {
				if there := t.slots["there"]; there != "" {
					return isFile(there)
				}
				if t.isFolder() && t.kind == nil {
					return false
				}
				return t.file != "" && !strings.HasSuffix(t.file, "/") || t.kind != nil || t.slots["name"] != ""
			},
			en: `
				find|locate|list|show|search|get|give|which|what|any|all .. files|sources in|inside|under <dir> folder|directory? $
				find|locate|list|show|search|get|give|which|what|any|all .. files|file .. called|named|with_name|matching|like <name>
				find|locate|list|show|search|get|give|which|what|any|all|are_there .. files|sources
				find|locate|search_for|search|look_for|where
				^ all? <k> files $
				^ is_there|are_there|do_we_have|do_i_have|have_we any? file|files? called|named? <there> file? here|anywhere|somewhere? $`,
			zh: `
				^ 这里|项目里|目录里|仓库里? 有没有|是否有|有|存在 <there> 文件|这个文件? $
				叫|名为|名字是|名字叫 做? <name> 的 文件
				叫|名为|名字是|名字叫 做? <name> $
				找|查找|搜索|搜|列出|有哪些|所有|全部|哪些 .. 文件
				找|查找|搜索|在哪|哪里|位置|在什么地方|哪儿`,
			ask: askFind, tell: tellFind,
		},
		{
			name:  "files.list",
			pages: true,
			need:  func(t *turn) bool { return t.file == "" || strings.HasSuffix(t.file, "/") || t.isFolder() },
			en: `
				what|which|what_are|which_are files|folders|directories|things .. are|is|exist|live in|inside|under <dir> folder|directory|dir? $
				what_is|what_files_are|anything|look|list|show|see|files in|inside|under <dir> $
				what|list|show|see|files|contents|content .. in|inside|of <dir> folder|directory|dir $
				what .. in|inside|here .. folder|directory|dir|here|repo|repository
				list|show|see|display .. files|folder|directory|directories|dir|contents|content|everything|folders
				^ list|ls|dir $
				^ ls <dir> $
				contents|content of .. folder|directory|dir
				what|which files|folders|directories .. here|there|have|exist|in
				what_is here|there|around`,
			zh: `
				<dir> 目录|文件夹 里|下|中 面? 有? 什么|哪些|啥
				目录|文件夹|这里|这儿|当前目录|里面 .. 有|是 什么|哪些|啥|多少
				列出|显示|看|查看 .. 文件|目录|内容|文件夹
				有? 哪些|什么 文件|目录
				<dir> 里|下|目录|中 面? 有 什么|哪些|啥
				^ 目录|文件列表|列表 $`,
			ask: askList, tell: tellList,
		},
	}
}

// isFolder tells whether the path that is named is said to hold files.
func (t *turn) isFolder() bool {
	return strings.Contains(t.file, "/") && path.Ext(t.file) == "" && t.says("files in", "files are in", "files inside", "files under")
}

// newestIntents stands before the requests about repositories: files that are
// said to be recent are looked for among files.
func newestIntents() []intent {
	return []intent{{
		name: "files.newest",
		en:   `newest|latest|recent|recently_modified|recently_edited|recently_created|last_modified files|file`,
		zh: `
			最近|最新 修改|改动|更新|创建? 过? 的? 文件`,
		ask: askNewest, tell: tellNewest,
	}}
}

// find builds a search for files that stays out of what people do not mean.
func find(where string, tests ...string) protocol.Step {
	args := []string{where, "-type", "d", "(", "-name", ".git", "-o", "-name", "node_modules", ")", "-prune", "-o", "-type", "f"}
	return step("find", append(append(args, tests...), "-print")...)
}

// named is the test for file names, any of the patterns.
func named(test string, globs ...string) []string {
	var args []string
	for i, g := range globs {
		if i > 0 {
			args = append(args, "-o")
		}
		args = append(args, test, g)
	}
	if len(globs) > 1 {
		args = append(append([]string{"("}, args...), ")")
	}
	return args
}

// wanted gives what a search by name is for: the test, its patterns and how
// to call it.
func (t *turn) wanted() (test string, globs []string, name string) {
	name = t.slots["name"]
	if name == "" && !strings.HasSuffix(t.file, "/") {
		name = t.file
	}
	switch {
	case name == "" && t.kind != nil:
		return "-iname", t.kind.globs, ""
	case knownFile(name) != "":
		return "-iname", []string{knownFile(name) + "*"}, name
	}
	base := path.Base(strings.TrimRight(name, "/"))
	switch {
	case strings.ContainsAny(base, "*?"):
		return "-iname", []string{base}, name
	case isFile(base):
		return "-name", []string{base}, name
	}
	return "-iname", []string{"*" + base + "*"}, name
}

// root is the folder that a search is to begin in.
func (t *turn) root() string {
	if t.slots["dir"] == "" && !strings.HasSuffix(t.file, "/") {
		return "."
	}
	return t.folder()
}

func askFind(t *turn) protocol.Reply {
	test, globs, _ := t.wanted()
	return propose(t.lang.lookingForFiles(globs), t.lang.effectList(), find(t.root(), named(test, globs...)...))
}

const perPage = 40

func tellFind(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("find", "")
	if !ran(o) {
		return t.failed(o)
	}
	paths, total, exact := fileList(o)
	test, globs, name := t.wanted()
	if len(paths) == 0 {
		if exit(o) > 0 && strings.TrimSpace(o.StderrTail) != "" && !strings.Contains(o.StderrTail, "Permission denied") {
			return t.failed(o)
		}
		if test == "-name" && len(t.rounds) == 1 {
			return propose(l.lookingForSimilar(name), l.effectList(), find(".", "-iname", "*"+strings.TrimSuffix(globs[0], path.Ext(globs[0]))+"*"))
		}
		return say(paragraphs(l.noFiles(globs), t.notes()), l.listQuestion(), l.searchQuestion(""))
	}
	from := min(t.page*perPage, len(paths))
	shown := paths[from:min(from+perPage, len(paths))]
	if len(shown) == 0 {
		return say(paragraphs(l.noMoreFiles(total), t.notes()), l.listQuestion())
	}
	title := l.foundFiles(total, exact, cmpOr(name, strings.Join(globs, ", ")))
	if len(t.rounds) > 1 {
		title = l.onlySimilar(name, total)
	}
	items := make([]string, len(shown))
	for i, p := range shown {
		items[i] = code(p)
	}
	var folders string
	if total > perPage && t.page == 0 {
		folders = l.byFolder(tally(paths, func(p string) string { return path.Dir(p) }))
	}
	rest := l.leftOver(from, len(shown), total)
	suggestions := []string{l.showQuestion(shown[0])}
	if from+len(shown) < len(paths) {
		suggestions = append(suggestions, l.more())
	}
	return say(paragraphs(title+"\n"+l.bullets(items, perPage), folders, rest, l.unreadable(o), t.notes()), suggestions...)
}

// A group is how often something came.
type group struct {
	name string
	n    int
}

// tally counts by a key, the most frequent first.
func tally(list []string, key func(string) string) []group {
	counts := map[string]int{}
	for _, s := range list {
		counts[key(s)]++
	}
	groups := make([]group, 0, len(counts))
	for name, n := range counts {
		groups = append(groups, group{name, n})
	}
	slices.SortFunc(groups, func(a, b group) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.name, b.name)
	})
	return groups
}

func (t *turn) folder() string {
	d := cmpOr(t.slots["dir"], t.file)
	switch strings.ToLower(d) {
	case "", ".", "this", "here", "my", "current", "folder", "directory", "repo", "repository", "project", "it", "root",
		"目录", "这个目录", "这里", "当前", "当前目录", "文件夹", "这个文件夹", "仓库", "项目":
		return "."
	}
	if hasHan(d) && !strings.Contains(d, "/") && !isFile(d) {
		return "."
	}
	for _, suffix := range []string{" folder", " directory", " dir", "文件夹", "目录"} {
		d = strings.TrimSuffix(d, suffix)
	}
	return t.home(safePath(d))
}

func askList(t *turn) protocol.Reply {
	args := []string{"-la"}
	if d := t.folder(); d != "." {
		args = append(args, d)
	}
	return propose(t.lang.lookingAtFolder(), t.lang.effectList(), step("ls", args...))
}

// An entry is one line of ls -l.
type entry struct {
	name   string
	kind   byte // '-', 'd', 'l' …
	bytes  int64
	when   string
	target string // of a link
}

// readLong reads ls -l. The date takes three columns, or two where it is
// written with digits.
func readLong(o *protocol.Observation) []entry {
	var out []entry
	for _, l := range lines(o) {
		if len(l) < 10 || strings.IndexByte("-dlbcpsD", l[0]) < 0 || strings.Trim(l[1:10], "rwxsStTL-") != "" {
			if n := len(out); n > 0 && out[n-1].kind != 'l' {
				out[n-1].name += "\n" + l // of a name with a line feed
			}
			continue
		}
		rest := l
		var cols []string
		for len(cols) < 5 {
			var col string
			rest = strings.TrimLeft(rest, " ")
			col, rest, _ = strings.Cut(rest, " ")
			cols = append(cols, col)
		}
		e := entry{kind: l[0], bytes: parseInt(cols[4])}
		dateCols := 3
		if r := strings.TrimLeft(rest, " "); len(r) > 10 && r[4] == '-' && r[7] == '-' {
			dateCols = 2
		}
		var when []string
		for range dateCols {
			var col string
			rest = strings.TrimLeft(rest, " ")
			col, rest, _ = strings.Cut(rest, " ")
			when = append(when, col)
		}
		e.when, e.name = strings.Join(when, " "), rest
		if e.kind == 'l' {
			e.name, e.target, _ = strings.Cut(e.name, " -> ")
		}
		if e.name != "" && e.name != "." && e.name != ".." {
			out = append(out, e)
		}
	}
	return out
}

func tellList(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("ls", "")
	if o == nil || !succeeded(o) && len(lines(o)) == 0 {
		return t.failed(o)
	}
	var dirs, plain []string
	hidden, fileCount := 0, 0
	for _, e := range readLong(o) {
		if strings.HasPrefix(e.name, ".") {
			hidden++
		}
		switch e.kind {
		case 'd':
			dirs = append(dirs, code(e.name+"/"))
		case 'l':
			fileCount++
			plain = append(plain, code(e.name)+" → "+code(e.target))
		default:
			fileCount++
			plain = append(plain, code(e.name)+" ("+size(e.bytes)+")")
		}
	}
	where := "."
	if len(o.Args) > 1 {
		where = lastArg(o)
	}
	if len(dirs)+fileCount == 0 {
		return say(paragraphs(l.emptyFolder(where), t.notes()), l.findQuestion(""))
	}
	items := append(dirs, plain...)
	from := min(t.page*perPage, len(items))
	if from == len(items) && from > 0 {
		return say(paragraphs(l.noMoreFiles(len(items)), t.notes()))
	}
	suggestions := []string{l.projectQuestion(), l.sizeQuestion()}
	if from+perPage < len(items) {
		suggestions = append([]string{l.more()}, suggestions...)
	}
	return say(paragraphs(l.folderHolds(where, len(dirs), fileCount, hidden, o.Truncated), l.bullets(items[from:], perPage), t.notes()), suggestions...)
}

func askNewest(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtFolder(), t.lang.effectNewest(), step("ls", "-lt"))
}

// newest gives the entries of ls -lt in its order, as items of a list.
func newest(o *protocol.Observation) []string {
	var items []string
	for _, e := range readLong(o) {
		name := e.name
		if e.kind == 'd' {
			name += "/"
		}
		items = append(items, code(name)+" "+e.when)
	}
	return items
}

func tellNewest(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("ls", "")
	if !succeeded(o) {
		return t.failed(o)
	}
	return say(paragraphs(l.newestHere(newest(o)), t.cutFront(o), t.notes()), l.changedQuestion(), l.listQuestion())
}
