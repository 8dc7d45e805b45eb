package call

import (
	"cmp"
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

// A Failure is an error of a call with what the server said about it.
type Failure struct {
	Err  *llm.Error
	said string // the server's own words, codes included, in lower case
}

// Fail makes a failure of a call.
func Fail(kind llm.ErrorKind, format string, args ...any) *Failure {
	return &Failure{Err: &llm.Error{Kind: kind, Message: fmt.Sprintf(format, args...)}}
}

// Malformed is a failure of a server that does not keep to its wire API. err may
// be nil.
func Malformed(what string, err error) *Failure {
	if err != nil {
		what += ": " + ForPeople(err.Error())
	}
	return &Failure{Err: &llm.Error{Kind: llm.ErrMalformed, Message: what, Err: err}}
}

// Incomplete is the failure of an answer that was cut.
func Incomplete() *Failure {
	return &Failure{Err: &llm.Error{Kind: llm.ErrIncomplete, Message: "the answer broke off: the stream ended before the model was done", Err: io.ErrUnexpectedEOF}}
}

// explain sorts the errors of a connection.
func (c *Client) explain(ctx, watched context.Context, at Endpoint, m masker, err error) *Failure {
	fail := func(kind llm.ErrorKind, cause error, format string, args ...any) *Failure {
		return &Failure{Err: &llm.Error{Kind: kind, Message: m.mask(fmt.Sprintf(format, args...)), Err: cause}}
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		return fail(llm.ErrCancelled, cause, "the request was cancelled: %v", cause)
	}
	if late, ok := errors.AsType[*phaseError](context.Cause(watched)); ok {
		return fail(llm.ErrTimeout, late, "the server at %s is too slow: %v", at.Shown, late)
	}
	if errors.Is(err, sse.ErrTooLong) || errors.Is(err, errBodyTooLong) {
		return fail(llm.ErrMalformed, err, "the answer from %s is of no use: %v", at.Shown, err)
	}
	// What net/http says names the whole address.
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return fail(llm.ErrNetwork, err, "the name %s was not found (%s): check the base URL %s and the network", dns.Name, dns.Err, at.Shown)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fail(llm.ErrNetwork, err, "the certificate of %s is not trusted: %v", at.Shown, err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return fail(llm.ErrNetwork, err, "the server at %s does not speak TLS: is its address http:// and not https://?", at.Shown)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fail(llm.ErrNetwork, err, "no connection to %s (%v): is the server running?", at.Shown, op.Err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return fail(llm.ErrNetwork, err, "no connection to %s through the proxy (%v): check HTTPS_PROXY", at.Shown, op.Err)
	}
	return fail(llm.ErrNetwork, err, "the connection to %s broke: %v", at.Shown, err)
}

// refused explains an answer whose status is not 200.
func (c *Client) refused(at Endpoint, options llm.Options, m masker, res *http.Response, said Words) *Failure {
	f := classify(res.StatusCode, said)
	f.Err.RetryAfter = cmp.Or(retryAfter(res.Header, c.now()), said.RetryAfter)
	shown := ForPeople(m.mask(said.Message))
	if shown == "" {
		shown = http.StatusText(res.StatusCode)
	}
	status := res.StatusCode
	var text string
	switch f.Err.Kind {
	case llm.ErrAuthentication:
		if options.APIKey == "" {
			text = fmt.Sprintf("the server at %s wants an API key and none is set (%d: %s)", at.Shown, status, shown)
		} else {
			text = fmt.Sprintf("the server at %s does not take the API key (%d: %s): check it", at.Shown, status, shown)
		}
	case llm.ErrRateLimit:
		text = fmt.Sprintf("the server at %s asks to wait (%d: %s)", at.Shown, status, shown)
	case llm.ErrQuota:
		text = fmt.Sprintf("the account at %s has nothing left (%d: %s): check its plan and billing", at.Shown, status, shown)
	case llm.ErrOverloaded:
		text = fmt.Sprintf("the server at %s cannot answer now (%d: %s)", at.Shown, status, shown)
	case llm.ErrTimeout:
		text = fmt.Sprintf("the server at %s gave up waiting (%d: %s)", at.Shown, status, shown)
	case llm.ErrNotFound:
		text = fmt.Sprintf("the server at %s knows no such model or address (%d: %s): check the model's name and the base URL", at.Shown, status, shown)
	case llm.ErrContextLength:
		text = fmt.Sprintf("the conversation is too long for the model (%d: %s)", status, shown)
	default:
		text = fmt.Sprintf("the server at %s refused the request (%d: %s)", at.Shown, status, shown)
	}
	if to := res.Header.Get("Location"); status >= 300 && status < 400 && to != "" {
		text = fmt.Sprintf("the server at %s sends us to another address (%d), which is not followed with a key: if %s is right, make it the base URL", at.Shown, status, ForPeople(m.mask(baseOf(to, strings.TrimPrefix(res.Request.URL.Path, at.base.Path)))))
	}
	f.Err.Message = text
	return f
}

// baseOf is the base URL of an address where the API's own path is end. It has
// no user and no query.
func baseOf(address, end string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the new one"
	}
	u.User, u.RawQuery = nil, ""
	return strings.TrimSuffix(u.String(), end)
}

// StreamError explains an error that came in place of an answer's piece.
func StreamError(said Words) *Failure {
	f := classify(said.Status, said)
	f.Err.RetryAfter = said.RetryAfter
	f.Err.Message = "the server broke off the answer: " + ForPeople(said.Message)
	if f.Err.Kind == llm.ErrContextLength {
		f.Err.Message = "the conversation is too long for the model: " + ForPeople(said.Message)
	}
	return f
}

// Words is what a server says about an error.
type Words struct {
	Message    string
	Code       string        // the API's name of it
	Type       string        // the API's name of its sort
	Near       string        // what in the request it is about
	Status     int           // an HTTP status inside the body; 0 is none
	RetryAfter time.Duration // how long it asks to wait; 0 is nothing said
	Kind       llm.ErrorKind // what it is; "" is to be found out
}

// errorText reads the body of an error in the shapes that servers use.
func ErrorText(body []byte) Words {
	var outer struct {
		Error   jsontext.Value `json:"error"`
		Detail  jsontext.Value `json:"detail"` // FastAPI
		Message jsontext.Value `json:"message"`
	}
	raw := jsontext.Value(body)
	if json.Unmarshal(body, &outer, Lenient()) == nil {
		if Present(outer.Error) {
			raw = outer.Error
		} else if Present(outer.Detail) && !Present(outer.Message) {
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
	case json.Unmarshal(raw, &plain, Lenient()) == nil:
		return Words{Message: plain}
	case json.Unmarshal(raw, &inner, Lenient()) == nil && Present(inner.Message):
		w := Words{Message: Unquoted(inner.Message), Code: Unquoted(inner.Code), Type: Unquoted(inner.Type), Near: Unquoted(inner.Param)}
		if n, err := strconv.Atoi(w.Code); err == nil && n >= 400 && n < 600 {
			w.Status = n
		}
		return w
	}
	return Words{Message: pageTitle(string(raw))}
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
func classify(status int, w Words) *Failure {
	all := strings.ToLower(strings.Join([]string{w.Message, w.Code, w.Type, w.Near}, "\n"))
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
	case w.Kind != "":
		kind = w.Kind
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
	return &Failure{Err: &llm.Error{Kind: kind, Status: status}, said: all}
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
