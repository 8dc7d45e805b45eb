package offline_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/internal/diff"
	"github.com/holic512/plugin-ai/internal/slothtree"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
)

// newSlothSession is a session in a home with SlothTool and its plugins.
func newSlothSession(t *testing.T) *session {
	t.Helper()
	s := newSession(t, t.TempDir())
	if _, err := slothtree.Plant(s.dir); err != nil {
		t.Fatal(err)
	}
	r, err := registry.Load(filepath.Join(s.dir, ".slothtool", "registry.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.system = []string{"Rules.", "Folder: " + s.dir + "\nhome: " + s.dir + "\nPlugins: " + r.Aliases(400)}
	return s
}

// runPlugin runs a plugin of the tree with node.
func (s *session) runPlugin(step protocol.Step, o protocol.Observation) protocol.Observation {
	s.t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		s.t.Skip("node is not here, and plugins are its programs")
	}
	r, err := registry.Load(filepath.Join(s.dir, ".slothtool", "registry.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	plugin, ok := r.Lookup(step.Plugin)
	if !ok {
		s.t.Fatalf("there is no plugin %q", step.Plugin)
	}
	program, err := plugin.Program(filepath.Join(s.dir, ".slothtool", "plugins"))
	if err != nil {
		s.t.Fatal(err)
	}
	e, err := executors.NewExec(executors.ExecConfig{Env: environment(s.dir)})
	if err != nil {
		s.t.Fatal(err)
	}
	args := append([]string{program}, step.Args...)
	result := e.Run(s.t.Context(), executors.Command{Name: "node", Path: node, Args: args, Dir: s.dir, Plugin: step.Plugin}, nil)
	name := "node"
	o.Program, o.Args, o.Outcome, o.Note = &name, args, result.Outcome, result.Note
	o.ExitCode, o.StdoutTail, o.StderrTail, o.Truncated, o.Parsed = result.ExitCode, result.Stdout, result.Stderr, result.Truncated, result.Parsed
	return o
}

// patch changes a settings file.
func (s *session) patch(step protocol.Step, o protocol.Observation) protocol.Observation {
	s.t.Helper()
	sloth := filepath.Join(s.dir, ".slothtool")
	files := jsonfile.New(jsonfile.Config{Home: s.dir, Sloth: sloth, Schema: func(path string) string {
		return map[string]string{"ai.json": "config", "settings.json": "slothtool_settings"}[filepath.Base(path)]
	}})
	plan, err := files.Plan(step.Path, s.dir, jsonfile.Edit{Set: step.Set})
	if err != nil {
		o.Outcome, o.Note = protocol.NotStarted, err.Error()
		return o
	}
	d := protocol.ConfigDiff{Path: plan.Path, Created: !plan.Existed, Diff: diff.Compare(string(plan.Old), string(plan.New)).Unified(plan.Path, plan.Path)}
	if !plan.Same() {
		if d.Backup, err = files.Commit(s.t.Context(), plan); err != nil {
			s.t.Fatal(err)
		}
	}
	o.Outcome = protocol.Ran
	o.Parsed = &protocol.Parsed{Kind: protocol.ParsedConfigDiff, Total: 1, Items: []jsontext.Value{jsontext.Value(marshal(s.t, d))}}
	return o
}

func TestChangeSettings(t *testing.T) {
	t.Parallel()
	s := newSlothSession(t)
	own, sloth := filepath.Join(s.dir, ".slothtool", "plugin-configs", "ai.json"), filepath.Join(s.dir, ".slothtool", "settings.json")
	is := func(file, part string) {
		t.Helper()
		if text := readFile(t, file); !strings.Contains(text, part) {
			t.Errorf("%s lacks %s:\n%s", file, part, text)
		}
	}
	has(t, s.ask("set the language to English"), "Done", "`language` of `ai` is now `en` in `~/.slothtool/plugin-configs/ai.json`", "`ai undo`")
	is(own, `"language": "en"`)
	is(sloth, `"language": "zh"`)
	has(t, s.ask("set language to en"), "Nothing was changed", "already")
	has(t, s.ask("设置 maxTailLines 为 100"), "`maxTailLines` 现在是 `100`", "`ai undo` 可以恢复")
	is(own, `"maxTailLines": 100`)
	has(t, s.ask("set the language to default"), "`language` of `ai` is now `null`")
	is(own, `"language": null`)
	has(t, s.ask("set SlothTool's language to English"), "SlothTool's setting `language` is now `en` in `~/.slothtool/settings.json`")
	is(sloth, `"language": "en"`)
	has(t, s.ask("打开 SlothTool 的代理"), "`network.proxy.enabled` 现在是 `on`")
	is(sloth, `"enabled": true`)

	has(t, s.ask("show SlothTool's settings"), "settings.json` says", `"preset": "gh-proxy"`, "`slothtool config`")
	has(t, s.ask("show my settings"), "ai.json` says", `"maxTailLines": 100`, "`ai config list`")

	for q, want := range map[string][]string{
		"turn off the sandbox":            {"a model must not change", "ai config set sandbox off"},
		"set allowWrite to false":         {"a model must not change", "ai config set allowWrite false"},
		"set allowedPrograms to git":      {"a model must not change", `ai config set allowedPrograms '["git"]'`},
		"set safePlugins to {\"a b\": 1}": {"a model must not change", `ai config set safePlugins `},
		"关闭沙箱":                            {"模型不得修改", "ai config set sandbox off"},
		"把步数改成 5":                         {"模型不得修改", "ai config set maxAutoStepsPerTurn 5"},
		"set maxRepairs to 11":            {"`11` is no value", "from 0 to 10"},
		"set the language to French":      {"`French` is no value", "`en`, `zh`"},
		"set SlothTool's theme to dark":   {"I do not know that setting of SlothTool", "`slothtool config`"},
	} {
		has(t, s.ask(q), want...)
		if len(s.steps) > 0 {
			t.Errorf("%q: %v", q, s.steps)
		}
	}

	write(t, s.dir, ".slothtool/plugin-configs/ai.json", "{ broken")
	has(t, s.ask("set maxRepairs to 4"), "Nothing was changed: it could not be started: ", "ai config set maxRepairs 4")
	if text := readFile(t, own); text != "{ broken" {
		t.Errorf("a broken file was changed: %s", text)
	}
}

func TestChangeNotMade(t *testing.T) {
	t.Parallel()
	s := newSlothSession(t)
	var outcome protocol.Outcome
	var verdict *protocol.Verdict
	s.outcome = func(protocol.Step) (protocol.Outcome, *protocol.Verdict) { return outcome, verdict }
	outcome = protocol.Declined
	has(t, s.ask("set maxRepairs to 4"), "You said no, so nothing was changed")
	has(t, s.ask("把 maxRepairs 改成 4"), "你没有同意")
	outcome, verdict = protocol.Refused, &protocol.Verdict{DecidedBy: protocol.DecidedByNobody}
	has(t, s.ask("set maxRepairs to 4"), "there is nobody to ask", "ai config set maxRepairs 4")
	has(t, s.ask("把 SlothTool 的语言改成英文"), "无人可问", "slothtool config language en")
	has(t, s.ask("turn on SlothTool's proxy"), "slothtool config proxy enabled on")
	has(t, s.ask("run count src"), "there is nobody to ask", "`slothtool count src`")
	verdict = &protocol.Verdict{Reasons: []string{"writing is not allowed"}, DecidedBy: protocol.DecidedByPolicy}
	has(t, s.ask("set maxRepairs to 4"), "it was refused: writing is not allowed")
	has(t, s.ask("run count src"), "`count src` was refused: writing is not allowed")
	outcome, verdict = protocol.Cancelled, nil
	has(t, s.ask("把 maxRepairs 改成 4"), "没有做任何修改：已取消")
	outcome = protocol.Declined
	has(t, s.ask("what can count do?"), "`count --help` was not run: you said no.")
	has(t, s.ask("运行 count src"), "`count src` 没有运行：你没有同意")
}

// TestWhichLanguage says whose language is changed where there are two.
func TestWhichLanguage(t *testing.T) {
	t.Parallel()
	p := offline.New(offline.Config{Now: noon})
	first := func(q string, system ...string) protocol.Reply {
		return reply(t, p, llm.Context{System: system, Messages: []llm.Message{llm.UserText(q)}})
	}
	const facts = "home: /home/ada\nPlugins: count, notes"
	has(t, first("set the language to English", facts), "of `ai`", "`set SlothTool's language to English`")
	has(t, first("把语言改成英文", facts), "`ai` 的设置", "`把 SlothTool 的语言改成英文`")
	hasNot(t, first("set the language to English"), "SlothTool")
	hasNot(t, first("set SlothTool's language to English", facts), "of `ai`")
}

func TestUndoIsThePersons(t *testing.T) {
	t.Parallel()
	p := offline.New(offline.Config{Now: noon})
	change := []llm.Message{
		llm.UserText("set language to en"),
		llm.AssistantText(`{"type":"cmd","message":"x","ran":["config.json_patch: /home/ada/.slothtool/settings.json, replace /language (cmd_001, ran)"]}`),
		llm.AssistantText(`{"type":"chat","message":"Done"}`),
	}
	for _, tt := range []struct {
		question string
		system   []string
		messages []llm.Message
		want     []string
		not      string
	}{
		{"put it back", nil, nil, []string{"`ai undo`"}, "last change was"},
		{"put it back", []string{"home: /home/ada"}, change, []string{"The last change was in `~/.slothtool/settings.json`", "`ai undo`"}, ""},
		{"撤销", nil, change, []string{"上一次修改的是 `/home/ada/.slothtool/settings.json`", "`ai undo`"}, ""},
		// Nothing was written by it.
		{"undo that", []string{"Earlier results, shortened:\n" + `{"_event":"tool_result","tool":"config.json_patch","id":"cmd_001","args":[],"outcome":"ran","parsed":{"kind":"config_diff","total":1,"items":[{"path":"/home/ada/.slothtool/settings.json","operations":[],"diff":""}]}}`}, change, []string{"`ai undo`"}, "last change was"},
		// Only the kept result still tells of it.
		{"undo that", []string{"Earlier results, shortened:\n" + `{"_event":"tool_result","tool":"config.json_patch","id":"cmd_004","args":[],"outcome":"ran","parsed":{"kind":"config_diff","total":1,"items":[{"path":"/x/ai.json","operations":[],"diff":"","backup":"20260304-1"}]}}`}, nil, []string{"`/x/ai.json`"}, ""},
		{"undo that", nil, []llm.Message{change[0], llm.AssistantText(`{"type":"cmd","message":"x","ran":["config.json_patch (cmd_001, declined)","config.json_patch: (cmd_002, ran","cat config.json_patch: (cmd_001, ran)"]}`)}, []string{"`ai undo`"}, "last change was"},
	} {
		r := reply(t, p, llm.Context{System: tt.system, Messages: append(append([]llm.Message{}, tt.messages...), llm.UserText(tt.question))})
		has(t, r, tt.want...)
		if tt.not != "" {
			hasNot(t, r, tt.not)
		}
	}
}

func TestPlugins(t *testing.T) {
	t.Parallel()
	s := newSlothSession(t)
	write(t, s.dir, "src/a.txt", "1\n2\n")
	has(t, s.ask("which plugins are installed?"), "`count`", "`notes`", "`table`", "`ai plugins`")
	has(t, s.ask("有哪些插件？"), "已安装的插件", "`count`")
	has(t, s.ask("what can count do?"), "`count --help` ran and succeeded", "count [FOLDER]")
	has(t, s.ask("count 能做什么？"), "`count --help` 运行成功")
	has(t, s.ask("run the count plugin on src"), "`count src` ran and succeeded", "a.txt")
	has(t, s.ask("用 count 插件统计 src"), "`count src` 运行成功", "a.txt")
	has(t, s.ask("run count src --json"), "```json\n{\n  \"folder\": \"src\"")
	has(t, s.ask("run count nowhere"), "exit code 1", "On its error output:")
	has(t, s.ask("run notes list --json"), "| `id` | `text` |", "买牛奶")
	s.system = []string{"Rules."}
	has(t, s.ask("which plugins are installed?"), "I see no installed SlothTool plugins", "slothtool install")
	has(t, s.ask("有哪些插件？"), "没有看到", "slothtool install")
	s.system = []string{"Plugins: loc, … and 12 more"}
	has(t, s.ask("list plugins"), "- `loc`\n- … and 12 more")
}

// TestOddToolResults must not fail whatever came back, and shows what a plugin
// wrote as data.
func TestOddToolResults(t *testing.T) {
	t.Parallel()
	p := offline.New(offline.Config{Now: noon})
	ask := func(q, result string) protocol.Reply {
		return reply(t, p, llm.Context{System: []string{"Plugins: loc"}, Messages: []llm.Message{
			llm.UserText(q), llm.AssistantText(`{"type":"cmd","message":"x"}`), llm.UserText(result), llm.UserText(protocol.Continue),
		}})
	}
	parsed := func(kind, items string, total int) string {
		return fmt.Sprintf(`{"_event":"tool_result","tool":"plugin.run","program":"node","args":["/p/loc.js"],"exitCode":0,"stdoutTail":"raw text","outcome":"ran","parsed":{"kind":%q,"total":%d,"items":[%s]}}`, kind, total, items)
	}
	for _, q := range []string{"run loc", "what can loc do?", "运行 loc 'x", "set maxRepairs to 4", "put it back", "which plugins are installed?"} {
		for _, result := range []string{
			`{"_event":"tool_result"}`, `{"_event":"tool_result","tool":"plugin.run","outcome":"ran"}`, `{"_event":"tool_result","tool":"plugin.run","outcome":"timed_out"}`,
			`{"_event":"tool_result","tool":"config.json_patch","outcome":"ran","parsed":{"kind":"config_diff","total":1,"items":["x"]}}`,
			`{"_event":"tool_result","tool":"config.json_patch","outcome":"skipped"}`, `{"_event":"tool_result","tool":"config.json_patch","outcome":"odd","verdict":{"level":"L1"}}`,
			parsed("plugin_output", `null`, 1), parsed("plugin_output", `{}`, 1), parsed("plugin_output", `{"a":{}}`, 1), parsed("search_matches", `1`, 1),
		} {
			if r := ask(q, result); r.Type != protocol.KindChat {
				t.Errorf("%q after %s: %s", q, result, r.Type)
			}
		}
	}
	for _, tt := range []struct {
		total       int
		items, want string
	}{
		{2, `{"name":"a|b","n":1},{"name":"` + "`" + `# c\n\n> d","n":null}`, "| `name` | `n` |\n| --- | --- |\n| `a\\|b` | `1` |\n| `` `# c\\n\\n> d `` | `null` |"},
		{1, `{"total":2,"路径":"中 文"}`, "- `total`: `2`\n- `路径`: `中 文`"},
		{3, `"x",2,true`, "- `x`\n- `2`\n- `true`"},
		{2, `{"a":1},{"b":1}`, "```json\nraw text"}, {2, `{"a":1},2`, "```json\nraw text"}, {1, `{"a":[1]}`, "```json\nraw text"},
	} {
		has(t, ask("run loc", parsed("plugin_output", tt.items, tt.total)), tt.want)
	}
	screen := ask("run loc", `{"_event":"tool_result","tool":"plugin.run","program":"node","args":["/p/loc.js"],"exitCode":0,"outcome":"ran"}`)
	has(t, screen, "`loc` ran and succeeded.")
	hasNot(t, screen, "nothing") // what it wrote to the terminal is not known
	has(t, ask("run loc", `{"_event":"tool_result","tool":"plugin.run","program":"node","args":[],"exitCode":null,"outcome":"timed_out","stdoutTail":"half"}`), "half", "was ended by the time limit")
	has(t, ask("run loc", parsed("plugin_output", `1`, 2)), "raw text") // not all of it came
}

// TestPluginQuestions are requests where plugins are installed, and the step
// that they lead to; "" is none of a plugin.
func TestPluginQuestions(t *testing.T) {
	t.Parallel()
	p := offline.New(offline.Config{Now: noon})
	for q, want := range map[string]string{
		"run loc --help":                           "loc --help",
		"Run LOC":                                  "loc",
		"please run loc on src with --json":        "loc src --json",
		"run the loc plugin on the src folder":     "loc src",
		"run the loc plugin on this folder":        "loc .",
		"run plugin loc src":                       "loc src",
		"use the loc plugin on 'my files'":         "loc 'my files'",
		"start the codex-models plugin":            "codex-models",
		"run codex-models model list":              "codex-models model list",
		"run loc add buy milk on the way":          "loc add buy milk on the way",
		"what does the loc plugin do?":             "loc --help",
		"how do I use loc?":                        "loc --help",
		"tell me what loc can do":                  "loc --help",
		"loc help":                                 "loc --help",
		"运行 loc 插件":                                "loc",
		"运行loc --json src":                         "loc --json src",
		"执行一下 loc src":                             "loc src",
		"对 src 运行 loc 插件":                          "loc src",
		"在 src 上运行 loc":                            "loc src",
		"loc 插件怎么用？":                               "loc --help",
		"loc 插件是做什么的？":                             "loc --help",
		"怎么使用 loc":                                 "loc --help",
		"run location":                             "",
		"run ls":                                   "",
		"run git log":                              "",
		"use loc in main.go":                       "",
		"where is loc used?":                       "",
		"how does loc work?":                       "",
		"open the door":                            "",
		"which plugins does vite need?":            "",
		"run the tests":                            "",
		"what can you do?":                         "",
		"what does main.go do?":                    "",
		"count the lines of go":                    "",
		"run '":                                    "",
		"运行测试":                                     "",
		"打开 README":                                "",
		"what is a loc?":                           "",
		"explain the git plugin of the shell":      "",
		"run the git plugin":                       "git",
		"run the loc plugin\nand another question": "",
	} {
		r := reply(t, p, llm.Context{System: []string{"Plugins: loc, codex-models, git, ls"}, Messages: []llm.Message{llm.UserText(q)}})
		got := ""
		if r.Cmd != nil && r.Cmd.Steps[0].Tool == protocol.ToolPluginRun {
			got = protocol.FormatCommand(r.Cmd.Steps[0].Plugin, r.Cmd.Steps[0].Args)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", q, got, want)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
