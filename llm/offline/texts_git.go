package offline

import "strings"

// The sentences about repositories, both languages side by side.

func (l lang) lookingAtRepo() string {
	return l.f("Looking at the state and the history of this repository.", "查看这个仓库的状态和历史。")
}

func (l lang) lookingAtHistory() string {
	return l.f("Looking at the history of this repository.", "查看这个仓库的历史。")
}

func (l lang) lookingAtHistoryOf(file string) string {
	return l.f("Looking at the history of %s.", "查看 %s 的历史。", code(file))
}

func (l lang) effectRepo() string {
	return l.f("Shows the branch, the uncommitted changes and the last commits; changes nothing.", "显示分支、未提交的改动和最近的提交；不做任何修改。")
}

func (l lang) effectLog() string {
	return l.f("Shows commits; changes nothing.", "显示提交；不做任何修改。")
}

func (l lang) effectBranch() string {
	return l.f("Shows the branches; changes nothing.", "显示分支；不做任何修改。")
}

func (l lang) effectDiff() string {
	return l.f("Shows the uncommitted changes; changes nothing.", "显示未提交的改动；不做任何修改。")
}

func (l lang) effectNewest() string {
	return l.f("Lists the files here, newest first; changes nothing.", "按时间列出这里的文件；不做任何修改。")
}

func (l lang) noRepo(dir string) string {
	if dir == "" {
		return l.f("This folder is not in a git repository, so there is no history to look at.", "这个文件夹不在 git 仓库里，所以没有历史可看。")
	}
	return l.f("%s is not in a git repository, so there is no history to look at.", "%s 不在 git 仓库里，所以没有历史可看。", code(dir))
}

func (l lang) noRepoLookAtFiles() string {
	return l.f("This is no git repository. Looking at the newest files instead.", "这里不是 git 仓库，改为查看最新的文件。")
}

func (l lang) newestHere(names []string) string {
	if len(names) == 0 {
		return l.f("The folder is empty.", "文件夹是空的。")
	}
	return l.f("What changed here last, newest first:", "这里最近改动的文件（最新的在前）：") + "\n" + l.bullets(names, 10)
}

func (l lang) noCommitsYet() string {
	return l.f("There are no commits yet.", "还没有任何提交。")
}

func (l lang) onBranch(c changes) string {
	if c.branch == "" {
		return ""
	}
	if strings.HasPrefix(c.branch, "HEAD (") {
		return l.f("No branch is checked out (a detached HEAD).", "当前没有检出分支（HEAD 处于分离状态）。")
	}
	s := l.f("Branch %s", "当前分支 %s", code(c.branch))
	switch {
	case c.upstream == "":
		return s + l.f(".", "。")
	case c.distance == "":
		return s + l.f(", level with %s.", "，与 %s 一致。", code(c.upstream))
	case c.distance == "gone":
		return s + l.f("; its upstream %s is gone.", "；上游 %s 已不存在。", code(c.upstream))
	}
	distance := c.distance
	if l == zh {
		distance = strings.NewReplacer("ahead ", "领先 ", "behind ", "落后 ", ", ", "、").Replace(distance)
	}
	return s + l.f(", compared with %[1]s: %[2]s.", "，相对 %[1]s：%[2]s。", code(c.upstream), distance)
}

func (l lang) uncommitted(c changes, truncated bool) string {
	if c.total == 0 {
		return l.f("Nothing is uncommitted: the working tree is clean.", "没有未提交的改动，工作区是干净的。")
	}
	var b strings.Builder
	b.WriteString(l.f("**Uncommitted changes** (%s):", "**未提交的改动**（%s）：", l.some(c.total, "file", "个文件")) + "\n")
	for k, names := range c.kinds {
		if len(names) > 0 {
			b.WriteString("- " + l.changeKind(k, len(names)) + l.f(": ", "：") + l.names(names, 12) + "\n")
		}
	}
	if truncated {
		b.WriteString("- " + l.listCut() + "\n")
	}
	return b.String()
}

func (l lang) changeKind(k, n int) string {
	switch k {
	case changedConflict:
		return l.f("in conflict (%d)", "有冲突（%d）", n)
	case changedStaged:
		return l.f("staged (%d)", "已暂存（%d）", n)
	case changedDeleted:
		return l.f("deleted (%d)", "已删除（%d）", n)
	case changedRenamed:
		return l.f("renamed (%d)", "已改名（%d）", n)
	case changedNew:
		return l.f("new, not tracked yet (%d)", "新文件，尚未跟踪（%d）", n)
	}
	return l.f("modified (%d)", "已修改（%d）", n)
}

func (l lang) diffSummary(s string, staged bool) string {
	s = inline(s)
	if staged {
		return l.f("Staged: %s.", "已暂存部分：%s。", s)
	}
	return l.f("Not staged: %s.", "未暂存部分：%s。", s)
}

func (l lang) lastCommits(n int) string {
	if n == 1 {
		return l.f("**The last commit**", "**最近 1 次提交**")
	}
	return l.f("**The last %d commits**", "**最近 %d 次提交**", n)
}

func (l lang) olderCommits(n int) string {
	return l.f("**%s before those**", "**更早的 %s**", l.commitCount(n))
}

func (l lang) commitCount(n int) string {
	return l.some(n, "commit", "次提交")
}

func (l lang) commitsSince(n int, day string) string {
	if n == 0 {
		return l.f("No commit since %s.", "自 %s 起没有提交。", day)
	}
	return l.f("**%[2]s since %[1]s**", "**自 %[1]s 起有 %[2]s**", day, l.commitCount(n))
}

func (l lang) everybody(n int) string {
	if n == 0 {
		return ""
	}
	return l.f("(Commits of all authors: I cannot tell which of them is you.)", "（包括所有作者的提交：我无法判断哪一位是你。）")
}

func (l lang) noMoreCommits(more bool) string {
	if more {
		return l.f("There are no more commits.", "没有更多提交了。")
	}
	return l.noCommitsYet()
}

func (l lang) lastChangedBy(file, author, date, hash, subject string) string {
	if file == "" {
		return l.f("The last commit is by **%s**, %s: %s %s", "最后一次提交来自 **%s**，%s：%s %s", inline(author), date, code(hash), inline(subject))
	}
	return l.f("%s was last changed by **%s** on %s: %s %s", "%s 最后由 **%s** 于 %s 修改：%s %s", code(file), inline(author), date, code(hash), inline(subject))
}

func (l lang) earlierChanges(n int) string {
	if n <= 0 {
		return ""
	}
	return l.f("Before that:", "更早的修改：")
}

func (l lang) noHistoryOf(file string) string {
	return l.f("No commit has touched a file %s here: it does not exist under that name, or git does not track it.", "没有任何提交涉及文件 %s：它不存在，或者没有被 git 跟踪。", code(file))
}

func (l lang) sameName(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return l.f("There are other files of that name: %s", "还有其他同名文件：%s", l.names(paths, 8))
}

func (l lang) longDiff() string {
	return l.f("The diff is too long to show as a whole. Looking at it file by file.", "差异太长，无法全部显示，改为逐个文件查看概况。")
}

func (l lang) otherBranches(names []string) string {
	if len(names) == 0 {
		return l.f("There is no other local branch.", "没有其他本地分支。")
	}
	return l.f("Other local branches: %s", "其他本地分支：%s", l.names(names, 20))
}

func (l lang) thisCommit(rev string) string {
	if rev == "HEAD" {
		return l.f("The last commit, with the files that it changed:", "最后一次提交，以及它改动的文件：")
	}
	return l.f("The commit %s, with the files that it changed:", "提交 %s，以及它改动的文件：", code(rev))
}

func (l lang) contributors(authors, commits int) string {
	return l.f("**%s, %s altogether**", "**%s，共 %s**", l.some(authors, "author", "位作者"), l.commitCount(commits))
}

func (l lang) diffTitle(staged bool, added, removed int, truncated bool) string {
	least := ""
	if truncated {
		least = l.f("at least ", "至少 ")
	}
	if staged {
		return l.f("**Staged**: %s+%d −%d lines", "**已暂存**：%s+%d −%d 行", least, added, removed)
	}
	return l.f("**Not staged**: %s+%d −%d lines", "**未暂存**：%s+%d −%d 行", least, added, removed)
}

func (l lang) noDiff(file string) string {
	if file != "" {
		return l.f("%s has no uncommitted changes.", "%s 没有未提交的改动。", code(file))
	}
	return l.f("There are no uncommitted changes.", "没有未提交的改动。")
}

func (l lang) noCommitting() string {
	return l.f("I do not commit: I only look. To commit everything that is changed here, type this in your shell:",
		"我不会提交：我只查看。要提交这里的全部改动，请在 shell 中输入：")
}

func (l lang) commitsCounted(n int, who, file string) string {
	if who != "" {
		return l.f("The history of HEAD has **%[1]s** of authors whose name or address has %[2]s.", "HEAD 的历史中，名字或地址含有 %[2]s 的作者共有 **%[1]s**。", l.commitCount(n), code(who))
	}
	if file != "" {
		return l.f("**%[1]s** in the history of HEAD changed %[2]s.", "在 HEAD 的历史中，有 **%[1]s**改动了 %[2]s。", l.commitCount(n), code(file))
	}
	return l.f("The history of HEAD, what is checked out, has **%s**.", "当前检出的 HEAD 的历史共有 **%s**。", l.commitCount(n))
}

func (l lang) filesSince(n int, day string, truncated bool) string {
	least := ""
	if truncated {
		least = l.f("At least ", "至少 ")
	}
	if n == 0 {
		return l.f("No commit since %s changed a file.", "自 %s 起没有提交改动过文件。", day)
	}
	return l.f("**%[3]s%[2]s changed by commits since %[1]s**", "**自 %[1]s 起的提交改动了%[3]s %[2]s**", day, l.some(n, "file", "个文件"), least)
}

func (l lang) commitsBy(n int, who, since string, more bool) string {
	last := ""
	if more {
		last = l.f("The last ", "最近 ")
	}
	s := l.f("%[1]s%[2]s of authors whose name or address has %[3]s", "%[1]s%[2]s，作者的名字或地址含有 %[3]s", last, l.commitCount(n), code(who))
	if since != "" {
		s += l.f(", since %s", "，自 %s 起", since)
	}
	return s + l.f(":", "：")
}

func (l lang) noCommitsBy(who, since string) string {
	if since != "" {
		return l.f("Since %[2]s there is no commit in the history of HEAD of an author whose name or address has %[1]s.", "自 %[2]s 起，HEAD 的历史中没有名字或地址含有 %[1]s 的作者的提交。", code(who), since)
	}
	return l.f("The history of HEAD has no commit of an author whose name or address has %s.", "HEAD 的历史中没有名字或地址含有 %s 的作者的提交。", code(who))
}

func (l lang) touchingOnly(file string) string {
	if file == "" {
		return ""
	}
	return l.f("(Only commits that changed %s were looked at.)", "（只查看了改动过 %s 的提交。）", code(file))
}

func (l lang) filesTouched(n int, truncated bool) string {
	if truncated {
		return l.f("Among the files that these commits changed:", "这些提交改动的文件中包括：")
	}
	return l.f("These commits changed %s:", "这些提交改动了 %s：", l.some(n, "file", "个文件"))
}

func (l lang) contributorsQuestion() string {
	return l.f("who are the contributors?", "贡献者有哪些？")
}
