package openai

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/holic512/plugin-ai/llm"
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
type Provider struct {
	client    *http.Client
	known     Capabilities
	limits    limits
	userAgent string
	now       func() time.Time
}

// New makes a provider.
func New(config Config) *Provider {
	p := &Provider{
		client: &http.Client{},
		known:  config.Capabilities,
		limits: limits{
			connecting: timeout(config.ConnectTimeout, 15*time.Second),
			responding: timeout(config.ResponseTimeout, 5*time.Minute),
			streaming:  timeout(config.IdleTimeout, 2*time.Minute),
			finishing:  250 * time.Millisecond,
			draining:   50 * time.Millisecond,
		},
		userAgent: config.UserAgent,
		now:       time.Now,
	}
	if config.HTTPClient != nil {
		*p.client = *config.HTTPClient
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		p.client.Transport = t.Clone()
	}
	p.client.CheckRedirect = sameHostOnly(p.client.CheckRedirect)
	if p.known == nil {
		p.known = newMemory()
	}
	if p.userAgent == "" {
		p.userAgent = "plugin-ai"
	}
	return p
}

func timeout(given, otherwise time.Duration) time.Duration {
	if given == 0 {
		return otherwise
	}
	return given
}

// API is "openai-completions".
func (p *Provider) API() string { return API }

// Request gives the body that Stream would send first.
func (p *Provider) Request(model llm.Model, conversation llm.Context, options llm.Options) ([]byte, error) {
	at, err := newEndpoint(model.BaseURL)
	if err != nil {
		return nil, err
	}
	return requestBody(at, model, conversation, options, p.firstRung(at, model, options))
}

// Stream asks the model; see [llm.Provider].
func (p *Provider) Stream(ctx context.Context, model llm.Model, conversation llm.Context, options llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		b := llm.NewBuilder(model, llm.Message{API: API, Timestamp: p.now().UnixMilli()}, yield)
		at, err := newEndpoint(model.BaseURL)
		if err != nil {
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err})
			return
		}
		p.descend(ctx, b, at, model, conversation, options)
	}
}

// descend asks with the strongest rung that the server is thought to take,
// and goes down where it says that it does not.
func (p *Provider) descend(ctx context.Context, b *llm.Builder, at endpoint, model llm.Model, conversation llm.Context, options llm.Options) {
	rung := p.firstRung(at, model, options)
	why := ""
	for {
		body, err := requestBody(at, model, conversation, options, rung)
		if err != nil {
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("the request cannot be written: %v", err), Err: err})
			return
		}
		b.Enforced(rung)
		f := p.ask(ctx, b, at, options, body)
		if f == nil || !b.Empty() {
			if why != "" {
				// A note that cannot be kept costs the next run two requests
				// and must not spoil this answer.
				_ = p.known.Set(at.shown, model.ID, rung, why)
			}
			if f != nil {
				b.Fail(f.err)
			}
			return
		}
		next, ok := below(rung)
		if !ok || b.Ended() || !f.refusesFormat() {
			b.Fail(f.err)
			return
		}
		rung, why = next, f.err.Message
	}
}

func (p *Provider) firstRung(at endpoint, model llm.Model, options llm.Options) llm.Enforcement {
	if options.Format == nil {
		return ""
	}
	if rung, ok := p.known.Get(at.shown, model.ID); ok {
		return rung
	}
	return llm.EnforceSchema
}
