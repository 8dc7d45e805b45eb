package anthropic_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	say := func(status int, kind, message string) fakellm.Answer {
		return fakellm.Status(status, `{"type":"error","error":{"type":"`+kind+`","message":"`+message+`"},"request_id":"req_1"}`)
	}
	wait := func(a fakellm.Answer, h ...string) fakellm.Answer {
		a.Headers = map[string]string{}
		for i := 0; i < len(h); i += 2 {
			a.Headers[h[i]] = h[i+1]
		}
		return a
	}
	for name, c := range map[string]struct {
		answer fakellm.Answer
		kind   llm.ErrorKind
		wait   time.Duration
		says   string
	}{
		"400":          {say(400, "invalid_request_error", "messages: at least one message is required"), llm.ErrInvalid, 0, "at least one message"},
		"401":          {say(401, "authentication_error", "invalid x-api-key"), llm.ErrAuthentication, 0, "invalid x-api-key"},
		"403":          {say(403, "permission_error", "not allowed"), llm.ErrAuthentication, 0, "not allowed"},
		"404":          {say(404, "not_found_error", "model: m"), llm.ErrNotFound, 0, "model: m"},
		"408":          {fakellm.Status(408, ""), llm.ErrTimeout, 0, "Timeout"},
		"409":          {say(409, "conflict_error", "conflict"), llm.ErrInvalid, 0, "conflict"},
		"413":          {say(413, "request_too_large", "Request exceeds the maximum size"), llm.ErrContextLength, 0, "maximum size"},
		"429":          {say(429, "rate_limit_error", "slow down"), llm.ErrRateLimit, 0, "slow down"},
		"429, wait":    {wait(say(429, "rate_limit_error", "slow down"), "Retry-After", "7"), llm.ErrRateLimit, 7 * time.Second, "slow down"},
		"429, date":    {wait(fakellm.Status(429, ""), "Date", "Sat, 21 Nov 2026 10:00:00 GMT", "Retry-After", "Sat, 21 Nov 2026 10:00:09 GMT"), llm.ErrRateLimit, 9 * time.Second, ""},
		"500":          {say(500, "api_error", "Internal server error"), llm.ErrOverloaded, 0, "Internal"},
		"504":          {say(504, "timeout_error", "timed out"), llm.ErrOverloaded, 0, "timed out"},
		"529":          {wait(say(529, "overloaded_error", "Overloaded"), "Retry-After", "3"), llm.ErrOverloaded, 3 * time.Second, "Overloaded"},
		"too long":     {say(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"), llm.ErrContextLength, 0, "208310"},
		"too long, 2":  {say(400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"), llm.ErrContextLength, 0, "190000"},
		"no money":     {say(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), llm.ErrQuota, 0, "credit balance"},
		"no money, 2":  {say(402, "billing_error", "pay"), llm.ErrQuota, 0, "pay"},
		"a limit":      {say(400, "invalid_request_error", "You have reached your specified API usage limits."), llm.ErrQuota, 0, "usage limits"},
		"a page":       {fakellm.Status(502, "<html><title>Bad Gateway</title></html>"), llm.ErrOverloaded, 0, "Bad Gateway"},
		"empty":        {fakellm.Status(503, " "), llm.ErrOverloaded, 0, "Service Unavailable"},
		"another form": {fakellm.Status(400, `{"detail":"no such field"}`), llm.ErrInvalid, 0, "no such field"},
		"the key told": {say(401, "authentication_error", "invalid x-api-key "+key), llm.ErrAuthentication, 0, "sk-…fXYZ"},
		"terminal":     {say(400, "invalid_request_error", `\u001b[2Ja\nb`), llm.ErrInvalid, 0, "[2Ja b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, c.answer)
			if kind(m) != c.kind || m.Err.RetryAfter != c.wait || m.Err.Status != c.answer.Status || !strings.Contains(m.Err.Message, c.says) {
				t.Errorf("%+v", m.Err)
			}
			if strings.Contains(m.Err.Message, key) || strings.ContainsAny(m.Err.Message, "\x1b\n") {
				t.Errorf("shown to people: %q", m.Err.Message)
			}
		})
	}
}

// TestErrorsInside has errors in place of an answer's piece.
func TestErrorsInside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakellm.Answer
		kind   llm.ErrorKind
		text   string
	}{
		"overloaded":     {fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.StreamError, 2), llm.ErrOverloaded, "ab"},
		"rate":           {stream(begin, `error "error":{"type":"rate_limit_error","message":"x"}`), llm.ErrRateLimit, ""},
		"key":            {stream(begin, `error "error":{"type":"authentication_error","message":"x"}`), llm.ErrAuthentication, ""},
		"rights":         {stream(begin, `error "error":{"type":"permission_error","message":"x"}`), llm.ErrAuthentication, ""},
		"invalid":        {stream(begin, `error "error":{"type":"invalid_request_error","message":"x"}`), llm.ErrInvalid, ""},
		"too long":       {stream(begin, `error "error":{"type":"invalid_request_error","message":"prompt is too long"}`), llm.ErrContextLength, ""},
		"internal":       {stream(begin, `error "error":{"type":"api_error","message":"x"}`), llm.ErrOverloaded, ""},
		"after the end":  {stream(begin, beginText, hi, endBlock, stop("end_turn"), `error "error":{"type":"api_error","message":"x"}`), llm.ErrOverloaded, "hi"},
		"cut":            {fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.Cut, 2), llm.ErrNetwork, "ab"},
		"half an event":  {fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.Malformed, 2), llm.ErrMalformed, "ab"},
		"no JSON":        {fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.InvalidJSON, 2), llm.ErrMalformed, "ab"},
		"reset":          {fakellm.Answer{}.Fail(fakellm.Reset, 0), llm.ErrNetwork, ""},
		"no end":         {fakellm.Answer{Text: "abc", NoDone: true}, llm.ErrIncomplete, "abc"},
		"another API":    {fakellm.Raw("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n"), llm.ErrIncomplete, ""},
		"nothing at all": {fakellm.Raw(""), llm.ErrIncomplete, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, c.answer)
			if kind(m) != c.kind || m.Text() != c.text || m.StopReason != llm.StopError {
				t.Errorf("text %q, stop %q, error %+v", m.Text(), m.StopReason, m.Err)
			}
		})
	}
}

func TestSlowServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakellm.Answer
		config anthropic.Config
	}{
		"silent": {fakellm.Answer{}.Fail(fakellm.Hang, 0), anthropic.Config{ResponseTimeout: 20 * time.Millisecond}},
		"stalls": {fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.Stall, 2), anthropic.Config{IdleTimeout: 50 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, c.answer)
			m := final(ask(t, t.Context(), newProvider(t, c.config), model(srv), llm.Options{}))
			if kind(m) != llm.ErrTimeout || !m.Err.Kind.Retryable() {
				t.Errorf("error %v", m.Err)
			}
		})
	}
	m := llm.Complete(t.Context(), newProvider(t, anthropic.Config{}), llm.Model{BaseURL: "http://127.0.0.1:1"}, hello, llm.Options{})
	if kind(m) != llm.ErrNetwork || !strings.Contains(m.Err.Message, "is the server running?") {
		t.Errorf("error %v", m.Err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	cause := errors.New("the person pressed Ctrl-C")
	srv := fakellm.New(t, fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.Stall, 2))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last *llm.Message
	for ev := range newProvider(t, anthropic.Config{}).Stream(ctx, model(srv), hello, llm.Options{}) {
		last = ev.Message
		if ev.Type == llm.EventTextDelta {
			cancel(cause)
		}
	}
	if last.StopReason != llm.StopAborted || kind(last) != llm.ErrCancelled || !errors.Is(last.Err, cause) || last.Text() == "" {
		t.Errorf("stop %q, error %v, text %q", last.StopReason, last.Err, last.Text())
	}
}

// A key goes to no other server.
func TestRedirect(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server got %s with the key %q", r.URL, r.Header.Get("X-Api-Key"))
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/messages", http.StatusTemporaryRedirect))
	defer first.Close()
	m := llm.Complete(t.Context(), newProvider(t, anthropic.Config{}), llm.Model{BaseURL: first.URL}, hello, llm.Options{APIKey: key})
	if m.Err == nil || m.Err.Status != http.StatusTemporaryRedirect || !strings.Contains(m.Err.Message, other.URL) {
		t.Errorf("error %v", m.Err)
	}
}
