package call

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/internal/sse"
	"github.com/holic512/plugin-ai/llm"
)

// Config is what a [Client] works with. The zero value is fine.
type Config struct {
	// HTTPClient makes the requests; nil is one of its own, with HTTP/2 and
	// the proxies of the environment. Redirects to another host are never
	// followed, whatever its CheckRedirect says.
	HTTPClient *http.Client
	// Capabilities remembers which servers refused which answer format; nil
	// remembers for the life of the provider.
	Capabilities Capabilities
	// ConnectTimeout is for the connection with TLS, ResponseTimeout from then
	// to the first byte of the answer's body, IdleTimeout between two pieces
	// of it. 0 is the default (15 s, 5 min, 2 min), below 0 is no limit.
	ConnectTimeout, ResponseTimeout, IdleTimeout time.Duration
	// UserAgent is sent as the header of that name; "" is "plugin-ai".
	UserAgent string
}

// A Client makes calls. It is safe for concurrent use.
type Client struct {
	http      *http.Client
	known     Capabilities
	limits    limits
	userAgent string
	now       func() time.Time
}

// New makes a client.
func New(config Config) *Client {
	c := &Client{
		http:  &http.Client{},
		known: config.Capabilities,
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
		*c.http = *config.HTTPClient
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		c.http.Transport = t.Clone()
	}
	c.http.CheckRedirect = sameHostOnly(c.http.CheckRedirect)
	if c.known == nil {
		c.known = newMemory()
	}
	if c.userAgent == "" {
		c.userAgent = "plugin-ai"
	}
	return c
}

func timeout(given, otherwise time.Duration) time.Duration {
	if given == 0 {
		return otherwise
	}
	return given
}

// Now is the time that answers are stamped with.
func (c *Client) Now() time.Time { return c.now() }

// An Exchange is one question to a server, and how its answer is understood.
type Exchange struct {
	At      Endpoint
	URL     string
	Header  map[string]string // with the key
	Model   llm.Model
	Options llm.Options
	// Address is what the notes on the server's capabilities are under: it
	// tells wire APIs of one server apart.
	Address string
	// Body writes the request for a rung of the ladder.
	Body func(rung llm.Enforcement) ([]byte, error)
	// Answer begins to read an answer.
	Answer func(*llm.Builder) Answer
	// Words reads the body of an error.
	Words func(body []byte) Words
	// Ladder is the rungs that the API has, from the strongest; nil is schema,
	// object and prompt.
	Ladder []llm.Enforcement
	// FormatNames is how errors name the parameter that enforces the form of
	// an answer, in lower case.
	FormatNames []string
}

// An Answer gathers the events of one answer and says what they mean.
type Answer interface {
	// Add takes the data of one event.
	Add(data []byte) *Failure
	// State tells whether the answer's end was said, and whether nothing
	// more is worth waiting for.
	State() (ended, complete bool)
	// End gives the builder its last event, where the answer is good. It is
	// called once, after its end was said.
	End() *Failure
	// Whole takes an answer that is one JSON document, its end included.
	Whole(document []byte) *Failure
}

// Rung is the strongest way to enforce an answer's form that the server is
// thought to take; "" where none was asked for.
func (c *Client) Rung(address string, model llm.Model, options llm.Options) llm.Enforcement {
	if options.Format == nil {
		return ""
	}
	if rung, ok := c.known.Get(address, model.ID); ok {
		return rung
	}
	return llm.EnforceSchema
}

// Run asks and gives the builder all events of the answer. It asks again where
// the server refuses a form of answers, with the next weaker one.
func (c *Client) Run(ctx context.Context, b *llm.Builder, x Exchange) {
	rung := c.Rung(x.Address, x.Model, x.Options)
	why := ""
	for {
		body, err := x.Body(rung)
		if err != nil {
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("the request cannot be written: %v", err), Err: err})
			return
		}
		b.Enforced(rung)
		f := c.ask(ctx, b, &x, body)
		if f == nil || !b.Empty() {
			if why != "" {
				// A note that cannot be kept costs the next run two requests
				// and must not spoil this answer.
				_ = c.known.Set(x.Address, x.Model.ID, rung, why)
			}
			if f != nil {
				b.Fail(f.Err)
			}
			return
		}
		next, ok := x.below(rung)
		if !ok || b.Ended() || !f.refuses(x.FormatNames) {
			b.Fail(f.Err)
			return
		}
		rung, why = next, f.Err.Message
	}
}

// ask makes one request and gives the events of its answer. The last event of
// a good answer is given here; a failure is given back, and its event is still
// to come.
func (c *Client) ask(ctx context.Context, b *llm.Builder, x *Exchange, body []byte) *Failure {
	m := newMasker(x.Options)
	watched, w := newWatch(ctx, c.limits)
	defer w.stop()
	explain := func(err error) *Failure { return c.explain(ctx, watched, x.At, m, err) }

	res, err := c.send(watched, w, x, body)
	if err != nil {
		return explain(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		said, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		if len(said) == 0 && err != nil {
			return explain(err)
		}
		return c.refused(x.At, x.Options, m, res, x.Words(said))
	}
	f := c.read(ctx, b, x, &wire{body: res.Body, watch: w}, explain)
	if f != nil {
		f.Err.Message = m.mask(f.Err.Message)
		return f
	}
	if b.Ended() && ctx.Err() == nil {
		// The end of the body frees the connection for the next call.
		w.enter(draining)
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	}
	return nil
}

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 64 << 10

// send makes the request.
func (c *Client) send(ctx context.Context, w *watch, x *Exchange, body []byte) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		w.enter(responding)
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", c.userAgent)
	for _, header := range []map[string]string{x.Header, x.Options.Headers} {
		for name, value := range header {
			req.Header.Set(name, value)
		}
	}
	return c.http.Do(req)
}

// read reads an answer, whatever its form.
func (c *Client) read(ctx context.Context, b *llm.Builder, x *Exchange, in *wire, explain func(error) *Failure) *Failure {
	// The start is given when the server has taken the request. A refusal that
	// comes inside the stream can then still go down the ladder.
	if !b.Start() {
		return nil
	}
	r := bufio.NewReaderSize(in, 16<<10)
	first, err := firstByte(r)
	if err != nil && !errors.Is(err, io.EOF) {
		return explain(err)
	}
	a := x.Answer(b)
	switch first {
	case '{', '[':
		data, err := io.ReadAll(io.LimitReader(r, sse.MaxEvent+1))
		if err == nil && len(data) > sse.MaxEvent {
			err = sse.ErrTooLong
		}
		if err != nil {
			return explain(err)
		}
		in.mark(b)
		return a.Whole(bytes.TrimSpace(data))
	case '<':
		return Fail(llm.ErrMalformed, "the server at %s answered with a web page: is the base URL that of an API?", x.At.Shown)
	}
	return stream(ctx, b, a, sse.NewReader(r), in, explain)
}

// stream reads events until the answer is over.
func stream(ctx context.Context, b *llm.Builder, a Answer, events *sse.Reader, in *wire, explain func(error) *Failure) *Failure {
	for {
		data, err := events.Next()
		in.mark(b)
		ended, _ := a.State()
		switch {
		case ctx.Err() != nil:
			return explain(ctx.Err())
		case err != nil && ended:
			return a.End() // all was said; how the line ended does not matter
		case errors.Is(err, io.EOF):
			return Incomplete()
		case err != nil:
			return explain(err)
		case sse.IsDone(data):
			if !ended {
				return Incomplete()
			}
			return a.End()
		}
		if f := a.Add(data); f != nil {
			return f
		}
		ended, complete := a.State()
		switch {
		case b.Ended():
			in.watch.stop() // the reader left; the connection is not worth saving
			return nil
		case complete:
			return a.End()
		case ended && phase(in.watch.phase.Load()) < finishing:
			in.watch.enter(finishing)
		}
	}
}

// firstByte looks at the first byte that is not white space, and leaves it.
func firstByte(r *bufio.Reader) (byte, error) {
	if bom, err := r.Peek(3); err == nil && bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = r.Discard(3)
	}
	for {
		b, err := r.Peek(1)
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(b[0])) {
			return b[0], nil
		}
		_, _ = r.Discard(1)
	}
}
