package offline

// The sentences about sizes, the machine, settings and piped text, both
// languages side by side.

func (l lang) lookingAtDisk() string { return l.f("Looking at the disks.", "查看磁盘。") }

func (l lang) effectDisk() string {
	return l.f("Shows free space; changes nothing.", "显示可用空间；不做任何修改。")
}

func (l lang) diskTitle() string { return l.f("**Disk space**", "**磁盘空间**") }

func (l lang) diskFree(mount, total, free, used string) string {
	return l.f("%s: %s free of %s (%s used)", "%[1]s：可用 %[2]s，共 %[3]s（已用 %[4]s）", code(mount), inline(free), inline(total), inline(used))
}

func (l lang) measuring(dir string) string {
	return l.f("Measuring %s.", "计算 %s 的大小。", code(dir))
}

func (l lang) measuringFound(n int, all bool) string {
	if !all {
		return l.f("There are more large files than I see the names of. Comparing %s of them.", "大文件的数量超出我能看到的范围，比较其中的 %s。", l.some(n, "file", "个文件"))
	}
	return l.f("Comparing %s.", "比较 %s的大小。", l.some(n, "file", "个文件"))
}

func (l lang) takes(dir, size string) string {
	return l.f("%s takes **%s** on disk.", "%s 占用磁盘 **%s**。", code(dir), size)
}

func (l lang) biggestFolders() string {
	return l.f("Its largest folders:", "其中最大的文件夹：")
}

func (l lang) countingLines() string {
	return l.f("Looking for the files to count.", "查找要统计的文件。")
}

func (l lang) countingIn(n int) string {
	return l.f("Counting the lines of %s.", "统计 %s的行数。", l.some(n, "file", "个文件"))
}

func (l lang) countingWithGit(n int) string {
	return l.f("There are many files (%s). Letting git count their lines.", "文件很多（%s 个），由 git 统计行数。", digits(n))
}

func (l lang) linesCounted(kind string, lines, files int) string {
	return l.f("**%[2]s of %[1]s** in %[3]s.", "**%[1]s 共 %[2]s**，分布在 %[3]s中。", kind, l.some(lines, "line", "行"), l.some(files, "file", "个文件"))
}

func (l lang) linesTracked(kind string, lines, files int) string {
	return l.f("**%[2]s of %[1]s** in %[3]s, counted by git in the last commit (files that are not committed are left out).", "**%[1]s 共 %[2]s**，分布在 %[3]s中，由 git 按最后一次提交统计（不含未提交的文件）。", kind, l.some(lines, "line", "行"), l.some(files, "file", "个文件"))
}

func (l lang) tooManyToCount(files int, exact bool) string {
	if !exact {
		return l.f("There are at least %s, too many to count their lines from here.", "至少有 %s，数量太多，无法在这里统计行数。", l.some(files, "file", "个文件"))
	}
	return l.f("There are %s, too many to count their lines from here.", "共有 %s，数量太多，无法在这里统计行数。", l.some(files, "file", "个文件"))
}

func (l lang) longest() string { return l.f("The longest:", "最长的：") }

func (l lang) fileCounts(name string, lines, words int, bytes string) string {
	return l.f("%s has **%s**, %s and %s.", "%s 有 **%s**、%s，大小 %s。", code(name), l.some(lines, "line", "行"), l.some(words, "word", "个词"), bytes)
}

func (l lang) countingFiles() string { return l.f("Counting the files.", "统计文件。") }

func (l lang) filesCounted(kind string, n int, exact bool) string {
	thing := "file"
	if kind != "" {
		thing = kind + " file"
	}
	least := ""
	if !exact {
		least = l.f("at least ", "至少 ")
	}
	are := "are"
	if n == 1 {
		are = "is"
	}
	return l.f("There %[3]s **%[1]s%[2]s** under this folder (`.git` and `node_modules` left out).", "这个目录下有 **%[1]s%[2]s**（不含 `.git` 和 `node_modules`）。", least, l.some(n, thing, "个"+pad(kind)+"文件"), are)
}

// pad parts a Latin word from the Han text around it.
func pad(s string) string {
	if s == "" {
		return ""
	}
	return " " + s + " "
}

func (l lang) byKind(groups []group) string {
	var items []string
	for _, g := range groups {
		items = append(items, code(g.name)+" "+digits(g.n))
	}
	return l.bullets(items, 8)
}

func (l lang) lookingForLarge() string { return l.f("Looking for large files.", "查找大文件。") }

func (l lang) largestTitle(kind string) string {
	if kind == "" {
		return l.f("**The largest files** (`.git` and `node_modules` left out)", "**最大的文件**（不含 `.git` 和 `node_modules`）")
	}
	return l.f("**The largest %s files** (`.git` and `node_modules` left out)", "**最大的 %s 文件**（不含 `.git` 和 `node_modules`）", kind)
}

func (l lang) noLargeFiles(kind string) string {
	if kind == "" {
		return l.f("There is no file here that has anything in it (`.git` and `node_modules` left out).", "这里没有非空的文件（不含 `.git` 和 `node_modules`）。")
	}
	return l.f("There is no %s file here that has anything in it (`.git` and `node_modules` left out).", "这里没有非空的 %s 文件（不含 `.git` 和 `node_modules`）。", kind)
}

func (l lang) notCompared(names []string) string {
	return l.f("(Not compared, because of their names: %s)", "（因文件名特殊而未比较：%s）", l.names(names, 8))
}

func (l lang) comparedOnly(n int) string {
	return l.f("(There are more files that may be as large: only %s were compared.)", "（还有其他可能同样大的文件：只比较了其中 %s。）", l.some(n, "file", "个文件"))
}

func (l lang) askingClock() string { return l.f("Asking the clock.", "查看时钟。") }

func (l lang) askingSystem() string { return l.f("Asking the system.", "查询系统。") }

func (l lang) effectSystem() string {
	return l.f("Shows facts about the system; changes nothing.", "显示系统信息；不做任何修改。")
}

func (l lang) itIs(s string) string { return l.f("It is **%s**.", "现在是 **%s**。", s) }

func (l lang) youAre(s string) string { return l.f("You are %s.", "你是 %s。", code(s)) }

func (l lang) youAreIn(s string) string { return l.f("You are in %s.", "你在 %s。", code(s)) }

func (l lang) systemIs(s string) string {
	return l.f("This system calls itself: %s", "系统信息：%s", code(s))
}

func (l lang) processHead() string {
	return l.f("| PID | program | memory | CPU |\n| --- | --- | --- | --- |\n", "| PID | 程序 | 内存 | CPU |\n| --- | --- | --- | --- |\n")
}

func (l lang) processTitle(n int, cpu, truncated bool) string {
	what := l.f("memory", "内存")
	if cpu {
		what = "CPU"
	}
	s := l.f("The processes that use most %s", "占用%s最多的进程", what)
	if truncated {
		return s + l.f(" (of the %d that I see; there are more):", "（在我看到的 %d 个中，实际更多）：", n)
	}
	return s + l.f(" (of %d):", "（共 %d 个）：", n)
}

func (l lang) readingSettings() string { return l.f("Reading your settings.", "读取你的设置。") }

func (l lang) settingsAre(file string) string { return l.f("%s says:", "%s 的内容：", code(file)) }

func (l lang) noSettings(file string) string {
	return l.f("You have no settings of your own: %s does not exist or is empty, so the defaults hold.", "你还没有自己的设置：%s 不存在或为空，使用默认值。", code(file))
}

func (l lang) settingsCommands() string {
	return l.f("`ai config list` shows all settings with where each comes from, `ai config get KEY` one of them, and `ai config set KEY VALUE` changes one.",
		"`ai config list` 列出所有设置及其来源，`ai config get KEY` 查看一项，`ai config set KEY VALUE` 修改一项。")
}

func (l lang) pipedEmpty() string { return l.f("The text is empty.", "文本是空的。") }

func (l lang) pipedGone() string {
	return l.f("The text that was piped in earlier is not with me any more. Please pipe it in again with the question.", "先前通过管道传入的文本已不在对话中，请连同问题重新传入。")
}

func (l lang) pipedPart() string {
	return l.f("(Only the beginning and the end of the text reached me; the counts are of that part.)", "（我只收到了文本的开头和结尾，统计只针对这部分。）")
}

func (l lang) inputPart() string {
	return l.f("(Your input was too long: only a part of it reached me, and this is about that part.)", "（你的输入太长：我只收到了其中一部分，以上内容只针对这部分。）")
}

func (l lang) pipedFacts(lines, words, runes int, first, last string) string {
	s := l.f("The text has **%s**, %s and %s.", "这段文本有 **%s**、%s、%s。", l.some(lines, "line", "行"), l.some(words, "word", "个词"), l.some(runes, "character", "个字符"))
	if lines == 1 {
		return s + "\n\n- " + l.f("it reads: ", "内容：") + code(first)
	}
	return s + "\n\n- " + l.f("the first line: ", "第一行：") + code(first) + "\n- " + l.f("the last line: ", "最后一行：") + code(last)
}

func (l lang) pipedDiff(files, added, removed int) string {
	return l.f("It is a diff of %s: +%d −%d lines.", "这是 %s的差异：+%d −%d 行。", l.some(files, "file", "个文件"), added, removed)
}

func (l lang) troubleCount(n int) string {
	if n == 1 && l == en {
		return "1 line speaks of errors, failures or warnings:"
	}
	return l.f("%s speak of errors, failures or warnings:", "有 %s提到错误、失败或警告：", l.some(n, "line", "行"))
}

func (l lang) noTrouble(n int) string {
	return l.f("None of the %s speaks of an error, a failure or a warning.", "%s中都没有提到错误、失败或警告。", l.some(n, "line", "行"))
}

func (l lang) notInText(text string, n int) string {
	return l.f("%s is in none of the %s.", "%[2]s中都没有 %[1]s。", code(text), l.some(n, "line", "行"))
}

func (l lang) inText(text string, times, lines int) string {
	return l.f("%s is there **%s**, in %s:", "%s 出现 **%s**，在 %s中：", code(text), l.some(times, "time", "次"), l.some(lines, "line", "行"))
}

func (l lang) frequentWords() string {
	return l.f("The most frequent words (of three letters or more):", "最常见的词（三个字母以上）：")
}

func (l lang) pipedEnd(n, total int, last bool) string {
	if last {
		return l.f("The last %[1]d of %[2]s:", "共 %[2]s，最后 %[1]d 行：", n, l.some(total, "line", "行"))
	}
	return l.f("The first %[1]d of %[2]s:", "共 %[2]s，前 %[1]d 行：", n, l.some(total, "line", "行"))
}

func (l lang) cannotPiped() string {
	return l.f("I cannot answer that about a text: I am the built-in offline assistant, not a language model. What I can say about the text:", "关于这段文本的这个问题我无法回答：我是内置的离线助手，不是语言模型。我能说的是：")
}
