package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// API is the name of the wire API.
const API = "openai-completions"

// DefaultBaseURL is asked where a model names no base URL.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config is what a [Provider] works with. The zero value is fine.
type Config struct {
	// HTTPClient makes the requests; nil is one of its own, with HTTP/2 and
	// the proxies of the environment. Redirects to another host are never
	// followed, whatever its CheckRedirect says.
	HTTPClient *http.Client
	// Capabilities remembers which servers refused which answer format; nil
	// remembers for the life of the Provider.
	Capabilities Capabilities
	// ConnectTimeout is for the connection with TLS, ResponseTimeout from then
	// to the first byte of the answer's body, IdleTimeout between two pieces
	// of it. 0 is the default (15 s, 5 min, 2 min), below 0 is no limit.
	ConnectTimeout, ResponseTimeout, IdleTimeout time.Duration
	// UserAgent is sent as the header of that name; "" is "plugin-ai".
	UserAgent string
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

// API is "openai-completions".
func (p *Provider) API() string { return API }

// Request gives the body that Stream would send first.
func (p *Provider) Request(model llm.Model, conversation llm.Context, options llm.Options) ([]byte, error) {
	at, err := endpoint(model)
	if err != nil {
		return nil, err
	}
	return requestBody(at, model, conversation, options, p.client.Rung(at.Shown, model, options))
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
			At: at, URL: at.URL("/chat/completions", ""), Address: at.Shown,
			Header: header(options), Model: model, Options: options,
			Body: func(rung llm.Enforcement) ([]byte, error) {
				return requestBody(at, model, conversation, options, rung)
			},
			Answer: func(b *llm.Builder) call.Answer { return &answer{b: b} },
			Words:  func(body []byte) call.Words { return call.ErrorText(jsontext.Value(body)) },
			FormatNames: []string{
				"response_format", "response format", "response_schema", "json_schema", "json schema", "json_object", "json mode",
				"structured output", "structured_output", "strict schema", "grammar",
				"requested parameters", // OpenRouter, where no route takes what require_parameters demands
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
	return call.NewEndpoint(base, "/chat/completions")
}

func header(options llm.Options) map[string]string {
	if key := strings.TrimSpace(options.APIKey); key != "" {
		return map[string]string{"Authorization": "Bearer " + key}
	}
	return nil
}
