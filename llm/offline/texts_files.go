package offline

import "strings"

// The sentences about files and their text, both languages side by side.

func (l lang) effectList() string {
	return l.f("Lists files; changes nothing.", "列出文件；不做任何修改。")
}

func (l lang) effectSearch() string {
	return l.f("Lists the lines that match; changes nothing.", "列出匹配的行；不做任何修改。")
}

func (l lang) effectRead() string {
	return l.f("Shows text of files; changes nothing.", "显示文件内容；不做任何修改。")
}

func (l lang) effectCount() string {
	return l.f("Counts; changes nothing.", "统计；不做任何修改。")
}

func (l lang) effectSize() string {
	return l.f("Shows sizes; changes nothing.", "显示大小；不做任何修改。")
}

func (l lang) lookingForFiles(globs []string) string {
	return l.f("Looking for %s.", "查找 %s。", l.names(globs, 4))
}

func (l lang) lookingFor(name string) string {
	return l.f("Looking for %s.", "查找 %s。", code(name))
}

func (l lang) lookingForSimilar(name string) string {
	return l.f("There is no file %s. Looking for similar names.", "没有文件 %s，查找相近的名字。", code(name))
}

func (l lang) lookingAtFolder() string { return l.f("Looking at the folder.", "查看目录。") }

func (l lang) noFiles(globs []string) string {
	return l.f("There are no files named %s under this folder (`.git` and `node_modules` left out).", "这个目录下没有名为 %s 的文件（不含 `.git` 和 `node_modules`）。", l.names(globs, 4))
}

func (l lang) foundFiles(n int, exact bool, what string) string {
	if !exact {
		return l.f("**At least %s** named %s:", "**至少 %s**，名为 %s：", l.some(n, "file", "个文件"), code(what))
	}
	return l.f("**%s** named %s:", "**%s**，名为 %s：", l.some(n, "file", "个文件"), code(what))
}

func (l lang) onlySimilar(name string, n int) string {
	return l.f("There is no file %s, but %s with a similar name:", "没有文件 %s，但有 %s名字相近：", code(name), l.some(n, "file", "个文件"))
}

func (l lang) noMoreFiles(n int) string {
	return l.f("There is no more to show: these were all %s.", "没有更多了：共 %s 项，已全部显示。", digits(n))
}

func (l lang) byFolder(groups []group) string {
	var items []string
	for _, g := range groups {
		items = append(items, code(g.name+"/")+" "+digits(g.n))
	}
	return l.f("By folder:", "按目录：") + "\n" + l.bullets(items, 8)
}

func (l lang) leftOver(from, shown, total int) string {
	if from == 0 && shown == total {
		return ""
	}
	return l.f("Shown: %[1]d to %[2]d of %[3]d.", "显示第 %[1]d 到 %[2]d 项，共 %[3]d 项。", from+1, from+shown, total)
}

func (l lang) emptyFolder(dir string) string {
	return l.f("The folder %s is empty.", "文件夹 %s 是空的。", code(dir))
}

func (l lang) folderHolds(dir string, folders, files, hidden int, truncated bool) string {
	if truncated {
		return l.f("%s holds more than I can see; the last entries are %s and %s:", "%s 的内容比我看到的多；末尾部分有 %s和 %s：", code(dir), l.some(folders, "folder", "个文件夹"), l.some(files, "file", "个文件"))
	}
	s := l.f("%s holds **%s** and **%s**", "%s 里有 **%s**和 **%s**", code(dir), l.some(folders, "folder", "个文件夹"), l.some(files, "file", "个文件"))
	if hidden > 0 {
		s += l.f(" (%d hidden)", "（其中 %d 项是隐藏的）", hidden)
	}
	return s + l.f(":", "：")
}

func (l lang) searching(text string) string {
	return l.f("Searching the files for %s.", "在文件中搜索 %s。", code(text))
}

func (l lang) searchingAnyCase(text string) string {
	return l.f("Nothing has %s exactly. Searching without regard to case.", "没有与 %s 完全一致的内容，改为忽略大小写搜索。", code(text))
}

func (l lang) grepMissing() string {
	return l.f("`grep` could not be started here. Trying git's own search.", "这里无法启动 `grep`，改用 git 自带的搜索。")
}

func (l lang) noMatches(text string, anyCase bool) string {
	if anyCase {
		return l.f("No file here contains %s, in upper or lower case (`.git`, `node_modules` and binary files left out).", "这里没有文件包含 %s，忽略大小写也没有（不含 `.git`、`node_modules` 和二进制文件）。", code(text))
	}
	return l.f("No file here contains %s (`.git`, `node_modules` and binary files left out).", "这里没有文件包含 %s（不含 `.git`、`node_modules` 和二进制文件）。", code(text))
}

func (l lang) searchedOnly(globs []string) string {
	if globs == nil {
		return ""
	}
	return l.f("(Only files named %s were searched.)", "（只搜索了名为 %s 的文件。）", l.names(globs, 8))
}

func (l lang) foundMatches(text string, total, files int, all bool) string {
	if !all {
		return l.f("%s is in **%s** altogether; those that I see are in %s:", "%s 总共出现在 **%s**中；我看到的部分在 %s中：", code(text), l.some(total, "line", "行"), l.some(files, "file", "个文件"))
	}
	return l.f("%s is in **%s** of **%s**:", "%[1]s 出现在 **%[3]s**的 **%[2]s**中：", code(text), l.some(total, "line", "行"), l.some(files, "file", "个文件"))
}

func (l lang) atLeastMatches(text string, total, files int) string {
	return l.f("%s is in **at least %s**; those that I see are in %s:", "%s 出现在**至少 %s**中；我看到的部分在 %s中：", code(text), l.some(total, "line", "行"), l.some(files, "file", "个文件"))
}

func (l lang) readingAround(file string, line, total int) string {
	return l.f("It is in %[3]s. Reading %[1]s around line %[2]d.", "共有 %[3]s。读取 %[1]s 第 %[2]d 行附近。", code(file), line, l.some(total, "line", "行匹配"))
}

func (l lang) definedIn(word, file string, line int) string {
	return l.f("%s is defined in %s, line %d:", "%s 定义在 %s 第 %d 行：", code(word), code(file), line)
}

func (l lang) foundInstead(word, file string, line int) string {
	return l.f("I saw no line that defines %s. The best place is %s, line %d:", "没有看到定义 %s 的行。最相关的位置是 %s 第 %d 行：", code(word), code(file), line)
}

func (l lang) alsoIn(n int, exact bool) string {
	if !exact {
		return l.f("It is also in at least %s (in upper or lower case):", "它还出现在至少 %s中（忽略大小写）：", l.some(n, "other file", "个其他文件"))
	}
	return l.f("It is also in %s (in upper or lower case):", "它还出现在 %s中（忽略大小写）：", l.some(n, "other file", "个其他文件"))
}

func (l lang) reading(file string) string { return l.f("Reading %s.", "读取 %s。", code(file)) }

func (l lang) itIsAFolder(name string) string {
	return l.f("%s is a folder. Looking into it.", "%s 是文件夹，查看其内容。", code(name))
}

func (l lang) noSuchFile(name string) string {
	return l.f("There is no file %s here, and none of that name further down.", "这里没有文件 %s，子目录中也没有同名文件。", code(name))
}

func (l lang) severalFiles(name string, n int) string {
	return l.f("There is no %s right here, but **%s** of that name further down:", "当前目录没有 %s，但子目录里有 **%s**：", code(name), l.some(n, "file", "个同名文件"))
}

func (l lang) emptyFile(name string) string {
	return l.f("%s is empty.", "%s 是空文件。", code(name))
}

func (l lang) fileEnds(name string, total int) string {
	return l.f("That was all of %s: it has %s.", "%s 已显示完：共 %s。", code(name), l.some(total, "line", "行"))
}

// kindName says what a file is, by its name; "" where that is not known.
func (l lang) kindName(name string) string {
	k := kindOfFile(name)
	switch {
	case k == nil:
		return ""
	case k.name == "test":
		return l.f("test file", "测试文件")
	case k.name == "Markdown" || k.name == "text" || k.name == "JSON" || k.name == "YAML" || k.name == "TOML" || k.name == "log":
		return l.f("%s file", "%s 文件", k.name)
	}
	return l.f("%s source file", "%s 源文件", k.name)
}

func (l lang) fileFacts(name, kind string, total int) string {
	if kind == "" {
		return l.f("%s has **%s**.", "%s 有 **%s**。", code(name), l.some(total, "line", "行"))
	}
	return l.f("%s is a %s with **%s**.", "%s 是 %s，共 **%s**。", code(name), kind, l.some(total, "line", "行"))
}

// outline tells what a file is made of; part says that only its beginning was
// read.
func (l lang) outline(what string, items []string, part bool) string {
	if len(items) == 0 {
		return ""
	}
	var title string
	switch what {
	case "headings":
		title = l.f("Its headings", "标题")
	case "keys":
		title = l.f("Its keys", "键")
	case "sections":
		title = l.f("Its sections", "小节")
	case "says":
		title = l.f("It says", "内容要点")
	default:
		title, part = l.f("What is declared in the part that I read", "在读到的部分中声明了"), false
	}
	if part {
		title += l.f(" in the part that I read", "（仅限读到的部分）")
	}
	return title + l.f(": ", "： ") + l.names(items, 12)
}

func (l lang) linesShown(from, to, total int) string {
	if from <= 1 && to == total {
		return l.f("The whole text:", "全文：")
	}
	return l.f("Lines %[1]d to %[2]d of %[3]d:", "第 %[1]d 到 %[2]d 行，共 %[3]d 行：", from, to, total)
}

func (l lang) binaryFile(name, described string) string {
	return l.f("%s is no text: %s", "%s 不是文本：%s", code(name), described)
}

func (l lang) readingAbout() string {
	return l.f("Reading what the project says about itself.", "读取项目的自我介绍。")
}

func (l lang) readmeSays(name, title, text string) string {
	s := l.f("%s says", "%s 写道", code(name))
	if title != "" {
		s += l.f(": **%s**", "：**%s**", inline(title))
	}
	if text != "" {
		s += "\n\n> " + cut(strings.Join(strings.Fields(visible(text)), " "), 600)
	}
	return s
}

func (l lang) manifestSays(name string, facts []string) string {
	if len(facts) == 0 {
		return l.f("There is a %s.", "有一个 %s。", code(name))
	}
	return l.f("%s says: %s", "%s 写明：%s", code(name), l.names(facts, 6))
}

func (l lang) topLevel(names []string) string {
	return l.f("At the top level: %s", "顶层有：%s", l.names(names, 30))
}

func (l lang) kindsSeen(kinds string) string {
	if kinds == "" {
		return ""
	}
	return l.f("Files that I recognise: %s.", "认出的文件类型：%s。", kinds)
}

func (l lang) nothingSays() string {
	return l.f("There is no README and no build file here, so nothing says what this is.", "这里没有 README，也没有构建文件，所以没有说明可读。")
}

func (l lang) readOffOnly() string {
	return l.f("(This is read off the files as they stand; I judge nothing beyond it.)", "（以上内容直接取自文件，我不作其他推断。）")
}

func (l lang) lookingForTests() string {
	return l.f("Looking for what the project says about its tests.", "查找项目关于测试的说明。")
}

func (l lang) testsTitle() string {
	return l.f("What the files here say about running tests:", "这里的文件关于运行测试的说明：")
}

func (l lang) usualTests(file, command string) string {
	return l.f("there is a %[1]s: the usual command is %[2]s", "有 %[1]s：通常的命令是 %[2]s", code(file), code(command))
}

func (l lang) saysTests(file, line, text, command string) string {
	s := l.f("%s, line %s: %s", "%s 第 %s 行：%s", code(file), line, code(text))
	if command != "" {
		s = code(command) + l.f(" (%s)", "（%s）", s)
	}
	return s
}

func (l lang) noTestsSaid(read []string) string {
	if len(read) == 0 {
		return l.f("I found no README, Makefile, go.mod, package.json or Cargo.toml here that could say it.", "这里没有 README、Makefile、go.mod、package.json 或 Cargo.toml 可以说明如何运行测试。")
	}
	return l.f("I found no line about running tests in %s.", "在 %s 中没有找到关于运行测试的内容。", l.names(read, 8))
}
