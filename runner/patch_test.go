package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/internal/slothtree"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
	"github.com/holic512/plugin-ai/runner"
)

// settings is a stage with a real settings file, and its path.
func settings(t *testing.T, answers ...answer) (*stage, string) {
	t.Helper()
	s := newStage(t, answers...)
	tree, err := slothtree.Plant(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.Files = jsonfile.New(jsonfile.Config{Home: tree.Home, Sloth: tree.Dir})
	s.Plugins, s.PluginFolder, s.PluginData = registry.Open(tree.Registry), tree.Plugins, filepath.Join(tree.Dir, "data")
	s.Home = tree.Home
	return s, tree.Settings
}

// english sets the language.
func english() answer {
	return say(`{"type":"cmd","message":"Setting it.","data":{"commands":[{"tool":"config.json_patch","path":"~/.slothtool/settings.json","set":{"/language":"en"}}]}}`)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// change is what an observation tells of a change.
func change(t *testing.T, o protocol.Observation) protocol.ConfigDiff {
	t.Helper()
	if o.Parsed == nil || o.Parsed.Kind != protocol.ParsedConfigDiff || len(o.Parsed.Items) != 1 {
		t.Fatalf("no change is told: %+v", o)
	}
	var c protocol.ConfigDiff
	if err := json.Unmarshal(o.Parsed.Items[0], &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// last is the observation of the last step.
func (s *stage) last() protocol.Observation {
	var o protocol.Observation
	for _, e := range s.events {
		if e.Type == runner.ToolExecutionEnd {
			o = *e.Observation
		}
	}
	return o
}

func TestPatchIsShownAndWritten(t *testing.T) {
	t.Parallel()
	s, path := settings(t, english(), say(chat("done")))
	before := read(t, path)
	s.asker.choices = []runner.Choice{runner.Yes}
	s.asker.onAsk = func() {
		if read(t, path) != before {
			t.Error("it was written before the answer")
		}
	}
	s.Prompt(t.Context(), runner.Input{Text: "English"})
	q := s.asker.asked[0]
	if q.Change == nil || q.Change.Path != path || q.Change.Created || q.Change.Diff.Added != 1 || q.Change.Diff.Removed != 1 || !q.Person {
		t.Fatalf("the question is %+v", q)
	}
	if want := strings.Replace(before, `"zh"`, `"en"`, 1); read(t, path) != want {
		t.Errorf("the file is %s", read(t, path))
	}
	o := s.last()
	c := change(t, o)
	if o.Outcome != protocol.Ran || o.ExitCode != nil || o.Program != nil || c.Backup == "" || c.Path != path ||
		len(c.Operations) != 1 || !strings.Contains(c.Diff, "-  \"language\": \"zh\",\n+  \"language\": \"en\",") {
		t.Errorf("told: %+v, %+v", o, c)
	}
	plan, _, err := s.Files.PlanUndo("")
	if err != nil {
		t.Fatal(err)
	}
	if o := s.Change(t.Context(), plan, "takes it back", true); o.Outcome != protocol.Ran || o.Verdict.DecidedBy != protocol.DecidedByUser {
		t.Errorf("undo: %+v", o)
	}
	if read(t, path) != before {
		t.Error("the way back is not the old text")
	}
}

func TestPatchIsDeclined(t *testing.T) {
	t.Parallel()
	s, path := settings(t, english(), say(chat("not done")))
	before := read(t, path)
	s.asker.choices = []runner.Choice{runner.No}
	result := s.Prompt(t.Context(), runner.Input{Text: "English"})
	if read(t, path) != before || result.Declined != 1 || s.last().Outcome != protocol.Declined {
		t.Errorf("%+v, %s", result, read(t, path))
	}
	if list, err := s.Files.Backups(); err != nil || len(list) > 0 {
		t.Errorf("backups: %v, %v", list, err)
	}
}

// TestPatchOfAChangedFile lets somebody else write while the person looks.
func TestPatchOfAChangedFile(t *testing.T) {
	t.Parallel()
	s, path := settings(t, english(), say(chat("done")))
	theirs := strings.Replace(read(t, path), "7980", "8080", 1)
	s.asker.choices = []runner.Choice{runner.Yes, runner.Yes}
	s.asker.onAsk = func() {
		if len(s.asker.asked) == 1 {
			if err := os.WriteFile(path, []byte(theirs), 0o600); err != nil {
				t.Error(err)
			}
		} else if read(t, path) != theirs {
			t.Error("it was written although it had changed")
		}
	}
	s.Prompt(t.Context(), runner.Input{Text: "English"})
	if len(s.asker.asked) != 2 || !s.asker.asked[1].Change.Again || s.asker.asked[0].Change.Again {
		t.Fatalf("asked: %+v", s.asker.asked)
	}
	if want := strings.Replace(theirs, `"zh"`, `"en"`, 1); read(t, path) != want {
		t.Errorf("the file is %s", read(t, path))
	}
}

// TestPatchIsEdited gives first a text that cannot be, which is given back
// with the reason, and then one that can.
func TestPatchIsEdited(t *testing.T) {
	t.Parallel()
	s, path := settings(t, english(), say(chat("done")))
	before := read(t, path)
	mine := strings.Replace(before, "7980", "9090", 1)
	s.asker.choices = []runner.Choice{runner.Edit, runner.Yes}
	s.asker.edits = []string{"{broken", mine}
	s.Prompt(t.Context(), runner.Input{Text: "English"})
	if len(s.asker.files) != 2 || s.asker.files[1] != "{broken" || !strings.Contains(s.asker.files[0], `"en"`) {
		t.Errorf("opened: %q", s.asker.files)
	}
	if len(s.asker.notices) != 1 {
		t.Errorf("told: %v", s.asker.notices)
	}
	if read(t, path) != mine {
		t.Errorf("the file is %s", read(t, path))
	}
	// An editor that cannot be had leaves the question as it is.
	s, path = settings(t, english(), say(chat("done")))
	s.asker.choices = []runner.Choice{runner.Edit, runner.No}
	s.Prompt(t.Context(), runner.Input{Text: "English"})
	if len(s.asker.asked) != 2 || read(t, path) != before {
		t.Errorf("asked %d times", len(s.asker.asked))
	}
}

func TestPatchThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step    string
		outcome protocol.Outcome
		says    string
	}{
		"place":   {`{"tool":"config.json_patch","path":"~/.slothtool/registry.json","set":{"/a":1}}`, protocol.Refused, "registry.json"},
		"nothing": {`{"tool":"config.json_patch","path":"~/.slothtool/settings.json","patch":[{"op":"remove","path":"/none"}]}`, protocol.NotStarted, "/none"},
		"leash":   {`{"tool":"config.json_patch","path":"~/.slothtool/plugin-configs/ai.json","set":{"/sandbox":"off"}}`, protocol.Refused, "own leash"},
	} {
		s, _ := settings(t, say(`{"type":"cmd","message":"m","data":{"commands":[`+c.step+`,{"program":"read","args":[]}]}}`), say(chat("no")))
		s.Prompt(t.Context(), runner.Input{Text: "do it"})
		var got protocol.Observation
		for _, e := range s.events {
			if e.Type == runner.ToolExecutionEnd && e.Step.Tool == protocol.ToolJSONPatch {
				got = *e.Observation
			}
		}
		if got.Outcome != c.outcome || !strings.Contains(got.Note, c.says) || len(s.asker.asked) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if s.last().Outcome != protocol.Skipped || len(s.exec.ran) > 0 {
			t.Errorf("%s: the rest was %s", name, s.last().Outcome)
		}
	}
}

func TestPatchThatChangesNothing(t *testing.T) {
	t.Parallel()
	s, path := settings(t, say(strings.Replace(english().text, `"en"`, `"zh"`, 1)), say(chat("done")))
	before := read(t, path)
	s.asker.choices = []runner.Choice{runner.Yes}
	s.Prompt(t.Context(), runner.Input{Text: "Chinese"})
	if o := s.last(); len(s.asker.asked) > 0 || o.Outcome != protocol.Ran || change(t, o).Backup != "" || read(t, path) != before {
		t.Errorf("asked %d times, %+v", len(s.asker.asked), s.last())
	}
}

// plugin runs one of the tree's plugins.
func plugin(alias, args string) answer {
	return say(`{"type":"cmd","message":"m","data":{"commands":[{"tool":"plugin.run","plugin":"` + alias + `","args":[` + args + `]}]}}`)
}

func TestPluginRuns(t *testing.T) {
	t.Parallel()
	s, _ := settings(t, plugin("notes", `"--help"`), plugin("count", `"."`), say(chat("done")))
	s.asker.choices = []runner.Choice{runner.Yes}
	s.Prompt(t.Context(), runner.Input{Text: "run"})
	if len(s.asker.asked) != 1 || len(s.exec.ran) != 2 || s.exec.lent > 0 {
		t.Fatalf("asked %d, ran %v, lent %d", len(s.asker.asked), s.exec.ran, s.exec.lent)
	}
	o := s.last()
	if *o.Program != "node" || len(o.Args) != 2 || !strings.HasSuffix(o.Args[0], "count.js") || o.Tool != "plugin.run" {
		t.Errorf("told: %+v", o)
	}
}

func TestPluginThatIsNotThere(t *testing.T) {
	t.Parallel()
	s, _ := settings(t, plugin("gone", ""), say(chat("no")))
	s.Prompt(t.Context(), runner.Input{Text: "run"})
	if o := s.last(); o.Outcome != protocol.NotStarted || !strings.Contains(o.StderrTail, "count, notes, table") || !strings.Contains(o.StderrTail, "slothtool list") {
		t.Errorf("told: %+v", o)
	}
}

// TestPluginThatIsReplaced puts another program in the place of the judged one
// while the question is open.
func TestPluginThatIsReplaced(t *testing.T) {
	t.Parallel()
	s, _ := settings(t, plugin("count", `"."`), say(chat("no")))
	s.asker.choices = []runner.Choice{runner.Yes}
	s.asker.onAsk = func() {
		if err := os.WriteFile(filepath.Join(s.PluginFolder, "count", "bin", "count.js"), []byte("other"), 0o600); err != nil {
			t.Error(err)
		}
	}
	s.Prompt(t.Context(), runner.Input{Text: "run"})
	if o := s.last(); o.Outcome != protocol.NotStarted || len(s.exec.ran) > 0 {
		t.Errorf("told: %+v", o)
	}
}

// TestSecretsOfSettingsStay changes a file with keys in it: no key is shown or
// told, whatever it looks like and wherever it is copied to.
func TestSecretsOfSettingsStay(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]string{
		"beside":  `{"op":"add","path":"/a","value":1}`,
		"copied":  `{"op":"copy","from":"/profiles/local/api_key","path":"/color"}`,
		"moved":   `{"op":"move","from":"/profiles/local/api_key","path":"/color"}`,
		"changed": `{"op":"replace","path":"/profiles/local/api_key","value":"newkey1"}`,
	} {
		s, path := settings(t, say(`{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"~/.slothtool/plugin-configs/llm-base.json","patch":[`+patch+`]}]}}`), say(chat("done")))
		path = filepath.Join(filepath.Dir(path), "plugin-configs", "llm-base.json")
		if err := os.WriteFile(path, []byte("{\n  \"profiles\": {\"local\": {\"api_key\": \"mykey123\"}},\n  \"color\": \"red\"\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.asker.choices = []runner.Choice{runner.Yes}
		s.Prompt(t.Context(), runner.Input{Text: "do it"})
		shown := s.asker.asked[0].Change.Unified() + s.model.told()
		if strings.Contains(shown, "mykey123") || strings.Contains(shown, "newkey1") || !strings.Contains(shown, "***") {
			t.Errorf("%s: shown is %s", name, shown)
		}
		if o := s.last(); o.Outcome != protocol.Ran {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestLargePatchIsTold changes more places than an observation tells.
func TestLargePatchIsTold(t *testing.T) {
	t.Parallel()
	var operations []string
	for i := range 400 {
		operations = append(operations, fmt.Sprintf(`{"op":"add","path":"/member%d","value":"some text"}`, i))
	}
	s, _ := settings(t, say(`{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"~/.slothtool/settings.json","patch":[`+strings.Join(operations, ",")+`]}]}}`), say(chat("done")))
	s.asker.choices = []runner.Choice{runner.Yes}
	s.Prompt(t.Context(), runner.Input{Text: "do it"})
	o := s.last()
	c := change(t, o)
	if c.Backup == "" || len(c.Operations)+c.Omitted != 400 || c.Omitted == 0 || !o.Truncated || !strings.Contains(s.model.told(), c.Backup) {
		t.Errorf("told: %d operations, %d left out, %q", len(c.Operations), c.Omitted, c.Backup)
	}
}

// lender lends a terminal that is only counted.
type lender struct{ lent int }

func (l *lender) Lend(use func(executors.Console)) error {
	l.lent++
	use(executors.Console{})
	return nil
}

// TestPluginScreen opens a plugin's own screen: never without a terminal, with
// one after a yes.
func TestPluginScreen(t *testing.T) {
	t.Parallel()
	s, _ := settings(t, plugin("notes", ""), say(chat("no")))
	s.asker.choices = []runner.Choice{runner.Yes}
	s.Prompt(t.Context(), runner.Input{Text: "open"})
	if o := s.last(); o.Outcome != protocol.Refused || len(s.asker.asked) > 0 || len(s.exec.ran) > 0 {
		t.Errorf("without a terminal: %+v", o)
	}
	s, _ = settings(t, plugin("notes", ""), say(chat("done")))
	terminal := &lender{}
	s.Terminal = terminal
	s.asker.choices = []runner.Choice{runner.Yes}
	s.Prompt(t.Context(), runner.Input{Text: "open"})
	if q := s.asker.asked[0]; !q.Screen || !q.Person || terminal.lent != 1 || s.exec.lent != 1 {
		t.Errorf("asked %+v, lent %d and %d", q, terminal.lent, s.exec.lent)
	}
}

// TestOwnStep runs a step that the person gave: without a question, and what
// is refused stays refused.
func TestOwnStep(t *testing.T) {
	t.Parallel()
	s, _ := settings(t)
	o := s.Run(t.Context(), runner.Own{Step: protocol.Step{Tool: protocol.ToolPluginRun, Plugin: "count", Args: []string{"."}}})
	if o.Outcome != protocol.Ran || o.Verdict.DecidedBy != protocol.DecidedByUser || len(s.asker.asked) > 0 {
		t.Errorf("%+v", o)
	}
	if o := s.Run(t.Context(), runner.Own{Step: protocol.Step{Tool: protocol.ToolExec, Program: "sudo"}}); o.Outcome != protocol.Refused {
		t.Errorf("%+v", o)
	}
}
