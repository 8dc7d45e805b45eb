package google_test

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
	"github.com/holic512/plugin-ai/llm/google"
)

const key = "AIzaTEST0123456789abcdefghij"

var (
	hello  = llm.Context{System: []string{"be short"}, Messages: []llm.Message{llm.UserText("hello")}}
	format = &llm.AnswerFormat{Name: "reply", Schema: []byte(`{"type":"object"}`)}
)

func newProvider(t testing.TB, config google.Config) *google.Provider {
	t.Helper()
	if config.HTTPClient == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		t.Cleanup(transport.CloseIdleConnections)
		config.HTTPClient = &http.Client{Transport: transport}
	}
	return google.New(config)
}

func model(srv *fakewire.Server) llm.Model {
	return llm.Model{ID: "gemini-2.5-flash", Provider: "google", API: google.API, BaseURL: srv.URL + "/v1beta"}
}

func ask(t testing.TB, o llm.Options, answers ...fakewire.Answer) (*llm.Message, []llm.Event, *fakewire.Server) {
	t.Helper()
	srv := fakewire.New(t, answers...)
	o.APIKey = key
	events := fakewire.Collect(t, newProvider(t, google.Config{}).Stream(t.Context(), model(srv), hello, o))
	return fakewire.Final(events), events, srv
}

// piece is an event with a text, and an end where one is named.
func piece(text, finish string) string {
	end := ""
	if finish != "" {
		end = `,"finishReason":"` + finish + `"`
	}
	return `{"candidates":[{"content":{"role":"model","parts":[{"text":"` + text + `"}]}` + end + `,"index":0}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":5,"totalTokenCount":18}}`
}

func TestText(t *testing.T) {
	t.Parallel()
	m, events, srv := ask(t, llm.Options{}, fakewire.Events(piece("你", ""), piece("好\\n\\ud83d", ""), piece("\\ude00", "STOP")))
	if m.Err != nil || m.Text() != "你好\n😀" || m.StopReason != llm.StopEnd || m.Damaged {
		t.Fatalf("%+v", m)
	}
	want := llm.Usage{Input: 6, Output: 8, CacheRead: 4, Total: 18}
	if d := cmp.Diff(want, m.Usage); d != "" {
		t.Error(d)
	}
	if m.API != google.API || m.Provider != "google" || m.Model != "gemini-2.5-flash" || len(events) != 7 {
		t.Errorf("%+v, %d events", m, len(events))
	}
	r := srv.Requests()[0]
	if r.Method != http.MethodPost || r.Path != "/v1beta/models/gemini-2.5-flash:streamGenerateContent" || r.Query != "alt=sse" {
		t.Errorf("%s %s?%s", r.Method, r.Path, r.Query)
	}
	if r.Header.Get("X-Goog-Api-Key") != key || r.Header.Get("Authorization") != "" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%v", r.Header)
	}
	if r.Body != `{"systemInstruction":{"parts":[{"text":"be short"}]},"contents":[{"role":"user","parts":[{"text":"hello"}]}]}` {
		t.Error(r.Body)
	}
}

func TestThinkingAndCalls(t *testing.T) {
	t.Parallel()
	m, _, srv := ask(t, llm.Options{},
		fakewire.Events(
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]},"index":0}],"responseId":"r1"}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"m","thought":true,"thoughtSignature":"c2ln"}]},"index":0}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"looking"},{"functionCall":{"name":"f","args":{"a":"你","n":1.50}},"thoughtSignature":"c2lnMg=="},{"functionCall":{"id":"x9","name":"g"}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1}}`,
		))
	want := []llm.Block{
		llm.Thinking{Thinking: "hmm", Signature: "c2ln"}, llm.Text{Text: "looking"},
		llm.ToolCall{ID: "call_r1_0", Name: "f", Arguments: []byte(`{"a":"你","n":1.50}`), Signature: "c2lnMg=="},
		llm.ToolCall{ID: "x9", Name: "g", Arguments: []byte(`{}`)},
	}
	if d := cmp.Diff(want, m.Content); d != "" || m.StopReason != llm.StopToolUse || m.Err != nil {
		t.Fatalf("%s %v %s", m.StopReason, m.Err, d)
	}

	// It goes back to the same model as it came, and to another one without
	// what only the first understands.
	history := llm.Context{Messages: []llm.Message{
		llm.UserText("q"), *m,
		{Role: llm.RoleToolResult, ToolCallID: "call_r1_0", ToolName: "f", Content: []llm.Block{llm.Text{Text: "ok"}, llm.Image{Data: []byte{1}, MIMEType: "image/png"}}},
		{Role: llm.RoleToolResult, ToolCallID: "x9", ToolName: "g", IsError: true, Content: []llm.Block{llm.Text{Text: "no"}}},
	}}
	p := newProvider(t, google.Config{})
	same, err := p.Request(model(srv), history, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	results := `{"role":"user","parts":[{"functionResponse":{"id":"call_r1_0","name":"f","response":{"output":"ok"}}},{"inlineData":{"mimeType":"image/png","data":"AQ=="}},{"functionResponse":{"id":"x9","name":"g","response":{"error":"no"}}}]}]}`
	if string(same) != `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"hmm","thought":true,"thoughtSignature":"c2ln"},{"text":"looking"},{"thoughtSignature":"c2lnMg==","functionCall":{"id":"call_r1_0","name":"f","args":{"a":"你","n":1.50}}},{"functionCall":{"id":"x9","name":"g","args":{}}}]},`+results {
		t.Error(string(same))
	}
	other, err := p.Request(llm.Model{ID: "gemini-3-flash-preview", Provider: "google"}, history, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := string(other); strings.Contains(s, "c2ln") || strings.Contains(s, "hmm") || strings.Count(s, `"thoughtSignature":"skip_thought_signature_validator"`) != 1 {
		t.Error(s)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakewire.Answer
		kind   llm.ErrorKind // "" is none
		stop   llm.StopReason
		says   string
	}{
		"truncated":      {fakewire.Events(piece("a", "MAX_TOKENS")), "", llm.StopLength, ""},
		"safety":         {fakewire.Events(piece("a", ""), `{"candidates":[{"finishReason":"SAFETY","finishMessage":"too hot","index":0}]}`), llm.ErrContentFilter, "", "SAFETY: too hot"},
		"recitation":     {fakewire.Events(piece("a", "RECITATION")), llm.ErrContentFilter, "", "repeat a known text"},
		"language":       {fakewire.Events(piece("a", "LANGUAGE")), llm.ErrContentFilter, "", "language"},
		"personal data":  {fakewire.Events(piece("a", "SPII")), llm.ErrContentFilter, "", "filter"},
		"other":          {fakewire.Events(piece("a", "OTHER")), llm.ErrIncomplete, "", "OTHER"},
		"new reason":     {fakewire.Events(piece("a", "WHO\\u001b[2JKNOWS")), llm.ErrIncomplete, "", "WHO [2JKNOWS"},
		"bad call":       {fakewire.Events(piece("a", "MALFORMED_FUNCTION_CALL")), llm.ErrMalformed, "", "MALFORMED_FUNCTION_CALL"},
		"worst counts":   {fakewire.Events(`{"candidates":[{"finishReason":"SAFETY"}]}`, piece("a", "STOP")), llm.ErrContentFilter, "", "SAFETY"},
		"blocked":        {fakewire.Events(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"no"},"usageMetadata":{"promptTokenCount":3}}`), llm.ErrContentFilter, "", "question"},
		"no end":         {fakewire.Events(piece("a", "")), llm.ErrIncomplete, "", "broke off"},
		"nothing":        {fakewire.Answer{Headers: map[string]string{"Content-Type": "text/event-stream"}}, llm.ErrIncomplete, "", "broke off"},
		"cut":            {fakewire.Answer{Events: fakewire.Events(piece("a", "")).Events, Cut: true}, llm.ErrNetwork, "", "broke"},
		"cut after end":  {fakewire.Answer{Events: fakewire.Events(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`).Events, Cut: true}, "", llm.StopEnd, ""},
		"cut in a rune":  {fakewire.Answer{Body: "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\xe4\xbd", Cut: true}, llm.ErrNetwork, "", "broke"},
		"end in a rune":  {fakewire.Answer{Body: "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\xe4\xbd"}, llm.ErrIncomplete, "", "broke off"},
		"bad counts":     {fakewire.Events(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":-5,"cachedContentTokenCount":9,"candidatesTokenCount":-1}}`), "", llm.StopEnd, ""},
		"half an event":  {fakewire.Answer{Body: "data: {\"candidates\":[{\"conte"}, llm.ErrIncomplete, "", "broke off"},
		"not JSON":       {fakewire.Events(`{"candidates":[`, piece("a", "STOP")), llm.ErrMalformed, "", "not the JSON"},
		"web page":       {fakewire.Answer{Body: "<html>hi</html>"}, llm.ErrMalformed, "", "web page"},
		"other role":     {fakewire.Events(`{"candidates":[{"content":{"role":"user","parts":[{"text":"a"}]},"finishReason":"STOP"}]}`), llm.ErrMalformed, "", `"user"`},
		"args no object": {fakewire.Events(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":[1]}}]},"finishReason":"STOP"}]}`), llm.ErrMalformed, "", "tool call"},
		"error inside":   {fakewire.Events(piece("a", ""), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), llm.ErrOverloaded, "", "overloaded"},
		"limit inside":   {fakewire.Events(`{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}`), llm.ErrRateLimit, "", "slow"},
		"whole":          {fakewire.Answer{Body: piece("a", "STOP")}, "", llm.StopEnd, ""},
		"whole, array":   {fakewire.Answer{Body: "[" + piece("a", "") + "\n," + piece("", "STOP") + "]"}, "", llm.StopEnd, ""},
		"whole, cut":     {fakewire.Answer{Body: piece("a", "STOP")[:60]}, llm.ErrMalformed, "", ""},
		"empty array":    {fakewire.Answer{Body: "[]"}, llm.ErrIncomplete, "", ""},
		"more behind":    {fakewire.Answer{Events: fakewire.Events(piece("a", "STOP")).Events, Stall: true}, "", llm.StopEnd, ""},
		"late usage":     {fakewire.Answer{Events: fakewire.Events(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`, `{"usageMetadata":{"promptTokenCount":7}}`).Events, Stall: true}, "", llm.StopEnd, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, _ := ask(t, llm.Options{}, c.answer)
			if c.kind == "" {
				if u := m.Usage; m.Err != nil || m.StopReason != c.stop || m.Text() != "a" || u.Input < 0 || u.Output < 0 || u.CacheRead < 0 {
					t.Errorf("stop %s, error %v, text %q", m.StopReason, m.Err, m.Text())
				}
				return
			}
			if m.Err == nil || m.Err.Kind != c.kind || m.StopReason != llm.StopError || !strings.Contains(m.Err.Message, c.says) {
				t.Errorf("stop %s, error %v", m.StopReason, m.Err)
			}
		})
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakewire.Answer{
		"bytes":          {Body: "data: " + strings.Replace(piece("a@", "STOP"), "@", "\xff\xfe", 1) + "\n\n"},
		"half a pair":    fakewire.Events(piece("a\\ud83d", "STOP")),
		"twice a member": fakewire.Events(`{"candidates":[{"content":{"parts":[{"text":"a","text":"a"}]},"finishReason":"STOP"}]}`),
	} {
		if m, _, _ := ask(t, llm.Options{}, a); m.Err != nil || !m.Damaged || !strings.HasPrefix(m.Text(), "a") {
			t.Errorf("%s: damaged %v, %v, %q", name, m.Damaged, m.Err, m.Text())
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	status := func(code int, name, message, details string) fakewire.Answer {
		body := `{"error":{"message":"` + message + `","status":"` + name + `","details":[` + details + `]}}`
		return fakewire.Status(code, body)
	}
	const retry = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36.5s"}`
	quota := func(id string) string {
		return `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m","quotaId":"` + id + `"}]},`
	}
	for name, c := range map[string]struct {
		answer fakewire.Answer
		kind   llm.ErrorKind
		wait   time.Duration
		says   string
	}{
		"401":           {status(401, "UNAUTHENTICATED", "no credentials", ""), llm.ErrAuthentication, 0, "no credentials"},
		"403":           {status(403, "PERMISSION_DENIED", "Generative Language API is off", ""), llm.ErrAuthentication, 0, "is off"},
		"wrong key":     {status(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`), llm.ErrAuthentication, 0, "check it"},
		"expired key":   {status(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", ""), llm.ErrAuthentication, 0, "expired"},
		"key in text":   {status(403, "PERMISSION_DENIED", "Consumer api_key:"+key+" is suspended", ""), llm.ErrAuthentication, 0, "suspended"},
		"404":           {status(404, "NOT_FOUND", "models/m is not found for API version v1beta", ""), llm.ErrNotFound, 0, "models/m"},
		"too long":      {status(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", ""), llm.ErrContextLength, 0, "1048576"},
		"400":           {status(400, "INVALID_ARGUMENT", "bad temperature", ""), llm.ErrInvalid, 0, "bad temperature"},
		"place":         {status(400, "FAILED_PRECONDITION", "User location is not supported for the API use.", ""), llm.ErrInvalid, 0, "location"},
		"per minute":    {status(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")+retry), llm.ErrRateLimit, 36500 * time.Millisecond, "wait"},
		"per day":       {status(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")+retry), llm.ErrQuota, 36500 * time.Millisecond, "billing"},
		"none at all":   {status(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric: x, limit: 0", retry), llm.ErrQuota, 36500 * time.Millisecond, ""},
		"429 header":    {fakewire.Answer{Status: 429, Headers: map[string]string{"Retry-After": "3"}, Body: `{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}`}, llm.ErrRateLimit, 3 * time.Second, ""},
		"429 in a list": {fakewire.Status(429, `[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED","details":[`+retry+`]}}]`), llm.ErrRateLimit, 36500 * time.Millisecond, "Resource exhausted"},
		"bad delay":     {status(429, "RESOURCE_EXHAUSTED", "x", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"soon"}`), llm.ErrRateLimit, 0, ""},
		"500":           {status(500, "INTERNAL", "An internal error has occurred.", ""), llm.ErrOverloaded, 0, "internal"},
		"503":           {status(503, "UNAVAILABLE", "overloaded", ""), llm.ErrOverloaded, 0, "overloaded"},
		"504":           {status(504, "DEADLINE_EXCEEDED", "late", ""), llm.ErrTimeout, 0, "late"},
		"a page":        {fakewire.Status(502, "<html><title>Bad Gateway</title></html>"), llm.ErrOverloaded, 0, "a web page: Bad Gateway"},
		"10 MB":         {fakewire.Status(500, strings.Repeat("x", 10<<20)), llm.ErrOverloaded, 0, "xxx…"},
		"redirect":      {fakewire.Answer{Status: 307, Headers: map[string]string{"Location": "https://elsewhere.example/v1beta"}}, llm.ErrInvalid, 0, "elsewhere.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, srv := ask(t, llm.Options{Format: format}, c.answer)
			if m.Err == nil || m.Err.Kind != c.kind || m.Err.Status != c.answer.Status || m.Err.RetryAfter != c.wait || !strings.Contains(m.Err.Message, c.says) {
				t.Fatalf("%+v", m.Err)
			}
			if strings.Contains(m.Err.Message, "0123456789") || len(m.Err.Message) > 1000 {
				t.Error(m.Err.Message)
			}
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestNoKey(t *testing.T) {
	t.Parallel()
	srv := fakewire.New(t, fakewire.Status(403, `{"error":{"code":403,"message":"unregistered caller","status":"PERMISSION_DENIED"}}`))
	m := llm.Complete(t.Context(), newProvider(t, google.Config{}), model(srv), hello, llm.Options{})
	if m.Err == nil || !strings.Contains(m.Err.Message, "none is set") {
		t.Error(m.Err)
	}
	if _, sent := srv.Requests()[0].Header["X-Goog-Api-Key"]; sent {
		t.Error("a header without a key")
	}
}

func TestTimeoutsAndCancels(t *testing.T) {
	t.Parallel()
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		srv := fakewire.New(t, fakewire.Answer{Stall: true})
		m := llm.Complete(t.Context(), newProvider(t, google.Config{ResponseTimeout: 20 * time.Millisecond}), model(srv), hello, llm.Options{})
		if m.Err == nil || m.Err.Kind != llm.ErrTimeout {
			t.Error(m.Err)
		}
	})
	t.Run("no more", func(t *testing.T) {
		t.Parallel()
		srv := fakewire.New(t, fakewire.Answer{Events: fakewire.Events(piece("a", "")).Events, Stall: true})
		m := llm.Complete(t.Context(), newProvider(t, google.Config{IdleTimeout: 50 * time.Millisecond}), model(srv), hello, llm.Options{})
		if m.Err == nil || m.Err.Kind != llm.ErrTimeout || m.Text() != "a" {
			t.Error(m.Err, m.Text())
		}
	})
	why := errors.New("Ctrl-C")
	t.Run("cancelled while waiting", func(t *testing.T) {
		t.Parallel()
		srv := fakewire.New(t, fakewire.Answer{Stall: true})
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-srv.Came()
			cancel(why)
		}()
		m := llm.Complete(ctx, newProvider(t, google.Config{}), model(srv), hello, llm.Options{})
		if m.StopReason != llm.StopAborted || !errors.Is(m.Err, why) {
			t.Error(m.StopReason, m.Err)
		}
	})
	t.Run("cancelled in the stream", func(t *testing.T) {
		t.Parallel()
		srv := fakewire.New(t, fakewire.Answer{Events: fakewire.Events(piece("a", "")).Events, Stall: true})
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var last *llm.Message
		for ev := range newProvider(t, google.Config{}).Stream(ctx, model(srv), hello, llm.Options{}) {
			if ev.Type == llm.EventTextDelta {
				cancel(why)
			}
			last = ev.Message
		}
		if last.StopReason != llm.StopAborted || !errors.Is(last.Err, why) || last.Text() != "a" {
			t.Error(last.StopReason, last.Err)
		}
	})
	t.Run("the reader leaves", func(t *testing.T) {
		t.Parallel()
		srv := fakewire.Start(fakewire.Answer{Events: fakewire.Events(piece("a", "")).Events, Stall: true})
		for range newProvider(t, google.Config{}).Stream(t.Context(), model(srv), hello, llm.Options{}) {
			break
		}
		srv.Close() // returns when the server's side is free
	})
}
