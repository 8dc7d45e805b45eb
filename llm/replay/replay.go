package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// API is the name of the wire API of a player.
const API = "replay"

// maxLine bounds a line of a recording, in bytes.
const maxLine = 256 << 20

// call is one line of a recording.
type call struct {
	Call     int           `json:"call"` // from 1
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
	System   []string      `json:"system"`
	Messages []llm.Message `json:"messages"`
	Pieces   []piece       `json:"pieces"`
	Final    llm.Message   `json:"final"`
}

// piece is a part of an answer, as it arrived.
type piece struct {
	Thinking bool   `json:"thinking,omitzero"`
	Text     string `json:"text"`
}

// recorder is a provider whose calls are written down.
type recorder struct {
	llm.Provider
	mask func(string) string

	mu   sync.Mutex // of what follows
	w    io.Writer
	next int
}

// NewRecorder gives a provider that does what p does, and writes every call to
// w when it ends, in one write. Every text passes mask first. A call whose
// line cannot be written fails, so that no recording has a hole.
func NewRecorder(p llm.Provider, w io.Writer, mask func(string) string) llm.Provider {
	return &recorder{Provider: p, w: w, mask: mask}
}

// Stream passes the events on. The final one is given out after the call was
// written down.
func (r *recorder) Stream(ctx context.Context, model llm.Model, conversation llm.Context, options llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		c := call{Provider: model.Provider, Model: model.ID}
		for _, s := range conversation.System {
			c.System = append(c.System, r.mask(s))
		}
		for _, m := range conversation.Messages {
			c.Messages = append(c.Messages, masked(m, r.mask))
		}
		for ev := range r.Provider.Stream(ctx, model, conversation, options) {
			switch ev.Type {
			case llm.EventTextDelta, llm.EventThinkingDelta:
				c.Pieces = append(c.Pieces, piece{ev.Type == llm.EventThinkingDelta, ev.Delta})
			case llm.EventDone, llm.EventError:
				if err := r.write(c, ev.Message); err != nil {
					failed := *ev.Message
					failed.StopReason = llm.StopError
					failed.Err = &llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("the call could not be recorded: %v", err), Err: err}
					ev = llm.Event{Type: llm.EventError, Message: &failed}
				}
			}
			if !yield(ev) {
				return
			}
		}
	}
}

func (r *recorder) write(c call, final *llm.Message) error {
	c.Pieces = r.maskPieces(c.Pieces)
	c.Final = masked(*final, r.mask)
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Call = r.next + 1
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := r.w.Write(append(line, '\n')); err != nil {
		return err
	}
	r.next++
	return nil
}

// maskPieces masks pieces. A secret may lie across several: where masking
// changes their whole, the pieces become one.
func (r *recorder) maskPieces(pieces []piece) []piece {
	var out []piece
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[n].Thinking == pieces[0].Thinking {
			n++
		}
		var whole strings.Builder
		for _, p := range pieces[:n] {
			whole.WriteString(p.Text)
		}
		if m := r.mask(whole.String()); m != whole.String() {
			out = append(out, piece{pieces[0].Thinking, m})
		} else {
			out = append(out, pieces[:n]...)
		}
		pieces = pieces[n:]
	}
	return out
}

// masked is a message whose texts have passed the masker.
func masked(m llm.Message, mask func(string) string) llm.Message {
	content := make([]llm.Block, len(m.Content))
	for i, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			b.Text = mask(b.Text)
			content[i] = b
		case llm.Thinking:
			b.Thinking, b.Signature = mask(b.Thinking), ""
			content[i] = b
		case llm.ToolCall:
			b.Arguments = jsontext.Value(mask(string(b.Arguments)))
			if !b.Arguments.IsValid() {
				b.Arguments = jsontext.Value(`{}`)
			}
			content[i] = b
		default:
			content[i] = b
		}
	}
	m.Content = content
	if m.Err != nil {
		e := *m.Err
		e.Message, e.Err = mask(e.Message), nil
		m.Err = &e
	}
	return m
}

// player is a provider that answers from a recording.
type player struct {
	calls []call

	mu   sync.Mutex // of what follows
	next int
}

// New reads a recording. The n-th call of the provider gets the n-th answer.
// The error names the line that is wrong.
func New(r io.Reader) (llm.Provider, error) {
	p := &player{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var c call
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("line %d is no recorded call: %w", n, err)
		}
		if c.Final.Role != llm.RoleAssistant || c.Final.StopReason == "" {
			return nil, fmt.Errorf("line %d is no recorded call: it has no final message", n)
		}
		p.calls = append(p.calls, c)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(p.calls) == 0 {
		return nil, errors.New("the recording holds no call")
	}
	return p, nil
}

// API gives "replay".
func (p *player) API() string { return API }

// Request gives the conversation, since nothing is sent.
func (p *player) Request(model llm.Model, conversation llm.Context, _ llm.Options) ([]byte, error) {
	return json.Marshal(struct {
		Model    string        `json:"model"`
		System   []string      `json:"system"`
		Messages []llm.Message `json:"messages"`
	}{model.ID, conversation.System, conversation.Messages})
}

// Stream plays the next call. It fails where the recording has ended, or where
// the person said something else than was recorded.
func (p *player) Stream(ctx context.Context, model llm.Model, conversation llm.Context, _ llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		p.mu.Lock()
		n := p.next
		p.next++
		p.mu.Unlock()
		if n >= len(p.calls) {
			b := llm.NewBuilder(model, llm.Message{API: API}, yield)
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("call %d is not recorded: the recording has %d", n+1, len(p.calls))})
			return
		}
		c := p.calls[n]
		b := llm.NewBuilder(model, llm.Message{API: API, Provider: c.Provider, Model: c.Model}, yield)
		if was, is := said(c.Messages), said(conversation.Messages); was != is {
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("call %d is recorded for another input: %q, not %q", n+1, shorten(was), shorten(is))})
			return
		}
		if !b.Start() {
			return
		}
		for _, piece := range c.Pieces {
			if ctx.Err() != nil {
				b.Fail(&llm.Error{Kind: llm.ErrCancelled, Message: "cancelled", Err: ctx.Err()})
				return
			}
			ok := false
			if piece.Thinking {
				ok = b.Thinking(piece.Text)
			} else {
				ok = b.Text(piece.Text)
			}
			if !ok {
				return
			}
		}
		b.Usage(c.Final.Usage)
		b.Enforced(c.Final.Enforced)
		if c.Final.Damaged {
			b.Damaged()
		}
		if c.Final.Err != nil {
			b.Fail(c.Final.Err)
			return
		}
		b.Done(c.Final.StopReason)
	}
}

// said gives what the person said last. Messages that are JSON objects are
// the program's own: results, which may differ from run to run.
func said(messages []llm.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if text := m.Text(); m.Role == llm.RoleUser && !strings.HasPrefix(text, "{") {
			return text
		}
	}
	return ""
}

// shorten keeps the beginning of a text.
func shorten(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
