package export_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/export"
	"github.com/holic512/plugin-ai/session/transcript"
)

func same(s string) string { return s }

// hostile are texts that want to be more than text.
var hostile = []string{
	"<script>alert(1)</script>",
	`"><img src=x onerror=alert(1)>`,
	"</pre></details><iframe src=//evil>",
	"</style><style>@import url(//evil)",
	"</title><meta http-equiv=refresh content='0;url=//evil'>",
	"```\n</code></pre><b onclick=x>\n```",
	"```html\n<svg onload=alert(1)>\n",
	"`````\n# not a heading\n`````",
	"![x](https://evil/pixel) <a href='javascript:alert(1)'>",
	"\x1b]8;;https://evil\x07click\x1b]8;;\x07\x1b[2J",
	"left\u202eright\u2066x\u2069 שלום مرحبا",
	"broken \xff\xfe utf-8 \xed\xa0\x80",
	"<!-- --!> <![CDATA[ ]]> &lt;b&gt; &#60;script&#62;",
	"中文：你好，世界 👨‍👩‍👧",
	"\x00\x01\u2028\u2029\ufeff",
}

// talk is a session in which everything is hostile.
func talk(t *testing.T, texts []string) *transcript.Transcript {
	t.Helper()
	s, err := session.NewStore(session.Config{Dir: t.TempDir()}).Create("/<b>home", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, text := range texts {
		code := 1
		program := text
		result, err := transcript.Result(protocol.Observation{
			Event: "tool_result", Tool: "cmd", ID: "cmd_001", CWD: text, Program: &program, Args: []string{text}, ExitCode: &code,
			StdoutTail: text, StderrTail: text, Note: text, Outcome: protocol.Ran, Truncated: true,
		})
		if err != nil {
			// An observation from outside is made valid before it is kept.
			valid := strings.ToValidUTF8(text, "?")
			program = valid
			if result, err = transcript.Result(protocol.Observation{
				Event: "tool_result", Tool: "cmd", ID: "cmd_001", Program: &program, Args: []string{valid}, ExitCode: &code, StdoutTail: valid, Outcome: protocol.Ran,
			}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Append(context.Background(),
			transcript.Model(text2(text), "m"),
			transcript.Question(text, text),
			transcript.Reply(protocol.Reply{Type: protocol.KindCmd, Message: text, Cmd: &protocol.Cmd{Steps: []protocol.Step{{Program: text, Args: []string{text}}}}}, same),
			result,
			transcript.Reply(protocol.Reply{Type: protocol.KindChat, Message: text, Chat: &protocol.Chat{Format: protocol.FormatMarkdown, Suggestions: []string{text}}}, same),
			transcript.Question("again", ""),
			transcript.Unanswered("aborted", text2(text), text),
			transcript.Compaction(protocol.Summary{Text: text, KeyFacts: []string{text}, OpenTasks: []string{text}}, 7, text2).With("firstKeptEntryId", "x"),
		); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	tr, err := transcript.Read(context.Background(), s, same)
	if err != nil {
		t.Fatal(err)
	}
	tr.Name = texts[0]
	tr.Problems = texts
	return tr
}

func text2(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func write(t *testing.T, form export.Form, tr *transcript.Transcript, o export.Options) string {
	t.Helper()
	var b strings.Builder
	if err := export.Write(&b, form, tr, o); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !utf8.ValidString(s) {
		t.Errorf("%s is not UTF-8", form)
	}
	return b.String()
}

// TestPageIsOnlyText reads the page as a browser does: whatever stood in the
// transcript, there are only our own elements and attributes.
func TestPageIsOnlyText(t *testing.T) {
	t.Parallel()
	tr := talk(t, hostile)
	for _, chinese := range []bool{false, true} {
		page := write(t, export.HTML, tr, export.Options{Chinese: chinese})
		// Every < begins one of our tags, so that there can be no other: not in
		// a text, not in an attribute.
		body := regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(page, "")
		tag := regexp.MustCompile(`^(?:<!DOCTYPE html>|</?(?:html|head|meta|title|body|header|main|h1|ul|li|details|summary|p|article|div|span|pre|code|small)(?: (?:lang|charset|http-equiv|content|name|class|dir)="[^"<>]*")*>)`)
		var words strings.Builder
		for rest := body; rest != ""; {
			next := strings.IndexByte(rest, '<')
			if next < 0 {
				next = len(rest)
			}
			words.WriteString(html.UnescapeString(rest[:next]))
			if rest = rest[next:]; rest == "" {
				break
			}
			found := tag.FindString(rest)
			if found == "" {
				t.Fatalf("markup that is not ours: %.80q", rest)
			}
			rest = rest[len(found):]
		}
		for _, want := range []string{"<script>alert(1)</script>", "中文：你好，世界 👨‍👩‍👧", "שלום مرحبا", `\u202e`, `\u001b[2J`} {
			if !strings.Contains(words.String(), want) {
				t.Errorf("the page does not show %q", want)
			}
		}
		if bad := regexp.MustCompile("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]").FindString(page); bad != "" {
			t.Errorf("the page has the character %q", bad)
		}
		// The policy allows exactly the style that is there.
		style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)
		sum := sha256.Sum256([]byte(style[1]))
		if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(page, want) {
			t.Errorf("the page has no policy %s", want)
		}
		if strings.Contains(style[1], "url(") || strings.Contains(style[1], "@import") || !strings.Contains(style[1], "prefers-color-scheme:dark") {
			t.Error("the style loads something, or knows no dark")
		}
	}
}

// TestMarkdownFences proves that no text gets out of its fence.
func TestMarkdownFences(t *testing.T) {
	t.Parallel()
	out := write(t, export.Markdown, talk(t, hostile), export.Options{})
	fence := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			if strings.TrimSpace(line) == fence {
				fence = ""
			}
		case len(marks) >= 3 && strings.HasSuffix(line, " text"):
			fence = marks
		case strings.HasPrefix(line, ">") || strings.HasPrefix(line, "`"): // quoted, or a command
			if strings.HasPrefix(line, ">") && regexp.MustCompile(`(^|[^\\])<[a-z/!]`).MatchString(line) {
				t.Errorf("HTML in %q", line)
			}
		case regexp.MustCompile(`(^|[^\\])[<!]`).MatchString(line):
			t.Errorf("markup in %q", line)
		}
	}
	if fence != "" {
		t.Error("a fence never ends")
	}
}

func TestTextIsHarmless(t *testing.T) {
	t.Parallel()
	out := write(t, export.Text, talk(t, hostile), export.Options{})
	if bad := regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]").FindString(out); bad != "" {
		t.Errorf("the text has the character %q", bad)
	}
}

func TestJSONIsWhole(t *testing.T) {
	t.Parallel()
	tr := talk(t, []string{"q\u202e<b>中"})
	var d export.Document
	if err := json.Unmarshal([]byte(write(t, export.JSON, tr, export.Options{})), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Entries) != 8 || d.Entries[1].Text != "q\u202e<b>中" || d.Entries[3].Observation.StdoutTail != "q\u202e<b>中" || d.Entries[7].Summary.KeyFacts[0] != "q\u202e<b>中" {
		t.Errorf("the document is %+v", d)
	}
}

// TestLongLines writes lines of a megabyte in every form.
func TestLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<中\u202e", 60_000)
	tr := talk(t, []string{long})
	for _, form := range []export.Form{export.Text, export.Markdown, export.HTML, export.JSON} {
		if n := strings.Count(write(t, form, tr, export.Options{}), "中"); n < 5*60_000 {
			t.Errorf("%s has %d of the characters", form, n)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pai.jsonl")
	if err := os.WriteFile(path, []byte(`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"x"}}]}
{"role":"assistant","content":"","tool_calls":[{}]}
{"role":"tool","content":"{\"a\":1}"}
{"role":"assistant","content":{"x":[1]}}
{"type":"compaction","summary":7,"details":"none"}
{"type":"model_change"}
not json
{"role":"assistant","content":"done","suggestions":{"no":"list"}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewStore(session.Config{}).View(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	tr, err := transcript.Read(context.Background(), s, func(s string) string { return strings.ReplaceAll(s, "done", "***") })
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Problems) != 1 || !strings.Contains(tr.Problems[0], "line 7") {
		t.Errorf("problems are %q", tr.Problems)
	}
	for _, form := range []export.Form{export.Text, export.Markdown, export.HTML, export.JSON} {
		out := write(t, form, tr, export.Options{})
		if !strings.Contains(out, "look") || strings.Contains(out, "done") {
			t.Errorf("%s: %s", form, out)
		}
	}
}

func TestUnknownForm(t *testing.T) {
	t.Parallel()
	if err := export.Write(&strings.Builder{}, "pdf", &transcript.Transcript{}, export.Options{}); err == nil || !strings.Contains(err.Error(), "pdf") {
		t.Errorf("the error is %v", err)
	}
}
