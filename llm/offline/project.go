package offline

import (
	"path"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func projectIntents() []intent {
	noFile := func(t *turn) bool {
		return t.file == "" || strings.Trim(t.file, "./") == "" || knownFile(t.file) == "README" && t.says("project", "项目")
	}
	return []intent{{
		name: "project",
		need: noFile,
		en: `
			what_is|whats|what_does|explain|describe|summari*|introduce|about|understand|overview|tell .. project|repo|repository|codebase|app|program|package|code_base
			what .. project|repo|repository|codebase|code about|for|do|does
			what kind|sort|type of project|repo
			^ project|repo|repository overview|summary? $
			what_is this|it $
			what_is this|it about|for
			what am_i looking_at
			get .. started|overview`,
		zh: `
			项目|仓库|代码库|工程|程序 .. 做什么|干什么|是什么|干嘛|干啥|做啥|用途|关于什么|介绍|讲什么
			介绍|解释|说明|概括|总结|了解|讲讲 .. 项目|仓库|代码库|工程
			这 个? 是什么|是干什么|是做什么 的? $
			什么 项目|工程|仓库`,
		ask: askProject, tell: tellProject,
	}}
}

// readmeLines is how much of a README is read to say what a project is.
const readmeLines = 60

func askProject(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtFolder(), t.lang.effectList(), step("ls", "-a"))
}

// manifests are the files that say what a project is.
func manifests() []string {
	return []string{"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "pom.xml", "build.gradle", "composer.json", "CMakeLists.txt", "setup.py", "Gemfile"}
}

func tellProject(t *turn) protocol.Reply {
	l := t.lang
	listing := t.of("ls", "")
	names := lines(listing)
	if len(t.rounds) == 1 {
		var steps []protocol.Step
		if readmes := withPrefix(names, "README"); len(readmes) > 0 {
			steps = append(steps, step("head", "-n", strconv.Itoa(readmeLines), safePath(readmes[0])))
		}
		for _, m := range manifests() {
			for _, n := range names {
				if n == m && len(steps) < 4 {
					steps = append(steps, step("head", "-n", "40", n))
				}
			}
		}
		if len(steps) == 0 {
			return tellNames(t, names)
		}
		return propose(l.readingAbout(), l.effectRead(), append(steps, step("ls", "-a"))...)
	}
	var parts []string
	last := t.rounds[len(t.rounds)-1]
	for i := range last {
		o := &last[i]
		if !succeeded(o) || program(o) != "head" {
			continue
		}
		name := lastArg(o)
		if withPrefix([]string{name}, "README") != nil {
			title, text := opening(lines(o))
			parts = append(parts, l.readmeSays(name, title, text))
			if what, items := describe(name, lines(o)); what == "headings" && len(items) > 1 {
				parts = append(parts, l.outline(what, items[1:], len(lines(o)) >= readmeLines))
			}
			continue
		}
		parts = append(parts, l.manifestSays(name, manifestFacts(name, lines(o))))
	}
	if len(parts) == 0 {
		return tellNames(t, names)
	}
	parts = append(parts, l.topLevel(shownNames(names)), l.readOffOnly(), t.notes())
	return say(paragraphs(parts...), l.changedQuestion(), l.linesQuestion(), l.showQuestion("README"))
}

func shownNames(names []string) []string {
	var out []string
	for _, n := range names {
		if n != "." && n != ".." && n != ".git" {
			out = append(out, n)
		}
	}
	return out
}

// tellNames answers where nothing says what a project is.
func tellNames(t *turn, names []string) protocol.Reply {
	l := t.lang
	shown := shownNames(names)
	if len(shown) == 0 {
		return say(paragraphs(l.emptyFolder("."), t.notes()), l.helpQuestions()...)
	}
	kindsHere := tally(shown, func(n string) string {
		if k := kindOfFile(n); k != nil {
			return k.name
		}
		return ""
	})
	var known []string
	for _, g := range kindsHere {
		if g.name != "" {
			known = append(known, g.name+" ("+digits(g.n)+")")
		}
	}
	return say(paragraphs(l.nothingSays(), l.topLevel(shown), l.kindsSeen(strings.Join(known, ", ")), t.notes()), l.listQuestion(), l.linesQuestion())
}

// opening gives the title and the first paragraph of a README.
func opening(all []string) (title, text string) {
	var words []string
	for _, s := range all {
		s = strings.TrimSpace(s)
		switch {
		case strings.HasPrefix(s, "# ") && title == "":
			title = strings.TrimSpace(s[2:])
		case s == "" || strings.HasPrefix(s, "```"):
			if len(words) > 0 {
				return title, strings.Join(words, " ")
			}
		case strings.HasPrefix(s, "#") || strings.HasPrefix(s, "[![") || strings.HasPrefix(s, "![") || strings.HasPrefix(s, "<") || strings.Trim(s, "=-*_") == "":
			if strings.Trim(s, "=") == "" && len(words) == 1 && title == "" {
				title, words = words[0], nil
			}
		default:
			words = append(words, s)
		}
	}
	return title, strings.Join(words, " ")
}

// manifestFacts gives a few lines of a manifest that name and version a
// project, as they stand there.
func manifestFacts(name string, all []string) []string {
	var out []string
	take := func(keys ...string) {
		for _, s := range all {
			trimmed := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ","))
			for _, k := range keys {
				if strings.HasPrefix(trimmed, k) && len(out) < 6 {
					out = append(out, cut(trimmed, 160))
				}
			}
		}
	}
	switch path.Ext(name) {
	case ".mod":
		take("module ", "go ")
	case ".json":
		take(`"name"`, `"version"`, `"description"`, `"type"`)
	case ".toml":
		take("name", "version", "description", "edition", "requires-python")
	case ".xml":
		take("<groupId>", "<artifactId>", "<version>", "<name>")
	default:
		take("project(", "name", "version", "group")
	}
	return out
}
