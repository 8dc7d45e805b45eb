package fakellm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

const ask = `{"model":"m","messages":[],"stream":true}`

func post(t *testing.T, ctx context.Context, srv *fakellm.Server, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return http.DefaultClient.Do(req)
}

func get(t *testing.T, srv *fakellm.Server, body string) (int, string, error) {
	t.Helper()
	res, err := post(t, t.Context(), srv, body)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakellm.Answer
		want   []string // in this order
		not    string
	}{
		"chat":      {fakellm.Chat("你好"), []string{`"content":"{\"type\":\"chat\",\"message\":\"你好\"}"`, `"finish_reason":"stop"`, "data: [DONE]\n\n"}, "\r"},
		"cmd":       {fakellm.Cmd("look", []string{"ls", "-l"}), []string{`\"commands\":[{\"program\":\"ls\",\"args\":[\"-l\"]}]`}, ""},
		"pieces":    {fakellm.Answer{Text: "a你b", Chunk: 2}, []string{`"content":"a"`, `"content":"你"`, `"content":"b"`}, ""},
		"split":     {fakellm.Answer{Text: "你", Chunk: 2, SplitRunes: true}, []string{"\"content\":\"\xe4\xbd\"", "\"content\":\"\xa0\""}, ""},
		"escape":    {fakellm.Answer{Text: "😀", Chunk: 1, Escape: true}, []string{`"content":"\ud83d"`, `"content":"\ude00"`}, ""},
		"crlf":      {fakellm.Answer{Text: "a", CRLF: true, Comments: true}, []string{": still at work\r\n", "data: [DONE]\r\n\r\n"}, "}\n"},
		"bare end":  {fakellm.Answer{Text: "a", NoDone: true, Finish: fakellm.NoFinish}, []string{`"content":"a"`}, "DONE"},
		"reasoning": {fakellm.Answer{Reasoning: "hm", ReasoningField: "both", Text: "a"}, []string{`{"reasoning":"hm","reasoning_content":"hm"}`, `"content":"a"`}, ""},
		"tool": {fakellm.Answer{ToolCalls: []fakellm.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}},
			[]string{`"name":"f","arguments":""`, `"arguments":"{\"a\":1}"`, `"finish_reason":"tool_calls"`}, ""},
		"usage":     {fakellm.Answer{Usage: &fakellm.Usage{Prompt: 3, Completion: 4}}, []string{`"choices":[],"usage":{"prompt_tokens":3`}, ""},
		"whole":     {fakellm.Answer{Text: "a", Whole: true}, []string{`"object":"chat.completion","model":"m"`, `"content":"a"`}, "data:"},
		"raw":       {fakellm.Raw("x", "y"), []string{"xy"}, "data"},
		"malformed": {fakellm.Text("a").Fail(fakellm.Malformed, 1), []string{`"content":"a"`, "data: {\"choices\":[{\"delta\":{\"content\":\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, c.answer)
			status, body, err := get(t, srv, ask)
			if err != nil || status != http.StatusOK {
				t.Fatalf("status %d, %v", status, err)
			}
			rest := body
			for _, w := range c.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Fatalf("%q is not in %q", w, rest)
				}
				rest = after
			}
			if c.not != "" && strings.Contains(body, c.not) {
				t.Errorf("%q is in %q", c.not, body)
			}
		})
	}
}

func TestBreaks(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("a").Fail(fakellm.Reset, 0), fakellm.Text("abc").Fail(fakellm.Cut, 1), fakellm.Status(429, ""))
	if _, _, err := get(t, srv, ask); err == nil {
		t.Error("a reset gave no error")
	}
	if _, body, err := get(t, srv, ask); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(body, "abc") {
		t.Errorf("a cut gave %q, %v", body, err)
	}
	if status, body, err := get(t, srv, ask); status != 429 || err != nil || !strings.Contains(body, `"error"`) {
		t.Errorf("%d %q %v", status, body, err)
	}
}

func TestGatesAndHang(t *testing.T) {
	t.Parallel()
	step := make(chan struct{})
	srv := fakellm.New(t, fakellm.Answer{Text: "ab", Chunk: 1, Step: step}, fakellm.Answer{Fault: fakellm.Hang})
	res, err := post(t, t.Context(), srv, ask)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	step <- struct{}{}
	buf := make([]byte, 0, 1024)
	for !bytes.Contains(buf, []byte(`"content":"a"`)) {
		n, err := res.Body.Read(buf[len(buf):cap(buf)])
		if err != nil {
			t.Fatal(err)
		}
		buf = buf[:len(buf)+n]
	}
	if bytes.Contains(buf, []byte(`"content":"b"`)) {
		t.Error("the second piece came before its step")
	}
	close(step)
	if rest, err := io.ReadAll(res.Body); err != nil || !bytes.Contains(rest, []byte(`"content":"b"`)) {
		t.Errorf("rest %q, %v", rest, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := post(t, ctx, srv, ask) //nolint:bodyclose // it fails
		failed <- err
	}()
	if _, err := srv.Await(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("a hanging call ended with %v", err)
	}
}

func TestRefuseAndRecord(t *testing.T) {
	t.Parallel()
	answers, err := fakellm.Parse(strings.NewReader("# a script\n{\"refuse\":[\"json_schema\"]}\n\n{\"chat\":\"hi\",\"chunk\":3}\r\n{\"cmd\":[[\"git\",\"status\"]],\"message\":\"m\"}"))
	if err != nil {
		t.Fatal(err)
	}
	srv := fakellm.New(t, answers...)
	if status, body, _ := get(t, srv, `{"stream":true,"response_format":{"type":"json_schema"}}`); status != 400 || !strings.Contains(body, "response_format") {
		t.Errorf("%d %s", status, body)
	}
	for range 2 {
		if status, _, err := get(t, srv, ask); status != 200 || err != nil {
			t.Errorf("%d %v", status, err)
		}
	}
	all := srv.Requests()
	if len(all) != 3 || string(all[1].Body) != ask || all[2].Number != 3 || all[2].Conn < 1 {
		t.Errorf("recorded %+v", all)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	srv := fakellm.Start(fakellm.Chat("1"), fakellm.Answer{Text: "2", Times: 2})
	defer srv.Close()
	if p := srv.Problems(); len(p) != 1 || !strings.HasPrefix(p[0], "3 scripted") {
		t.Errorf("problems %q", p)
	}
	for range 4 {
		get(t, srv, ask) //nolint:errcheck // only the count matters
	}
	if p := srv.Problems(); len(p) != 1 || !strings.Contains(p[0], "call 4 is one too many") {
		t.Errorf("problems %q", p)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"{\"chat\":1}", "\n{\"chta\":\"x\"}", "\n\n{"} {
		if _, err := fakellm.Parse(strings.NewReader(script)); err == nil || !strings.Contains(err.Error(), "script line") {
			t.Errorf("Parse(%q): %v", script, err)
		}
	}
}
