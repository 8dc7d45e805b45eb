package offline

import (
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// The sentences that every family uses, both languages side by side.

func (l lang) andMore(n int) string {
	return l.f("… and %s more", "…… 另有 %s 项", digits(n))
}

func (l lang) more() string { return l.f("more", "更多") }

func (l lang) nothingMore() string {
	return l.f("There is nothing more to say about that.", "关于这个没有更多内容了。")
}

func (l lang) changedQuestion() string {
	return l.f("what changed in this repository?", "这个仓库有什么改动？")
}

func (l lang) diffQuestion() string { return l.f("show the diff", "看看具体的差异") }

func (l lang) logQuestion() string { return l.f("show the last 20 commits", "最近 20 次提交") }

func (l lang) todayQuestion() string {
	return l.f("what changed today?", "今天改了什么？")
}

func (l lang) listQuestion() string {
	return l.f("what is in this folder?", "这个目录里有什么？")
}

func (l lang) projectQuestion() string {
	return l.f("what is this project?", "这个项目是做什么的？")
}

func (l lang) sizeQuestion() string {
	return l.f("how big is this folder?", "这个目录有多大？")
}

func (l lang) largestQuestion() string {
	return l.f("which are the largest files?", "最大的文件有哪些？")
}

func (l lang) linesQuestion() string { return l.f("how many lines of code?", "有多少行代码？") }

func (l lang) countQuestion() string {
	return l.f("how many files are here?", "这里有多少个文件？")
}

func (l lang) diskQuestion() string {
	return l.f("how much disk space is free?", "磁盘还剩多少空间？")
}

func (l lang) systemQuestion() string { return l.f("which system is this?", "这是什么系统？") }

func (l lang) processQuestion() string {
	return l.f("which processes use the most memory?", "哪些进程占内存最多？")
}

func (l lang) whereQuestion() string { return l.f("where am I?", "我在哪个目录？") }

func (l lang) helpQuestion() string { return l.f("what can you do?", "你能做什么？") }

func (l lang) settingsQuestion() string { return l.f("show my settings", "显示我的设置") }

func (l lang) findQuestion(name string) string {
	if name == "" {
		return l.f("find all markdown files", "找所有 markdown 文件")
	}
	return l.f("find %s", "查找 %s", name)
}

func (l lang) searchQuestion(word string) string {
	return l.f("search for %s", "搜索 %s", cmpOr(word, "TODO"))
}

func (l lang) showQuestion(file string) string {
	return l.f("show %s", "看一下 %s", quoteName(file))
}

func (l lang) lastLinesQuestion(file string) string {
	return l.f("last 20 lines of %s", "%s 的最后 20 行", quoteName(file))
}

func (l lang) whoQuestion(file string) string {
	return l.f("who changed %s last?", "谁最后改了 %s？", quoteName(file))
}

func (l lang) explainQuestion(word string) string {
	return l.f("where is %s defined?", "%s 在哪里定义？", word)
}

func (l lang) whereUsedQuestion(word string) string {
	return l.f("where is %s used?", "哪里用到了 %s？", word)
}

func (l lang) runQuestion(command string) string { return l.f("run %s", "执行 %s", command) }

// quoteName quotes a name that a question would not be read with otherwise.
func quoteName(name string) string {
	name = visible(name)
	if strings.ContainsAny(name, " \t\n'\"") || hasHan(name) {
		return strconv.Quote(name)
	}
	return name
}

func (l lang) helpQuestions() []string {
	return []string{l.changedQuestion(), l.projectQuestion(), l.helpQuestion()}
}

func (l lang) folderQuestions() []string {
	return []string{l.listQuestion(), l.projectQuestion(), l.countQuestion()}
}

func (l lang) pipedQuestions() []string {
	return []string{l.f("are there errors in it?", "里面有错误吗？"), l.f("show the last 5 lines", "显示最后 5 行"), l.f("most frequent words", "最常见的词")}
}

func (l lang) hello() string {
	return l.f("Hello! I am the built-in offline assistant of `ai`: no language model, but I can look at your files, your git repository and this machine. What would you like to know?",
		"你好！我是 `ai` 内置的离线助手：不是语言模型，但可以查看你的文件、git 仓库和这台机器。想了解什么？")
}

func (l lang) welcome() string { return l.f("You are welcome.", "不客气。") }

func (l lang) whatIAm() string {
	return l.f("I am the built-in offline assistant of `ai`. I am **not a language model**: I recognise everyday requests by their words, run read-only commands for them, and report what they really print. I also run SlothTool's plugins and change settings, where you say yes. I use no network and need no key.",
		"我是 `ai` 内置的离线助手，**不是语言模型**：我按词语识别日常请求，为它们运行只读命令，并如实报告输出。经你同意，也可以运行 SlothTool 插件、修改设置。不联网，也不需要密钥。")
}

func (l lang) whatICan() string {
	return l.f(`What I can do, for example:
- repository: "what changed in this repository?", "recent commits", "who changed go.mod last?", "show the diff"
- files: "find all go files", "where is main.go?", "what is in this folder?", "largest files"
- text: "search for TODO", "where is ParseConfig used?", "how does ParseConfig work?"
- reading: "show README", "first 20 lines of go.mod", "what is this project?"
- counts: "how many lines of Go?", "how big is this folder?", "disk space"
- machine: "what time is it?", "which processes use the most memory?"
- piped text: "git log | ai 'how many lines?'"
- your own command: "run git log -n 3"
- settings: "show my settings", "set the language to Chinese", "set SlothTool's language to English", "put it back"
- plugins: "which plugins are installed?", "what can loc do?", "run the loc plugin on src"`, `我能做的事，例如：
- 仓库：“这个仓库有什么改动？”、“最近的提交”、“谁最后改了 go.mod？”、“看看具体的差异”
- 文件：“找所有 go 文件”、“main.go 在哪里？”、“目录里有什么？”、“最大的文件”
- 文本：“搜索 TODO”、“哪里用到了 ParseConfig？”、“ParseConfig 怎么实现的？”
- 阅读：“看一下 README”、“go.mod 的前 20 行”、“这个项目是做什么的？”
- 统计：“多少行 Go 代码？”、“这个目录有多大？”、“磁盘空间”
- 机器：“几点了？”、“哪些进程占内存最多？”
- 管道文本：“git log | ai '有多少行？'”
- 你自己的命令：“执行 git log -n 3”
- 设置：“显示我的设置”、“把语言改成英文”、“把 SlothTool 的语言改成中文”、“撤销”
- 插件：“有哪些插件？”、“loc 能做什么？”、“用 loc 插件统计 src”`)
}

func (l lang) howToConfigure() string {
	return l.f("For open questions, configure a language model: `ai init` asks what is needed, or set `OPENAI_API_KEY` (and `OPENAI_BASE_URL` for another server), or use `--provider openai --base-url URL --model ID`.",
		"要回答开放性的问题，请配置语言模型：运行 `ai init` 按提示设置，或设置 `OPENAI_API_KEY`（其他服务器再加 `OPENAI_BASE_URL`），或使用 `--provider openai --base-url URL --model ID`。")
}

func (l lang) cannot() string {
	return l.f("I cannot answer that. I am the built-in offline assistant of `ai`, not a language model, and only understand everyday requests about files, git repositories and this machine.",
		"这个问题我无法回答。我是 `ai` 内置的离线助手，不是语言模型，只懂得有关文件、git 仓库和这台机器的日常请求。")
}

func (l lang) fewExamples() string {
	return l.f("Here I could, for example, tell what changed in this repository, search the files for a word, or say what this project is.",
		"在这里我可以，例如，说明仓库有什么改动、在文件里搜索一个词，或介绍这个项目。")
}

func (l lang) noModelExplains() string {
	return l.f("(I show what is there; explaining its meaning needs a language model, see `ai init`.)",
		"（我只展示内容；解释含义需要语言模型，见 `ai init`。）")
}

func (l lang) noModelSummary() string {
	return l.f("(These are facts counted from the text. A summary of its meaning needs a language model, see `ai init`.)",
		"（以上是从文本中统计的事实。概括含义需要语言模型，见 `ai init`。）")
}

func (l lang) outOfRounds() string {
	return l.f("I looked several times and still do not have the answer. Please ask more exactly, with a file or a word.",
		"我查了几次仍没有得到答案。请问得更具体一些，例如给出文件名或词语。")
}

func (l lang) nothingRan() string {
	return l.f("Nothing of it ran, so there is nothing to tell:", "命令没有运行，所以没有结果可说：")
}

func (l lang) notRun(o *protocol.Observation) string {
	s := code(line(o))
	switch o.Outcome {
	case protocol.Refused:
		s += l.f(" was refused", " 被拒绝")
	case protocol.Declined:
		s += l.f(" was declined by you", " 被你拒绝")
	case protocol.TimedOut:
		s += l.f(" was ended by the time limit; what it printed until then may be incomplete", " 超时被终止，输出可能不完整")
	case protocol.Cancelled:
		s += l.f(" was cancelled", " 已取消")
	case protocol.NotStarted:
		s += l.f(" could not be started", " 无法启动")
	default:
		s += l.f(" did not run", " 没有运行")
	}
	var why []string
	if o.Note != "" {
		why = append(why, inline(o.Note))
	}
	if o.Verdict != nil && o.Outcome != protocol.TimedOut {
		for _, r := range o.Verdict.Reasons {
			if r = inline(r); r != "" && !strings.Contains(o.Note, r) {
				why = append(why, r)
			}
		}
		if len(o.Verdict.Rules) > 0 {
			why = append(why, l.f("rules: ", "规则：")+l.names(o.Verdict.Rules, 6))
		}
	}
	if len(why) > 0 {
		s += l.f(": ", "：") + strings.Join(why, l.f("; ", "；"))
	}
	return s
}

func (l lang) commandFailed(command string, status int, detail bool) string {
	s := l.f("%s failed with exit code %d", "%s 失败，退出码 %d", code(command), status)
	if status < 0 {
		s = l.f("%s did not succeed", "%s 没有成功", code(command))
	}
	if detail {
		return s + l.f(". It said:", "。它的输出：")
	}
	return s + l.f(" and said nothing.", "，没有任何输出。")
}

func (l lang) listCut() string {
	return l.f("(the list is longer than what I see)", "（列表比我看到的更长）")
}

// cutOff says that an output is longer than what is shown.
func (t *turn) cutOff(yes bool) string {
	if !yes {
		return ""
	}
	return t.lang.f("(Shortened: there is more than this.)", "（已截短：实际内容更多。）")
}

// cutFront says that the beginning of an output was not kept.
func (t *turn) cutFront(o *protocol.Observation) string {
	if o == nil || !o.Truncated {
		return ""
	}
	return t.lang.f("(The output was long: I only saw its end.)", "（输出太长：我只看到了末尾部分。）")
}

func (l lang) frontCut() string {
	return l.f("(The lines before these were too long to be kept.)", "（前面的行太长，没有保留。）")
}

// unreadable says that some folders could not be read.
func (l lang) unreadable(o *protocol.Observation) string {
	if o == nil || !strings.Contains(o.StderrTail, "Permission denied") {
		return ""
	}
	return l.f("(Some folders could not be read: permission denied.)", "（有些文件夹没有读取权限。）")
}

func (l lang) effectRun() string { return l.f("What the command does.", "该命令的效果。") }

func (l lang) running(command string) string {
	return l.f("Running %s, as you asked.", "按你的要求运行 %s。", code(command))
}

func (l lang) noCommandLine(text string, err error) string {
	return l.f("I cannot run %s: %s. I run one program with its arguments, without a shell.", "无法运行 %s：%s。我只运行单个程序及其参数，不经过 shell。", code(text), err.Error())
}

func (l lang) ranWith(command string, exitCode, n int, truncated bool, shown int) string {
	var s string
	switch {
	case exitCode == 0:
		s = l.f("%s ran and succeeded", "%s 运行成功", code(command))
	case exitCode > 0:
		s = l.f("%s ended with exit code %d", "%s 结束，退出码 %d", code(command), exitCode)
	default:
		s = l.f("%s was ended before it was done", "%s 没有运行完就被终止", code(command))
	}
	switch {
	case n == 0:
		return s + l.f("; it printed nothing.", "，没有输出。")
	case truncated:
		return s + l.f(". The end of its long output (%d lines):", "。输出很长，末尾 %d 行：", shown)
	case shown < n:
		return s + l.f(". It printed %[1]d lines, the last %[2]d are:", "。共输出 %[1]d 行，最后 %[2]d 行：", n, shown)
	}
	return s + l.f(". It printed:", "。输出：")
}

func (l lang) onStderr() string { return l.f("On its error output:", "错误输出：") }
