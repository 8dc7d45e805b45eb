package responses_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakewire"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/responses"
)

const key = "sk-test-0123456789abcdefXYZ"

var (
	hello  = llm.Context{System: []string{"be short"}, Messages: []llm.Message{llm.UserText("hello")}}
	format = &llm.AnswerFormat{Name: "reply", Schema: []byte(`{"type":"object"}`)}
)

func newProvider(t testing.TB, config responses.Config) *responses.Provider {
	t.Helper()
	if config.HTTPClient == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		t.Cleanup(transport.CloseIdleConnections)
		config.HTTPClient = &http.Client{Transport: transport}
	}
	return responses.New(config)
}

func model(srv *fakewire.Server) llm.Model {
	return llm.Model{ID: "gpt-5.4", Provider: "openai", API: responses.API, BaseURL: srv.URL + "/v1", Reasoning: true}
}

func ask(t testing.TB, o llm.Options, answers ...fakewire.Answer) (*llm.Message, []llm.Event, *fakewire.Server) {
	t.Helper()
	srv := fakewire.New(t, answers...)
	o.APIKey = key
	events := fakewire.Collect(t, newProvider(t, responses.Config{}).Stream(t.Context(), model(srv), hello, o))
	return fakewire.Final(events), events, srv
}

// The events of a stream, as the API writes them.
const (
	created = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","output":[]}}`
	begun   = `{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}`
	part    = `{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`
	done    = `{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":18}}}`
)

func delta(text string) string {
	return `{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"` + text + `"}`
}

func said(text string) string {
	return `{"type":"response.output_text.done","item_id":"msg_1","output_index":0,"content_index":0,"text":"` + text + `"}`
}

func ended(text string) string {
	return `{"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}}`
}

func last(kind, rest string) string {
	return `{"type":"response.` + kind + `","response":{"status":"` + kind + `"` + rest + `}}`
}

func TestText(t *testing.T) {
	t.Parallel()
	m, events, srv := ask(t, llm.Options{}, fakewire.Events(created, begun, part, delta("你"), delta("好\\n\\ud83d"), delta("\\ude00"), said("你好\\n😀"), ended("你好\\n😀"), done))
	if m.Err != nil || m.Text() != "你好\n😀" || m.StopReason != llm.StopEnd || m.Damaged {
		t.Fatalf("%+v", m)
	}
	if d := cmp.Diff(llm.Usage{Input: 6, Output: 8, CacheRead: 4, Total: 18}, m.Usage); d != "" {
		t.Error(d)
	}
	if m.API != responses.API || len(events) != 7 {
		t.Errorf("%+v, %d events", m, len(events))
	}
	r := srv.Requests()[0]
	if r.Method != http.MethodPost || r.Path != "/v1/responses" || r.Query != "" || r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Api-Key") != "" {
		t.Errorf("%s %s?%s %v", r.Method, r.Path, r.Query, r.Header)
	}
	if want := `{"model":"gpt-5.4","input":[{"role":"system","content":[{"type":"input_text","text":"be short"}]},{"role":"user","content":[{"type":"input_text","text":"hello"}]}],"stream":true,"store":false,"include":["reasoning.encrypted_content"]}`; r.Body != want {
		t.Error(r.Body)
	}
}

// TestSecondTurn: what the model thought goes back to it sealed, in its place,
// and to no other model.
func TestSecondTurn(t *testing.T) {
	t.Parallel()
	const item = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"c2VhbGVk","status":null}`
	m, _, srv := ask(t, llm.Options{}, fakewire.Events(created,
		`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
		`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"a"}`,
		`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,"delta":"b"}`,
		`{"type":"response.output_item.done","output_index":0,"item":`+item+`}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_c","type":"message","role":"assistant","phase":"commentary","content":[]}}`,
		`{"type":"response.output_text.delta","item_id":"msg_c","output_index":1,"content_index":0,"delta":"I will look."}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_c","type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I will look."}]}}`,
		`{"type":"response.output_item.done","output_index":2,"item":{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"bW9yZQ=="}}`,
		`{"type":"response.output_item.added","output_index":3,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":3,"delta":"{\"a\":"}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":3,"delta":"1.50}"}`,
		`{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":3,"arguments":"{\"a\":1.50}"}`,
		`{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1.50}"}}`,
		`{"type":"response.output_item.done","output_index":4,"item":{"id":"fc_2","type":"function_call","status":"completed","call_id":"call_2","name":"g","arguments":"{}"}}`,
		done))
	const first = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"c2VhbGVk"}`
	const second = `{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"bW9yZQ=="}`
	want := []llm.Block{
		llm.Thinking{Thinking: "a\n\nb", Signature: first}, llm.Thinking{Thinking: "I will look."}, llm.Thinking{Signature: second},
		llm.ToolCall{ID: "call_1", Name: "f", Arguments: []byte(`{"a":1.50}`)}, llm.ToolCall{ID: "call_2", Name: "g", Arguments: []byte(`{}`)},
	}
	if d := cmp.Diff(want, m.Content); d != "" || m.StopReason != llm.StopToolUse || m.Err != nil {
		t.Fatalf("%s %v %s", m.StopReason, m.Err, d)
	}
	history := llm.Context{Messages: []llm.Message{
		llm.UserText("q"), *m,
		{Role: llm.RoleToolResult, ToolCallID: "call_1", ToolName: "f", Content: []llm.Block{llm.Text{Text: "ok"}, llm.Image{Data: []byte{1}, MIMEType: "image/png"}}},
	}}
	p := newProvider(t, responses.Config{})
	same, err := p.Request(model(srv), history, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const calls = `{"type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a\":1.50}"},{"type":"function_call","call_id":"call_2","name":"g","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"ok"},{"type":"input_image","image_url":"data:image/png;base64,AQ==","detail":"auto"}]}],`
	if !strings.Contains(string(same), `{"type":"input_text","text":"q"}]},`+first+","+second+","+calls) {
		t.Error(string(same))
	}
	for name, change := range map[string]func(*llm.Model, *llm.Message){
		"another model":    func(o *llm.Model, _ *llm.Message) { o.ID = "gpt-6" },
		"another provider": func(o *llm.Model, _ *llm.Message) { o.Provider = "box" },
		"it was cut":       func(_ *llm.Model, a *llm.Message) { a.StopReason = llm.StopLength },
		"it failed":        func(_ *llm.Model, a *llm.Message) { a.Err = &llm.Error{} },
	} {
		to, from := model(srv), *m
		change(&to, &from)
		b, err := p.Request(to, llm.Context{Messages: []llm.Message{history.Messages[0], from, history.Messages[2]}}, llm.Options{})
		if err != nil || strings.Contains(string(b), `"type":"reasoning"`) || !strings.Contains(string(b), `"text":"q"}]},`+calls) {
			t.Errorf("%s: %v %s", name, err, b)
		}
	}
	// Alone it is refused, so it is not sent.
	alone := *m
	alone.Content = alone.Content[:1]
	if b, err := p.Request(model(srv), llm.Context{Messages: []llm.Message{alone}}, llm.Options{}); err != nil || strings.Contains(string(b), "rs_1") {
		t.Errorf("%v %s", err, b)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	stall := func(a fakewire.Answer) fakewire.Answer { a.Stall = true; return a }
	cut := func(a fakewire.Answer) fakewire.Answer { a.Cut = true; return a }
	const refusal = `{"type":"response.refusal.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"I can't."}`
	whole := `{"status":"completed","output":[{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":1,"output_tokens":2}}`
	for name, c := range map[string]struct {
		answer fakewire.Answer
		kind   llm.ErrorKind // "" is none
		stop   llm.StopReason
		says   string
	}{
		"truncated":        {fakewire.Events(begun, delta("a"), last("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`)), "", llm.StopLength, ""},
		"filter":           {fakewire.Events(begun, delta("a"), last("incomplete", `,"incomplete_details":{"reason":"content_filter"}`)), llm.ErrContentFilter, "", "filter"},
		"new reason":       {fakewire.Events(begun, delta("a"), last("incomplete", `,"incomplete_details":{"reason":"steered"}`)), llm.ErrIncomplete, "", "steered"},
		"cancelled there":  {fakewire.Events(begun, delta("a"), last("cancelled", "")), llm.ErrIncomplete, "", "cancelled"},
		"refused":          {fakewire.Events(begun, refusal, done), llm.ErrRefusal, "", "I can't."},
		"refused at once":  {fakewire.Events(`{"type":"response.output_item.done","output_index":0,"item":{"id":"m","type":"message","content":[{"type":"refusal","refusal":"no"}]}}`, done), llm.ErrRefusal, "", "no"},
		"refused, cut":     {fakewire.Events(begun, refusal, last("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`)), llm.ErrRefusal, "", ""},
		"no end":           {fakewire.Events(begun, delta("a"), ended("a")), llm.ErrIncomplete, "", "broke off"},
		"DONE too early":   {fakewire.Answer{Body: "data: " + delta("a") + "\n\ndata: [DONE]\n\n"}, llm.ErrIncomplete, "", "broke off"},
		"cut":              {cut(fakewire.Events(begun, delta("a"))), llm.ErrNetwork, "", "broke"},
		"cut in a rune":    {cut(fakewire.Answer{Body: "data: {\"type\":\"response.output_text.delta\",\"delta\":\"\xe4\xbd"}), llm.ErrNetwork, "", "broke"},
		"bad counts":       {fakewire.Events(delta("a"), last("completed", `,"usage":{"input_tokens":-5,"input_tokens_details":{"cached_tokens":9},"output_tokens":-1}`)), "", llm.StopEnd, ""},
		"half an event":    {fakewire.Answer{Body: "data: " + delta("a") + "\n\nevent: response.completed\ndata: {\"type\":\"response.comp"}, llm.ErrIncomplete, "", "broke off"},
		"not JSON":         {fakewire.Events(`{"type":`, delta("a"), done), llm.ErrMalformed, "", "not the JSON"},
		"no response":      {fakewire.Events(delta("a"), `{"type":"response.completed"}`), llm.ErrMalformed, "", "no response"},
		"other role":       {fakewire.Events(strings.Replace(begun, `"assistant"`, `"user"`, 1), done), llm.ErrMalformed, "", `"user"`},
		"failed":           {fakewire.Events(begun, delta("a"), last("failed", `,"error":{"code":"server_error","message":"it broke"}`)), llm.ErrOverloaded, "", "it broke"},
		"failed, limit":    {fakewire.Events(last("failed", `,"error":{"code":"rate_limit_exceeded","message":"slow down"}`)), llm.ErrRateLimit, "", "slow down"},
		"failed, too long": {fakewire.Events(last("failed", `,"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}`)), llm.ErrContextLength, "", "too long"},
		"failed, policy":   {fakewire.Events(last("failed", `,"error":{"code":"invalid_prompt","message":"flagged"}`)), llm.ErrContentFilter, "", "flagged"},
		"failed, image":    {fakewire.Events(last("failed", `,"error":{"code":"invalid_image_format","message":"no png"}`)), llm.ErrInvalid, "", "no png"},
		"failed silently":  {fakewire.Events(last("failed", "")), llm.ErrOverloaded, "", "of its own"},
		"error":            {fakewire.Events(delta("a"), `{"type":"error","code":"server_error","message":"oops","param":null,"sequence_number":3}`), llm.ErrOverloaded, "", "oops"},
		"error, nested":    {fakewire.Events(`{"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"pay"}}`), llm.ErrQuota, "", "pay"},
		"args no object":   {fakewire.Events(`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc","type":"function_call","call_id":"c","name":"f","arguments":"[1]"}}`, done), llm.ErrMalformed, "", `"f"`},
		"args differ":      {fakewire.Events(`{"type":"response.function_call_arguments.delta","item_id":"fc","output_index":0,"delta":"{}"}`, `{"type":"response.output_item.done","output_index":0,"item":{"id":"fc","type":"function_call","call_id":"c","name":"f","arguments":"{\"rm\":1}"}}`, done), llm.ErrMalformed, "", "pieces"},
		"two in one place": {fakewire.Events(begun, delta("a"), strings.Replace(begun, "msg_1", "msg_2", 1), done), llm.ErrMalformed, "", "second item"},
		"kept open":        {stall(fakewire.Events(begun, delta("a"), done)), "", llm.StopEnd, ""},
		"cut after end":    {cut(fakewire.Events(begun, delta("a"), done)), "", llm.StopEnd, ""},
		"only the text":    {fakewire.Events(`{"type":"response.output_text.delta","delta":"a"}`, done), "", llm.StopEnd, ""},
		"no deltas":        {fakewire.Events(begun, said("a"), ended("a"), done), "", llm.StopEnd, ""},
		"only items":       {fakewire.Events(ended("a"), done), "", llm.StopEnd, ""},
		"only the end":     {fakewire.Events(`{"type":"response.completed","response":` + whole + `}`), "", llm.StopEnd, ""},
		"whole":            {fakewire.Answer{Body: whole}, "", llm.StopEnd, ""},
		"whole, cut":       {fakewire.Answer{Body: whole[:40]}, llm.ErrMalformed, "", ""},
		"whole, failed":    {fakewire.Answer{Body: `{"status":"failed","error":{"code":"server_error","message":"it broke"}}`}, llm.ErrOverloaded, "", "it broke"},
		"whole, truncated": {fakewire.Answer{Body: strings.Replace(whole, `"completed"`, `"incomplete","incomplete_details":{"reason":"max_output_tokens"}`, 1)}, "", llm.StopLength, ""},
		"whole, not done":  {fakewire.Answer{Body: strings.Replace(whole, `"completed"`, `"queued"`, 1)}, llm.ErrIncomplete, "", ""},
		"said twice over": {fakewire.Events(begun, delta("a"), ended("a"),
			`{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[]}}`,
			`{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"a"}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}}`, done), "", llm.StopEnd, ""},
		"after the end": {fakewire.Answer{Body: "data: " + delta("a") + "\n\ndata: " + done + "\n\ndata: " + delta("b") + "\n\n"}, "", llm.StopEnd, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, _ := ask(t, llm.Options{}, c.answer)
			if c.kind == "" {
				if u := m.Usage; m.Err != nil || m.StopReason != c.stop || m.Text() != "a" || m.Damaged || u.Input < 0 || u.Output < 0 || u.CacheRead < 0 {
					t.Errorf("stop %s, error %v, text %q, damaged %v", m.StopReason, m.Err, m.Text(), m.Damaged)
				}
				return
			}
			if m.Err == nil || m.Err.Kind != c.kind || m.StopReason != llm.StopError || !strings.Contains(m.Err.Message, c.says) {
				t.Errorf("stop %s, error %v", m.StopReason, m.Err)
			}
		})
	}
}

// TestCutCall: a call that the limit cut stays without arguments.
func TestCutCall(t *testing.T) {
	t.Parallel()
	m, _, _ := ask(t, llm.Options{}, fakewire.Events(
		`{"type":"response.output_item.added","output_index":0,"item":{"id":"fc","type":"function_call","call_id":"c","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc","output_index":0,"delta":"{\"a\":1}"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc","type":"function_call","status":"incomplete","call_id":"c","name":"f","arguments":"{\"a\":1}"}}`,
		last("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`)))
	if d := cmp.Diff([]llm.Block{llm.ToolCall{ID: "c", Name: "f"}}, m.Content); d != "" || m.StopReason != llm.StopLength {
		t.Error(m.StopReason, d)
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakewire.Answer{
		"bytes":          {Body: "data: " + strings.Replace(delta("a@"), "@", "\xff\xfe", 1) + "\n\ndata: " + done + "\n\n"},
		"half a pair":    fakewire.Events(delta("a\\ud83d"), done),
		"twice a member": fakewire.Events(`{"type":"response.output_text.delta","delta":"b","delta":"a"}`, done),
		"other words":    fakewire.Events(begun, delta("a"), said("ab"), done),
		"piece repeated": fakewire.Events(begun, delta("a"), delta("a"), said("a"), ended("a"), done),
	} {
		if m, _, _ := ask(t, llm.Options{}, a); m.Err != nil || !m.Damaged || !strings.HasPrefix(m.Text(), "a") {
			t.Errorf("%s: damaged %v, %v, %q", name, m.Damaged, m.Err, m.Text())
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakewire.Answer
		kind   llm.ErrorKind
		wait   time.Duration
		says   string
	}{
		"401":          {fakewire.Status(401, `{"error":{"message":"Incorrect API key provided: `+key+`","code":"invalid_api_key"}}`), llm.ErrAuthentication, 0, "sk-…fXYZ"},
		"403":          {fakewire.Status(403, `{"error":{"message":"country"}}`), llm.ErrAuthentication, 0, "country"},
		"404":          {fakewire.Status(404, `{"error":{"code":"model_not_found","message":"no m"}}`), llm.ErrNotFound, 0, "no m"},
		"Azure 404":    {fakewire.Status(404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`), llm.ErrNotFound, 0, "deployment"},
		"429":          {fakewire.Answer{Status: 429, Headers: map[string]string{"Retry-After-Ms": "1500"}, Body: `{"error":{"code":"rate_limit_exceeded","message":"slow"}}`}, llm.ErrRateLimit, 1500 * time.Millisecond, "slow"},
		"quota":        {fakewire.Status(429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`), llm.ErrQuota, 0, "billing"},
		"too long":     {fakewire.Status(400, `{"error":{"code":"context_length_exceeded","message":"long","param":"input"}}`), llm.ErrContextLength, 0, "too long"},
		"Azure filter": {fakewire.Status(400, `{"error":{"code":"content_filter","message":"The response was filtered","param":"prompt","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`), llm.ErrContentFilter, 0, "filtered"},
		"400":          {fakewire.Status(400, `{"error":{"message":"Unsupported parameter: 'temperature'","param":"temperature"}}`), llm.ErrInvalid, 0, "temperature"},
		"500":          {fakewire.Status(500, ""), llm.ErrOverloaded, 0, "Internal Server Error"},
		"529":          {fakewire.Answer{Status: 529, Headers: map[string]string{"Retry-After": "3"}}, llm.ErrOverloaded, 3 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, srv := ask(t, llm.Options{Format: format}, c.answer)
			if m.Err == nil || m.Err.Kind != c.kind || m.Err.Status != c.answer.Status || m.Err.RetryAfter != c.wait || !strings.Contains(m.Err.Message, c.says) || strings.Contains(m.Err.Message, "0123456789") {
				t.Fatalf("%+v", m.Err)
			}
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestTimeoutsAndCancels(t *testing.T) {
	t.Parallel()
	why := errors.New("Ctrl-C")
	for name, c := range map[string]struct {
		answer fakewire.Answer
		config responses.Config
	}{
		"no answer": {fakewire.Answer{Stall: true}, responses.Config{ResponseTimeout: 20 * time.Millisecond}},
		"no more":   {fakewire.Answer{Events: fakewire.Events(created, begun).Events, Stall: true}, responses.Config{IdleTimeout: 50 * time.Millisecond}},
	} {
		srv := fakewire.New(t, c.answer)
		if m := llm.Complete(t.Context(), newProvider(t, c.config), model(srv), hello, llm.Options{}); m.Err == nil || m.Err.Kind != llm.ErrTimeout {
			t.Errorf("%s: %v", name, m.Err)
		}
	}
	for n := range 4 { // cancelled at each event
		srv := fakewire.New(t, fakewire.Answer{Events: fakewire.Events(begun, delta("a")).Events, Stall: true})
		ctx, cancel := context.WithCancelCause(t.Context())
		var last *llm.Message
		seen := 0
		for ev := range newProvider(t, responses.Config{}).Stream(ctx, model(srv), hello, llm.Options{}) {
			if last = ev.Message; seen == min(n, 2) {
				cancel(why)
			}
			seen++
		}
		cancel(nil)
		if last.StopReason != llm.StopAborted || !errors.Is(last.Err, why) {
			t.Error(n, last.StopReason, last.Err)
		}
	}
	// A reader that leaves frees the server's side.
	srv := fakewire.Start(fakewire.Answer{Events: fakewire.Events(begun, delta("a")).Events, Stall: true})
	for range newProvider(t, responses.Config{}).Stream(t.Context(), model(srv), hello, llm.Options{}) {
		break
	}
	srv.Close()
}
