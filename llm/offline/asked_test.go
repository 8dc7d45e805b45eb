package offline_test

import (
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
)

func TestSearchInAKind(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	write(t, dir, "d7/list.txt", "ParseConfig is named here\n")
	s := newSession(t, dir)
	for _, q := range []string{`search for "ParseConfig" in go files`, "search for ParseConfig in the Go files", "which go files contain ParseConfig?", "在所有 go 文件里搜索 ParseConfig"} {
		r := s.ask(q)
		has(t, r, "**4 ", "**3 ", "`toml/toml.go` (2)", "`*.go`")
		hasNot(t, r, "list.txt")
	}
	has(t, s.ask("search for nowhere7 in go files"), "No file here contains `nowhere7`", "(Only files named `*.go` were searched.)")
	has(t, s.ask("查找包含 TODO 的文件"), "`toml/toml.go` (1)")
	has(t, s.ask("where is the function ParseConfig defined?"), "`ParseConfig` is defined in `toml/toml.go`, line 6")

	for _, q := range []string{"what files are in d7?", "list files in d7", "which files are in the d7 folder?"} {
		r := s.ask(q)
		has(t, r, "`list.txt`")
		hasNot(t, r, "main.go")
	}
	has(t, s.ask("is there a Makefile?"), "There are no files named `Makefile*`")
	write(t, dir, "Makefile", "test: ## all tests\n\tgo test ./...\n")
	for _, q := range []string{"is there a Makefile?", "有没有 Makefile？"} {
		has(t, s.ask(q), "- `Makefile`")
	}
	has(t, s.ask("is there a go.sum here?"), "There is no file `go.sum`")
}

func TestOutlineOfAPart(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := newSession(t, dir)
	has(t, s.ask("show README.md"), "Its headings: `Demo`, `Use`")
	write(t, dir, "README.md", "# Demo\n\n## Use\n"+strings.Repeat("line\n", 90)+"## License\n")
	has(t, s.ask("show README.md"), "Its headings in the part that I read: `Demo`, `Use`")
	has(t, s.ask("what is this project?"), "Its headings in the part that I read: `Use`")
}

// TestInputInPart says that what is told is about a part of the input only.
func TestInputInPart(t *testing.T) {
	t.Parallel()
	p := offline.New(offline.Config{Now: noon})
	c := llm.Context{
		System:   []string{"Rules.", "Left out for want of room: 7000 bytes of the person's input."},
		Messages: []llm.Message{llm.UserText(strings.Repeat("a long text\n", 100) + "…")},
	}
	has(t, reply(t, p, c), "only a part of it reached me")
	c.Messages = []llm.Message{llm.UserText("how many errors?\n\n--- standard input ---\nerror\n" + strings.Repeat("x\n", 9))}
	has(t, reply(t, p, c), "1 line", "only a part of it reached me")
	c.System = []string{"Left out for want of room: the 3 oldest messages of this conversation."}
	hasNot(t, reply(t, p, c), "reached me")
}

func TestHistoryAsked(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := newSession(t, dir)
	has(t, s.ask("how many commits are there?"), "**2 commits**")
	has(t, s.ask("有多少次提交？"), "**2 次提交**")
	has(t, s.ask("how many commits changed toml/toml.go?"), "**1 commit** in the history of HEAD changed `toml/toml.go`")
	has(t, s.ask("how many commits did Ada make?"), "**1 commit** of authors whose name or address has `Ada`")
	has(t, s.ask("谁提交得最多？"), "2 位作者", "Ada：1 次提交")
	r := s.ask("what did Lin change?")
	has(t, r, "1 commit of authors", "Lin: Test the parser", "changed 1 file:\n- `toml/toml_test.go`")
	hasNot(t, r, "Begin")
	has(t, s.ask("what did ada change?"), "Begin", "`main.go`")
	r = s.ask("what did Ada change in go.mod?")
	has(t, r, "Begin", "changed 1 file:\n- `go.mod`", "(Only commits that changed `go.mod`")
	hasNot(t, r, "main.go")
	has(t, s.ask("did Lin change go.mod?"), "has no commit of an author", "(Only commits that changed `go.mod`")
	has(t, s.ask("last commit by Lin"), "Test the parser")
	has(t, s.ask("Lin 改了什么？"), "Test the parser", "toml_test.go")
	has(t, s.ask("what did Bob change?"), "has no commit of an author whose name or address has `Bob`")
	has(t, s.ask("what did Ada change today?"), "Since 2026-03-04 there is no commit")
	write(t, dir, "notes.txt", "x")
	r = s.ask("which files changed this week?")
	has(t, r, "**1 file changed by commits since 2026-03-02**\n- `toml/toml_test.go`", "`notes.txt`")
	hasNot(t, r, "main.go")
	has(t, s.ask("今天改了哪些文件"), "改动了 1 个文件", "`toml/toml_test.go`")
	has(t, s.ask("commit my changes"), "I do not commit", "git commit -m \"MESSAGE\"")

	empty := t.TempDir()
	git(t, empty, nil, "init", "-q", "-b", "trunk")
	has(t, newSession(t, empty).ask("how many commits are there?"), "There are no commits yet.")
}

func TestHowTestsAreRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSession(t, dir)
	has(t, s.ask("how do I run the tests?"), "I found no README, Makefile")
	write(t, dir, "README.md", "# Demo\n\nNothing else.\n")
	has(t, s.ask("how do I run the tests?"), "no line about running tests in `README.md`")
	write(t, dir, "README.md", "# Demo\n\nRun `go test -race ./...` first.\n")
	write(t, dir, "Makefile", "build:\n\tgo build\n\ntest: ## all tests\n\tgo test ./...\n")
	write(t, dir, "go.mod", "module example.com/demo\n")
	write(t, dir, "package.json", "{\"scripts\": {\n  \"test\": \"vitest\"\n}}\n")
	r := s.ask("how do I run the tests?")
	has(t, r, "- `make test` (`Makefile`, line 4: `test: ## all tests`)", "- `npm run test` (`package.json`, line 2:", "`go.mod`: the usual command is `go test ./...`", "`README.md`, line 3: ")
	hasNot(t, r, "build")
	has(t, s.ask("怎么运行测试？"), "`make test`（`Makefile` 第 4 行")
}
