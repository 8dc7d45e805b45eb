package transcript_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/schemas"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

func same(s string) string { return s }

func hide(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }

// parsed writes a draft and reads its line.
func parsed(t *testing.T, d session.Draft) transcript.Entry {
	t.Helper()
	l, err := session.NewLine(d, time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schemas.Load("session_line")
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(l.Bytes(), &value); err != nil {
		t.Fatal(err)
	}
	if found := schema.Check(value); len(found) > 0 {
		t.Errorf("the schema on %s: %v", l.Bytes(), found)
	}
	e := transcript.Parse(l)
	e.Time = ""
	return e
}

func observation() protocol.Observation {
	program, code := "cat", 1
	return protocol.Observation{
		Event: "tool_result", Tool: "cmd", ID: "cmd_007", CWD: "/p", Program: &program, Args: []string{"a b", "中"}, ExitCode: &code,
		DurationMs: 12, StdoutTail: "out\n\x00\u202e", StderrTail: `"quoted" \ back`, Outcome: protocol.Ran, Truncated: true,
		Parsed:  &protocol.Parsed{Kind: protocol.ParsedJSON, Total: 1, Items: []jsontext.Value{jsontext.Value(`{"a":1.50}`)}},
		Verdict: &protocol.Verdict{Level: protocol.Confirm, Rules: []string{"r"}, Reasons: []string{"why"}, Facts: []protocol.Fact{protocol.FactWrite}, DecidedBy: protocol.DecidedByUser, Sandbox: "none"},
	}
}

// TestLinesAreReadAsTheyWereMeant writes every kind of line and reads it.
func TestLinesAreReadAsTheyWereMeant(t *testing.T) {
	t.Parallel()
	o := observation()
	result, err := transcript.Result(o)
	if err != nil {
		t.Fatal(err)
	}
	steps := []protocol.Step{
		{Program: "git", Args: []string{"commit", "-m", "a b"}},
		{Tool: protocol.ToolPluginRun, Plugin: "loc", Args: []string{"--help"}},
		{Tool: protocol.ToolJSONPatch, Path: "~/x.json"},
		{Tool: protocol.ToolBashExec, Command: "a | b"},
	}
	for name, c := range map[string]struct {
		draft session.Draft
		want  transcript.Entry
	}{
		"question": {transcript.Question("你好\n", "piped"), transcript.Entry{Role: session.User, Text: "你好\n", Context: "piped"}},
		"chat": {
			transcript.Reply(protocol.Reply{Type: protocol.KindChat, Message: "**x**", Chat: &protocol.Chat{Format: protocol.FormatMarkdown, Suggestions: []string{"more"}}}, same),
			transcript.Entry{Role: session.Assistant, Kind: protocol.KindChat, Text: "**x**", Format: protocol.FormatMarkdown, Suggestions: []string{"more"}},
		},
		"cmd": {
			transcript.Reply(protocol.Reply{Type: protocol.KindCmd, Message: "why", Cmd: &protocol.Cmd{Steps: steps}}, same),
			transcript.Entry{Role: session.Assistant, Kind: protocol.KindCmd, Text: "why", Commands: []string{"git commit -m 'a b'", "plugin.run loc --help", "config.json_patch ~/x.json", "bash_exec a | b"}},
		},
		"error":      {transcript.Reply(protocol.Reply{Type: protocol.KindError, Message: "no"}, same), transcript.Entry{Role: session.Assistant, Kind: protocol.KindError, Text: "no"}},
		"unanswered": {transcript.Unanswered("aborted", "ended", "half an"), transcript.Entry{Role: session.Assistant, Kind: protocol.KindError, Text: "ended", End: "aborted", Partial: "half an"}},
		"compaction": {
			transcript.Compaction(protocol.Summary{Text: "s", KeyFacts: []string{"f"}, OpenTasks: []string{"t"}}, 9, same).With("firstKeptEntryId", "abc"),
			transcript.Entry{Type: session.TypeCompaction, Text: "s", FirstKept: "abc", Summary: &protocol.Summary{Text: "s", KeyFacts: []string{"f"}, OpenTasks: []string{"t"}}},
		},
		"model": {transcript.Model("openai", "gpt"), transcript.Entry{Type: session.TypeModel, Model: "openai/gpt"}},
		"name":  {session.Mark(session.TypeName).With("name", "n"), transcript.Entry{Type: session.TypeName, Text: "n"}},
	} {
		got := parsed(t, c.draft)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if want := c.want.Role == session.Assistant && c.want.Kind != protocol.KindCmd; got.Answers() != want {
			t.Errorf("%s: Answers is %v", name, got.Answers())
		}
	}
	got := parsed(t, result)
	if got.Observation == nil {
		t.Fatal("the result is none")
	}
	if diff := cmp.Diff(o, *got.Observation); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsAndBrokenText(t *testing.T) {
	t.Parallel()
	e := parsed(t, transcript.Reply(protocol.Reply{Type: protocol.KindCmd, Message: "hunter2 \xff", Cmd: &protocol.Cmd{Steps: []protocol.Step{{Program: "login", Args: []string{"hunter2"}}}}}, hide))
	if e.Text != "*** \ufffd" || e.Commands[0] != "login '***'" && e.Commands[0] != "login ***" {
		t.Errorf("the entry is %+v", e)
	}
	e = parsed(t, transcript.Compaction(protocol.Summary{Text: "hunter2", KeyFacts: []string{"hunter2"}, OpenTasks: []string{"hunter2"}}, 0, hide))
	if s := e.Summary; s.Text != "***" || s.KeyFacts[0] != "***" || s.OpenTasks[0] != "***" {
		t.Errorf("the summary is %+v", s)
	}
	e = parsed(t, transcript.Question("\xed\xa0\x80", strings.Repeat("中", transcript.MaxContext)+"end"))
	if !utf8.ValidString(e.Context) || len(e.Context) > transcript.MaxContext+100 || !strings.Contains(e.Context, "bytes left out") || !strings.HasSuffix(e.Context, "end") {
		t.Errorf("the context has %d bytes and ends with %q", len(e.Context), e.Context[len(e.Context)-20:])
	}
}

func TestReadMasksAll(t *testing.T) {
	t.Parallel()
	s, err := session.NewStore(session.Config{Dir: t.TempDir()}).Create("/p", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	o := observation()
	o.StdoutTail, o.Args, o.Note, o.CWD = "hunter2", []string{"hunter2"}, "hunter2", "/hunter2"
	o.Parsed.Items = []jsontext.Value{jsontext.Value(`{"a":"hunter2"}`)}
	result, err := transcript.Result(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), transcript.Question("first", ""), transcript.Reply(protocol.Reply{Type: protocol.KindChat, Message: "old"}, same)); err != nil {
		t.Fatal(err)
	}
	if err := s.Fork(""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), transcript.Question("hunter2", "hunter2"), result, transcript.Unanswered("x", "hunter2", "hunter2"),
		transcript.Reply(protocol.Reply{Type: protocol.KindChat, Message: "hunter2", Chat: &protocol.Chat{Suggestions: []string{"hunter2"}}}, same),
		transcript.Compaction(protocol.Summary{Text: "hunter2", KeyFacts: []string{"hunter2"}}, 1, same)); err != nil {
		t.Fatal(err)
	}
	if err := s.SetName(t.Context(), "hunter2"); err != nil {
		t.Fatal(err)
	}
	tr, err := transcript.Read(t.Context(), s, hide)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hunter2") || strings.Count(string(text), "***") < 12 {
		t.Errorf("the transcript is %s", text)
	}
	if tr.Others != 2 || len(tr.Entries) != 6 || tr.Name != "***" {
		t.Errorf("%d others, %d entries, name %q", tr.Others, len(tr.Entries), tr.Name)
	}
}
