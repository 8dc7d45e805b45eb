package anthropic

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// API is the name of the wire API.
const API = "anthropic-messages"

// Version is the version of the wire API that is asked for.
const Version = "2023-06-01"

// DefaultBaseURL is asked where a model names no base URL.
const DefaultBaseURL = "https://api.anthropic.com"

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

// API is "anthropic-messages".
func (p *Provider) API() string { return API }

// Request gives the body that Stream would send first.
func (p *Provider) Request(model llm.Model, conversation llm.Context, options llm.Options) ([]byte, error) {
	at, err := endpoint(model)
	if err != nil {
		return nil, err
	}
	return requestBody(model, conversation, options, p.client.Rung(address(at), model, options))
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
			At: at, URL: at.URL("/v1/messages", ""), Address: address(at),
			Header: header(options), Model: model, Options: options,
			Body: func(rung llm.Enforcement) ([]byte, error) {
				return requestBody(model, conversation, options, rung)
			},
			Answer:      func(b *llm.Builder) call.Answer { return &answer{b: b, reply: replyTool(options)} },
			Words:       words,
			Ladder:      []llm.Enforcement{llm.EnforceSchema, llm.EnforceStrictTool, llm.EnforceTool, llm.EnforcePrompt},
			FormatNames: formatNames(),
		})
	}
}

// endpoint reads the base URL. With /v1 at its end, or as the whole address of
// the API, it is understood too.
func endpoint(model llm.Model) (call.Endpoint, error) {
	base := model.BaseURL
	if base == "" {
		base = DefaultBaseURL
	}
	return call.NewEndpoint(base, "/messages", "/v1")
}

// address is what the notes on a server are under.
func address(at call.Endpoint) string { return at.Shown + " " + API + " " + Version }

func header(options llm.Options) map[string]string {
	h := map[string]string{"Anthropic-Version": Version}
	if key := strings.TrimSpace(options.APIKey); key != "" {
		h["X-Api-Key"] = key
	}
	return h
}

// formatNames is how errors name what enforces the form of an answer, on any
// rung.
func formatNames() []string {
	return []string{
		"output_config", "output_format", "json_schema", "json schema", "structured output", "grammar", "union types", "schema is too complex",
		"tool_choice", "tool choice", ".strict", "strict:", "strict tool", "input_schema", "tools are not supported", "does not support tool",
	}
}
