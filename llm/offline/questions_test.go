package offline_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/protocol"
)

const (
	status   = "git status --porcelain=v1 --branch"
	logTen   = "git log -n 10 --date=short '--format=%h|%ad|%an|%s'"
	findHead = "find . -type d '(' -name .git -o -name node_modules ')' -prune -o -type f "
	grepHead = "grep -rnIF --exclude-dir=.git --exclude-dir=node_modules "
	own      = "patch ~/.slothtool/plugin-configs/ai.json "
	sloth    = "patch ~/.slothtool/settings.json "
	logFive  = "git log -n 5 --date=short '--format=%h|%ad|%an|%s'"
)

// questions are requests and the first command of the reply; "chat" is an
// answer in words alone that is not the one for what is not understood, and
// "unknown" is that one.
func questions() [][2]string {
	return [][2]string{
		// Repositories.
		{"what changed in this repository?", status},
		{"What's changed here?", status},
		{"git status", status},
		{"show me the status", status},
		{"is there anything uncommitted?", status},
		{"any changes since yesterday?", status},
		{"what files have changed?", status},
		{"do I need to commit anything?", status},
		{"is the working tree clean?", status},
		{"最近有什么改动", status},
		{"这个仓库改了什么？", status},
		{"有哪些文件被修改了？", status},
		{"请问仓库现在是什么状态？", status},
		{"recent commits", logTen},
		{"show me the last 3 commits", "git log -n 3 --date=short '--format=%h|%ad|%an|%s'"},
		{"commit history please", logTen},
		{"what happened in this project lately?", logTen},
		{"最近 5 次提交", logFive},
		{"看一下提交记录", logTen},
		{"who changed go.mod last?", logFive + " -- go.mod"},
		{"who wrote protocol/reply.go", logFive + " -- protocol/reply.go"},
		{"谁最后改了 main.go？", logFive + " -- main.go"},
		{"history of main.go", logFive + " -- main.go"},
		{"main.go 是什么时候修改的", logFive + " -- main.go"},
		{"what did I change today?", status},
		{"what did we do this week", status},
		{"我今天改了什么", status},
		{"昨天提交了什么", status},
		{"which branch am I on?", status},
		{"list branches", status},
		{"现在在哪个分支？", status},
		{"diff of main.go", "git diff -- main.go"},
		{"what changed in main.go?", "git diff -- main.go"},
		{"show the diff", "git diff"},
		{"具体改了哪些内容", "git diff"},
		{"main.go 改了什么", "git diff -- main.go"},
		{"show the last commit", "git show --stat HEAD"},
		{"最后一次提交改了什么", "git show --stat HEAD"},
		{"show commit 1a2b3c4", "git show --stat 1a2b3c4"},
		{"who are the contributors?", "git shortlog -s -n HEAD"},
		{"贡献者有哪些", "git shortlog -s -n HEAD"},

		{"how many commits are there?", "git rev-list --count HEAD"},
		{"有多少次提交", "git rev-list --count HEAD"},
		{"谁提交得最多？", "git shortlog -s -n HEAD"},
		{"who made the most commits?", "git shortlog -s -n HEAD"},
		{"what did Bob change?", "git log -n 20 --date=short '--format=%h|%ad|%an|%s' -i -F --author=Bob"},
		{"commits by Ada Lin", "git log -n 20 --date=short '--format=%h|%ad|%an|%s' -i -F '--author=Ada Lin'"},
		{"Bob 改了什么？", "git log -n 20 --date=short '--format=%h|%ad|%an|%s' -i -F --author=Bob"},
		{"what has changed?", status},
		{"what did the last commit change?", "git show --stat HEAD"},
		{"昨天改了什么", status},
		{"which files changed this week?", status},
		{"commit my changes", "chat"},
		{"提交我的改动", "chat"},
		{"提交历史", logTen},

		// Finding files.
		{"find all go files", findHead + "-iname '*.go' -print"},
		{"list all *.py files", findHead + "-iname '*.py' -print"},
		{"where is main.go", findHead + "-name main.go -print"},
		{"find the readme", findHead + "-iname 'README*' -print"},
		{"find all go files in llm", "find llm -type d '(' -name .git -o -name node_modules ')' -prune -o -type f -iname '*.go' -print"},
		{"find all go files in cmd/", "find cmd/ -type d '(' -name .git -o -name node_modules ')' -prune -o -type f -iname '*.go' -print"},
		{"how many go files are in llm?", "find llm -type d '(' -name .git -o -name node_modules ')' -prune -o -type f -iname '*.go' -print"},
		{"how many lines of go in this repository?", findHead + "-name '*.go' -print"},
		{"how many files are in this folder?", findHead + "-print"},
		{"find files named config", findHead + "-iname '*config*' -print"},
		{"find typescript files", findHead + "'(' -iname '*.ts' -o -iname '*.tsx' ')' -print"},
		{"找 readme 文件", findHead + "-iname 'README*' -print"},
		{"找出所有 go 文件", findHead + "-iname '*.go' -print"},
		{"main.go 在哪里？", findHead + "-name main.go -print"},
		{"what is in this folder?", "ls -la"},
		{"list files", "ls -la"},
		{"ls", "ls -la"},
		{"what's in src/", "ls -la src/"},
		{"目录里有什么", "ls -la"},
		{"列出文件", "ls -la"},
		{"newest files", "ls -lt"},
		{"最近修改的文件", "ls -lt"},

		// Finding text.
		{"where is ParseConfig used?", grepHead + "ParseConfig ."},
		{"search for TODO", "grep -rnIE --exclude-dir=.git --exclude-dir=node_modules 'TODO|FIXME' ."},
		{"search for 'foo bar'", grepHead + "'foo bar' ."},
		{"search for timeout in cmd/ai", grepHead + "timeout cmd/ai"},
		{"which files mention openai", grepHead + "openai ."},
		{"grep sync.Once", grepHead + "sync.Once ."},
		{"how does ParseConfig work?", grepHead + "ParseConfig ."},
		{"explain the function parse", grepHead + "parse ."},
		{"where is Stream defined?", grepHead + "Stream ."},
		{"搜索 'foo'", grepHead + "foo ."},
		{"搜索“配置文件”", grepHead + "配置文件 ."},
		{"哪里用到了 ParseConfig", grepHead + "ParseConfig ."},
		{"ParseConfig 在哪里定义？", grepHead + "ParseConfig ."},
		{"解释一下 ParseConfig", grepHead + "ParseConfig ."},
		{"有哪些待办", "grep -rnIE --exclude-dir=.git --exclude-dir=node_modules 'TODO|FIXME' ."},

		{"search for \"maxInput\" in go files", "grep -rnIF --exclude-dir=.git --exclude-dir=node_modules '--include=*.go' maxInput ."},
		{"查找包含 TODO 的文件", grepHead + "TODO ."},
		{"where is the function ParseCommand defined?", grepHead + "ParseCommand ."},
		{"is there a Makefile?", findHead + "-iname 'Makefile*' -print"},
		{"what files are in d7?", "ls -la d7"},
		{"list files in d7", "ls -la d7"},
		{"list files in internal/mask", "ls -la internal/mask"},
		{"which files contain TODO in go", "grep -rnIF --exclude-dir=.git --exclude-dir=node_modules '--include=*.go' TODO ."},
		{"is there hope?", "unknown"},
		{"what are the largest folders?", "du -k -d 1 ."},
		{"最大的目录", "du -k -d 1 ."},
		{"runner 目录里最大的 Go 文件", "find runner -type d '(' -name .git -o -name node_modules ')' -prune -o -type f -iname '*.go' -size +1000k -print"},
		{"提交一下", "chat"},
		{"提交", logTen},

		// Reading.
		{"show go.mod", "wc -l go.mod"},
		{"read README", "ls -a"},
		{"what does main.go do?", "wc -l main.go"},
		{"first 20 lines of x.txt", "wc -l x.txt"},
		{"last 5 lines of build.log", "wc -l build.log"},
		{"cat ./a/b.txt", "wc -l ./a/b.txt"},
		{"go.mod", "wc -l go.mod"},
		{"看一下 main.go", "wc -l main.go"},
		{"看一下main.go的内容", "wc -l main.go"},
		{"main.go 的前 10 行", "wc -l main.go"},
		{"读 笔记.md", "wc -l 笔记.md"},
		{"show toml", "wc -l toml"},
		{"打开 Makefile2", "wc -l Makefile2"},
		{"what is this project?", "ls -a"},
		{"what does this repo do", "ls -a"},
		{"这个项目是做什么的？", "ls -a"},
		{"how do I run the tests?", "ls -a"},
		{"怎么运行测试？", "ls -a"},

		// Sizes and counts.
		{"how big is this folder?", "du -k -d 1 ."},
		{"size of internal/", "du -k -d 1 internal/"},
		{"how big is the llm folder?", "du -k -d 1 llm"},
		{"llm 目录有多大", "du -k -d 1 llm"},
		{"what's in the llm folder?", "ls -la llm"},
		{"docs 目录下有什么", "ls -la docs"},
		{"list the files in docs/", "ls -la docs/"},
		{"这个目录有多大", "du -k -d 1 ."},
		{"largest files", findHead + "-size +1000k -print"},
		{"最大的文件是哪些", findHead + "-size +1000k -print"},
		{"which Go files are the largest?", findHead + "-iname '*.go' -size +1000k -print"},
		{"最大的 Go 文件", findHead + "-iname '*.go' -size +1000k -print"},
		{"how many lines of Go?", findHead + "-name '*.go' -print"},
		{"多少行 go 代码", findHead + "-name '*.go' -print"},
		{"how many lines does main.go have?", "wc main.go"},
		{"how many go files are there?", findHead + "-iname '*.go' -print"},
		{"how many files", findHead + "-print"},
		{"有多少个文件", findHead + "-print"},
		{"disk space", "df -h"},
		{"磁盘还剩多少", "df -h"},

		// The machine.
		{"what time is it?", "date"},
		{"what day is it today", "date"},
		{"现在几点了？", "date"},
		{"who am i", "whoami"},
		{"我是谁", "whoami"},
		{"uname", "uname -a"},
		{"what operating system is this?", "uname -a"},
		{"where am i?", "pwd"},
		{"我在哪个目录", "pwd"},

		// Commands as they stand.
		{"run git log -3", "git log -3"},
		{"执行 ls -la", "ls -la"},
		{"please run `git log --oneline -n 5`", "git log --oneline -n 5"},
		{"run rm -rf build", "rm -rf build"},
		{"git log --oneline -n 3", "git log --oneline -n 3"},
		{"du -sh .", "du -sh ."},
		{"run git log | head", "chat"},

		// Settings and talk.
		{"show my settings", "chat"},
		{"set language to zh", own + "/language \"zh\""},
		{"禁止联网", "chat"},
		{"set the language to English", own + "/language \"en\""},
		{"please set the language of ai to Chinese", own + "/language \"zh\""},
		{"change ai's language to english", own + "/language \"en\""},
		{"switch to Chinese", own + "/language \"zh\""},
		{"set language to default", own + "/language null"},
		{"reset language", own + "/language null"},
		{"把语言改成英文", own + "/language \"en\""},
		{"请把你的语言设置为中文", own + "/language \"zh\""},
		{"把ai的语言改成英语", own + "/language \"en\""},
		{"把语言设为默认值", own + "/language null"},
		{"请把你的语言改成中文好吗？", own + "/language \"zh\""},
		{"把 maxRepairs 改成 4，可以吗", own + "/maxRepairs 4"},
		{"切换成英文", own + "/language \"en\""},
		{"用中文回答", own + "/language \"zh\""},
		{"set the language to French", "chat"},
		{"set maxRepairs to 4", own + "/maxRepairs 4"},
		{"set max repairs to four", own + "/maxRepairs 4"},
		{"set maxRepairs 4", own + "/maxRepairs 4"},
		{"set maxRepairs=4", own + "/maxRepairs 4"},
		{"set maxRepairs to default", own + "/maxRepairs 2"},
		{"set maxRepairs to 11", "chat"},
		{"set maxRepairs to many", "chat"},
		{"设置 maxTailLines 为 100", own + "/maxTailLines 100"},
		{"把 maxTailBytes 设为 16 KB", own + "/maxTailBytes 16384"},
		{"set the step timeout to 2 minutes", own + "/stepTimeoutSeconds 120"},
		{"把超时时间改为30秒", own + "/stepTimeoutSeconds 30"},
		{"set defaultMode to high", own + "/defaultMode \"high\""},
		{"把默认模式改成高", own + "/defaultMode \"high\""},
		{"set the profile to work", own + "/defaultProfile \"work\""},
		{"set defaultProfile to none", own + "/defaultProfile null"},
		{"turn off the sandbox", "chat"},
		{"set allowWrite to false", "chat"},
		{"set allowedPrograms to git", "chat"},
		{"关闭沙箱", "chat"},
		{"set SlothTool's language to English", sloth + "/language \"en\""},
		{"把 SlothTool 的语言改成中文", sloth + "/language \"zh\""},
		{"turn on SlothTool's proxy", sloth + "/network/proxy/enabled true"},
		{"关闭 slothtool 的代理", sloth + "/network/proxy/enabled false"},
		{"set SlothTool's proxy port to 7890", sloth + "/network/proxy/port 7890"},
		{"把 SlothTool 的代理端口改成 7890", sloth + "/network/proxy/port 7890"},
		{"set SlothTool's proxy host to proxy.example.com", sloth + "/network/proxy/host \"proxy.example.com\""},
		{"set slothtool github source to official", sloth + "/network/github/preset \"official\""},
		{"set SlothTool's theme to dark", "chat"},
		{"put it back", "chat"},
		{"undo that", "chat"},
		{"ai undo", "chat"},
		{"撤销", "chat"},
		{"撤销刚才的修改", "chat"},
		{"which plugins are installed?", "chat"},
		{"有哪些插件？", "chat"},
		{"how do I install a plugin?", "chat"},

		// Near those, and none of them.
		{"set the color to blue", "unknown"},
		{"change the timeout of the server to be longer", "unknown"},
		{"set the mode to dark", "unknown"},
		{"change main.go to use tabs", "unknown"},
		{"change the language of the README to English", "unknown"},
		{"set the table", "unknown"},
		{"switch to main", "unknown"},
		{"把这个函数改成异步", "unknown"},
		{"把 README 的语言改成英文", "unknown"},
		{"打开灯", "unknown"},
		{"turn on the light", "unknown"},
		{"undo the last commit", logTen},
		{"undo my changes to main.go", "git diff -- main.go"},
		{"which plugins does vite need?", "unknown"},
		{"write a plugin for vim", "unknown"},
		{"what can count do?", "unknown"},
		{"use the count plugin", "unknown"},
		{"how do I configure a model?", "chat"},
		{"hello", "chat"},
		{"你好", "chat"},
		{"thanks!", "chat"},
		{"help", "chat"},
		{"what can you do?", "chat"},
		{"who are you", "chat"},
		{"你能做什么？", "chat"},
		{"你是谁", "chat"},
		{"are you a language model?", "chat"},
		{"write a poem about the sea", "unknown"},
		{"what is the capital of France?", "unknown"},
		{"run the tests", "unknown"},
		{"给我讲个笑话", "unknown"},
		{"?", "unknown"},
		{"go and refactor everything", "unknown"},
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	p := offline.New(offline.Config{Now: noon})
	list := questions()
	if len(list) < 80 {
		t.Fatalf("only %d questions", len(list))
	}
	for _, q := range list {
		r := reply(t, p, llm.Context{Messages: []llm.Message{llm.UserText(q[0])}})
		got := "chat"
		switch {
		case r.Cmd != nil:
			s := r.Cmd.Steps[0]
			got = protocol.FormatCommand(s.Program, s.Args)
			if s.Tool == protocol.ToolJSONPatch {
				got = fmt.Sprintf("patch %s %s %s", s.Path, s.Set[0].Path, s.Set[0].Value)
			}
		case strings.Contains(r.Message, "I cannot answer that.") || strings.Contains(r.Message, "我无法回答"):
			got = "unknown"
		}
		if got != q[1] {
			t.Errorf("%q: %s, want %s", q[0], got, q[1])
		}
		if chinese := strings.ContainsFunc(q[0], func(r rune) bool { return unicode.Is(unicode.Han, r) }); chinese != isChinese(r.Message) {
			t.Errorf("%q was answered in the wrong language: %s", q[0], r.Message)
		}
	}
}

func isChinese(s string) bool { return strings.ContainsAny(s, "，。：？") }
