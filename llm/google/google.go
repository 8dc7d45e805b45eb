package google

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// API is the name of the wire API.
const API = "google-generative-ai"

// DefaultBaseURL is asked where a model names no base URL.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Config is what a [Provider] works with. The zero value is fine.
type Config struct {
	// HTTPClient makes the requests; nil is one of its own, with HTTP/2 and
	// the proxies of the environment. Redirects to another host are never
	// followed, whatever its CheckRedirect says.
	HTTPClient *http.Client
	// Capabilities remembers which models refused which answer format; nil
	// remembers for the life of the Provider.
	Capabilities Capabilities
	// ConnectTimeout is for the connection with TLS, ResponseTimeout from then
	// to the first byte of the answer's body, IdleTimeout between two pieces
	// of it. 0 is the default (15 s, 5 min, 2 min), below 0 is no limit.
	ConnectTimeout, ResponseTimeout, IdleTimeout time.Duration
	// UserAgent is sent as the header of that name; "" is "plugin-ai".
	UserAgent string
}

// Capabilities remembers how far down the ladder a server made us go. An
// implementation is safe for concurrent use.
type Capabilities interface {
	// Get gives what is known of a model at an address.
	Get(address, model string) (llm.Enforcement, bool)
	// Set notes the rung that worked, and the server's words that led there.
	Set(address, model string, rung llm.Enforcement, reason string) error
}

// A Provider asks servers that speak the API. It is safe for concurrent use.
type Provider struct{ client *call.Client }

// New makes a provider.
func New(config Config) *Provider {
	return &Provider{call.New(call.Config{
		HTTPClient: config.HTTPClient, Capabilities: config.Capabilities, UserAgent: config.UserAgent,
		ConnectTimeout: config.ConnectTimeout, ResponseTimeout: config.ResponseTimeout, IdleTimeout: config.IdleTimeout,
	})}
}

// API is "google-generative-ai".
func (p *Provider) API() string { return API }

// Request gives the body that Stream would send first.
func (p *Provider) Request(model llm.Model, conversation llm.Context, options llm.Options) ([]byte, error) {
	at, err := endpoint(model)
	if err != nil {
		return nil, err
	}
	return requestBody(model, conversation, options, p.client.Rung(at.Shown, model, options))
}

// Stream asks the model; see [llm.Provider].
func (p *Provider) Stream(ctx context.Context, model llm.Model, conversation llm.Context, options llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		b := llm.NewBuilder(model, llm.Message{API: API, Timestamp: p.client.Now().UnixMilli()}, yield)
		at, err := endpoint(model)
		if err != nil {
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err})
			return
		}
		p.client.Run(ctx, b, call.Exchange{
			At: at, URL: address(at, model, options), Address: at.Shown,
			Header: header(options), Model: model, Options: options,
			Body: func(rung llm.Enforcement) ([]byte, error) {
				return requestBody(model, conversation, options, rung)
			},
			Answer: func(b *llm.Builder) call.Answer { return &answer{b: b} },
			Words:  words,
			FormatNames: []string{
				"responsejsonschema", "response_json_schema", "responseschema", "response_schema", "responsemimetype", "response_mime_type",
				"json mode", "json schema", "schema produces a constraint", "structured output",
			},
		})
	}
}

// endpoint reads the base URL. A whole address of the API is understood too.
func endpoint(model llm.Model) (call.Endpoint, error) {
	base := model.BaseURL
	if base == "" {
		base = DefaultBaseURL
	}
	return call.NewEndpoint(base, "/models")
}

// address is where a model is asked. The key is not in it: addresses end up in
// logs.
func address(at call.Endpoint, model llm.Model, options llm.Options) string {
	name := url.PathEscape(bare(model.ID))
	if options.Whole {
		return at.URL("/models/"+name+":generateContent", "")
	}
	return at.URL("/models/"+name+":streamGenerateContent", "alt=sse")
}

// bare is a model's id without the folder that Google's own lists put before
// it.
func bare(id string) string { return strings.TrimPrefix(id, "models/") }

func header(options llm.Options) map[string]string {
	if key := strings.TrimSpace(options.APIKey); key != "" {
		return map[string]string{"X-Goog-Api-Key": key}
	}
	return nil
}
