package openai

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/holic512/plugin-ai/internal/sse"
	"github.com/holic512/plugin-ai/llm"
)

// ask makes one request and gives the events of its answer. The last event of
// a good answer is given here; a failure is given back, and its event is still
// to come.
func (p *Provider) ask(ctx context.Context, b *llm.Builder, at endpoint, options llm.Options, body []byte) *failure {
	m := newMasker(options)
	watched, w := newWatch(ctx, p.limits)
	defer w.stop()
	explain := func(err error) *failure { return p.explain(ctx, watched, at, m, err) }

	res, f := p.send(watched, w, at, options, m, body)
	if f == nil && res.err != nil {
		f = explain(res.err)
	}
	if f != nil {
		return f
	}
	defer res.http.Body.Close()

	in := &wire{body: res.http.Body, watch: w}
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
	a := &answer{b: b}
	switch first {
	case '{', '[':
		data, err := io.ReadAll(io.LimitReader(r, sse.MaxEvent+1))
		if err == nil && len(data) > sse.MaxEvent {
			err = sse.ErrTooLong
		}
		if err != nil {
			return explain(err)
		}
		a.mark(in)
		f = a.whole(data)
	case '<':
		f = &failure{err: &llm.Error{Kind: llm.ErrMalformed, Message: "the server at " + at.shown + " answered with a web page: is the base URL that of an API (often it ends in /v1)?"}}
	default:
		f = a.stream(ctx, sse.NewReader(r), in, w, explain)
	}
	if f != nil {
		f.mask(m)
		return f
	}
	// The end of the body frees the connection for the next call.
	w.enter(draining)
	_, _ = io.Copy(io.Discard, io.LimitReader(r, 64<<10))
	return nil
}

// stream reads events until the answer is over.
func (a *answer) stream(ctx context.Context, s *sse.Reader, in *wire, w *watch, explain func(error) *failure) *failure {
	for {
		data, err := s.Next()
		a.mark(in)
		switch {
		case ctx.Err() != nil:
			return explain(ctx.Err())
		case err != nil && a.finish != "":
			return a.end() // all was said; how the line ended does not matter
		case errors.Is(err, io.EOF):
			return incomplete()
		case err != nil:
			return explain(err)
		case sse.IsDone(data):
			if a.finish == "" {
				return incomplete()
			}
			return a.end()
		}
		more, f := a.add(data)
		switch {
		case f != nil:
			return f
		case !more:
			w.stop() // the reader left; the connection is not worth saving
			return nil
		case a.complete():
			return a.end()
		case a.finish != "" && phase(w.phase.Load()) < finishing:
			w.enter(finishing)
		}
	}
}

// mark passes on that the bytes were not valid.
func (a *answer) mark(in *wire) {
	if in.utf8.bad {
		a.b.Damaged()
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

// A response is an answer that is about to be read, or why there is none.
type response struct {
	http *http.Response
	err  error
}

// send makes the request through the SDK. A failure is an answer of the server
// that says no.
func (p *Provider) send(ctx context.Context, w *watch, at endpoint, options llm.Options, m masker, body []byte) (response, *failure) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		w.enter(responding)
	}})
	var res *http.Response
	// Not NewClient: that one takes keys and addresses from the environment,
	// and would send OPENAI_API_KEY to whatever server is asked.
	client := sdk.Client{Options: p.clientOptions(at, options)}
	err := client.Post(ctx, "chat/completions", body, &res)
	if res != nil && err == nil && res.StatusCode == http.StatusOK {
		return response{http: res}, nil
	}
	if res == nil || (err != nil && res.StatusCode < 400) {
		return response{err: err}, nil
	}
	// The SDK has read the body of an error and closed it; with other
	// statuses it did not.
	said, readErr := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	res.Body.Close()
	if len(said) == 0 && readErr != nil {
		return response{err: readErr}, nil
	}
	return response{}, p.refused(at, options, m, res, said)
}

func (p *Provider) clientOptions(at endpoint, options llm.Options) []option.RequestOption {
	o := []option.RequestOption{
		option.WithHTTPClient(p.client),
		option.WithBaseURL(at.base),
		option.WithMaxRetries(0),
		option.WithMiddleware(boundErrors),
		option.WithHeader("User-Agent", p.userAgent),
		option.WithHeader("Accept", "text/event-stream, application/json"),
	}
	for _, name := range []string{"Retry-Count", "Timeout", "Lang", "Package-Version", "Os", "Arch", "Runtime", "Runtime-Version"} {
		o = append(o, option.WithHeaderDel("X-Stainless-"+name))
	}
	if key := strings.TrimSpace(options.APIKey); key != "" {
		o = append(o, option.WithAPIKey(key))
	}
	for name, values := range at.query {
		for _, v := range values {
			o = append(o, option.WithQuery(name, v))
		}
	}
	for name, value := range options.Headers {
		o = append(o, option.WithHeader(name, value))
	}
	return o
}

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 64 << 10

// boundErrors keeps the SDK from reading an error's body without end.
func boundErrors(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err == nil && res.StatusCode >= 400 {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxErrorBody), res.Body}
	}
	return res, err
}
