package offline

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/protocol"
)

// pipedIntents are the requests about text that was piped in.
func pipedIntents() []intent {
	return []intent{
		{
			name: "piped.find",
			en: `
				find|search|grep|lines|containing|contains|contain|mention|mentions|with|where for|with|containing|lines? <text> $
				does|is|are it|there|this|text? contain|mention|have|include|any? <text> $
				how_many|how_often|count .. times|occurrences|lines? .. <text> $`,
			zh: `
				包含|含有|提到|出现|搜索|查找|找 了? <text> .. $
				<text> 出现`,
			need: func(t *turn) bool {
				text := t.slots["text"]
				for _, w := range t.words {
					if w.quoted {
						t.slots["text"] = w.text
						return true
					}
				}
				return strings.Contains(t.question.piped, text) && !pipedWord(text)
			},
			ask: pipedFind,
		},
		{
			name: "piped.errors",
			en:   `error|errors|warning|warnings|fail|fails|failed|failure|failures|wrong|problem|problems|exception|exceptions|panic|crash*`,
			zh:   `错误|报错|警告|失败|异常|出错|问题|崩溃`,
			ask:  pipedErrors,
		},
		{
			name: "piped.frequent",
			en: `
				most|top .. frequent|common|used words?
				frequent|common words
				word frequency|frequencies|counts`,
			zh: `
				最 常见|多|常用|频繁 .. 词|单词|字
				词频`,
			ask: pipedFrequent,
		},
		{
			name: "piped.ends",
			en:   `first|last|top|final|head|tail|beginning|end <n>? line|lines?`,
			zh: `
				前|后|最后|头|末|开头|结尾 <n>? 行
				第一行|最后一行|开头|结尾`,
			need: func(t *turn) bool {
				return t.says("line", "lines", "head", "tail", "beginning", "end", "行", "开头", "结尾")
			},
			ask: pipedEnds,
		},
		{
			name: "piped.keys",
			en:   `keys|fields|members|structure|json`,
			zh:   `键|字段|结构|json`,
			need: func(t *turn) bool { return jsonKeys(t.question.piped) != nil },
			ask:  pipedSummary,
		},
		{
			name: "piped.summary",
			en: `
				how_many|count|number_of .. lines|words|characters|chars|bytes|line|word
				summari*|explain|describe|analy*|review|overview|tldr|digest
				what .. is|does|are|about|say|says .. this|it|that|text|input|file|log|output
				^ what is this|it $`,
			zh: `
				多少|几 .. 行|字|词
				行数|字数
				总结|概括|解释|说明|分析|摘要|介绍|看
				这 个|些|段? .. 是|什么|讲|说`,
			need: func(t *turn) bool {
				return !t.says("repository", "repo", "仓库", "project", "项目", "folder", "目录")
			},
			ask: pipedSummary,
		},
	}
}

func pipedWord(w string) bool {
	switch strings.ToLower(w) {
	case "errors", "error", "warnings", "warning", "lines", "words", "text", "it", "this", "line", "word", "错误", "警告", "行":
		return true
	}
	return len([]rune(w)) < 2
}

// pipedLines gives the lines of the piped text.
func (t *turn) pipedLines() []string {
	s := strings.TrimSuffix(strings.ReplaceAll(t.question.piped, "\r\n", "\n"), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func pipedUnknown(t *turn) protocol.Reply {
	r := pipedSummary(t)
	if t.question.text != "" {
		r.Message = paragraphs(t.lang.cannotPiped(), r.Message)
	}
	return r
}

func pipedSummary(t *turn) protocol.Reply {
	l := t.lang
	all := t.pipedLines()
	if len(all) == 0 {
		return say(l.pipedEmpty(), l.helpQuestions()...)
	}
	text := t.question.piped
	facts := l.pipedFacts(len(all), len(strings.Fields(text)), utf8.RuneCountInString(text), inline(all[0]), inline(all[len(all)-1]))
	var keys string
	if names := jsonKeys(text); len(names) > 0 {
		keys = l.outline("keys", names, false)
	}
	var troubles string
	if n := len(troubleLines(all)); n > 0 {
		troubles = strings.TrimRight(l.troubleCount(n), ":：") + l.f(".", "。")
	}
	var shape string
	if strings.HasPrefix(text, "diff --git ") {
		shape = l.pipedDiff(diffFacts(all))
	}
	var part string
	if strings.Contains(text, " bytes left out) …\n") {
		part = l.pipedPart()
	}
	return say(paragraphs(facts, part, shape, keys, troubles, l.noModelSummary()), l.pipedQuestions()...)
}

func diffFacts(all []string) (files, added, removed int) {
	for _, s := range all {
		switch {
		case strings.HasPrefix(s, "diff --git "):
			files++
		case strings.HasPrefix(s, "+") && !strings.HasPrefix(s, "+++ "):
			added++
		case strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--- "):
			removed++
		}
	}
	return files, added, removed
}

// numbered writes lines with their numbers, in a block.
func numbered(all []string, at []int, limit int) string {
	var out []string
	for _, i := range at[:min(len(at), limit)] {
		out = append(out, strconv.Itoa(i+1)+"  "+all[i])
	}
	return block("", out)
}

func troubleLines(all []string) []int {
	var at []int
	for i, s := range all {
		low := strings.ToLower(s)
		for _, w := range []string{"error", "fail", "fatal", "panic", "exception", "warn", "错误", "失败", "异常"} {
			if strings.Contains(low, w) {
				at = append(at, i)
				break
			}
		}
	}
	return at
}

func pipedErrors(t *turn) protocol.Reply {
	all := t.pipedLines()
	at := troubleLines(all)
	if len(at) == 0 {
		return say(t.lang.noTrouble(len(all)), t.lang.pipedQuestions()...)
	}
	return say(paragraphs(t.lang.troubleCount(len(at)), numbered(all, at, 20), t.cutOff(len(at) > 20)), t.lang.pipedQuestions()...)
}

func pipedFind(t *turn) protocol.Reply {
	all := t.pipedLines()
	var at []int
	times := 0
	for i, s := range all {
		if n := strings.Count(s, t.slots["text"]); n > 0 {
			at = append(at, i)
			times += n
		}
	}
	if len(at) == 0 {
		return say(t.lang.notInText(t.slots["text"], len(all)), t.lang.pipedQuestions()...)
	}
	return say(paragraphs(t.lang.inText(t.slots["text"], times, len(at)), numbered(all, at, 20), t.cutOff(len(at) > 20)), t.lang.pipedQuestions()...)
}

func pipedFrequent(t *turn) protocol.Reply {
	fields := strings.FieldsFunc(strings.ToLower(t.question.piped), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '\''
	})
	fields = slices.DeleteFunc(fields, func(s string) bool { return len(s) < 3 })
	if len(fields) == 0 {
		return pipedSummary(t)
	}
	var items []string
	for _, g := range tally(fields, func(s string) string { return s }) {
		items = append(items, code(g.name)+" ×"+digits(g.n))
	}
	return say(paragraphs(t.lang.frequentWords(), t.lang.bullets(items[:min(10, len(items))], 10)), t.lang.pipedQuestions()...)
}

func pipedEnds(t *turn) protocol.Reply {
	all := t.pipedLines()
	n := t.n
	if n == 0 {
		n = 10
		if t.says("line", "第一行", "最后一行") {
			n = 1
		}
	}
	n = min(n, len(all), 100)
	shown := all[:n]
	last := t.says("last", "final", "tail", "end", "最后", "后", "末", "结尾")
	if last {
		shown = all[len(all)-n:]
	}
	return say(paragraphs(t.lang.pipedEnd(n, len(all), last), block("", shown)), t.lang.pipedQuestions()...)
}
