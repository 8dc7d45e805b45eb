package openai_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	date := map[string]string{"Date": "Sat, 21 Nov 2026 10:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 10:00:07 GMT"}
	for name, c := range map[string]struct {
		answer fakellm.Answer
		kind   llm.ErrorKind
		wait   time.Duration
		says   string
	}{
		"401":             {fakellm.Status(401, ""), llm.ErrAuthentication, 0, "API key"},
		"403":             {fakellm.Status(403, `{"error":{"message":"country"}}`), llm.ErrAuthentication, 0, "country"},
		"404":             {fakellm.Status(404, `{"error":{"message":"The model 'm' does not exist","code":"model_not_found"}}`), llm.ErrNotFound, 0, "'m' does not exist"},
		"408":             {fakellm.Status(408, ""), llm.ErrTimeout, 0, "Timeout"},
		"400":             {fakellm.Status(400, `{"error":{"message":"bad temperature"}}`), llm.ErrInvalid, 0, "bad temperature"},
		"422 detail":      {fakellm.Status(422, `{"detail":[{"msg":"field required"}]}`), llm.ErrInvalid, 0, "field required"},
		"413":             {fakellm.Status(413, "too big"), llm.ErrContextLength, 0, "too big"},
		"500":             {fakellm.Status(500, ""), llm.ErrOverloaded, 0, ""},
		"503":             {fakellm.Answer{Status: 503, Headers: map[string]string{"Retry-After": "3"}}, llm.ErrOverloaded, 3 * time.Second, ""},
		"529":             {fakellm.Status(529, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.ErrOverloaded, 0, "Overloaded"},
		"429":             {fakellm.Answer{Status: 429, Headers: map[string]string{"Retry-After": "1.5"}}, llm.ErrRateLimit, 1500 * time.Millisecond, "wait"},
		"429 ms":          {fakellm.Answer{Status: 429, Headers: map[string]string{"Retry-After-Ms": "20", "Retry-After": "9"}}, llm.ErrRateLimit, 20 * time.Millisecond, ""},
		"429 date":        {fakellm.Answer{Status: 429, Headers: date}, llm.ErrRateLimit, 7 * time.Second, ""},
		"429 past":        {fakellm.Answer{Status: 429, Headers: map[string]string{"Retry-After": "-5"}}, llm.ErrRateLimit, 0, ""},
		"429 nonsense":    {fakellm.Answer{Status: 429, Headers: map[string]string{"Retry-After": "soon"}}, llm.ErrRateLimit, 0, ""},
		"429 huge":        {fakellm.Answer{Status: 429, Headers: map[string]string{"Retry-After": "1e300"}}, llm.ErrRateLimit, 365 * 24 * time.Hour, ""},
		"429 quota":       {fakellm.Status(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), llm.ErrQuota, 0, "billing"},
		"402":             {fakellm.Status(402, `{"error":{"message":"Insufficient Balance"}}`), llm.ErrQuota, 0, "Balance"},
		"413 per minute":  {fakellm.Status(413, `{"error":{"message":"Request too large for model m on tokens per minute (TPM): Limit 6000"}}`), llm.ErrRateLimit, 0, ""},
		"web page":        {fakellm.Status(502, "<html><head><TITLE>Bad Gateway</TITLE></head>"+strings.Repeat("x", 1000)), llm.ErrOverloaded, 0, "a web page: Bad Gateway)"},
		"plain":           {fakellm.Status(500, "it broke\x1b[2J\nbadly"), llm.ErrOverloaded, 0, "it broke [2J badly"},
		"error as text":   {fakellm.Status(500, `{"error":"out of memory"}`), llm.ErrOverloaded, 0, "out of memory"},
		"10 MB":           {fakellm.Status(500, strings.Repeat("x", 10<<20)), llm.ErrOverloaded, 0, "xxx…"},
		"10 MB of JSON":   {fakellm.Status(400, `{"error":{"message":"`+strings.Repeat("你", 3<<20)+`"}}`), llm.ErrInvalid, 0, "你…"},
		"204":             {fakellm.Status(204, ""), llm.ErrMalformed, 0, "No Content"},
		"OpenAI context":  {fakellm.Status(400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`), llm.ErrContextLength, 0, "too long"},
		"vLLM context":    {fakellm.Status(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","code":400}`), llm.ErrContextLength, 0, "4096"},
		"llama.cpp":       {fakellm.Status(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), llm.ErrContextLength, 0, ""},
		"Ollama":          {fakellm.Status(400, `{"error":{"message":"prompt too long; exceeded max context length by 12 tokens"}}`), llm.ErrContextLength, 0, ""},
		"OpenRouter":      {fakellm.Status(400, `{"error":{"message":"This endpoint's maximum context length is 8192 tokens","code":400}}`), llm.ErrContextLength, 0, ""},
		"LM Studio":       {fakellm.Status(400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`), llm.ErrContextLength, 0, ""},
		"redirect":        {fakellm.Answer{Status: 302, Headers: map[string]string{"Location": "https://u:p@elsewhere.example/v1/chat/completions?k=1"}}, llm.ErrInvalid, 0, "https://elsewhere.example/v1 is right"},
		"key in text":     {fakellm.Status(401, `{"error":{"message":"Incorrect API key provided: `+key+`. Or Bearer `+key+`"}}`), llm.ErrAuthentication, 0, "sk-…fXYZ"},
		"key in page":     {fakellm.Status(401, "Authorization: Bearer "+key+" refused"), llm.ErrAuthentication, 0, "refused"},
		"other key":       {fakellm.Status(401, `{"message":"bad {\"api_key\":\"abcdefghijklmnopqrstuvw\"} and sk-proj-99999999999999999999"}`), llm.ErrAuthentication, 0, "abc…tuvw"},
		"key cut at most": {fakellm.Status(400, strings.Repeat("y", 390)+" "+key), llm.ErrInvalid, 0, "yyy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, c.answer)
			if m.Err == nil {
				t.Fatalf("no error, text %q", m.Text())
			}
			e := m.Err
			if e.Kind != c.kind || e.Status != c.answer.Status || e.RetryAfter != c.wait || !strings.Contains(e.Message, c.says) {
				t.Errorf("%s (%d, wait %v): %s", e.Kind, e.Status, e.RetryAfter, e.Message)
			}
			if len(e.Message) > 1000 || strings.Contains(e.Message, "0123456789") || strings.Contains(e.Message, "999999") || strings.ContainsAny(e.Message, "\x1b\n") {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

func TestKeyInStream(t *testing.T) {
	t.Parallel()
	for _, a := range []fakellm.Answer{
		fakellm.Raw(`data: {"error":{"message":"key ` + key + ` ran dry"}}` + "\n\n"),
		{Refusal: "I saw " + key},
		{Finish: key},
	} {
		if m := one(t, a); m.Err == nil || strings.Contains(m.Err.Message, "0123456789") {
			t.Errorf("error %v", m.Err)
		}
	}
}

func TestNoKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: 1")
	srv := fakellm.New(t, fakellm.Status(401, ""))
	m := final(ask(t, t.Context(), newProvider(t, openai.Config{}), model(srv), llm.Options{}))
	if m.Err == nil || !strings.Contains(m.Err.Message, "none is set") {
		t.Errorf("error %v", m.Err)
	}
	h := srv.Requests()[0].Header
	if h.Get("Authorization") != "" || h.Get("X-Secret") != "" {
		t.Errorf("headers %v", h)
	}
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://user:hunter2@" + l.Addr().String() + "/v1?token=hunter2"
	l.Close() //nolint:errcheck // a test
	plain := fakellm.New(t)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	for base, c := range map[string]struct {
		kind llm.ErrorKind
		says string
	}{
		closed:                           {llm.ErrNetwork, "is the server running?"},
		"http://no-such-host.invalid/v1": {llm.ErrNetwork, "was not found"},
		strings.Replace(plain.URL, "http", "https", 1): {llm.ErrNetwork, "http:// and not https://"},
		secure.URL:                  {llm.ErrNetwork, "not trusted"},
		"localhost:1234/v1":         {llm.ErrInvalid, "expected something like"},
		"ftp://user:hunter2@x/v1":   {llm.ErrInvalid, "expected something like"},
		"http://user:hunter2@\x7f/": {llm.ErrInvalid, "expected something like"},
	} {
		m := final(ask(t, t.Context(), newProvider(t, openai.Config{}), llm.Model{ID: "m", BaseURL: base}, llm.Options{APIKey: key}))
		if m.Err == nil || m.Err.Kind != c.kind || !strings.Contains(m.Err.Message, c.says) || strings.Contains(m.Err.Message, "hunter2") {
			t.Errorf("%s: %v", base, m.Err)
		}
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakellm.Answer
		config openai.Config
		text   string
	}{
		"no answer":    {fakellm.Answer{Fault: fakellm.Hang}, openai.Config{ResponseTimeout: 20 * time.Millisecond}, ""},
		"no first":     {fakellm.Answer{Raw: []string{"", "x"}, Step: once(1)}, openai.Config{ResponseTimeout: 20 * time.Millisecond}, ""},
		"no more":      {fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.Stall, 1), openai.Config{IdleTimeout: 100 * time.Millisecond}, "a"},
		"slow refusal": {fakellm.Answer{Fault: fakellm.Hang, Status: 500}, openai.Config{ResponseTimeout: 20 * time.Millisecond}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, c.answer)
			m := final(ask(t, t.Context(), newProvider(t, c.config), model(srv), llm.Options{}))
			if m.Err == nil || m.Err.Kind != llm.ErrTimeout || !strings.Contains(m.Err.Message, "within") || m.Text() != c.text {
				t.Errorf("error %v, text %q", m.Err, m.Text())
			}
		})
	}
	t.Run("no connection", func(t *testing.T) {
		t.Parallel()
		hang := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		p := newProvider(t, openai.Config{HTTPClient: &http.Client{Transport: hang}, ConnectTimeout: 10 * time.Millisecond})
		m := final(ask(t, t.Context(), p, llm.Model{BaseURL: "http://192.0.2.1/v1"}, llm.Options{}))
		if m.Err == nil || m.Err.Kind != llm.ErrTimeout || !strings.Contains(m.Err.Message, "no connection within") {
			t.Errorf("error %v", m.Err)
		}
	})
}

// once lets n steps through and no more.
func once(n int) <-chan struct{} {
	c := make(chan struct{}, n)
	for range n {
		c <- struct{}{}
	}
	return c
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	why := errors.New("the person pressed Ctrl-C")
	t.Run("before", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		srv := fakellm.New(t)
		wantCancelled(t, final(ask(t, ctx, newProvider(t, openai.Config{}), model(srv), llm.Options{})), why, "")
	})
	t.Run("while waiting", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		srv := fakellm.New(t, fakellm.Answer{Fault: fakellm.Hang})
		go func() {
			srv.Await(ctx, 1) //nolint:errcheck // then the test fails anyway
			cancel(why)
		}()
		wantCancelled(t, final(ask(t, ctx, newProvider(t, openai.Config{}), model(srv), llm.Options{})), why, "")
	})
	t.Run("in the stream", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		srv := fakellm.New(t, fakellm.Answer{Text: "abc", Chunk: 1})
		var last *llm.Message
		for ev := range newProvider(t, openai.Config{}).Stream(ctx, model(srv), hello, llm.Options{}) {
			if ev.Delta == "b" {
				cancel(why)
			}
			last = ev.Message
		}
		wantCancelled(t, last, why, "ab")
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancel()
		srv := fakellm.New(t)
		wantCancelled(t, final(ask(t, ctx, newProvider(t, openai.Config{}), model(srv), llm.Options{})), context.DeadlineExceeded, "")
	})
}

func wantCancelled(t *testing.T, m *llm.Message, why error, text string) {
	t.Helper()
	if m.StopReason != llm.StopAborted || m.Err == nil || m.Err.Kind != llm.ErrCancelled || !errors.Is(m.Err, why) || m.Text() != text {
		t.Errorf("stop %q, error %v, text %q", m.StopReason, m.Err, m.Text())
	}
}
