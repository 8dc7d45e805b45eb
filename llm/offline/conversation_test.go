package offline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/protocol"
)

var update = flag.Bool("update", false, "write the golden files anew")

// has fails where a part of an answer is missing.
func has(t *testing.T, r protocol.Reply, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(r.Message, p) {
			t.Errorf("the answer lacks %q:\n%s", p, r.Message)
		}
	}
}

func hasNot(t *testing.T, r protocol.Reply, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(r.Message, p) {
			t.Errorf("the answer has %q:\n%s", p, r.Message)
		}
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := newSession(t, dir)
	has(t, s.ask("what changed in this repository?"), "`main`", "working tree is clean", "2026-03-04 Lin: Test the parser", "2026-03-01 Ada: Begin")

	write(t, dir, "main.go", "package main\n\nfunc main() {}\n")
	write(t, dir, "新 文件.txt", "x\n")
	if err := os.Remove(filepath.Join(dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "staged.txt", "x\n")
	git(t, dir, nil, "add", "staged.txt")
	has(t, s.ask("what changed?"), "(4 files)", "modified (1): `main.go`", "deleted (1): `README.md`", "staged (1): `staged.txt`",
		"new, not tracked yet (1): `新 文件.txt`", "Not staged: 2 files changed", "Staged: 1 file changed")
	has(t, s.ask("有什么改动？"), "4 个文件", "已修改（1）：`main.go`", "最近 2 次提交", "Lin：Test the parser")
	has(t, s.ask("show the diff"), "**Not staged**", "-import \"example.com/demo/toml\"", "**Staged**", "+x")
	has(t, s.ask("what changed in main.go?"), "+1 −5", "+func main() {}")
	has(t, s.ask("diff of go.mod"), "`go.mod` has no uncommitted changes")
	has(t, s.ask("who changed toml.go last?"), "`toml/toml.go` was last changed by **Ada** on 2026-03-01", "Begin")
	has(t, s.ask("who changed nothing.go last?"), "No commit has touched a file `nothing.go`")
	s.tail = 150
	has(t, s.ask("show the diff"), "Not staged: 2 files changed", "| ", "Staged: 1 file changed")
	s.tail = 0
	has(t, s.ask("今天改了什么"), "自 2026-03-04 起有 1 次提交", "Test the parser", "新 文件.txt")
	has(t, s.ask("what was committed yesterday?"), "No commit since 2026-03-03")
	has(t, s.ask("show the last commit"), "toml/toml_test.go | 3 +++")
	has(t, s.ask("贡献者"), "2 位作者", "Ada：1 次提交")
	git(t, dir, nil, "branch", "next")
	has(t, s.ask("which branch?"), "Branch `main`.", "Other local branches: `next`")
	has(t, s.ask("last 1 commits"), "Test the parser")
	r := s.ask("more")
	has(t, r, "Begin")
	hasNot(t, r, "Test the parser")
	has(t, s.ask("more"), "no more commits")
}

func TestNoRepository(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "plain")
	write(t, dir, "notes.txt", "hello\n")
	s := newSession(t, dir)
	has(t, s.ask("what changed in this repository?"), "is not in a git repository", "`notes.txt`")
	has(t, s.ask("最近的提交"), "不在 git 仓库里")
	has(t, s.ask("这个仓库改了什么"), "不在 git 仓库里", "`notes.txt`")

	git(t, dir, nil, "init", "-q", "-b", "trunk")
	has(t, s.ask("what changed?"), "Branch `trunk`", "`notes.txt`", "There are no commits yet.")
	has(t, s.ask("recent commits"), "There are no commits yet.")
	has(t, s.ask("谁最后改了 notes.txt"), "还没有任何提交")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	write(t, dir, "node_modules/x/x.go", "package x\n")
	s := newSession(t, dir)
	r := s.ask("find all go files")
	has(t, r, "**3 files**", "`main.go`", "`toml/toml.go`", "`toml/toml_test.go`")
	hasNot(t, r, "node_modules/")
	has(t, s.ask("and markdown?"), "**1 file**", "`README.md`")
	has(t, s.ask("where is toml.go?"), "`toml/toml.go`")
	has(t, s.ask("where is Toml.go?"), "There is no file `Toml.go`", "`toml/toml.go`")
	has(t, s.ask("where is absent.go?"), "There are no files named")
	has(t, s.ask("what is in this folder?"), "**3 folders**", "**3 files**", "`toml/`", "`go.mod` (33 B)")
	has(t, s.ask("what is in toml/"), "`toml.go`", "`toml_test.go`")
	has(t, s.ask("how many files?"), "**5 files**", "`*.go` 3")
	has(t, s.ask("有多少个 go 文件？"), "**3 个 Go 文件**")
	has(t, s.ask("how many lines of Go?"), "**23 lines of Go** in 3 files", "`toml/toml.go` (13)")
	has(t, s.ask("多少行代码"), "代码 共 23 行", "3 个文件")
	has(t, s.ask("how many lines of Go in toml?"), "**16 lines of Go** in 2 files")
	has(t, s.ask("how many lines does toml.go have?"), "`toml/toml.go` has **13 lines**")
	has(t, s.ask("how big is this folder?"), "on disk", "`toml/`")
	write(t, dir, "big one.bin", strings.Repeat("x", 70_000))
	write(t, dir, "sub/mid.bin", strings.Repeat("x", 9_000))
	has(t, s.ask("largest files"), "- `big one.bin` 68 KiB\n- `sub/mid.bin` 8.8 KiB")

	for i := range 130 {
		write(t, dir, fmt.Sprintf("many/f%03d.css", i), "a\nb\n")
	}
	has(t, s.ask("find css files"), "**130 files**", "f000.css", "f039.css", "Shown: 1 to 40 of 130.")
	r = s.ask("more")
	has(t, r, "f040.css", "Shown: 41 to 80 of 130.")
	hasNot(t, r, "f039.css")
	has(t, s.ask("更多"), "f080.css")
	has(t, s.ask("how many lines of css?"), "**260 lines of CSS** in 130 files")

	// More names than can be seen: git counts, and nothing is made up.
	s.tail = 1000
	has(t, s.ask("how many lines of css?"), "at least")
	commitAs(t, dir, "Ada", "2026-03-04T10:00:00Z", "Styles")
	has(t, s.ask("how many lines of css?"), "**260 lines of CSS** in 130 files, counted by git")
	has(t, s.ask("how many css files?"), "at least")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := newSession(t, repository(t))
	has(t, s.ask("where is ParseConfig used?"), "**4 lines** of **3 files**", "`main.go` (1)", "6: `_, _ = toml.ParseConfig(\"x\")`", "`toml/toml.go` (2)")
	// Search, read the best place, advise: two commands in a row.
	r := s.ask("how does ParseConfig work?")
	if s.rounds != 2 || s.commands[1][0] != "grep" || s.commands[1][len(s.commands[1])-1] != "./toml/toml.go" {
		t.Errorf("commands: %q", s.commands)
	}
	has(t, r, "`ParseConfig` is defined in `toml/toml.go`, line 6", "6  func ParseConfig", "nothing to read", "It is also in 2 other files", "`main.go`", "needs a language model")
	has(t, s.ask("more"), "nothing more to say")
	has(t, s.ask("ParseConfig 在哪里定义？"), "`ParseConfig` 定义在 `toml/toml.go` 第 6 行")
	has(t, s.ask("search for TODO"), "`toml/toml.go` (1)", "13: `// TODO: read lists`")
	has(t, s.ask("search for 'PARSECONFIG'"), "**4 lines**")
	has(t, s.ask("搜索 'absent'"), "没有文件包含 `absent`")
	has(t, s.ask("and 'Demo'?"), "`README.md` (2)")
}

func TestReading(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := newSession(t, dir)
	has(t, s.ask("show go.mod"), "**3 lines**", "`module example.com/demo`", "The whole text:", "go 1.26")
	has(t, s.ask("read the readme"), "`README.md` is a Markdown file with **12 lines**", "`Demo`, `Use`, `License`")
	has(t, s.ask("first 2 lines of toml/toml.go"), "Lines 1 to 2 of 13:", "```go\npackage toml\n\n```")
	has(t, s.ask("last 2 lines of toml/toml.go"), "Lines 12 to 13 of 13:", "// TODO: read lists")
	has(t, s.ask("lines 6-8 of toml/toml.go"), "Lines 6 to 8 of 13:", "```go\nfunc ParseConfig")
	has(t, s.ask("toml/toml.go 的前 3 行"), "第 1 到 3 行，共 13 行")
	has(t, s.ask("show toml.go"), "`toml/toml.go` is a Go source file", "func ParseConfig(text string)")
	has(t, s.ask("show toml"), "**2 files**", "`toml.go`")
	has(t, s.ask("show absent.txt"), "There is no file `absent.txt`")
	has(t, s.ask("what is this project?"), "**Demo**", "> Demo reads configuration files and prints them.", "`module example.com/demo`", "`main.go`")
	has(t, s.ask("这个项目是做什么的？"), "`README.md` 写道：**Demo**", "顶层有：")

	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	write(t, dir, "long.txt", b.String())
	r := s.ask("show long.txt")
	has(t, r, "Lines 1 to 40 of 100", "line 40\n")
	hasNot(t, r, "line 41\n")
	r = s.ask("more")
	has(t, r, "Lines 41 to 80 of 100", "line 41\n", "line 80\n")
	hasNot(t, r, "line 40\n")
	has(t, s.ask("more"), "Lines 81 to 100 of 100", "line 100\n")
	has(t, s.ask("more"), "That was all")
	write(t, dir, "empty.txt", "")
	has(t, s.ask("show empty.txt"), "`empty.txt` is empty.")
	write(t, dir, "end.txt", "one\r\ntwo")
	has(t, s.ask("show end.txt"), "**2 lines**", "one\ntwo\n")
}

func TestMachine(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := newSession(t, dir)
	has(t, s.ask("where am I?"), dir)
	has(t, s.ask("disk space"), " free of ")
	has(t, s.ask("what time is it?"), "It is **")
	has(t, s.ask("which processes use the most memory?"), "| PID | program | memory | CPU |", " % |")
	has(t, s.ask("run git log -n 1 --format=%s"), "ran and succeeded", "Test the parser")
	has(t, s.ask("run ls --no-such-option"), "exit code 2", "no-such-option")
	s.system = []string{"You are here.\nThe settings are in " + dir + "/.slothtool/plugin-configs/ai.json."}
	has(t, s.ask("show my settings"), "You have no settings of your own")
	write(t, dir, ".slothtool/plugin-configs/ai.json", "{\n  \"allowWrite\": false\n}\n")
	has(t, s.ask("显示我的设置"), "\"allowWrite\": false", "ai config list")
	has(t, s.ask("禁止联网"), "ai config set allowNetwork false")
}

func TestPiped(t *testing.T) {
	t.Parallel()
	s := newSession(t, t.TempDir())
	const text = "\n\n--- standard input ---\nstart of log\nerror: no space\nwarning: low\nthe end, the end\n"
	has(t, s.ask("how many lines?"+text), "**4 lines**", "12 words", "`start of log`", "`the end, the end`")
	has(t, s.ask("are there errors in it?"+text), "2 lines speak of errors", "2  error: no space")
	has(t, s.ask("last 2 lines"+text), "The last 2 of 4 lines", "warning: low\nthe end, the end")
	has(t, s.ask("most frequent words"+text), "`the` ×2", "`end` ×2")
	has(t, s.ask("find 'low'"+text), "`low` is there **1 time**, in 1 line", "3  warning: low")
	has(t, s.ask("总结一下"+text), "**4 行**", "第一行：`start of log`", "需要语言模型")
	has(t, s.ask("who wrote this poem and why?"+text), "I cannot answer that about a text", "**4 lines**")
	has(t, s.ask("which keys does it have?\n\n--- standard input ---\n{\"name\": 1, \"b\": {\"c\": 2}}\n"), "`name`, `b`")
	has(t, s.ask("summarize\n\n--- standard input ---\n"+strings.Repeat("x\n… (90 bytes left out) …\n", 1)), "Only the beginning and the end")
	// Text that was piped in earlier is not there any more.
	s.messages = []llm.Message{llm.UserText("summarize this\n(with 90 bytes of standard input, left out)"), llm.AssistantText(`{"type":"chat","message":"x"}`)}
	has(t, s.ask("more"), "pipe it in again")
	if r := s.ask(strings.Repeat("a long text without a question\n", 10)); !strings.Contains(r.Message, "**10 lines**") {
		t.Error(r.Message)
	}
}

func TestTalk(t *testing.T) {
	t.Parallel()
	s := newSession(t, t.TempDir())
	for _, q := range []string{"help", "who are you?", "are you a language model?"} {
		has(t, s.ask(q), "not a language model", "ai init", "OPENAI_API_KEY", "--provider openai --base-url URL --model ID")
	}
	has(t, s.ask("你能做什么"), "不是语言模型", "ai init")
	r := s.ask("why is the sky blue?")
	has(t, r, "I cannot answer that.", "not a language model", "ai init")
	if len(r.Chat.Suggestions) < 2 {
		t.Errorf("suggestions: %q", r.Chat.Suggestions)
	}
	p := offline.New(offline.Config{Language: "zh"})
	has(t, reply(t, p, llm.Context{Messages: []llm.Message{llm.UserText("hello")}}), "你好")
}

// TestGolden keeps the texts of a few whole conversations.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, questions := range map[string][]string{
		"repository": {"what changed in this repository?", "show the diff", "who changed toml.go last?"},
		"chinese":    {"这个仓库有什么改动？", "看看具体的差异", "最近 1 次提交", "更多"},
		"explain":    {"what is this project?", "how does ParseConfig work?", "and main.go?"},
		"talk":       {"hello", "help", "你能做什么？", "sing a song"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			write(t, dir, "main.go", "package main\n\nfunc main() {}\n")
			write(t, dir, "notes.txt", "x\n")
			s := newSession(t, dir)
			var b strings.Builder
			for _, q := range questions {
				r := s.ask(q)
				fmt.Fprintf(&b, "> %s\n\n", q)
				for _, c := range s.commands {
					fmt.Fprintf(&b, "    %s\n", protocol.FormatCommand(c[0], c[1:]))
				}
				fmt.Fprintf(&b, "\n%s\n\n%q\n\n", r.Message, r.Chat.Suggestions)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				write(t, "testdata", name+".golden", b.String())
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("%s differs (-update writes it anew):\n%s", file, b.String())
			}
		})
	}
}
