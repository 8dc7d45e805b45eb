package offline

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func searchIntents() []intent {
	word := func(t *turn) bool {
		return looksLikeName(t.slots["word"], t) && (t.file == "" || t.file != t.slots["word"])
	}
	text := func(t *turn) bool {
		w := t.searchText()
		return w != "" && (w != t.file || t.says("used", "use", "mentioned", "mention", "mentions", "imported", "referenced", "grep", "rg", "用", "引用", "提到"))
	}
	notFiles := func(t *turn) bool {
		if of := t.slots["of"]; of != "" {
			return kindOf(strings.ToLower(of)) != nil && t.searchText() != ""
		}
		if t.says("文件") && t.says("包含", "含有", "提到", "用到", "出现") {
			return text(t)
		}
		return text(t) && !t.says("files named", "files called", "file named", "file called", "文件") && (t.kind == nil || !t.says("files", "file"))
	}
	return []intent{
		{
			name:  "search.todo",
			pages: true,
			en: `
				todos|todo|fixme|fixmes|to-dos
				what .. left|still to_do|to_be_done`,
			zh: `
				待办|未完成|todo|fixme`,
			need: func(t *turn) bool { return t.searchTodo() },
			ask:  askTodo, tell: tellSearch, instead: insteadOfGrep,
		},
		{
			name: "search.explain",
			en: `
				how does|do|is <word> work*|implemented|defined|done
				explain|describe|show .. function|type|method|class|struct|variable|constant|interface <word>
				explain|describe <word>
				what does|do <word> do|mean
				what_is|what_are <word> $
				where_is|where_are|where function|type|method|class|struct|variable|constant|interface <word> defined|declared|implemented
				where_is|where_are|where function|type|method|class|struct|variable|constant|interface <word> $
				where_is|where_are|where <word> defined|declared|implemented
				definition|implementation|declaration of <word>
				show|see|view .. definition|implementation|code|source of|for <word>
				^ show|view|see <word> $`,
			zh: `
				解释|说明|讲解|讲|介绍|看|看看|显示|查看 一? 下? 函数|类型|方法|类|变量|常量|接口? <word> $
				<word> 是什么|是干什么|是做什么|怎么工作|怎么实现|如何工作|如何实现|干什么|做什么
				<word> 在? 哪里|哪儿|哪|什么地方 .. 定义|声明|实现
				<word> 的 定义|实现|声明|代码`,
			need: word,
			ask:  askSearch, tell: tellExplain, instead: insteadOfGrep,
		},
		{
			name:  "search.text",
			pages: true,
			en: `
				search|grep|look|find .. for? <text+> in|inside|within all|every|any? <of> files|code|sources|source $
				which|what|list|find|show|all <of> files|sources .. contain|contains|containing|mention|mentions|mentioning|that_use <text+> $
				which|what files contain|contains|mention|mentions|use|uses|have <text+> in <of> $
				where_is|where_are|where_do|where_does|where <text+> used|called|mentioned|referenced|imported|needed|set|read|written|appear*|occur*
				where .. use|call|mention|import|need|reference <text+> $
				who|what|which .. uses|calls|imports|references|mentions <text+> $
				which|what files|file|code .. contain|contains|mention|mentions|use|uses|have|has|import|imports <text+> $
				files|lines containing|mentioning|using|with|that_contain|that_mention|that_use <text+> $
				usages|usage|uses|references|occurrences|mentions|calls|callers of|to <text+> $
				is|are <text+> used|mentioned|called .. anywhere|somewhere|here|code|project|repo
				^ grep|search|rg for? <text+> in|inside|under <dir> $
				^ grep|search|rg for? <text+> $
				search|grep .. for <text+> $
				^ look_for|look_up|find <text+> in code|files|source|sources|repo|repository|project|text|everything|comments $
				^ look_for|find|find_all|find_text|find_word|find_string|find_occurrences_of <text+> $`,
			zh: `
				在 所|有|所有? <of> 文件|代码 里|中|下 面? 搜索|查找|搜|找|查 <text+> $
				包含|含有|提到|用到|出现 了? <text+> 的 <of> 文件
				哪些|什么 <of> 文件 包含|含有|提到|用到|出现 了? <text+> $
				哪里|哪儿|哪些地方|什么地方|谁|哪些文件|哪个文件 .. 用|调用|引用|提到|出现|包含|使用|导入 到|了|过? 到|了|过? <text+> $
				<text+> 在? 哪里|哪儿|哪些地方|什么地方|哪些文件|哪个文件 .. 用|调用|引用|提到|出现|使用|导入
				包含|含有|提到|用到|出现 了? <text+> 的 文件|行|地方|代码
				在 <dir> 里|中|下 面? 搜索|查找|搜|找|查 <text+> $
				搜索|搜|查找|全文搜索|检索|查 一? 下? 文本|文字|字符串|单词|代码里的|代码中的? <text+> $
				找 一? 下? 文本|文字|字符串|单词|代码里的|代码中的? <text+> $`,
			need: notFiles,
			ask:  askSearch, tell: tellSearch, instead: insteadOfGrep,
		},
	}
}

// searchText is what a search is for, without the words around it.
func (t *turn) searchText() string {
	s := t.slots["text"]
	for _, w := range t.words {
		if w.quoted && strings.Contains(s, w.text) {
			return w.text
		}
	}
	for _, head := range []string{"for ", "all ", "text ", "word ", "string ", "function ", "uses of ", "usages of ", "occurrences of ", "references to ", "method ", "type ", "class ", "the ", "到 ", "了 "} {
		s = strings.TrimPrefix(s, head)
	}
	for _, tail := range []string{
		" in this repository", " in this repo", " in this project", " in this folder", " in the code", " in the project", " in the repo", " in the repository", " in code", " here", " anywhere", " everywhere", " in all files",
		"这个词", "这个函数", "这个单词", " 这个词", " 这个函数",
	} {
		s = strings.TrimSuffix(s, tail)
	}
	return strings.TrimSpace(s)
}

func (t *turn) searchTodo() bool {
	return len(t.words) <= 8 && !t.says("file", "files", "文件") && (t.says("todos", "todo", "fixme", "fixmes", "to-dos", "待办", "未完成") || t.says("to do", "to be done"))
}

// looksLikeName tells whether a word reads as a name in code, or was quoted,
// or is said to be one.
func looksLikeName(s string, t *turn) bool {
	switch strings.ToLower(s) {
	case "", "function", "method", "type", "class", "struct", "variable", "constant", "interface", "this", "it", "that":
		return false
	}
	for _, w := range t.words {
		if w.text == s && w.quoted {
			return len(t.words) > 2 // "show 'x'" is about a file
		}
	}
	if hasHan(s) || number(s) > 0 {
		return false
	}
	if t.says("function", "method", "type", "class", "struct", "variable", "constant", "interface", "defined", "declared", "implemented", "函数", "方法", "类型", "变量", "常量", "接口", "定义", "实现") {
		return true
	}
	if strings.ContainsAny(s, "_.()") && !isFile(s) {
		return true
	}
	inner := s[1:]
	return strings.ToLower(inner) != inner && strings.ToUpper(s) != s
}

func excluding() []string {
	return []string{"--exclude-dir=.git", "--exclude-dir=node_modules"}
}

// grep searches files for a text as it stands, only those of some names where
// any are given.
func grep(flags, text, where string, only ...string) protocol.Step {
	args := append([]string{flags}, excluding()...)
	for _, glob := range only {
		args = append(args, "--include="+glob)
	}
	if strings.HasPrefix(text, "-") {
		args = append(args, "-e")
	}
	return step("grep", append(args, text, safePath(where))...)
}

func (t *turn) target() string {
	w := t.searchText()
	if w == "" {
		w = t.slots["word"]
	}
	return strings.TrimSuffix(strings.TrimSuffix(w, "()"), "(")
}

func askSearch(t *turn) protocol.Reply {
	return propose(t.lang.searching(t.target()), t.lang.effectSearch(), grep("-rnIF", t.target(), t.searchIn(), t.searchOnly()...))
}

// searchOnly gives the names of the files that a search is bound to; nil is
// all files.
func (t *turn) searchOnly() []string {
	if k := kindOf(strings.ToLower(t.slots["of"])); k != nil {
		return k.globs
	}
	return nil
}

func (t *turn) searchIn() string {
	if d := t.slots["dir"]; d != "" && (strings.Contains(d, "/") || isFile(d) || len(strings.Fields(d)) == 1 && !hasHan(d)) {
		switch strings.ToLower(d) {
		case "here", "code", "files", "repo", "repository", "project", "folder", "directory", "everything", "source", "sources":
			return "."
		}
		return t.home(d)
	}
	if t.file != "" && t.file != t.target() && !strings.Contains(t.target(), t.file) {
		return t.home(t.file)
	}
	return "."
}

func askTodo(t *turn) protocol.Reply {
	args := append([]string{"-rnIE"}, excluding()...)
	return propose(t.lang.searching("TODO, FIXME"), t.lang.effectSearch(), step("grep", append(args, "TODO|FIXME", ".")...))
}

// insteadOfGrep searches with git where there is no grep.
func insteadOfGrep(t *turn) (protocol.Reply, bool) {
	o := t.of("grep", "")
	if o == nil || o.Outcome != protocol.NotStarted || len(t.rounds) > 1 {
		return protocol.Reply{}, false
	}
	args := []string{"grep", "-n", "-I", "-F", "-e", cmpOr(t.target(), "TODO")}
	if only := t.searchOnly(); only != nil {
		args = append(append(args, "--"), only...)
	}
	return propose(t.lang.grepMissing(), t.lang.effectSearch(), step("git", args...)), true
}

// searched gives the last observation of a search.
func (t *turn) searched() *protocol.Observation {
	if o := t.of("git", "grep"); o != nil {
		return o
	}
	return t.of("grep", "")
}

// notFound answers an empty search, or asks once more without regard to case.
func (t *turn) notFound(o *protocol.Observation) protocol.Reply {
	l := t.lang
	if exit(o) != 1 {
		return t.failed(o)
	}
	if len(t.rounds) == 1 && t.target() != "" && strings.ToLower(t.target()) != strings.ToUpper(t.target()) && program(o) == "grep" {
		return propose(l.searchingAnyCase(t.target()), l.effectSearch(), grep("-rnIFi", t.target(), t.searchIn(), t.searchOnly()...))
	}
	return say(paragraphs(l.noMatches(cmpOr(t.target(), "TODO"), len(t.rounds) > 1), l.searchedOnly(t.searchOnly()), t.notes()), l.listQuestion(), l.changedQuestion())
}

func tellSearch(t *turn) protocol.Reply {
	l := t.lang
	o := t.searched()
	found, total := matches(o)
	if o == nil || len(found) == 0 {
		return t.notFound(o)
	}
	var order []string
	byFile := map[string][]match{}
	for _, m := range found {
		m.File = strings.TrimPrefix(m.File, "./")
		if byFile[m.File] == nil {
			order = append(order, m.File)
		}
		byFile[m.File] = append(byFile[m.File], m)
	}
	const filesPerPage, linesPerFile = 12, 5
	from := min(t.page*filesPerPage, len(order))
	to := min(from+filesPerPage, len(order))
	if from == len(order) {
		return say(paragraphs(l.noMoreFiles(len(order)), t.notes()))
	}
	var b strings.Builder
	for _, f := range order[from:to] {
		list := byFile[f]
		b.WriteString("- " + code(f) + " (" + digits(len(list)) + ")\n")
		for i, m := range list {
			if i == linesPerFile {
				b.WriteString("  - " + l.andMore(len(list)-linesPerFile) + "\n")
				break
			}
			b.WriteString("  - " + strconv.Itoa(m.Line) + ": " + code(strings.TrimSpace(cut(m.Text, 160))) + "\n")
		}
	}
	what := cmpOr(t.target(), "TODO / FIXME")
	title := l.foundMatches(what, total, len(order), total == len(found))
	if o.Truncated && o.Parsed == nil {
		title = l.atLeastMatches(what, total, len(order))
	}
	var suggestions []string
	if to < len(order) {
		b.WriteString("- " + l.andMore(len(order)-to) + "\n")
		suggestions = append(suggestions, l.more())
	}
	suggestions = append(suggestions, l.showQuestion(order[from]))
	if w := t.target(); w != "" && !strings.Contains(w, " ") {
		suggestions = append(suggestions, l.explainQuestion(w))
	}
	return say(paragraphs(title+"\n"+b.String(), l.searchedOnly(t.searchOnly()), t.notes()), suggestions...)
}

// tellExplain reads around the best match as a second round, and then shows
// it.
func tellExplain(t *turn) protocol.Reply {
	l := t.lang
	w := t.target()
	last := t.rounds[len(t.rounds)-1]
	if o := &last[0]; program(o) == "grep" && firstArg(o) == "-nF" {
		return t.tellAround(o)
	}
	o := t.searched()
	found, total := matches(o)
	if o == nil || len(found) == 0 {
		return t.notFound(o)
	}
	best := bestMatch(found, w)
	if !argument(best.File) {
		return tellSearch(t)
	}
	lead := strings.TrimSpace(best.Text)
	if lead == "" || visible(lead) != lead || len(lead) > 300 {
		lead = w
	}
	args := []string{"-nF", "-m", "1", "-A", "24", "-B", "6"}
	if strings.HasPrefix(lead, "-") {
		args = append(args, "-e")
	}
	// Which files have it is asked for as well: what was found comes back
	// shortened once this round is over.
	return propose(l.readingAround(strings.TrimPrefix(best.File, "./"), best.Line, total), l.effectRead(),
		step("grep", append(args, lead, safePath(best.File))...), grep("-rlIFi", w, t.searchIn()))
}

// bestMatch prefers the line that defines a word, then the file that has most
// of it.
func bestMatch(found []match, w string) match {
	counts := map[string]int{}
	for _, m := range found {
		counts[m.File]++
	}
	best, score := found[0], -1
	for _, m := range found {
		s := counts[m.File]
		if defines(m.Text, w) {
			s += 10_000
		}
		if k := kindOfFile(m.File); k != nil && k.name != "Markdown" && k.name != "log" && k.name != "test" {
			s += 1_000
		}
		if strings.Contains(path.Base(m.File), "_test.") {
			s -= 2_000
		}
		if s > score {
			best, score = m, s
		}
	}
	return best
}

// defines tells whether a line of code reads as the definition of a name.
func defines(text, name string) bool {
	i := strings.Index(text, name)
	if i < 0 {
		return false
	}
	before := strings.TrimSpace(text[:i])
	after := strings.TrimLeft(text[i+len(name):], " ")
	if f := strings.Fields(before); len(f) > 0 {
		switch first, last := f[0], f[len(f)-1]; {
		case last == "func", last == "def", last == "class", last == "type", last == "function", last == "fn", last == "struct",
			last == "interface", last == "enum", last == "const", last == "var", last == "let", last == "trait", last == "module":
			return true
		case first == "func" && strings.HasSuffix(last, ")"): // a method in Go
			return true
		}
		return false
	}
	return strings.HasPrefix(after, ":=") || strings.HasPrefix(after, "= ") || strings.HasPrefix(after, "struct ") || strings.HasPrefix(after, "interface ")
}

// tellAround shows the place that was read.
func (t *turn) tellAround(o *protocol.Observation) protocol.Reply {
	l := t.lang
	w := t.target()
	file := strings.TrimPrefix(lastArg(o), "./")
	shown, at, text := around(o)
	if len(shown) == 0 {
		return t.failed(o)
	}
	advice := l.foundInstead(w, file, at)
	if defines(text, w) {
		advice = l.definedIn(w, file, at)
	}
	var also string
	if last := t.rounds[len(t.rounds)-1]; len(last) > 1 && ran(&last[1]) {
		names, total, exact := fileList(&last[1])
		names = slices.DeleteFunc(names, func(n string) bool { return n == file })
		if len(names) > 0 {
			also = l.alsoIn(total-1, exact) + " " + l.names(names, 12)
		}
	}
	return say(paragraphs(advice, block(fenceName(file), shown), also, l.noModelExplains(), t.notes()),
		l.showQuestion(file), l.whereUsedQuestion(w), l.whoQuestion(file))
}

// around gives the lines that grep -n printed with their context, with their
// numbers, and the line that was looked for; the end of a definition is taken
// for the end where it is seen.
func around(o *protocol.Observation) (shown []string, at int, text string) {
	for _, l := range lines(o) {
		i := strings.IndexAny(l, ":-")
		n := 0
		if i > 0 {
			n = number(l[:i])
		}
		if n == 0 {
			continue
		}
		if at == 0 && l[i] == ':' {
			at, text = n, l[i+1:]
		}
		shown = append(shown, strconv.Itoa(n)+"  "+l[i+1:])
		if at > 0 && l[i] == '-' && strings.TrimRight(l[i+1:], "\r ;") == "}" {
			break
		}
	}
	return shown, at, text
}
