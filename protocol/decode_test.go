package protocol_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/schemas"
)

const (
	chat = `{"type":"chat","message":"hello","data":{"format":"plain","suggestions":[]}}`
	cmd  = `{"type":"cmd","message":"look","data":{"cwd":null,"commands":[{"program":"git","args":["status"]}],"expected_effect":"none"}}`
)

// every gives every kind of escape in one message.
const every = `{"type":"chat","message":"\"\\\/\b\f\n\r\t\u00e9\u4e2d\uD83D\ude00 é中😀"}`

// TestShellSteps reads a script where the person has switched them on, in both
// forms, and refuses it elsewhere.
func TestShellSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		dialect schemas.Dialect
	}{
		{`{"type":"cmd","message":"m","data":{"commands":[{"tool":"bash_exec","command":"ls | wc","cwd":"/tmp","timeout_seconds":5}]}}`, schemas.Canonical},
		{`{"type":"cmd","message":"m","data":{"cwd":null,"expected_effect":null,"commands":[{"tool":"bash_exec","command":"ls | wc","cwd":"/tmp","timeout_seconds":5,"requires":null}]}}`, schemas.OpenAIStrict},
	} {
		answer, err := protocol.Decode([]byte(c.text), protocol.Options{Dialect: c.dialect, Shell: true})
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		step := answer.Reply.Cmd.Steps[0]
		if step.Tool != protocol.ToolBashExec || step.Command != "ls | wc" || step.CWD != "/tmp" || step.TimeoutSeconds != 5 {
			t.Errorf("%s: %+v", c.text, step)
		}
		if _, err := protocol.Decode([]byte(c.text), protocol.Options{Dialect: c.dialect}); err == nil {
			t.Errorf("%s: read where scripts are off", c.text)
		}
	}
	wire, err := schemas.Wire(schemas.OpenAIStrict, "exec", "bash_exec")
	if err != nil || !strings.Contains(string(wire), "bash_exec") || strings.Contains(string(wire), "plugin.run") {
		t.Errorf("the wire form is %s, %v", wire, err)
	}
}

func TestDecodeAccepts(t *testing.T) {
	t.Parallel()
	hello := protocol.Reply{Type: protocol.KindChat, Message: "hello", Chat: &protocol.Chat{Format: protocol.FormatPlain}}
	status := protocol.Reply{Type: protocol.KindCmd, Message: "look", Cmd: &protocol.Cmd{
		Steps: []protocol.Step{{Tool: protocol.ToolExec, Program: "git", Args: []string{"status"}}}, ExpectedEffect: "none",
	}}
	chatSaid := func(message string) protocol.Reply {
		return protocol.Reply{Type: protocol.KindChat, Message: message, Chat: &protocol.Chat{Format: protocol.FormatPlain}}
	}
	for name, c := range map[string]struct {
		text  string
		o     protocol.Options
		want  protocol.Reply
		notes []string
	}{
		"chat":                     {text: chat, want: hello},
		"cmd":                      {text: cmd, want: status},
		"white space":              {text: "\r\n \t" + cmd + "\n\n", want: status},
		"byte order mark":          {text: "\ufeff" + cmd, want: status, notes: []string{protocol.NoteBOM}},
		"fence":                    {text: "```json\n" + cmd + "\n```", want: status, notes: []string{protocol.NoteFence}},
		"fence without language":   {text: "```\n" + cmd + "\n```\n", want: status, notes: []string{protocol.NoteFence}},
		"fence, capitals, CRLF":    {text: "```JSON\r\n" + cmd + "\r\n```\r\n", want: status, notes: []string{protocol.NoteFence}},
		"prose before a chat":      {text: "Sure! " + chat, want: hello, notes: []string{protocol.NoteProse}},
		"prose after a chat":       {text: chat + "\nAnything else?", want: hello, notes: []string{protocol.NoteProse}},
		"prose and fence":          {text: "Here:\n```json\n" + chat + "\n```\nDone.", want: hello, notes: []string{protocol.NoteProse}},
		"reasoning before a chat":  {text: "<think>hm {</think>" + chat, want: hello, notes: []string{protocol.NoteProse}},
		"type last":                {text: `{"data":{},"message":"hello","type":"chat"}`, want: hello},
		"every escape":             {text: every, want: chatSaid("\"\\/\b\f\n\r\té中😀 é中😀")},
		"escaped key":              {text: `{"type":"chat","mess\u0061ge":"hello"}`, want: hello},
		"unknown field in data":    {text: `{"type":"chat","message":"hello","data":{"contextPatch":1,"_event":2}}`, want: hello, notes: []string{"unknown fields in data, ignored: _event, contextPatch"}},
		"chat cut by length":       {text: chat, o: protocol.Options{Finish: protocol.FinishLength}, want: hello, notes: []string{"the answer ended by length"}},
		"chat of a closed stream":  {text: chat, o: protocol.Options{Finish: protocol.FinishClosed}, want: hello, notes: []string{"the answer ended by closed"}},
		"damaged chat":             {text: chat, o: protocol.Options{Damaged: true}, want: hello},
		"U+FFFD in a chat":         {text: `{"type":"chat","message":"a\ufffd"}`, want: chatSaid("a\ufffd")},
		"wire chat":                {text: `{"type":"chat","message":"hello","data":{"format":"plain","suggestions":null}}`, o: protocol.Options{Dialect: schemas.OpenAIStrict}, want: hello},
		"wire chat without data":   {text: `{"type":"chat","message":"hello","data":null}`, o: protocol.Options{Dialect: schemas.OpenAIStrict}, want: hello},
		"wire cmd":                 {text: `{"type":"cmd","message":"look","data":{"cwd":null,"commands":[{"tool":"exec","program":"git","args":["status"],"requires":null}],"expected_effect":"none"}}`, o: protocol.Options{Dialect: schemas.OpenAIStrict}, want: status},
		"canonical cmd under wire": {text: cmd, o: protocol.Options{Dialect: schemas.OpenAIStrict}, want: status},
		"error":                    {text: `{"type":"error","message":"no"}`, want: protocol.Reply{Type: protocol.KindError, Message: "no"}},
		"10 MB of text":            {text: `{"type":"chat","message":"` + strings.Repeat("0123456789", 1<<20) + `"}`, want: chatSaid(strings.Repeat("0123456789", 1<<20))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := protocol.Decode([]byte(c.text), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got.Reply.Chat != nil && len(got.Reply.Chat.Suggestions) == 0 {
				got.Reply.Chat.Suggestions = nil
			}
			if diff := cmp.Diff(protocol.Answer{Reply: c.want, Notes: c.notes}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeKeepsTheSpellingOfNumbers(t *testing.T) {
	t.Parallel()
	text := `{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"p","patch":[{"op":"add","path":"/a","value":12345678901234567890.50}],"requires":{"write":true}},
		{"tool":"config.json_patch","path":"p","set":{"/z":9007199254740993,"/a":null}}]}}`
	got, err := protocol.Decode([]byte(text), protocol.Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps := got.Reply.Cmd.Steps
	if v := string(steps[0].Patch[0].Value); v != "12345678901234567890.50" {
		t.Errorf("the number became %s", v)
	}
	if s := fmt.Sprint(steps[1].Set); s != `[{/z 9007199254740993} {/a null}]` {
		t.Errorf("set became %s", s)
	}
}

// refused are answers from which nothing may run, and a word of the reason.
func refused() map[string]struct {
	text string
	o    protocol.Options
	word string
} {
	type answer = struct {
		text string
		o    protocol.Options
		word string
	}
	deep := strings.Repeat("[", 10000) + strings.Repeat("]", 10000)
	return map[string]answer{
		"empty":                      {text: "", word: "nothing"},
		"blank":                      {text: " \n", word: "nothing"},
		"prose":                      {text: "I would run git status.", word: "expected one JSON object"},
		"prose before a cmd":         {text: "Sure: " + cmd, word: "words around a cmd object"},
		"prose after a cmd":          {text: cmd + " Shall I?", word: "words around a cmd object"},
		"negation before a cmd":      {text: "Never run this: " + cmd, word: "words around"},
		"cmd in a comment":           {text: "// " + cmd, word: "words around"},
		"cmd in a block comment":     {text: "/* " + cmd + " */", word: "words around"},
		"cmd after reasoning":        {text: "<think>let me look</think>" + cmd, word: "words around"},
		"cmd in reasoning":           {text: "<think>" + cmd + "</think>", word: "words around"},
		"cmd in tool markup":         {text: "<tool_call>" + cmd + "</tool_call>", word: "words around"},
		"cmd in another fence":       {text: "```bash\n" + cmd + "\n```", word: "words around"},
		"fence not closed":           {text: "```json\n" + cmd, word: "words around"},
		"two fences":                 {text: "```json\n" + cmd + "\n```\n```json\n" + cmd + "\n```", word: "expected"},
		"two objects":                {text: cmd + "\n" + cmd, word: "expected one JSON object"},
		"a chat and a cmd":           {text: chat + cmd, word: "expected one JSON object"},
		"a cmd in an array":          {text: "[" + cmd + "]", word: "an array of 1"},
		"a string with the object":   {text: fmt.Sprintf("%q", cmd), word: "expected an object"},
		"trailing comma":             {text: strings.TrimSuffix(cmd, "}") + ",}", word: "expected one JSON object"},
		"single quotes":              {text: strings.ReplaceAll(cmd, `"`, "'"), word: "expected one JSON object"},
		"a comment inside":           {text: strings.Replace(cmd, "{", "{/* no */", 1), word: "expected one JSON object"},
		"NaN":                        {text: strings.Replace(cmd, "null", "NaN", 1), word: "expected one JSON object"},
		"Infinity":                   {text: strings.Replace(cmd, "null", "Infinity", 1), word: "expected one JSON object"},
		"duplicate key":              {text: `{"type":"chat","type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":[]}]}}`, word: "each field once"},
		"duplicate nested key":       {text: `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","program":"rm","args":[]}]}}`, word: "each field once"},
		"duplicate escaped key":      {text: `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","progr\u0061m":"rm","args":[]}]}}`, word: "each field once"},
		"wrong case of a key":        {text: strings.Replace(cmd, "program", "Program", 1), word: "/data/commands/0/program"},
		"invalid UTF-8":              {text: strings.Replace(cmd, "status", "st\xffatus", 1), word: "valid UTF-8"},
		"overlong UTF-8":             {text: strings.Replace(cmd, "status", "\xc0\xaf", 1), word: "valid UTF-8"},
		"lone surrogate":             {text: strings.Replace(cmd, "status", `\ud800`, 1), word: "expected"},
		"surrogates in wrong order":  {text: strings.Replace(cmd, "status", `\ude00\ud83d`, 1), word: "expected"},
		"two byte order marks":       {text: "\ufeff\ufeff" + cmd, word: "words around"},
		"depth 10,000":               {text: `{"type":"chat","message":"m","data":{"x":` + deep + `}}`, word: "levels"},
		"depth in a cmd":             {text: `{"type":"cmd","message":"m","data":{"commands":` + deep + `}}`, word: "levels"},
		"17 MB":                      {text: `{"type":"chat","message":"` + strings.Repeat("x", 17<<20) + `"}`, word: "bytes"},
		"10 MB of prose":             {text: strings.Repeat("run git status. ", 10<<16), word: "expected one JSON object"},
		"10 MB of braces":            {text: strings.Repeat("{", 10<<20), word: "levels"},
		"null":                       {text: "null", word: "an object"},
		"number":                     {text: "42", word: "an object"},
		"empty object":               {text: "{}", word: "/type"},
		"unknown type":               {text: `{"type":"ai","message":"m","data":{}}`, word: "/type"},
		"cmd without commands":       {text: `{"type":"cmd","message":"m","data":{}}`, word: "/data/commands"},
		"good step then broken step": {text: `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":[]},{"program":"ls","args":[1]}]}}`, word: "/data/commands/1/args/0"},
		"event from a model":         {text: `{"_event":"continue"}`, word: "/type"},
		"fallback from a model":      {text: `{"type":"chat","message":"m","_fallback":true}`, word: "/_fallback"},
		"verdict from a model":       {text: `{"type":"cmd","message":"m","verdict":{"level":"L0"},"data":{"commands":[{"program":"ls","args":[]}]}}`, word: "/verdict"},
		"OpenAI tool call":           {text: `{"name":"exec","arguments":"{\"program\":\"ls\",\"args\":[]}"}`, word: "/type"},
		"cmd cut by length":          {text: cmd, o: protocol.Options{Finish: protocol.FinishLength}, word: "ended by length"},
		"cmd cut by a filter":        {text: cmd, o: protocol.Options{Finish: protocol.FinishFilter}, word: "ended by content_filter"},
		"cmd of a closed stream":     {text: cmd, o: protocol.Options{Finish: protocol.FinishClosed}, word: "ended by closed"},
		"damaged cmd":                {text: cmd, o: protocol.Options{Damaged: true}, word: "UTF-8"},
		"U+FFFD in an argument":      {text: strings.Replace(cmd, "status", "sta\ufffdtus", 1), word: "/data/commands/0/args/0"},
		"escaped U+FFFD":             {text: strings.Replace(cmd, "status", `sta\ufffdtus`, 1), word: "/data/commands/0/args/0"},
		"U+FFFD in the message":      {text: strings.Replace(cmd, "look", "l\ufffdok", 1), word: "/message"},
		"NUL outside":                {text: cmd + "\x00", word: "words around"},
		"null requires, not wire":    {text: strings.Replace(cmd, `["status"]`, `["status"],"requires":null`, 1), word: "requires"},
		"wire value not JSON":        {text: `{"type":"cmd","message":"m","data":{"cwd":null,"expected_effect":null,"commands":[{"tool":"config.json_patch","path":"p","patch":[{"op":"add","path":"/a","valueJson":"{"}],"set":null,"unset":null,"requires":null}]}}`, o: protocol.Options{Dialect: schemas.OpenAIStrict}, word: "value"},
		"wire duplicate":             {text: `{"type":"cmd","message":"m","data":{"cwd":null,"commands":[{"tool":"exec","program":"ls","program":"rm","args":[],"requires":null}],"expected_effect":null}}`, o: protocol.Options{Dialect: schemas.OpenAIStrict}, word: "each field once"},
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range refused() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := protocol.Decode([]byte(c.text), c.o)
			if err == nil {
				t.Fatalf("accepted as %+v", got)
			}
			bad, ok := errors.AsType[*protocol.InvalidError](err)
			if !ok || len(bad.Violations) == 0 {
				t.Fatalf("not an InvalidError with violations: %v", err)
			}
			if !strings.Contains(err.Error(), c.word) {
				t.Errorf("%q does not say %q", err, c.word)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("the reason is %d bytes long", len(err.Error()))
			}
		})
	}
}

func TestDecodeRefusesEveryTruncation(t *testing.T) {
	t.Parallel()
	for _, text := range []string{cmd, every, "```json\n" + cmd + "\n```"} {
		for i := range len(text) - 1 {
			if got, err := protocol.Decode([]byte(text[:i]), protocol.Options{}); err == nil {
				if got.Reply.Type == protocol.KindCmd && text[:i] != strings.TrimRight(text[:i], " ") || got.Reply.Type == protocol.KindCmd {
					t.Fatalf("%q is accepted as %+v", text[:i], got)
				}
			}
		}
	}
	for i := range len(chat) - 1 {
		if got, err := protocol.Decode([]byte(chat[:i]), protocol.Options{}); err == nil {
			t.Fatalf("%q is accepted as %+v", chat[:i], got)
		}
	}
}

func TestDecoderAgreesForEverySplit(t *testing.T) {
	t.Parallel()
	texts := []string{chat, cmd, every, "\ufeff" + cmd, "```json\r\n" + every + "\n```", `{"data":{"a":["]",{"}":1}]},"message":"late \ud83d\ude00","type":"chat"}`, "Sure " + chat}
	for _, c := range refused() {
		if len(c.text) < 1000 {
			texts = append(texts, c.text)
		}
	}
	for _, text := range texts {
		for i := range len(text) + 1 {
			agree(t, text[:i], text[i:])
		}
		pieces := make([]string, len(text))
		for i := range text {
			pieces[i] = text[i : i+1]
		}
		if len(text) > 0 && strings.ToValidUTF8(text, "") == text {
			agree(t, strings.Split(text, "")...)
		}
		var bytewise []string
		for i := range len(text) {
			bytewise = append(bytewise, text[i:i+1])
		}
		agree(t, bytewise...)
	}
}

// agree feeds the pieces of a text, and holds the result against that of the
// whole text.
func agree(t *testing.T, pieces ...string) {
	t.Helper()
	var d protocol.Decoder
	var shown strings.Builder
	for _, p := range pieces {
		shown.WriteString(d.Feed(p))
	}
	text := strings.Join(pieces, "")
	got, gotErr := d.Finish(protocol.Options{})
	want, wantErr := protocol.Decode([]byte(text), protocol.Options{})
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%q: in pieces %v, whole %v", text, gotErr, wantErr)
	}
	if wantErr != nil {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q: %s", text, diff)
	}
	prose := len(got.Notes) > 0 && got.Notes[0] == protocol.NoteProse
	switch {
	case !strings.HasPrefix(got.Reply.Message, shown.String()):
		t.Fatalf("%q: shown %q, message %q", text, shown.String(), got.Reply.Message)
	case !prose && shown.String() != got.Reply.Message && !strings.Contains(text, `\`):
		t.Fatalf("%q: shown %q of message %q", text, shown.String(), got.Reply.Message)
	case !prose && d.Kind() != got.Reply.Type:
		t.Fatalf("%q: kind %q, reply %q", text, d.Kind(), got.Reply.Type)
	}
}

func TestDecoderShowsTextAsItArrives(t *testing.T) {
	t.Parallel()
	var d protocol.Decoder
	for _, step := range []struct{ piece, want string }{
		{`{"type":"ch`, ""}, {`at","mess`, ""}, {`age":"He`, "He"}, {`llo \`, "llo "}, {`n\u4e`, "\n"}, {`2d\ud83d`, "中"}, {`\ude00`, "😀"}, {"\xe4", ""}, {"\xb8\xad", "中"}, {`"`, ""}, {`}`, ""},
	} {
		if got := d.Feed(step.piece); got != step.want {
			t.Errorf("after %q: %q, want %q", step.piece, got, step.want)
		}
	}
	var late protocol.Decoder
	if got := late.Feed(`{"message":"held back","ty`); got != "" {
		t.Errorf("%q is shown before the kind is known", got)
	}
	if got := late.Feed(`pe":"chat"`); got != "held back" {
		t.Errorf("%q is shown when the kind is known", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{chat, cmd, every, "```json\n" + cmd + "\n```", "x" + chat, `{"message":"a","type":"chat"}`} {
		f.Add(s, uint(3))
	}
	for _, c := range refused() {
		if len(c.text) < 1000 {
			f.Add(c.text, uint(7))
		}
	}
	f.Fuzz(func(t *testing.T, text string, size uint) {
		n := int(size%64) + 1
		var pieces []string
		for rest := text; rest != ""; {
			k := min(n, len(rest))
			pieces, rest = append(pieces, rest[:k]), rest[k:]
		}
		agree(t, pieces...)
		for _, dialect := range []schemas.Dialect{schemas.Canonical, schemas.OpenAIStrict} {
			answer, err := protocol.Decode([]byte(text), protocol.Options{Dialect: dialect})
			if err != nil {
				continue
			}
			if cmd := answer.Reply.Cmd; cmd != nil {
				for _, s := range cmd.Steps {
					if s.Tool == protocol.ToolExec && (s.Program == "" || strings.Contains(s.Program, "\x00")) {
						t.Fatalf("program %q is accepted", s.Program)
					}
				}
			}
			for _, finish := range []protocol.Finish{protocol.FinishLength, protocol.FinishFilter, protocol.FinishClosed} {
				if got, err := protocol.Decode([]byte(text), protocol.Options{Dialect: dialect, Finish: finish}); err == nil && got.Reply.Type == protocol.KindCmd {
					t.Fatalf("a cmd is accepted from an answer that ended by %s", finish)
				}
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{"chat": chat, "cmd": cmd} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := protocol.Decode([]byte(text), protocol.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecoderFeed(b *testing.B) {
	piece := strings.Repeat("some words of it ", 4)
	text := strings.Repeat(piece, 1<<20/len(piece))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var d protocol.Decoder
		d.Feed(`{"type":"chat","message":"`)
		for i := 0; i+64 <= len(text); i += 64 {
			d.Feed(text[i : i+64])
		}
		d.Feed(`"}`)
	}
}
