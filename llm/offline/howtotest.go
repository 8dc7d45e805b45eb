package offline

import (
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// testsIntents are the questions how the tests of a project are run.
func testsIntents() []intent {
	return []intent{{
		name: "project.tests",
		need: func(t *turn) bool { return t.file == "" },
		en: `
			how .. run|execute|start|launch .. tests|test|testsuite $
			how do|can|to|should i|you|we|one? test this|it|project|everything|code?
			which|what command .. runs|run|for .. tests|test`,
		zh: `
			怎么|怎样|如何 .. 运行|跑|执行|做|启动 .. 测试
			怎么|怎样|如何 测试 .. $
			测试 怎么|怎样|如何 运行|跑|执行|做`,
		ask: askProject, tell: tellTests,
	}}
}

// testSources are the files that may say how tests are run, the lines of them
// that say it, and the usual command where such a file stands.
func testSources() []struct{ file, lines, usual string } {
	return []struct{ file, lines, usual string }{
		{"Makefile", "^(test|tests|check)[A-Za-z0-9_-]*:([^=]|$)", ""},
		{"package.json", `"test(:[A-Za-z0-9:_-]+)?": *"`, ""},
		{"go.mod", "^module ", "go test ./..."},
		{"Cargo.toml", `^\[(package|workspace)\]`, "cargo test"},
	}
}

// readmeTests finds the lines of a README that hold a command for tests.
const readmeTests = `(^|[^A-Za-z0-9_-])((go|cargo|npm|pnpm|yarn|npm run|make|mvn|gradle|gradlew|dotnet|swift|mix|rake) (test|check)|pytest|ctest|tox|unittest)([^A-Za-z0-9_]|$)`

func tellTests(t *turn) protocol.Reply {
	l := t.lang
	if len(t.rounds) == 1 {
		listing := t.of("ls", "")
		if !succeeded(listing) {
			return t.failed(listing)
		}
		names := lines(listing)
		var steps []protocol.Step
		for _, s := range testSources() {
			if slices.Contains(names, s.file) {
				steps = append(steps, step("grep", "-nE", s.lines, s.file))
			}
		}
		if readmes := withPrefix(names, "README"); len(readmes) > 0 {
			steps = append(steps, step("grep", "-nE", readmeTests, safePath(readmes[0])))
		}
		if len(steps) == 0 {
			return say(paragraphs(l.noTestsSaid(nil), t.notes()), l.projectQuestion(), l.listQuestion())
		}
		return propose(l.lookingForTests(), l.effectSearch(), steps...)
	}
	var items, read []string
	last := t.rounds[len(t.rounds)-1]
	for i := range last {
		o := &last[i]
		if !ran(o) {
			continue
		}
		file := strings.TrimPrefix(lastArg(o), "./")
		read = append(read, file)
		if !succeeded(o) {
			continue
		}
		found := lines(o)
		at := slices.IndexFunc(testSources(), func(s struct{ file, lines, usual string }) bool { return s.file == file })
		if at >= 0 && testSources()[at].usual != "" {
			items = append(items, l.usualTests(file, testSources()[at].usual))
			continue
		}
		for _, f := range firstLines(found, min(len(found), 6)) {
			n, text, ok := strings.Cut(f, ":")
			if !ok || number(n) == 0 {
				continue
			}
			text = strings.TrimSpace(cut(visible(text), 160))
			items = append(items, l.saysTests(file, n, text, testCommand(file, text)))
		}
	}
	if len(items) == 0 {
		return say(paragraphs(l.noTestsSaid(read), t.notes()), l.projectQuestion(), l.listQuestion())
	}
	return say(paragraphs(l.testsTitle()+"\n"+l.bullets(items, 16), l.readOffOnly(), t.notes()), l.projectQuestion(), l.showQuestion(read[0]))
}

// testCommand gives the command that a target of a Makefile or a script of a
// package.json is run with, or "".
func testCommand(file, text string) string {
	switch file {
	case "Makefile":
		target, _, _ := strings.Cut(text, ":")
		return "make " + target
	case "package.json":
		name := strings.Trim(strings.SplitN(text, `":`, 2)[0], `"`)
		return "npm run " + name
	}
	return ""
}
