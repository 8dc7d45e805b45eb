package offline

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

func readIntents() []intent {
	hasFile := func(t *turn) bool { return t.file != "" }
	return []intent{
		{
			name: "read.last",
			need: hasFile,
			en: `
				last|final|bottom <n> lines|line
				last|final|bottom lines|line|part of
				end|bottom|tail of
				^ tail`,
			zh: `
				最后|末尾|后|末 <n> 行
				最后|末尾|结尾`,
			ask: askRead, tell: tellRead,
		},
		{
			name:  "read.first",
			pages: true,
			need:  hasFile,
			en: `
				first|top|initial <n> lines|line
				first|top lines|line|part of
				head|top|beginning|start of
				lines|line <n> to|- <m>
				lines|line <range>
				^ head`,
			zh: `
				前|头|开头 <n> 行
				第? <n> 到|至|- 第? <m> 行
				开头|头几行|前几行`,
			ask: askRead, tell: tellRead,
		},
		{
			name:  "read.file",
			pages: true,
			need:  hasFile,
			en: `
				show|read|open|cat|display|print|view|see|look_at|look_into|check|examine|explain|summari*|describe|review|inspect
				what .. in|inside|about|contain*|says|say|do|does
				contents|content|text|summary of
				tell .. about
				^ <f> $
				what_is <f>`,
			zh: `
				看|读|打开|显示|查看|解释|总结|说明|概括|展示|输出|讲
				内容|有什么|写了什么|写的什么|是什么|干什么|做什么|讲什么|说什么
				^ <f> $`,
			ask: askRead, tell: tellRead,
		},
		{
			name:  "read.name",
			pages: true, // of a file without an ending, or of a folder
			need:  func(t *turn) bool { return !hasHan(t.file) },
			en: `
				^ show|read|open|cat|view|display|print|look_at file|folder? <file> $
				what_is in|inside <file> $`,
			zh: `
				^ 看|看看|读|打开|显示|查看 文件|目录? <file> $
				^ <file> 里|的 内容|有什么 $`,
			ask: askRead, tell: tellRead,
		},
	}
}

const readLines = 40

// span gives the lines that a question is about: from and to count from 1;
// from 0 is the last to lines.
func (t *turn) span() (from, to int) {
	n := number(strings.ToLower(t.slots["n"]))
	m := number(strings.ToLower(t.slots["m"]))
	if a, b, ok := strings.Cut(t.slots["range"], "-"); ok && number(a) > 0 && number(b) >= number(a) {
		n, m = number(a), number(b)
	}
	last := t.says("last", "final", "bottom", "end", "tail", "最后", "末尾", "结尾", "后", "末") && !t.says("first")
	switch {
	case m >= n && n > 0:
		return n, min(m, n+199)
	case last:
		if n == 0 {
			n = 20
		}
		return 0, min(n, 200)
	case n > 0:
		n = min(n, 200)
		return 1 + n*t.page, n * (t.page + 1)
	}
	return 1 + readLines*t.page, readLines * (t.page + 1)
}

// readFile proposes to read the lines of a file that are asked for.
func (t *turn) readFile(file string) []protocol.Step {
	file = t.home(safePath(file))
	from, to := t.span()
	if from == 0 {
		return []protocol.Step{step("wc", "-l", file), step("tail", "-n", strconv.Itoa(to), file)}
	}
	return []protocol.Step{step("wc", "-l", file), step("head", "-n", strconv.Itoa(to), file)}
}

func askRead(t *turn) protocol.Reply {
	if known := knownFile(t.file); known != "" {
		return propose(t.lang.lookingFor(known), t.lang.effectRead(), step("ls", "-a"))
	}
	return propose(t.lang.reading(t.file), t.lang.effectRead(), t.readFile(t.file)...)
}

func tellRead(t *turn) protocol.Reply {
	l := t.lang
	last := t.rounds[len(t.rounds)-1]
	first := &last[0]
	switch program(first) {
	case "ls":
		// Either the name of a file without its ending was looked for, or it
		// is a folder.
		if knownFile(t.file) == "" {
			return tellList(t)
		}
		names := withPrefix(lines(first), knownFile(t.file))
		if len(names) == 0 {
			return propose(l.lookingFor(t.file), l.effectList(), find(".", "-iname", knownFile(t.file)+"*"))
		}
		return propose(l.reading(names[0]), l.effectRead(), t.readFile(names[0])...)
	case "find":
		paths, _, _ := fileList(first)
		paths = slices.DeleteFunc(paths, func(p string) bool { return !argument(p) })
		switch {
		case len(paths) == 0:
			return say(paragraphs(l.noSuchFile(t.file), t.notes()), l.listQuestion(), l.searchQuestion(""))
		case len(paths) == 1 && len(t.rounds) < maxRounds:
			return propose(l.reading(paths[0]), l.effectRead(), t.readFile(paths[0])...)
		}
		items := make([]string, len(paths))
		for i, p := range paths {
			items[i] = code(p)
		}
		return say(paragraphs(l.severalFiles(t.file, len(paths))+"\n"+l.bullets(items, 20), t.notes()), l.showQuestion(paths[0]), l.showQuestion(paths[min(1, len(paths)-1)]))
	}
	body := &last[len(last)-1]
	if succeeded(body) && (program(body) == "head" || program(body) == "tail") {
		return t.tellFile(first, body)
	}
	detail := first.StderrTail + body.StderrTail
	switch {
	case strings.Contains(detail, "Is a directory") || strings.Contains(detail, "是一个目录"):
		return propose(l.itIsAFolder(t.file), l.effectList(), step("ls", "-la", t.home(safePath(t.file))))
	case (strings.Contains(detail, "No such file") || strings.Contains(detail, "没有那个文件")) && len(t.rounds) == 1 && !strings.Contains(t.file, "/"):
		return propose(l.lookingFor(t.file), l.effectList(), find(".", "-iname", t.file))
	case strings.Contains(detail, "No such file") || strings.Contains(detail, "没有那个文件"):
		return say(paragraphs(l.noSuchFile(t.file), t.notes()), l.listQuestion(), l.findQuestion(path.Base(t.file)))
	}
	for i := range last {
		if ran(&last[i]) && !succeeded(&last[i]) {
			return t.failed(&last[i])
		}
	}
	return say(paragraphs(l.nothingRan(), t.notes()), l.helpQuestions()...)
}

// withPrefix gives the names that begin with a word, whatever its case, the
// plainest first.
func withPrefix(names []string, prefix string) []string {
	var out []string
	for _, n := range names {
		if len(n) >= len(prefix) && strings.EqualFold(n[:len(prefix)], prefix) && argument(n) {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}

func rank(name string) int {
	switch strings.ToLower(path.Ext(name)) {
	case ".md":
		return 0
	case "":
		return 1
	}
	return 2
}

// tellFile describes a file from how many lines it has and from the lines
// that were read.
func (t *turn) tellFile(count, body *protocol.Observation) protocol.Reply {
	l := t.lang
	name := cmpOr(lastArg(body), t.file)
	from, to := t.span()
	all := lines(body)
	total := 0
	if f := strings.Fields(count.StdoutTail); succeeded(count) && len(f) > 0 {
		total = int(parseInt(f[0]))
	}
	if !body.Truncated {
		total = max(total, len(all)) // a last line without its end counts too
	}
	if total == 0 {
		return say(paragraphs(l.emptyFile(name), t.notes()), l.listQuestion())
	}
	if len(all) == 1 && strings.HasPrefix(all[0], "[binary output") {
		return say(paragraphs(l.binaryFile(name, all[0]), t.notes()), l.listQuestion())
	}
	kindName := l.kindName(name)
	if from > total {
		return say(paragraphs(l.fileEnds(name, total), t.notes()), l.showQuestion(name))
	}
	// The output ends where the file or the asked part ends: lines are
	// numbered from there, so a tail that was cut at its front is no harm.
	end := min(to, total)
	shown := all
	if from == 0 {
		end = total
	} else if want := end - from + 1; len(shown) > want {
		shown = shown[len(shown)-want:]
	}
	first := end - len(shown) + 1
	facts := l.fileFacts(name, kindName, total)
	var outline string
	if t.page == 0 && from == 1 {
		what, items := describe(name, all)
		outline = l.outline(what, items, len(all) < total)
	}
	cutOff := ""
	if from > 0 && first > from {
		cutOff = l.frontCut()
	}
	title := l.linesShown(first, end, total)
	var suggestions []string
	if from > 0 && end < total {
		suggestions = append(suggestions, l.more())
	}
	suggestions = append(suggestions, l.lastLinesQuestion(name), l.whoQuestion(name))
	explain := ""
	if t.says("explain", "summarize", "summarise", "summary", "describe", "review", "解释", "总结", "说明", "概括", "讲") {
		explain = l.noModelExplains()
	}
	return say(paragraphs(facts, outline, title+"\n\n"+block(fenceName(name), shown), cutOff, explain, t.notes()), suggestions...)
}

// fenceName is the word after the fence of a code block.
func fenceName(file string) string {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	if len(ext) > 8 || strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	switch ext {
	case "txt", "log", "mod", "sum":
		return ""
	case "md":
		return "markdown"
	}
	return ext
}

// describe gives the headings, declarations or keys that the lines show.
func describe(name string, all []string) (what string, items []string) {
	base := strings.ToLower(path.Base(name))
	switch ext := path.Ext(base); {
	case ext == ".md" || ext == ".markdown" || ext == ".rst":
		fenced := false
		for _, s := range all {
			if strings.HasPrefix(s, "```") {
				fenced = !fenced
			}
			if h := strings.TrimLeft(s, "#"); !fenced && len(h) < len(s) && strings.HasPrefix(h, " ") {
				items = append(items, strings.TrimSpace(h))
			}
		}
		return "headings", items
	case base == "go.mod":
		for _, s := range all {
			if f := strings.Fields(s); len(f) == 2 && (f[0] == "module" || f[0] == "go" || f[0] == "toolchain") {
				items = append(items, s)
			}
		}
		return "says", items
	case ext == ".json":
		return "keys", jsonKeys(strings.Join(all, "\n"))
	case ext == ".toml" || ext == ".ini":
		for _, s := range all {
			if strings.HasPrefix(s, "[") {
				items = append(items, strings.TrimSpace(s))
			}
		}
		return "sections", items
	}
	for _, s := range all {
		if d := declaration(s); d != "" {
			items = append(items, d)
		}
	}
	return "declares", items
}

// declaration gives the head of a line that declares something, or "".
func declaration(s string) string {
	if s == "" || s[0] == ' ' || s[0] == '\t' {
		return ""
	}
	word, _, _ := strings.Cut(s, " ")
	switch word {
	case "package", "func", "type", "class", "def", "fn", "pub", "struct", "enum", "interface", "trait", "impl", "module", "function", "export", "async":
		return strings.TrimRight(cut(strings.TrimSuffix(strings.TrimSpace(s), "{"), 100), " :")
	}
	return ""
}

// jsonKeys gives the names of the members of an object, if the text is one.
func jsonKeys(s string) []string {
	dec := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	var keys []string
	for dec.PeekKind() == '"' {
		var key string
		if json.UnmarshalDecode(dec, &key) != nil {
			break
		}
		keys = append(keys, key)
		if dec.SkipValue() != nil {
			break
		}
	}
	return keys
}
