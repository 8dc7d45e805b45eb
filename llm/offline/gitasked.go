package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/holic512/plugin-ai/protocol"
)

// exactGitIntents are the requests about repositories that ask for one thing:
// a number, one author, or the files of some days.
func exactGitIntents() []intent {
	return []intent{
		{
			name: "git.noCommit",
			en: `
				^ commit|stage my|these|this|all|everything|it|them|changes|work ..
				^ make|create|do commit $
				^ commit with_message|message ..`,
			zh: `
				^ 提交 一? 下? 我|这|所|全|代|改|更|修 .. $
				^ 把 .. 提交 $
				^ 提交 $`,
			need: func(t *turn) bool {
				if len(t.words) == len([]rune("提交")) && t.words[0].low == "提" && !strings.Contains(t.text, "一下") {
					return false // the commits may be meant
				}
				return !strings.ContainsAny(t.text, "?？") && !t.says("记录", "历史", "日志", "谁", "什么", "哪", "多少", "几", "history", "log")
			},
			ask: func(t *turn) protocol.Reply {
				return say(paragraphs(t.lang.noCommitting(), block("", []string{`git add -A`, `git commit -m "MESSAGE"`})), t.lang.changedQuestion(), t.lang.diffQuestion())
			},
		},
		{
			name: "git.count",
			need: func(t *turn) bool { return !t.saysDay() },
			en: `
				how_many commits did|has <who+> make|made|do|done|write|written|push|pushed $
				how_many commits by|from|of <who+> $
				how_many commits
				number_of|count .. commits
				commit count`,
			zh: `
				多少|几 次|个|条? 提交
				提交 过? 了? 多少|几 次|个|条
				提交 的? 次数|数量|总数`,
			ask: askCommitCount, tell: tellCommitCount,
		},
		{
			name: "git.filesSince",
			need: func(t *turn) bool { return t.saysDay() },
			en: `
				which|what|list|show|see .. files|file .. change*|modified|edited|touched|committed
				files|file changed|modified|edited|touched`,
			zh: `
				改|变|修改|动|提交|更新 .. 哪些|什么|几个|的 文件
				哪些|什么 文件 .. 改|变|修改|动|提交|更新`,
			ask: askFilesSince, tell: tellFilesSince,
		},
		{
			name: "git.author",
			need: func(t *turn) bool { return t.author() != "" },
			en: `
				what|which .. did|has <who+> change|changed|commit|committed|do|done|write|written|modify|modified|edit|edited|work
				what|which .. <who+> changed|committed|modified|edited
				^ did|has <who+> change|changed|modify|modified|edit|edited|touch|touched|commit|committed
				commits|commit|changes|work by|of|from <who+> $
				<who+> is commits|changes|work`,
			zh: `
				^ <who+> 今|昨|本|这|上? 天|周? 改|修改|提交|写|做 了|过? 什么|哪些|啥 ..
				^ <who+> 的 提交|改动|修改`,
			ask: askAuthor, tell: tellAuthor,
		},
	}
}

// saysDay tells whether the question names some days.
func (t *turn) saysDay() bool {
	return t.says("today", "today's", "yesterday", "yesterday's", "this week", "last week", "今天", "昨天", "本周", "这周", "这星期", "上周")
}

// days gives the arguments that keep git log to the days of the question.
func (t *turn) days() []string {
	if !t.saysDay() {
		return nil
	}
	const form = "2006-01-02T15:04:05"
	args := []string{"--since=" + t.since().Format(form)}
	if until, ok := t.until(); ok {
		args = append(args, "--until="+until.Format(form))
	}
	return args
}

func askCommitCount(t *turn) protocol.Reply {
	args := []string{"rev-list", "--count"}
	if who := t.author(); who != "" {
		args = append(args, "-i", "-F", "--author="+who)
	}
	args = append(args, "HEAD")
	if t.file != "" && t.author() == "" {
		args = append(args, "--", safePath(t.file))
	}
	return propose(t.lang.lookingAtHistory(), t.lang.effectCount(), step("git", args...))
}

func tellCommitCount(t *turn) protocol.Reply {
	o := t.of("git", "rev-list")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	text := strings.TrimSpace(o.StdoutTail)
	n := int(parseInt(text))
	if n == 0 && text != "0" {
		return t.failed(o)
	}
	return say(paragraphs(t.lang.commitsCounted(n, t.author(), t.file), t.notes()), t.lang.logQuestion(), t.lang.changedQuestion())
}

func askFilesSince(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtRepo(), t.lang.effectRepo(), gitStatus(),
		step("git", append([]string{"log", "--name-only", "--format="}, t.days()...)...))
}

func tellFilesSince(t *turn) protocol.Reply {
	l := t.lang
	o, log := t.of("git", "status"), t.of("git", "log")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	if !succeeded(log) && !noCommits(log) {
		r, _ := t.gitTrouble(log)
		return r
	}
	var uncommitted string
	if _, past := t.until(); !past {
		uncommitted = l.uncommitted(readStatus(o), o.Truncated)
	}
	var names []string
	if succeeded(log) {
		names = committedFiles(log)
	}
	return say(paragraphs(l.filesSince(len(names), t.since().Format("2006-01-02"), log.Truncated)+"\n"+l.bullets(codes(names), perPage), uncommitted, t.notes()),
		l.diffQuestion(), l.logQuestion())
}

// committedFiles gives the files that git log --name-only printed, each once.
func committedFiles(o *protocol.Observation) []string {
	var names []string
	for _, s := range lines(o) {
		if s != "" {
			names = append(names, unquoteGit(s))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func codes(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = code(n)
	}
	return out
}

// author gives the person that a question names, or "": the words must read as
// a name, for many other things stand in that place.
func (t *turn) author() string {
	who := strings.TrimSpace(t.slots["who"])
	for _, w := range t.words {
		if w.quoted && w.text == who {
			return who
		}
	}
	if hasHan(who) {
		n := len([]rune(who))
		if n < 2 || n > 3 || strings.ContainsAny(who, "这那今昨明最近仓库项目录文件什么哪些我你他她它们都谁有具体详细上下次周月年代码家大刚才人前后里外本看到一个") || strings.ContainsFunc(who, func(r rune) bool { return !unicode.Is(unicode.Han, r) }) {
			return ""
		}
		return who
	}
	parts := strings.Fields(who)
	if len(parts) == 0 || len(parts) > 3 || isFile(who) {
		return ""
	}
	for _, p := range parts {
		first, rest := []rune(p)[0], string([]rune(p)[1:])
		if !unicode.IsUpper(first) && len(parts) > 1 || strings.ToLower(rest) != rest || strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }) {
			return ""
		}
		switch strings.ToLower(p) {
		case "i", "we", "you", "he", "she", "they", "it", "this", "that", "these", "those", "my", "our", "me", "us", "who", "what", "which", "is", "has", "have", "was",
			"anyone", "anybody", "someone", "somebody", "everyone", "everybody", "people", "nobody", "last", "latest", "recent", "recently", "commit", "commits", "change", "changes",
			"repo", "repository", "project", "branch", "main", "master", "head", "today", "yesterday", "week", "code", "file", "files", "folder", "directory", "git", "just", "been", "all", "uncommitted", "local", "staged",
			"there", "there's", "much", "many", "upstream", "origin", "develop", "dev", "date", "author", "name", "time", "day", "month", "tag", "release", "size", "here", "things", "work", "lately", "exactly", "else", "now", "status", "new", "are", "were", "got", "content", "contents", "everything", "anything", "something":
			return ""
		}
	}
	return who
}

func askAuthor(t *turn) protocol.Reply {
	by := append([]string{"-i", "-F", "--author=" + t.author()}, t.days()...)
	if t.file != "" {
		by = append(by, "--", safePath(t.file))
	}
	files := append([]string{"log", "-n", "20", "--name-only", "--format="}, by...)
	return propose(t.lang.lookingAtHistory(), t.lang.effectLog(), gitLog(20, by...), step("git", files...))
}

func tellAuthor(t *turn) protocol.Reply {
	l := t.lang
	last := t.rounds[len(t.rounds)-1]
	o := &last[0]
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	list := readCommits(o)
	since := ""
	if t.saysDay() {
		since = t.since().Format("2006-01-02")
	}
	if len(list) == 0 {
		return say(paragraphs(l.noCommitsBy(t.author(), since), l.touchingOnly(t.file), t.notes()), l.contributorsQuestion(), l.logQuestion())
	}
	var touched string
	if len(last) > 1 && succeeded(&last[1]) {
		if names := committedFiles(&last[1]); len(names) > 0 {
			touched = l.filesTouched(len(names), last[1].Truncated) + "\n" + l.bullets(codes(names), 20)
		}
	}
	return say(paragraphs(l.commitsBy(len(list), t.author(), since, len(list) == 20)+"\n"+l.commits(list), touched, l.touchingOnly(t.file), t.cutFront(o), t.notes()),
		l.contributorsQuestion(), l.logQuestion())
}
