package replay

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// recorder is a provider whose calls are written down.
type recorder struct {
	llm.Provider
	mask func(string) string

	mu   sync.Mutex // of what follows
	w    io.Writer
	next int
}

// NewRecorder gives a provider that does what p does, and writes every call to
// w when it ends, in one write; calls that overlap stand in the order of their
// ends. Every text passes mask first; the bytes of images are left out. A call
// whose line cannot be written fails, so that no recording has a hole.
func NewRecorder(p llm.Provider, w io.Writer, mask func(string) string) llm.Provider {
	return &recorder{Provider: p, w: w, mask: mask}
}

// Stream passes the events on. The final one is given out after the call was
// written down. A call whose reader leaves early is written as cancelled.
func (r *recorder) Stream(ctx context.Context, model llm.Model, conversation llm.Context, options llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		c := r.begin(model, conversation, options)
		for ev := range r.Provider.Stream(ctx, model, conversation, options) {
			final := false
			switch ev.Type {
			case llm.EventTextDelta, llm.EventThinkingDelta:
				c.Pieces = append(c.Pieces, piece{Block: ev.ContentIndex, Thinking: ev.Type == llm.EventThinkingDelta, Text: ev.Delta})
			case llm.EventToolCallStart, llm.EventToolCallDelta:
				c.Pieces = append(c.Pieces, piece{Block: ev.ContentIndex, Tool: true, Text: ev.Delta})
			case llm.EventDone, llm.EventError:
				final = true
				if err := r.write(c, ev.Message); err != nil {
					failed := *ev.Message
					failed.StopReason = llm.StopError
					failed.Err = &llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("the call could not be recorded: %v", err), Err: err}
					ev = llm.Event{Type: llm.EventError, Message: &failed}
				}
			}
			if !yield(ev) {
				if !final {
					left := *ev.Message
					left.StopReason = llm.StopAborted
					left.Err = &llm.Error{Kind: llm.ErrCancelled, Message: "the reader left before the answer ended"}
					_ = r.write(c, &left) // nobody is left to be told; the next call will be
				}
				return
			}
		}
	}
}

// begin notes what is asked.
func (r *recorder) begin(model llm.Model, conversation llm.Context, options llm.Options) call {
	c := call{
		Provider: r.mask(model.Provider), Model: r.mask(model.ID),
		Options: settings{Temperature: options.Temperature, MaxTokens: options.MaxTokens},
	}
	if options.Format != nil {
		c.Options.Format = r.mask(options.Format.Name)
	}
	for _, s := range conversation.System {
		c.System = append(c.System, r.mask(s))
	}
	for _, m := range conversation.Messages {
		c.Messages = append(c.Messages, masked(m, r.mask))
	}
	c.Hidden = said(c.Messages) != said(conversation.Messages)
	return c
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
// changes a whole block, its pieces become one.
func (r *recorder) maskPieces(pieces []piece) []piece {
	whole := map[int]*strings.Builder{}
	for _, p := range pieces {
		if whole[p.Block] == nil {
			whole[p.Block] = &strings.Builder{}
		}
		whole[p.Block].WriteString(p.Text)
	}
	hidden := map[int]string{}
	for block, text := range whole {
		if m := r.mask(text.String()); m != text.String() {
			hidden[block] = m
		}
	}
	var out []piece
	given := map[int]bool{}
	for _, p := range pieces {
		if text, ok := hidden[p.Block]; ok {
			if given[p.Block] {
				continue
			}
			given[p.Block] = true
			p.Text = text
			if p.Tool {
				p.Text = string(arguments(text))
			}
		}
		out = append(out, p)
	}
	return out
}

// arguments are a call's arguments after masking, or none where that left no
// JSON object.
func arguments(text string) jsontext.Value {
	if v := jsontext.Value(text); v.Kind() == '{' && v.IsValid() {
		return v
	}
	return jsontext.Value("{}")
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
			b.ID, b.Name = mask(b.ID), mask(b.Name)
			if b.Arguments != nil { // else the call never was complete
				b.Arguments = arguments(mask(string(b.Arguments)))
			}
			content[i] = b
		case llm.Image:
			b.Data, b.URL = nil, mask(b.URL)
			content[i] = b
		default:
			content[i] = b
		}
	}
	m.Content = content
	m.ToolCallID, m.ToolName = mask(m.ToolCallID), mask(m.ToolName)
	m.Provider, m.Model = mask(m.Provider), mask(m.Model)
	if m.Err != nil {
		e := *m.Err
		e.Message, e.Err = mask(e.Message), nil
		m.Err = &e
	}
	return m
}
