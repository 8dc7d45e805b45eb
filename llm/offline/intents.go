package offline

import (
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// An intent is one kind of request.
type intent struct {
	name string
	// The wordings, one pattern a line (pattern.go); the wordings of both
	// languages are tried for every question, people mix them.
	en, zh string
	// pages tells that "more" gives the next part of the answer.
	pages bool
	// need must hold too; nil is no condition.
	need func(*turn) bool
	// ask makes the first reply: commands, or words where none are needed.
	ask func(*turn) protocol.Reply
	// tell makes the reply to what was observed: the answer, or one more round
	// of commands.
	tell func(*turn) protocol.Reply
	// instead makes another reply where no command of the last round ran; nil,
	// or false, is the plain truth about that.
	instead func(*turn) (protocol.Reply, bool)
}

// intents is the table of all requests. The first that fits is taken, so what
// is more exact stands earlier.
func intents() []intent {
	return slices.Concat(
		pluginIntents(), talkIntents(), testsIntents(), runIntents(), changeIntents(), settingsIntents(), systemIntents(),
		newestIntents(), exactGitIntents(), gitIntents(), sizeIntents(), projectIntents(), searchIntents(), fileIntents(), readIntents(),
	)
}

// maxRounds is how often commands are proposed for one question.
const maxRounds = 3

type book struct {
	intents []readyIntent
	piped   []readyIntent // about piped text
	more    []pattern     // "more of that"
	also    []pattern     // "and what about …?"
}

type readyIntent struct {
	*intent
	patterns []pattern
}

func newBook() *book {
	return &book{
		intents: ready(intents()), piped: ready(pipedIntents()),
		more: parsePatterns(`
			^ more|continue|next|go_on|next_page|show_more|the_rest|rest|keep_going|and_more|what_else $
			^ show|list|see .. more|rest|others $
			^ 更多|继续|下一页|下一部分|接着|还有|还有呢|剩下的|其余的|接着看|继续看|再来 $
			^ 显示|看|看看|列出 更多|剩下的|其余的 $`),
		also: parsePatterns(`
			^ and|what_about|how_about|and_what_about|and_in|also|same_for <rest+> $
			^ 那|那么|还有|以及 <rest+> $
			^ <rest+> 呢 $`),
	}
}

func ready(list []intent) []readyIntent {
	out := make([]readyIntent, len(list))
	for i := range list {
		out[i] = readyIntent{intent: &list[i], patterns: parsePatterns(list[i].en + "\n" + list[i].zh)}
	}
	return out
}

func parsePatterns(lines string) []pattern {
	var out []pattern
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, strings.Fields(line))
		}
	}
	return out
}

// answer makes the reply for a turn, and says so where the person's input
// reached it only in part.
func (b *book) answer(t *turn) protocol.Reply {
	r := b.reply(t)
	if r.Chat != nil && t.inputCut() && !strings.Contains(r.Message, t.lang.pipedPart()) {
		r.Message = paragraphs(r.Message, t.lang.inputPart())
	}
	return r
}

// inputCut tells whether the window says that it left out a part of the
// person's input.
func (t *turn) inputCut() bool {
	return slices.ContainsFunc(t.system, func(s string) bool {
		_, omitted, found := strings.Cut(s, "Left out for want of room: ")
		return found && strings.Contains(omitted, " bytes of the person's input")
	})
}

func (b *book) reply(t *turn) protocol.Reply {
	in := b.understand(t)
	if t.question.gone {
		return say(t.lang.pipedGone(), t.lang.helpQuestion())
	}
	if in == nil {
		if t.question.piped != "" {
			return pipedUnknown(t)
		}
		return unknown(t)
	}
	if t.page > 0 && !in.pages {
		return say(t.lang.nothingMore(), t.lang.helpQuestions()...)
	}
	if len(t.rounds) == 0 {
		return in.ask(t)
	}
	if in.tell == nil {
		return unknown(t)
	}
	r, stuck := t.stuck()
	switch {
	case !stuck:
		r = in.tell(t)
	case in.instead != nil:
		if other, ok := in.instead(t); ok {
			r = other
		}
	}
	if r.Cmd != nil && len(t.rounds) >= maxRounds {
		return say(t.lang.outOfRounds())
	}
	return r
}

// understand finds the intent of the question and fills the turn's words and
// slots; nil is a question that is not understood.
func (b *book) understand(t *turn) *intent {
	if t.question.piped == "" && isPaste(t.question.text) {
		t.question = question{piped: t.question.text}
	}
	if t.question.text == "" && t.question.piped != "" {
		return nil
	}
	t.setQuestion(t.question.text)
	if matchAny(b.more, t) {
		for i := len(t.earlier) - 1; i >= 0; i-- {
			t.page++
			t.setQuestion(t.earlier[i].text)
			if !matchAny(b.more, t) {
				if t.question.piped == "" {
					t.question.piped, t.question.gone = t.earlier[i].piped, t.earlier[i].gone
				}
				return b.find(t)
			}
		}
		return nil
	}
	if in := b.findAlso(t); in != nil {
		return in
	}
	return b.find(t)
}

// findAlso understands "and main.go?", which asks of something else what was
// asked before.
func (b *book) findAlso(t *turn) *intent {
	if len(t.earlier) == 0 || !matchAny(b.also, t) {
		return nil
	}
	rest := t.slots["rest"]
	about := split(rest)
	for _, w := range t.words {
		if w.quoted && w.text == rest {
			about = []word{w}
		}
	}
	last := t.earlier[len(t.earlier)-1].text
	was := *t
	was.setQuestion(last)
	in := b.find(&was)
	thing := len(about) == 1 && (isFile(about[0].text) || about[0].quoted || kindOf(about[0].low) != nil)
	switch {
	case in != nil && in.tell != nil && thing && was.replace(about[0]):
		*t = was
		return in
	case in != nil && in.tell != nil && len(about) == 1 && strings.HasPrefix(about[0].low, "test") || rest == "测试":
		was.kind = testKind()
		was.slots["name"] = ""
		was.file = ""
		if strings.HasPrefix(in.name, "files.") || strings.HasPrefix(in.name, "size.") {
			*t = was
			return in
		}
		t.setQuestion("find test files")
		return b.find(t)
	}
	t.setQuestion(rest)
	return b.find(t)
}

// replace puts another thing in the place of the one that the question is
// about, and tells whether there was one.
func (t *turn) replace(w word) bool {
	name := w.quoted || !isFile(w.text)
	switch {
	case t.slots["text"] != "" && name:
		t.slots["text"] = w.text
	case t.slots["word"] != "" && name:
		t.slots["word"] = w.text
	case kindOf(w.low) != nil && t.kind != nil:
		t.kind = kindOf(w.low)
	case isFile(w.text) && t.file != "":
		t.file = w.text
	default:
		return false
	}
	return true
}

func matchAny(patterns []pattern, t *turn) bool {
	for _, p := range patterns {
		if p.match(t.text, t.words, t.slots) {
			return true
		}
	}
	return false
}

// find gives the first intent that fits.
func (b *book) find(t *turn) *intent {
	lists := [][]readyIntent{b.intents}
	if t.question.piped != "" {
		lists = [][]readyIntent{b.piped, b.intents}
		if t.says("this", "it", "that", "text", "input", "这", "它", "文本") && !t.saysPlace() {
			lists = lists[:1] // the piped text is meant
		}
	}
	for _, list := range lists {
		for _, in := range list {
			if in.fits(t) {
				return in.intent
			}
		}
	}
	return nil
}

// saysPlace tells whether the question names the place that the person is in.
func (t *turn) saysPlace() bool {
	return t.says("repository", "repo", "project", "folder", "directory", "仓库", "项目", "目录", "文件夹")
}

func (in readyIntent) fits(t *turn) bool {
	for _, p := range in.patterns {
		clear(t.slots)
		if !p.match(t.text, t.words, t.slots) {
			continue
		}
		named := t.file
		t.file = cmpOr(named, t.slots["file"])
		if in.need == nil || in.need(t) {
			return true
		}
		t.file = named
	}
	return false
}

// setQuestion splits a question and finds the things that it names.
func (t *turn) setQuestion(text string) {
	t.text = text
	t.words = split(text)
	t.slots = map[string]string{}
	t.file, t.kind, t.n = "", nil, 0
	if named := files(text, t.words); len(named) > 0 {
		t.file = named[0]
	}
	for _, w := range t.words {
		if k := kindOf(w.low); k != nil && t.kind == nil && !w.quoted {
			t.kind = k
		}
		if n := number(w.low); n > 0 && t.n == 0 {
			t.n = n
		}
	}
}

// isPaste tells whether a text is rather something to look at than a question.
func isPaste(s string) bool { return len(s) > 600 || strings.Count(s, "\n") > 5 }
