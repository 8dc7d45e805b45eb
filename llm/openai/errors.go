package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/sse"
	"github.com/holic512/plugin-ai/llm"
)

// A failure is an error of a call with what the server said about it.
type failure struct {
	err  *llm.Error
	said string // the server's own words, codes included
}

func (f *failure) mask(m masker) {
	f.err.Message = m.mask(f.err.Message)
}

func malformed(what string, err error) *failure {
	if err != nil {
		what += ": " + forPeople(err.Error())
	}
	return &failure{err: &llm.Error{Kind: llm.ErrMalformed, Message: what, Err: err}}
}

func incomplete() *failure {
	return &failure{err: &llm.Error{Kind: llm.ErrIncomplete, Message: "the answer broke off: the stream ended before the model was done", Err: io.ErrUnexpectedEOF}}
}

// explain sorts the errors of a connection.
func (p *Provider) explain(ctx, watched context.Context, at endpoint, m masker, err error) *failure {
	fail := func(kind llm.ErrorKind, cause error, format string, args ...any) *failure {
		return &failure{err: &llm.Error{Kind: kind, Message: m.mask(fmt.Sprintf(format, args...)), Err: cause}}
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		return fail(llm.ErrCancelled, cause, "the request was cancelled: %v", cause)
	}
	if late, ok := errors.AsType[*phaseError](context.Cause(watched)); ok {
		return fail(llm.ErrTimeout, late, "the server at %s is too slow: %v", at.shown, late)
	}
	if errors.Is(err, sse.ErrTooLong) || errors.Is(err, errBodyTooLong) {
		return fail(llm.ErrMalformed, err, "the answer from %s is of no use: %v", at.shown, err)
	}
	// What net/http says names the whole address.
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return fail(llm.ErrNetwork, err, "the name %s was not found (%s): check the base URL %s and the network", dns.Name, dns.Err, at.shown)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fail(llm.ErrNetwork, err, "the certificate of %s is not trusted: %v", at.shown, err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return fail(llm.ErrNetwork, err, "the server at %s does not speak TLS: is its address http:// and not https://?", at.shown)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fail(llm.ErrNetwork, err, "no connection to %s (%v): is the server running?", at.shown, op.Err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return fail(llm.ErrNetwork, err, "no connection to %s through the proxy (%v): check HTTPS_PROXY", at.shown, op.Err)
	}
	return fail(llm.ErrNetwork, err, "the connection to %s broke: %v", at.shown, err)
}

// refused explains an answer whose status is not 200.
func (p *Provider) refused(at endpoint, options llm.Options, m masker, res *http.Response, body []byte) *failure {
	said := errorText(body)
	f := classify(res.StatusCode, said)
	f.err.RetryAfter = retryAfter(res.Header, p.now())
	shown := forPeople(m.mask(said.message))
	if shown == "" {
		shown = http.StatusText(res.StatusCode)
	}
	status := res.StatusCode
	var text string
	switch f.err.Kind {
	case llm.ErrAuthentication:
		if options.APIKey == "" {
			text = fmt.Sprintf("the server at %s wants an API key and none is set (%d: %s)", at.shown, status, shown)
		} else {
			text = fmt.Sprintf("the server at %s does not take the API key (%d: %s): check it", at.shown, status, shown)
		}
	case llm.ErrRateLimit:
		text = fmt.Sprintf("the server at %s asks to wait (%d: %s)", at.shown, status, shown)
	case llm.ErrQuota:
		text = fmt.Sprintf("the account at %s has nothing left (%d: %s): check its plan and billing", at.shown, status, shown)
	case llm.ErrOverloaded:
		text = fmt.Sprintf("the server at %s cannot answer now (%d: %s)", at.shown, status, shown)
	case llm.ErrTimeout:
		text = fmt.Sprintf("the server at %s gave up waiting (%d: %s)", at.shown, status, shown)
	case llm.ErrNotFound:
		text = fmt.Sprintf("the server at %s knows no such model or address (%d: %s): check the model's name and the base URL", at.shown, status, shown)
	case llm.ErrContextLength:
		text = fmt.Sprintf("the conversation is too long for the model (%d: %s)", status, shown)
	default:
		text = fmt.Sprintf("the server at %s refused the request (%d: %s)", at.shown, status, shown)
	}
	if to := res.Header.Get("Location"); status >= 300 && status < 400 && to != "" {
		text = fmt.Sprintf("the server at %s sends us to another address (%d), which is not followed with a key: if %s is right, make it the base URL", at.shown, status, forPeople(m.mask(withoutUser(to))))
	}
	f.err.Message = text
	return f
}

func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the new one"
	}
	u.User, u.RawQuery = nil, ""
	return strings.TrimSuffix(u.String(), "/chat/completions")
}

// streamError explains an error that came in place of an answer's piece.
func streamError(raw jsontext.Value) *failure {
	said := errorText(raw)
	f := classify(said.status, said)
	f.err.Message = "the server broke off the answer: " + forPeople(said.message)
	if f.err.Kind == llm.ErrContextLength {
		f.err.Message = "the conversation is too long for the model: " + forPeople(said.message)
	}
	return f
}

// serverWords is what a server says about an error.
type serverWords struct {
	message          string
	code, kind, near string // code, type and param of the API
	status           int    // an HTTP status inside the body; 0 is none
}

// errorText reads the body of an error in the shapes that servers use.
func errorText(body []byte) serverWords {
	var outer struct {
		Error   jsontext.Value `json:"error"`
		Detail  jsontext.Value `json:"detail"` // FastAPI
		Message jsontext.Value `json:"message"`
	}
	raw := jsontext.Value(body)
	if json.Unmarshal(body, &outer, lenient()) == nil {
		if present(outer.Error) {
			raw = outer.Error
		} else if present(outer.Detail) && !present(outer.Message) {
			raw = outer.Detail
		}
	}
	var inner struct {
		Message jsontext.Value `json:"message"`
		Code    jsontext.Value `json:"code"`
		Type    jsontext.Value `json:"type"`
		Param   jsontext.Value `json:"param"`
	}
	var plain string
	switch {
	case json.Unmarshal(raw, &plain, lenient()) == nil:
		return serverWords{message: plain}
	case json.Unmarshal(raw, &inner, lenient()) == nil && present(inner.Message):
		w := serverWords{message: unquoted(inner.Message), code: unquoted(inner.Code), kind: unquoted(inner.Type), near: unquoted(inner.Param)}
		if n, err := strconv.Atoi(w.code); err == nil && n >= 400 && n < 600 {
			w.status = n
		}
		return w
	}
	return serverWords{message: pageTitle(string(raw))}
}

func unquoted(raw jsontext.Value) string {
	var s string
	if json.Unmarshal(raw, &s, lenient()) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// pageTitle is the title of a text that is a web page, or the text.
func pageTitle(s string) string {
	if t := strings.TrimSpace(s); !strings.HasPrefix(t, "<") {
		return t
	}
	low := strings.ToLower(s)
	if len(low) == len(s) {
		if _, rest, ok := strings.Cut(low, "<title>"); ok {
			if n := strings.Index(rest, "</title>"); n >= 0 {
				at := len(s) - len(rest)
				return "a web page: " + s[at:at+n]
			}
		}
	}
	return "a web page"
}

// classify finds the kind of an error. Status 0 is an error inside a stream
// that tells none.
func classify(status int, w serverWords) *failure {
	all := strings.ToLower(strings.Join([]string{w.message, w.code, w.kind, w.near}, "\n"))
	has := func(words ...string) bool {
		for _, s := range words {
			if strings.Contains(all, s) {
				return true
			}
		}
		return false
	}
	perMinute := has("per minute", "per min", "(tpm)", "per day")
	kind := llm.ErrInvalid
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		kind = llm.ErrAuthentication
	case status == http.StatusPaymentRequired || has("insufficient_quota", "exceeded your current quota", "billing_", "insufficient balance", "insufficient credits"):
		kind = llm.ErrQuota
	case status == http.StatusTooManyRequests || (status == http.StatusRequestEntityTooLarge && perMinute):
		kind = llm.ErrRateLimit
	case !perMinute && (status == 0 || status >= 400) && (status == http.StatusRequestEntityTooLarge || tooLong(has)):
		kind = llm.ErrContextLength
	case status == http.StatusRequestTimeout:
		kind = llm.ErrTimeout
	case status == http.StatusNotFound:
		kind = llm.ErrNotFound
	case status >= 500:
		kind = llm.ErrOverloaded
	case status > 0 && status < 300:
		kind = llm.ErrMalformed // a success that is none
	case status != 0:
	case has("rate_limit", "rate limit", "too many requests"):
		kind = llm.ErrRateLimit
	case has("invalid_request", "invalid request"):
		kind = llm.ErrInvalid
	case has("authentication", "invalid_api_key", "unauthorized"):
		kind = llm.ErrAuthentication
	default:
		kind = llm.ErrOverloaded
	}
	return &failure{err: &llm.Error{Kind: kind, Status: status}, said: all}
}

// tooLong knows how servers say that a conversation is too long.
func tooLong(has func(...string) bool) bool {
	return has(
		"context_length_exceeded", "exceed_context_size", "model_context_window_exceeded", "context_window_exceeded",
		"maximum context length", "max context length", "maximum model length", "maximum prompt length", // OpenAI, vLLM, Mistral, OpenRouter, Ollama, xAI
		"available context size", "context size has been exceeded", "input is too large to process", // llama.cpp
		"exceeds the context length", "prompt too long", "prompt is too long", // Ollama, Anthropic
		"than the context length", "context length of only", "reached context length", "context the overflows", // LM Studio
		"reduce the length of the messages", // Groq
		"exceeds the maximum number of tokens", "exceeded model token limit", "context window exceeds", "exceeds the context window",
		"`max_new_tokens` must be", // text-generation-inference
	)
}

// retryAfter is how long the server asks to wait; 0 where it does not.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return wait(ms, time.Millisecond)
	}
	given := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(given, 64); err == nil {
		return wait(seconds, time.Second)
	}
	at, err := http.ParseTime(given)
	if err != nil {
		return 0
	}
	if server, err := http.ParseTime(h.Get("Date")); err == nil {
		now = server // its clock, not ours
	}
	return max(at.Sub(now), 0)
}

func wait(n float64, unit time.Duration) time.Duration {
	const most = 365 * 24 * time.Hour
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	if n > float64(most)/float64(unit) {
		return most
	}
	return time.Duration(n * float64(unit))
}
