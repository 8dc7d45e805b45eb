package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
)

// API is the name of the wire API of a player.
const API = "replay"

// maxLine bounds a line of a recording, in bytes.
const maxLine = 256 << 20

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
	n := 1
	for ; lines.Scan(); n++ {
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
		return nil, fmt.Errorf("line %d of the recording: %w", n, err)
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
		if was, is := said(c.Messages), said(conversation.Messages); was != is && !c.Hidden {
			b.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("call %d is recorded for another input: %q, not %q", n+1, shorten(was), shorten(is))})
			return
		}
		if !b.Start() || !c.play(ctx, b) {
			return
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

// play gives the pieces of the answer. It is false where the stream is over.
func (c *call) play(ctx context.Context, b *llm.Builder) bool {
	for _, p := range c.Pieces {
		if ctx.Err() != nil {
			cause := context.Cause(ctx)
			b.Fail(&llm.Error{Kind: llm.ErrCancelled, Message: fmt.Sprintf("cancelled: %v", cause), Err: cause})
			return false
		}
		more := false
		switch {
		case p.Tool:
			t := c.tool(p.Block)
			more = b.ToolCall(strconv.Itoa(p.Block), t.ID, t.Name, p.Text)
		case p.Thinking:
			more = b.Thinking(p.Text)
		default:
			more = b.Text(p.Text)
		}
		if !more {
			return false
		}
	}
	for i := range c.Final.Content {
		if c.tool(i).Arguments == nil {
			continue
		}
		more, err := b.EndToolCall(strconv.Itoa(i))
		if err != nil {
			b.Fail(&llm.Error{Kind: llm.ErrMalformed, Message: fmt.Sprintf("the recording is damaged: %v", err), Err: err})
			return false
		}
		if !more {
			return false
		}
	}
	return true
}

// tool is the tool call at that place of the final message, or an empty one.
func (c *call) tool(block int) llm.ToolCall {
	if block >= 0 && block < len(c.Final.Content) {
		if t, ok := c.Final.Content[block].(llm.ToolCall); ok {
			return t
		}
	}
	return llm.ToolCall{}
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
