package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/internal/diff"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// question shows a question on a window and gives the answer to it.
func question(t *testing.T, e *emulator, cfg Config, color bool, typed string, q runner.Confirmation) (runner.Choice, error) {
	t.Helper()
	cfg.Out, cfg.Err = e, e
	f := New(cfg)
	f.err = e.output(color)
	f.people = newPeople(f)
	f.report = f.people
	a := &asker{face: f, console: &console{newInput(strings.NewReader(typed)), f.err, &modes{}}}
	choice, err := a.Confirm(t.Context(), q)
	if len(e.strange) > 0 {
		t.Errorf("the terminal got %q", e.strange)
	}
	return choice, err
}

func patchOf(old, new string) runner.Confirmation {
	return runner.Confirmation{
		ID: "cmd_001", CWD: "/home/you", Message: "好的，改成英文。", ExpectedEffect: "English texts",
		Step: protocol.Step{Tool: protocol.ToolJSONPatch, Path: "~/.slothtool/settings.json", Set: []protocol.Assignment{{Path: "/language", Value: []byte(`"en"`)}}},
		Judgement: policy.Judgement{
			Level: protocol.Confirm, Listed: true, Rules: []string{"config.json_patch"}, Reasons: []string{"changes a settings file"},
		},
		Change: &runner.FileChange{Path: "/home/you/.slothtool/settings.json", Diff: diff.Compare(old, new)},
	}
}

func env(key string) string {
	if key == "HOME" {
		return "/home/you"
	}
	return ""
}

func TestChangeOnTheScreen(t *testing.T) {
	t.Parallel()
	old := "{\n  \"language\": \"zh\",\n  \"说明\": \"这是一个很长的说明文字，用来测试很窄的终端窗口怎样换行\",\n  \"n\": 1\n}\n"
	new := "{\n  \"language\": \"en\",\n  \"说明\": \"这是一个很长的说明文字，用来测试很窄的终端窗口怎样显示\",\n  \"evil\": \"\x1b[2J\u202e\u2028x\u200d\",\n  \"n\": 1\n}"
	e := &emulator{width: 40, height: 24}
	q := patchOf(old, new)
	q.Change.Again = true
	choice, err := question(t, e, Config{Language: Chinese, Getenv: env}, false, "编辑\n", q)
	if choice != runner.Edit || err != nil {
		t.Errorf("answer %v, %v", choice, err)
	}
	want := `[L1] edit ~/.slothtool/settings.json: 
     /language
     changes a settings file
       (config.json_patch)
     原因: 好的，改成英文。
     效果: English texts
在此期间文件被其他程序修改了。现在将
  要做的修改是：
     文件: ~/.slothtool/settings.json
@@ -1,5 +1,6 @@
 {
-  "language": "zh",
-  "说明": "这是一个很长的说明文字，用
↳来测试很窄的终端窗口怎样换行",
+  "language": "en",
+  "说明": "这是一个很长的说明文字，用
↳来测试很窄的终端窗口怎样显示",
+  "evil": "␛[2J\u202e\u2028x\u200d",
   "n": 1
-}
+}
\ No newline at end of file
要写入吗？ 是[y]  否[N]  编辑[e]  为
什么[w] >`
	if got := e.text(); got != strings.ReplaceAll(want, ": \n", ":\n") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestChangeInColour(t *testing.T) {
	t.Parallel()
	var raw bytes.Buffer
	e := &emulator{width: 80, height: 24}
	d := diff.Compare("a 1\nb\n", "a 2\nb\n")
	rows, _ := diffRows(d, 79, nearChange, mostChange)
	for _, row := range rows {
		raw.WriteString(paintCells(row, true) + "\n")
	}
	want := "\x1b[2m@@ -1,2 +1,2 @@\x1b[0m\n\x1b[31m-a \x1b[0m\x1b[1;31;7m1\x1b[0m\n\x1b[32m+a \x1b[0m\x1b[1;32;7m2\x1b[0m\n b\n"
	if raw.String() != want {
		t.Errorf("%q, want %q", raw.String(), want)
	}
	q := patchOf("", "{}\n")
	q.Change.Created = true
	q.Change.Path = "/home/you/a b/x.json"
	if choice, _ := question(t, e, Config{Getenv: env}, true, "\n", q); choice != runner.No {
		t.Errorf("Enter is %v", choice)
	}
	if !strings.Contains(e.text(), "file: '/home/you/a b/x.json' (will be created)") {
		t.Errorf("the path:\n%s", e.text())
	}
}

func TestLongChange(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	e := &emulator{width: 80, height: 30}
	if choice, _ := question(t, e, Config{}, false, "d\ny\n", patchOf("", b.String())); choice != runner.Yes {
		t.Errorf("answer %v", choice)
	}
	first, all, _ := strings.Cut(e.text(), "[d]iff: all of it")
	if !strings.Contains(first, "+line 18\n… lines that are not shown: 81; d shows all") || strings.Contains(first, "+line 19\n") {
		t.Errorf("the first part:\n%s", first)
	}
	if !strings.Contains(all, "+line 0\n") || !strings.Contains(all, "+line 99\n") {
		t.Errorf("all of it:\n%s", all)
	}
	// A long value is one line; its middle is what one does not look at.
	e = &emulator{width: 80, height: 60}
	value := strings.Repeat("x", 1000) + "EVIL" + strings.Repeat("x", 1000)
	_, _ = question(t, e, Config{}, false, "d\nn\n", patchOf("a\n", "a\n"+value+"\n"))
	first, all, _ = strings.Cut(e.text(), "[d]iff: all of it")
	if !strings.Contains(first, "…(+1204)…") || strings.Contains(first, "EVIL") || !strings.Contains(strings.ReplaceAll(all, "\n↳", ""), value) {
		t.Errorf("a long value:\n%s", e.text())
	}
	e = &emulator{width: 80, height: 60}
	_, _ = question(t, e, Config{}, false, "n\n", patchOf("a\n", "b\n"))
	if strings.Contains(e.text(), "[d]iff") {
		t.Errorf("a short one offers more:\n%s", e.text())
	}
}

func TestScreenQuestion(t *testing.T) {
	t.Parallel()
	e := &emulator{width: 80, height: 30}
	choice, _ := question(t, e, Config{}, false, "a\ny\n", runner.Confirmation{
		Step: protocol.Step{Tool: protocol.ToolPluginRun, Plugin: "loc", Args: []string{"a b"}}, CWD: "/home/you", Screen: true, Person: true,
		Judgement: policy.Judgement{Level: protocol.Confirm, Path: "/usr/bin/node", Args: []string{"/x/loc.js", "a b"}},
	})
	text := e.text()
	if choice != runner.Yes || !strings.Contains(text, "[L1] loc 'a b' (plugin)\n") || !strings.Contains(text, "opens its own screen") ||
		strings.Contains(text, "always") || !strings.Contains(text, "one of the keys") {
		t.Errorf("%v\n%s", choice, text)
	}
}

func TestStepLines(t *testing.T) {
	t.Parallel()
	op := func(op, from, path string) protocol.Operation {
		return protocol.Operation{Op: op, From: from, Path: path}
	}
	for want, step := range map[string]protocol.Step{
		"loc ./src (plugin)":              {Tool: protocol.ToolPluginRun, Plugin: "loc", Args: []string{"./src"}},
		"loc '(plugin)' (plugin)":         {Tool: protocol.ToolPluginRun, Plugin: "loc", Args: []string{"(plugin)"}},
		"edit ~/.a/b.json: /x, remove /y": {Tool: protocol.ToolJSONPatch, Path: "~/.a/b.json", Set: []protocol.Assignment{{Path: "/x", Value: []byte("1")}}, Unset: []string{"/y"}},
		"edit /a.json: /1, test /2, move /3 → /4, /5, … (+2)": {Tool: protocol.ToolJSONPatch, Path: "/a.json", Patch: []protocol.Operation{
			op("replace", "", "/1"), op("test", "", "/2"), op("move", "/3", "/4"), op("add", "", "/5"), op("add", "", "/6"), op("remove", "", "/7")}},
		`edit $'~/\x1b[2J': $'/\u202e'`: {Tool: protocol.ToolJSONPatch, Path: "~/\x1b[2J", Unset: nil, Set: []protocol.Assignment{{Path: "/\u202e"}}},
	} {
		if got := stepLine(&step); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// patched is the story of a patch that was carried out.
func patched(t *testing.T, o protocol.Observation, change *protocol.ConfigDiff) story {
	t.Helper()
	q := patchOf("{\n  \"language\": \"zh\"\n}\n", "{\n  \"language\": \"en\"\n}\n")
	o.Event, o.Tool, o.ID = "tool_result", "config.json_patch", "cmd_001"
	if change != nil {
		item, err := json.Marshal(change)
		if err != nil {
			t.Fatal(err)
		}
		o.Parsed = &protocol.Parsed{Kind: protocol.ParsedConfigDiff, Total: 1}
		o.Parsed.Items = append(o.Parsed.Items, item)
	}
	return append(started(),
		runner.Event{Type: runner.ToolExecutionStart, ID: "cmd_001", Step: &q.Step, Judgement: &q.Judgement, CWD: "/home/you", Change: q.Change},
		runner.Event{Type: runner.ToolExecutionEnd, ID: "cmd_001", Step: &q.Step, Judgement: &q.Judgement, Observation: &o},
	).end(runner.Result{End: runner.EndChat})
}

func TestPatchIsTold(t *testing.T) {
	t.Parallel()
	const head = "[L1] edit ~/.slothtool/settings.json: /language\n     changes a settings file (config.json_patch)\n"
	change := &protocol.ConfigDiff{Path: "/x", Diff: "--- a\n+++ b\n@@ -1 +1 @@\n-\x1b1\n+2\n", Backup: "b1"}
	nobody := &protocol.Verdict{Level: protocol.Confirm, Rules: []string{"config.json_patch"}, DecidedBy: protocol.DecidedByNobody}
	for name, c := range map[string]struct {
		cfg    Config
		o      protocol.Observation
		change *protocol.ConfigDiff
		want   string
	}{
		"the same": {Config{}, protocol.Observation{Outcome: protocol.Ran, Note: "nothing was changed"}, &protocol.ConfigDiff{}, "     nothing was changed\n"},
		"changed":  {Config{}, protocol.Observation{Outcome: protocol.Ran, Note: "written; `ai undo` takes it back"}, change, "     changed; `ai undo` takes it back\n"},
		"created":  {Config{Language: Chinese}, protocol.Observation{Outcome: protocol.Ran}, &protocol.ConfigDiff{Created: true, Backup: "b"}, "     已创建；`ai undo` 可以恢复\n"},
		"verbose":  {Config{Verbose: true}, protocol.Observation{Outcome: protocol.Ran}, change, "     changed; `ai undo` takes it back\n     --- a\n     +++ b\n     @@ -1 +1 @@\n     -␛1\n     +2\n"},
		"declined": {Config{}, protocol.Observation{Outcome: protocol.Declined}, nil, "     not changed: you said no\n"},
		"nobody":   {Config{Yes: true}, protocol.Observation{Outcome: protocol.Refused, Verdict: nobody}, nil, "     not changed\n     hint: only a person can allow it: run ai in a terminal\n"},
	} {
		_, got := tell(t, c.cfg, patched(t, c.o, c.change))
		if got != head+c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, head+c.want)
		}
	}
}

func TestPatchAsJSON(t *testing.T) {
	t.Parallel()
	_, stderr := tell(t, Config{JSON: true}, patched(t, protocol.Observation{Outcome: protocol.Ran}, nil))
	for line := range strings.Lines(stderr) {
		var m struct {
			Type string `json:"type"`
			Path string `json:"path"`
			Diff string `json:"diff"`
			Step struct {
				Tool string `json:"tool"`
				Path string `json:"path"`
			} `json:"step"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.Type != "tool_execution_start" {
			continue
		}
		const path = "/home/you/.slothtool/settings.json"
		want := "--- " + path + "\n+++ " + path + "\n@@ -1,3 +1,3 @@\n {\n-  \"language\": \"zh\"\n+  \"language\": \"en\"\n }\n"
		if m.Path != path || m.Diff != want || m.Step.Tool != "config.json_patch" || m.Step.Path != "~/.slothtool/settings.json" {
			t.Errorf("%s", line)
		}
		return
	}
	t.Error("no step was told")
}

// A flag answers for a person, but not where a person has to look.
func TestYesAndAPerson(t *testing.T) {
	t.Parallel()
	person := runner.Confirmation{Person: true, Judgement: policy.Judgement{Level: protocol.Confirm}}
	bare := runner.Confirmation{Again: true, Bare: true, Judgement: policy.Judgement{Level: protocol.Confirm}}
	plain := runner.Confirmation{Judgement: policy.Judgement{Level: protocol.Confirm}}
	y := &yes{Asker: nobody{}}
	for _, q := range []runner.Confirmation{person, bare} {
		if choice, err := y.Confirm(t.Context(), q); choice != runner.No || !errors.Is(err, runner.ErrNobody) {
			t.Errorf("nobody there: %v, %v", choice, err)
		}
	}
	y = &yes{Asker: sayYes{}}
	if d := y.Decider(); d != protocol.DecidedByFlag {
		t.Errorf("before any answer: %v", d)
	}
	for i, c := range []struct {
		q    runner.Confirmation
		want protocol.Decider
	}{{plain, protocol.DecidedByFlag}, {person, protocol.DecidedByUser}, {plain, protocol.DecidedByFlag}, {bare, protocol.DecidedByUser}} {
		if choice, err := y.Confirm(t.Context(), c.q); choice != runner.Yes || err != nil || y.Decider() != c.want {
			t.Errorf("%d: %v, %v by %v", i, choice, err, y.Decider())
		}
	}
}

// sayYes is a person who says yes.
type sayYes struct{ runner.Asker }

func (sayYes) Confirm(context.Context, runner.Confirmation) (runner.Choice, error) {
	return runner.Yes, nil
}
