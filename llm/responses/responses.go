package responses

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

// The names of the wire API. Azure's differs in the header of the key and in
// where it is.
const (
	API      = "openai-responses"
	AzureAPI = "azure-openai-responses"
)

// DefaultBaseURL is asked where a model names no base URL. Azure has none.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config is what a [Provider] works with. The zero value is fine.
type Config struct {
	// Azure makes the provider one of azure-openai-responses: the key goes
	// into the header api-key, and a base URL that is the resource alone
	// (https://NAME.openai.azure.com) gets /openai/v1 behind it. A query of the
	// base URL, such as ?api-version=preview, is sent along. The model's id is
	// the name of the deployment.
	Azure bool
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
type Provider struct {
	client *call.Client
	azure  bool
}

// New makes a provider.
func New(config Config) *Provider {
	return &Provider{azure: config.Azure, client: call.New(call.Config{
		HTTPClient: config.HTTPClient, Capabilities: config.Capabilities, UserAgent: config.UserAgent,
		ConnectTimeout: config.ConnectTimeout, ResponseTimeout: config.ResponseTimeout, IdleTimeout: config.IdleTimeout,
	})}
}

// API is "openai-responses" or "azure-openai-responses".
func (p *Provider) API() string {
	if p.azure {
		return AzureAPI
	}
	return API
}

// Request gives the body that Stream would send first.
func (p *Provider) Request(model llm.Model, conversation llm.Context, options llm.Options) ([]byte, error) {
	at, err := p.endpoint(model)
	if err != nil {
		return nil, err
	}
	return p.body(model, conversation, options, p.client.Rung(p.address(at), model, options))
}

// Stream asks the model; see [llm.Provider].
func (p *Provider) Stream(ctx context.Context, model llm.Model, conversation llm.Context, options llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		b := llm.NewBuilder(model, llm.Message{API: p.API(), Timestamp: p.client.Now().UnixMilli()}, yield)
		at, err := p.endpoint(model)
		if err != nil {
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err})
			return
		}
		p.client.Run(ctx, b, call.Exchange{
			At: at, URL: at.URL("/responses", ""), Address: p.address(at),
			Header: p.header(options), Model: model, Options: options,
			Body: func(rung llm.Enforcement) ([]byte, error) {
				return p.body(model, conversation, options, rung)
			},
			Answer: func(b *llm.Builder) call.Answer { return newAnswer(b) },
			Words:  words,
			FormatNames: []string{
				"text.format", "response_format", "response format", "json_schema", "json schema", "json_object", "json mode",
				"structured output", "structured_output", "strict schema", "grammar",
			},
		})
	}
}

// endpoint reads the base URL. A whole address of the API is understood too.
func (p *Provider) endpoint(model llm.Model) (call.Endpoint, error) {
	base := model.BaseURL
	if base == "" {
		base = DefaultBaseURL
	}
	if p.azure {
		if u, err := url.Parse(strings.TrimSpace(base)); err == nil && strings.Trim(u.Path, "/") == "" {
			u.Path = "/openai/v1"
			base = u.String()
		}
	}
	return call.NewEndpoint(base, "/responses")
}

// address is what the notes on a server are under. Its chat completions may
// take what its responses do not.
func (p *Provider) address(at call.Endpoint) string { return at.Shown + " " + p.API() }

func (p *Provider) header(options llm.Options) map[string]string {
	key := strings.TrimSpace(options.APIKey)
	switch {
	case key == "":
		return nil
	case p.azure:
		return map[string]string{"Api-Key": key}
	}
	return map[string]string{"Authorization": "Bearer " + key}
}
