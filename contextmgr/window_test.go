package contextmgr_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

func newManager(t *testing.T, config contextmgr.Config) *contextmgr.Manager {
	t.Helper()
	m, err := contextmgr.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func window(t *testing.T, m *contextmgr.Manager) contextmgr.Window {
	t.Helper()
	w, err := m.Window()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func chat(text string) protocol.Reply {
	return protocol.Reply{Type: protocol.KindChat, Message: text, Chat: &protocol.Chat{Format: protocol.FormatPlain}}
}

func cmd(why string, argv ...string) protocol.Reply {
	return protocol.Reply{Type: protocol.KindCmd, Message: why, Cmd: &protocol.Cmd{Steps: []protocol.Step{{Tool: protocol.ToolExec, Program: argv[0], Args: argv[1:]}}}}
}

func ran(id int, stdout string, argv ...string) protocol.Observation {
	code := 0
	return protocol.Observation{
		Event: "tool_result", Tool: "cmd", ID: fmt.Sprintf("cmd_%03d", id), CWD: "/p", Program: &argv[0], Args: argv[1:],
		ExitCode: &code, StdoutTail: stdout, Outcome: protocol.Ran,
	}
}

// lines gives the messages as "role: text".
func lines(w contextmgr.Window) []string {
	var out []string
	for _, m := range w.Messages {
		out = append(out, string(m.Role)+": "+m.Text())
	}
	return out
}

func TestWindowOfOneTurn(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{Facts: func() string { return "Folder: /p." }})
	if _, err := m.Window(); err == nil {
		t.Error("a window without a question")
	}
	m.Ask("what changed?", "")
	w := window(t, m)
	if len(w.System) != 2 || w.System[1] != "Folder: /p." {
		t.Errorf("system parts: %q", w.System)
	}
	for _, word := range []string{"exactly one JSON object", "no Markdown", "no code fence", "no explanation", "Plain text goes into", "A failure is an object too", "tool_result", "continue"} {
		if !strings.Contains(w.System[0], word) {
			t.Errorf("the system text does not say %q", word)
		}
	}
	if diff := cmp.Diff([]string{"user: what changed?"}, lines(w)); diff != "" {
		t.Error(diff)
	}
	m.Commands(cmd("Looking.", "git", "status"), []protocol.Observation{ran(1, "clean\n", "git", "status")})
	want := []string{
		"user: what changed?",
		`assistant: {"type":"cmd","message":"Looking.","ran":["git status (cmd_001, exit 0)"]}`,
		`user: {"_event":"tool_result","tool":"cmd","id":"cmd_001","cwd":"/p","program":"git","args":["status"],"exitCode":0,"durationMs":0,"stdoutTail":"clean\n","stderrTail":"","truncated":false,"outcome":"ran"}`,
		`user: {"_event":"continue"}`,
	}
	if diff := cmp.Diff(want, lines(window(t, m))); diff != "" {
		t.Error(diff)
	}
	m.Invalid("nope", []protocol.Violation{{Path: "/type", Expected: "x", Actual: "y"}})
	want = append(want, "assistant: nope", `user: {"_event":"invalid_answer","violations":[{"path":"/type","expected":"x","actual":"y"}]}`)
	if diff := cmp.Diff(want, lines(window(t, m))); diff != "" {
		t.Error(diff)
	}
	m.Answer(chat("Nothing."))
	m.Ask("sure?", "piped")
	want = []string{
		"user: what changed?",
		`assistant: {"type":"cmd","message":"Looking.","ran":["git status (cmd_001, exit 0)"]}`,
		`assistant: {"type":"chat","message":"Nothing."}`,
		"user: sure?\n\n--- standard input ---\npiped",
	}
	w = window(t, m)
	if diff := cmp.Diff(want, lines(w)); diff != "" {
		t.Error(diff)
	}
	if digests := w.System[len(w.System)-1]; !strings.HasPrefix(digests, "Earlier results") || !strings.Contains(digests, `clean\n`) {
		t.Errorf("the digest is %q", digests)
	}
	m.Forget()
	m.Ask("new", "")
	if w := window(t, m); len(w.Messages) != 1 || len(w.System) != 2 {
		t.Errorf("after Forget: %v", lines(w))
	}
}

func TestInputTooLongIsToldAndKeepsItsEnds(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{MaxBytes: 16 << 10})
	m.Ask("what is wrong here?", "first line\n"+strings.Repeat("中文 filler\n", 10000)+"last line")
	w := window(t, m)
	text := w.Messages[0].Text()
	if !strings.HasPrefix(text, "what is wrong here?\n") || !strings.Contains(text, "first line") || !strings.HasSuffix(text, "last line") || !strings.Contains(text, "bytes left out") {
		t.Errorf("input became %.80q … %q", text, text[len(text)-80:])
	}
	if note := w.System[len(w.System)-1]; !strings.Contains(note, "bytes of the person's input") {
		t.Errorf("no note on it: %q", note)
	}
}

func TestCeilingTooLow(t *testing.T) {
	t.Parallel()
	if _, err := contextmgr.New(contextmgr.Config{MaxBytes: 100}); err == nil || !strings.Contains(err.Error(), "100") {
		t.Errorf("error is %v", err)
	}
}

// TestCeilingHolds plays random conversations: whatever comes, a window stays
// under its ceiling, is the same when planned twice, and keeps pairs.
func TestCeilingHolds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		ceiling := []int{16 << 10, 48 << 10, 200 << 10}[r.IntN(3)]
		text := strings.Repeat("fact ", r.IntN(300))
		facts := func() string { return text }
		m := newManager(t, contextmgr.Config{MaxBytes: ceiling, Facts: facts})
		noise := func(n int) string {
			alphabet := []string{"word ", "\n", "\"", "\\", "中", "\x01", "😀", "\t", "{}", "é"}
			var b strings.Builder
			for b.Len() < n {
				b.WriteString(alphabet[r.IntN(len(alphabet))])
			}
			return b.String()
		}
		id := 0
		observe := func() []protocol.Observation {
			var list []protocol.Observation
			for range 1 + r.IntN(8) {
				id++
				o := ran(id, noise(r.IntN(5000)), "program", noise(r.IntN(2000)))
				o.StderrTail = noise(r.IntN(2000))
				o.CWD, o.Note = "/"+noise(r.IntN(500)), noise(r.IntN(300))
				if r.IntN(3) == 0 {
					item, err := json.Marshal(noise(300))
					if err != nil {
						t.Fatal(err)
					}
					o.Parsed = &protocol.Parsed{Kind: protocol.ParsedFileList, Total: 99, Items: []jsontext.Value{item, item, item}}
				}
				list = append(list, o)
			}
			return list
		}
		for turn := range 8 {
			question := fmt.Sprintf("question %d %s", turn, noise(r.IntN(60000)/(1+turn%7)))
			m.Ask(question, noise(r.IntN(2)*r.IntN(100000)))
			check(t, m, ceiling, question)
			for range r.IntN(7) {
				if r.IntN(4) == 0 {
					m.Invalid(noise(r.IntN(50000)), []protocol.Violation{{Path: noise(500), Expected: noise(500), Actual: noise(100)}})
					check(t, m, ceiling, question)
				}
				m.Commands(cmd(noise(r.IntN(5000)), "program"), observe())
				check(t, m, ceiling, question)
			}
			switch r.IntN(3) {
			case 0:
				m.Abandon("cancelled")
			case 1:
				m.Answer(chat(noise(r.IntN(20000))))
			}
			if c, ok := m.Compaction(noise(100), true); ok && r.IntN(4) == 0 {
				facts := []string{noise(300), noise(300), noise(300), strings.Repeat("事实", 500)}
				if err := m.Fold(c, protocol.Summary{Text: noise(4000) + "x", KeyFacts: facts, OpenTasks: facts}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func check(t *testing.T, m *contextmgr.Manager, ceiling int, question string) {
	t.Helper()
	w := window(t, m)
	if again := window(t, m); !reflect.DeepEqual(w, again) {
		t.Fatalf("planned twice: %s", cmp.Diff(w, again))
	}
	sum := 0
	texts := append([]string{}, w.System...)
	for _, msg := range w.Messages {
		texts = append(texts, msg.Text())
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			t.Fatalf("not UTF-8: %q", s)
		}
		quoted, err := jsontext.AppendQuote(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		sum += len(quoted) - 2
	}
	if sum != w.Bytes {
		t.Fatalf("the window says %d bytes and has %d", w.Bytes, sum)
	}
	if w.Bytes > ceiling {
		t.Fatalf("%d bytes are above the ceiling of %d: %v", w.Bytes, ceiling, w.Parts)
	}
	if w.Messages[0].Role != llm.RoleUser {
		t.Fatalf("the first message is of %s", w.Messages[0].Role)
	}
	whole := false
	for i, msg := range w.Messages {
		text := msg.Text()
		whole = whole || strings.HasPrefix(text, question)
		if strings.HasPrefix(text, `{"_event":"tool_result"`) {
			var o protocol.Observation
			if err := json.Unmarshal([]byte(text), &o); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if i == 0 || !strings.HasPrefix(w.Messages[i-1].Text(), `{"`) {
				t.Fatalf("an observation without its reply: %q", w.Messages[i-1].Text())
			}
		}
	}
	if !whole && !strings.Contains(strings.Join(w.System, "\n"), "of the person's input") {
		t.Fatal("the question is cut, and nothing says so")
	}
}

// BenchmarkWindow plans a request of a long conversation with all its parts,
// after a round with a long output; BenchmarkCompaction the one for a summary.
func BenchmarkWindow(b *testing.B) {
	m := longConversation(b)
	m.Ask("the last", "")
	m.Commands(cmd("why", "seq"), []protocol.Observation{ran(99, strings.Repeat("0123456789\n", 6000), "seq", "1000")})
	for b.Loop() {
		if _, err := m.Window(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompaction(b *testing.B) {
	m := longConversation(b)
	for b.Loop() {
		if _, ok := m.Compaction("", true); !ok {
			b.Fatal("there is nothing to fold")
		}
	}
}

func longConversation(b *testing.B) *contextmgr.Manager {
	m, err := contextmgr.New(contextmgr.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		m.Ask("a question", "")
		m.Commands(cmd("why", "seq"), []protocol.Observation{ran(i+1, strings.Repeat("0123456789\n", 6000), "seq", "1000")})
		m.Answer(chat(strings.Repeat("an answer ", 100)))
		if i == 500 {
			c, _ := m.Compaction("", true)
			if err := m.Fold(c, protocol.Summary{Text: strings.Repeat("a summary ", 100), KeyFacts: []string{"a fact"}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return m
}

// TestWhatWasReadStaysKnown reads a file in one turn and asks about it in the
// next: what is known about the output is not what it said.
func TestWhatWasReadStaysKnown(t *testing.T) {
	t.Parallel()
	for kind, item := range map[protocol.ParsedKind]string{
		protocol.ParsedFileSnippet: `{"file":"notes.txt","lines":1,"bytes":14}`,
		protocol.ParsedGitDiff:     `{"path":"notes.txt","added":1,"deleted":0}`,
	} {
		m := newManager(t, contextmgr.Config{})
		o := ran(1, "the port: 7117", "cat", "notes.txt")
		o.Parsed = &protocol.Parsed{Kind: kind, Total: 1, Items: []jsontext.Value{jsontext.Value(item)}}
		m.Ask("read the notes", "")
		m.Commands(cmd("I read.", "cat", "notes.txt"), []protocol.Observation{o})
		m.Answer(chat("I have read it."))
		m.Ask("which port?", "")
		if w := window(t, m); !strings.Contains(strings.Join(w.System, "\n"), "7117") {
			t.Errorf("%s: the next turn does not know what was read: %q", kind, w.System[1:])
		}
	}
}
