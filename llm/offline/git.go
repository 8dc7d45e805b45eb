package offline

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func gitIntents() []intent {
	hasFile := func(t *turn) bool { return t.file != "" }
	return []intent{
		{
			name: "git.today",
			en: `
				what .. i|we .. do|did|done|change|changed|commit|committed|work*  .. today|yesterday|this_week|last_week
				changes|changed|commit*|work|done .. today|yesterday|this_week|last_week
				today's|yesterday's changes|commit*|work
				^ today|yesterday|this_week changes|commit*`,
			zh: `
				今天|昨天|本周|这周|这星期|上周 .. 改|做|提交|变|修改|写|动`,
			ask: askSince, tell: tellSince,
		},
		{
			name: "git.contributors",
			en: `
				who commits|committed most
				who .. contribut*|works_on|work_on|most_commits
				contributors|authors|committers
				shortlog`,
			zh: `
				贡献者|作者|贡献最多
				谁 .. 贡献
				谁 的? 提交 得|的|次数|数量? 最 多`,
			ask: askContributors, tell: tellContributors,
		},
		{
			name: "git.who",
			en: `
				who .. changed|change|modified|edited|touched|wrote|committed|broke|updated|made|created|added|deleted
				last .. person|author .. change|touch|edit|commit
				git_blame|blame <who>`,
			zh: `
				谁 .. 改|修改|动|写|提交|更新|加|删`,
			ask: askWho, tell: tellWho,
		},
		{
			name: "git.branch",
			en: `
				which|what|current|list|show|all|my .. branch|branches
				^ git? branch|branches $
				on_what|which branch`,
			zh:  `分支`,
			ask: askBranch, tell: tellBranch,
		},
		{
			name: "git.commit",
			en: `
				show|what .. in|did|was|is .. last|latest commit
				show|open|display|explain last|latest|most_recent commit
				last|latest commit .. change*|contain*|do
				^ last|latest|most_recent commit $
				show|what_is_in|explain commit <rev>
				^ git_show $`,
			zh: `
				最后|最近|上|最新 一|的 次|个|条? 提交 .. 改|内容|是什么|什么|做
				看|显示|查看 .. 最后|最近|上|最新 一|的 次|个|条? 提交
				提交 <rev> .. 改|内容|是什么`,
			ask: askCommit, tell: tellCommit,
		},
		{
			name: "git.filelog",
			need: hasFile,
			en: `
				history|log|commits|versions of|for|on|in
				when .. changed|modified|edited|updated
				who_and_when`,
			zh: `
				历史|提交记录
				什么时候|何时 .. 改|修改|更新
				最后 .. 修改|改|更新`,
			ask: askWho, tell: tellWho,
		},
		{
			name: "git.diff",
			en: `
				diff|diffs|differences
				what|show|see .. exactly|detail|details .. chang*
				show|see .. changes .. detail|details
				show|see|view|list my|uncommitted|unstaged|local changes`,
			zh: `
				差异|对比|比较
				具体|详细 .. 改|变`,
			ask: askDiff, tell: tellDiff,
		},
		{
			name: "git.filediff",
			need: hasFile,
			en: `
				chang*|modifi*|modified|edited|different in|of|to|on|about
				what .. changed|change|modified|different|new`,
			zh: `
				改动|变化|变更|修改
				改|变 了? 什么|哪些|吗`,
			ask: askDiff, tell: tellDiff,
		},
		{
			name:  "git.log",
			pages: true,
			en: `
				recent|last|latest|newest|previous .. commit|commits|log
				commit|git history|log|logs
				^ commits|history|log $
				show|list|see|view|what|which|any .. commits|history
				how_many commits
				what|anything|everything .. happened|happening|going_on .. repo*|project|lately|recently|here`,
			zh: `
				提交 .. 记录|历史|日志|信息
				最近|最新|最后|近|上 .. 提交
				有? 哪些|什么|多少 .. 提交
				^ 历史|提交 $`,
			ask: askLog, tell: tellLog,
		},
		{
			name: "git.changed",
			en: `
				what|anything|something|everything|which .. changed|changes|change|modified|new|different|edited|uncommitted|unstaged|staged|dirty
				status
				uncommitted|unstaged|staged|pending|local|recent|latest|my changes|change|work|modifications|edits
				clean|dirty|up_to_date
				did|have|has .. change*|commit*
				files .. changed|modified|edited
				changes|changed .. repo*|here|project|since|recently|lately
				need .. commit|push
				ready_to commit|push
				^ changes|changed|git $`,
			zh: `
				最近|这几天|近来|近期|刚才|刚刚 .. 改|变|更新|动
				改动|变化|变更|变动|更新|状态|未提交|没提交|没有提交
				改|变 了? 什么|哪些|啥|过
				有? 什么|哪些|啥 .. 改|变|新
				干净 .. 仓库|工作区
				仓库|工作区 .. 干净|状态
				修改 了? 什么|哪些|过`,
			ask: askChanged, tell: tellChanged,
		},
	}
}

func gitStatus() protocol.Step { return step("git", "status", "--porcelain=v1", "--branch") }

// gitLog asks for n commits in the form that readCommits knows.
func gitLog(n int, more ...string) protocol.Step {
	return step("git", append([]string{"log", "-n", strconv.Itoa(n), "--date=short", "--format=%h|%ad|%an|%s"}, more...)...)
}

// gitTrouble answers where the git command did not do its work.
func (t *turn) gitTrouble(o *protocol.Observation) (protocol.Reply, bool) {
	switch {
	case o == nil:
		return say(paragraphs(t.lang.nothingRan(), t.notes()), t.lang.helpQuestions()...), true
	case succeeded(o):
		return protocol.Reply{}, false
	case noRepository(o):
		return say(paragraphs(t.lang.noRepo(o.CWD), t.notes()), t.lang.folderQuestions()...), true
	case noCommits(o):
		return say(paragraphs(t.lang.noCommitsYet(), t.notes()), t.lang.changedQuestion(), t.lang.listQuestion()), true
	case !ran(o):
		return say(paragraphs(t.lang.nothingRan(), t.notes()), t.lang.helpQuestions()...), true
	}
	return t.failed(o), true
}

func askChanged(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtRepo(), t.lang.effectRepo(),
		gitStatus(), step("git", "diff", "--stat"), step("git", "diff", "--cached", "--stat"), gitLog(10))
}

func tellChanged(t *turn) protocol.Reply {
	l := t.lang
	if ls := t.of("ls", ""); ls != nil {
		return say(paragraphs(l.noRepo(ls.CWD), l.newestHere(newest(ls)), t.notes()), l.folderQuestions()...)
	}
	o := t.of("git", "status")
	if noRepository(o) {
		return propose(l.noRepoLookAtFiles(), l.effectNewest(), step("ls", "-lt"))
	}
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	c := readStatus(o)
	var stats []string
	for _, ob := range t.all() {
		if program(&ob) == "git" && subCommand(&ob) == "diff" && succeeded(&ob) {
			if all := lines(&ob); len(all) > 0 {
				stats = append(stats, l.diffSummary(strings.TrimSpace(all[len(all)-1]), slices.Contains(ob.Args, "--cached")))
			}
		}
	}
	log := t.of("git", "log")
	var history string
	switch list := readCommits(log); {
	case len(list) > 0:
		history = l.lastCommits(len(list)) + "\n" + l.commits(list)
	case noCommits(log) || !c.born:
		history = l.noCommitsYet()
	}
	suggestions := []string{l.logQuestion(), l.projectQuestion()}
	if c.total > 0 {
		suggestions = append([]string{l.diffQuestion()}, suggestions...)
	}
	return say(paragraphs(l.onBranch(c), l.uncommitted(c, o.Truncated), strings.Join(stats, "\n"), history, t.notes()), suggestions...)
}

func askSince(t *turn) protocol.Reply {
	args := []string{"--since=" + t.since().Format("2006-01-02T15:04:05")}
	if until, ok := t.until(); ok {
		args = append(args, "--until="+until.Format("2006-01-02T15:04:05"))
	}
	return propose(t.lang.lookingAtRepo(), t.lang.effectRepo(), gitStatus(), gitLog(50, args...))
}

func tellSince(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("git", "status")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	log := t.of("git", "log")
	if !succeeded(log) && !noCommits(log) {
		r, _ := t.gitTrouble(log)
		return r
	}
	list := readCommits(log)
	from := t.since().Format("2006-01-02")
	var uncommitted string
	if _, past := t.until(); !past {
		c := readStatus(o)
		uncommitted = l.uncommitted(c, o.Truncated)
	}
	return say(paragraphs(l.commitsSince(len(list), from)+"\n"+l.commits(list), uncommitted, l.everybody(len(list)), t.notes()),
		l.diffQuestion(), l.logQuestion())
}

func askLog(t *turn) protocol.Reply {
	n := 10
	if t.n > 0 && t.n <= 100 {
		n = t.n
	}
	var more []string
	if t.page > 0 {
		more = []string{"--skip=" + strconv.Itoa(n*t.page)}
	}
	return propose(t.lang.lookingAtHistory(), t.lang.effectLog(), gitLog(n, more...))
}

func tellLog(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("git", "log")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	list := readCommits(o)
	if len(list) == 0 {
		return say(paragraphs(l.noMoreCommits(t.page > 0), t.notes()), l.changedQuestion())
	}
	title := l.lastCommits(len(list))
	if t.page > 0 {
		title = l.olderCommits(len(list))
	}
	return say(paragraphs(title+"\n"+l.commits(list), t.notes()), l.more(), l.changedQuestion())
}

func askWho(t *turn) protocol.Reply {
	if t.file == "" {
		return propose(t.lang.lookingAtHistory(), t.lang.effectLog(), gitLog(5))
	}
	f := safePath(t.file)
	steps := []protocol.Step{gitLog(5, "--", f)}
	if !strings.Contains(t.file, "/") {
		steps = append(steps, step("git", "ls-files", "--", f, "*/"+t.file))
	}
	return propose(t.lang.lookingAtHistoryOf(t.file), t.lang.effectLog(), steps...)
}

func tellWho(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("git", "log")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	list := readCommits(o)
	name := t.file
	if slices.Contains(o.Args, "--") {
		name = lastArg(o)
	}
	if len(list) > 0 {
		return say(paragraphs(l.lastChangedBy(name, list[0].author, list[0].date, list[0].hash, list[0].subject),
			l.earlierChanges(len(list)-1)+"\n"+l.commits(list[1:]), t.sameName(name), t.notes()), l.changedQuestion(), l.logQuestion())
	}
	if known := t.of("git", "ls-files"); known != nil && len(t.rounds) == 1 {
		paths, _, _ := fileList(known)
		paths = slices.DeleteFunc(paths, func(p string) bool { return path.Base(p) != t.file || !argument(p) })
		slices.SortStableFunc(paths, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
		if len(paths) > 0 {
			return propose(l.lookingAtHistoryOf(paths[0]), l.effectLog(),
				gitLog(5, "--", safePath(paths[0])), step("git", "ls-files", "--", "*/"+t.file))
		}
	}
	return say(paragraphs(l.noHistoryOf(name), t.notes()), l.findQuestion(t.file), l.changedQuestion())
}

// sameName tells of tracked files that have the asked name too.
func (t *turn) sameName(file string) string {
	o := t.of("git", "ls-files")
	if len(t.rounds) < 2 || !succeeded(o) {
		return ""
	}
	paths, _, _ := fileList(o)
	paths = slices.DeleteFunc(paths, func(p string) bool { return p == file || path.Base(p) != t.file })
	return t.lang.sameName(paths)
}

func askBranch(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtRepo(), t.lang.effectBranch(), gitStatus(), step("git", "branch"))
}

func tellBranch(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("git", "status")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	c := readStatus(o)
	var others []string
	for _, b := range lines(t.of("git", "branch")) {
		if name, ok := strings.CutPrefix(b, "  "); ok {
			others = append(others, strings.TrimSpace(name))
		}
	}
	return say(paragraphs(l.onBranch(c), l.otherBranches(others), t.notes()), l.changedQuestion(), l.logQuestion())
}

func askCommit(t *turn) protocol.Reply {
	rev := "HEAD"
	if r := t.slots["rev"]; isHash(r) {
		rev = r
	}
	return propose(t.lang.lookingAtHistory(), t.lang.effectLog(), step("git", "show", "--stat", rev))
}

func isHash(s string) bool {
	return len(s) >= 4 && len(s) <= 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

func tellCommit(t *turn) protocol.Reply {
	o := t.of("git", "show")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	all := lines(o)
	return say(paragraphs(t.lang.thisCommit(lastArg(o)), block("", firstLines(all, 60)), t.cutOff(len(all) > 60 || o.Truncated), t.notes()),
		t.lang.logQuestion(), t.lang.changedQuestion())
}

func askContributors(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtHistory(), t.lang.effectLog(), step("git", "shortlog", "-s", "-n", "HEAD"))
}

func tellContributors(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("git", "shortlog")
	if r, bad := t.gitTrouble(o); bad {
		return r
	}
	var items []string
	total := 0
	for _, row := range lines(o) {
		n, name, ok := strings.Cut(strings.TrimSpace(row), "\t")
		if k, err := strconv.Atoi(n); ok && err == nil {
			total += k
			items = append(items, inline(name)+l.f(": ", "：")+l.commitCount(k))
		}
	}
	return say(paragraphs(l.contributors(len(items), total)+"\n"+l.bullets(items, 20), t.cutOff(o.Truncated), t.notes()), l.logQuestion(), l.changedQuestion())
}

// diffSteps show what is not staged and what is, of one file or of all.
func diffSteps(file string, options ...string) []protocol.Step {
	var of []string
	if file != "" {
		of = []string{"--", safePath(file)}
	}
	var steps []protocol.Step
	for _, which := range [][]string{{"diff"}, {"diff", "--cached"}} {
		steps = append(steps, step("git", slices.Concat(which, options, of)...))
	}
	return steps
}

func askDiff(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtRepo(), t.lang.effectDiff(), diffSteps(t.file)...)
}

func tellDiff(t *turn) protocol.Reply {
	l := t.lang
	var parts []string
	last := t.rounds[len(t.rounds)-1]
	if slices.ContainsFunc(last, func(o protocol.Observation) bool { return o.Truncated && !slices.Contains(o.Args, "--stat") }) && len(t.rounds) == 1 {
		return propose(l.longDiff(), l.effectDiff(), diffSteps(t.file, "--stat")...)
	}
	for i := range last {
		o := &last[i]
		if !ran(o) {
			continue
		}
		if r, bad := t.gitTrouble(o); bad {
			return r
		}
		all := lines(o)
		if len(all) == 0 {
			continue
		}
		staged := slices.Contains(o.Args, "--cached")
		if slices.Contains(o.Args, "--stat") {
			parts = append(parts, l.diffSummary(strings.TrimSpace(all[len(all)-1]), staged), block("", firstLines(all[:len(all)-1], 60)), t.cutOff(len(all) > 61 || o.Truncated))
			continue
		}
		added, removed := 0, 0
		for _, d := range all {
			switch {
			case strings.HasPrefix(d, "+") && !strings.HasPrefix(d, "+++ "):
				added++
			case strings.HasPrefix(d, "-") && !strings.HasPrefix(d, "--- "):
				removed++
			}
		}
		parts = append(parts, l.diffTitle(staged, added, removed, o.Truncated),
			block("diff", firstLines(all, 120)), t.cutOff(len(all) > 120 || o.Truncated))
	}
	if len(parts) == 0 {
		return say(paragraphs(l.noDiff(t.file), t.notes()), l.logQuestion(), l.changedQuestion())
	}
	return say(paragraphs(paragraphs(parts...), t.notes()), l.changedQuestion(), l.logQuestion())
}
