package rpc

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// How often a growing message is told. Each update has the whole message twice,
// so that what updates cost grows with the square of its length: they come at
// most every updatePause, and all together have at most updateBase bytes and
// updateShare bytes for each byte of the message.
const (
	updatePause = 16 * time.Millisecond
	updateBase  = 4 << 20
	updateShare = 40
)

// assistant is a message of the model, as it grows or as it was kept.
type assistant struct {
	api, provider, model string
	usage                usage
	stop                 llm.StopReason
	failure              string // errorMessage; "" is none
	details              jsontext.Value
	at                   int64
	blocks               []*block
}

// block is a part of the message. Its text is kept as JSON, which only ever
// grows: an update copies it and encodes nothing again.
type block struct {
	kind    string // text, thinking or toolCall
	text    strings.Builder
	quoted  []byte // the text as JSON without its quotes
	call    toolCall
	pending string // of the text, not told yet
}

func (b *block) add(delta string) {
	delta = strings.ToValidUTF8(delta, "\ufffd")
	b.text.WriteString(delta)
	quoted, err := jsontext.AppendQuote(nil, delta)
	if err == nil { // it is UTF-8
		b.quoted = append(b.quoted, quoted[1:len(quoted)-1]...)
	}
}

func (b *block) append(dst []byte) []byte {
	switch b.kind {
	case "thinking":
		dst = append(dst, `{"type":"thinking","thinking":"`...)
	case "toolCall":
		return append(dst, encode(b.call)...)
	default:
		dst = append(dst, `{"type":"text","text":"`...)
	}
	return append(append(dst, b.quoted...), `"}`...)
}

// last is the block that grows; nil is none of that kind.
func (a *assistant) last(kind string) *block {
	if n := len(a.blocks); n > 0 && a.blocks[n-1].kind == kind {
		return a.blocks[n-1]
	}
	return nil
}

// text joins the text blocks.
func (a *assistant) text() string {
	var all []string
	for _, b := range a.blocks {
		if b.kind == "text" {
			all = append(all, b.text.String())
		}
	}
	return strings.Join(all, "")
}

// thinking joins what the model thought.
func (a *assistant) thinking() string {
	var b strings.Builder
	for _, p := range a.blocks {
		if p.kind == "thinking" {
			b.WriteString(p.text.String())
		}
	}
	return b.String()
}

func (a *assistant) calls() []toolCall {
	var calls []toolCall
	for _, b := range a.blocks {
		if b.kind == "toolCall" {
			calls = append(calls, b.call)
		}
	}
	return calls
}

// put adds a whole block.
func (a *assistant) put(kind, text string) {
	if text != "" {
		b := &block{kind: kind}
		b.add(text)
		a.blocks = append(a.blocks, b)
	}
}

// append writes the message.
func (a *assistant) append(dst []byte) []byte {
	dst = append(dst, `{"role":"assistant","content":[`...)
	for i, b := range a.blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = b.append(dst)
	}
	dst = append(dst, `],"api":`...)
	dst = append(dst, encode(a.api)...)
	dst = append(dst, `,"provider":`...)
	dst = append(dst, encode(a.provider)...)
	dst = append(dst, `,"model":`...)
	dst = append(dst, encode(a.model)...)
	dst = append(dst, `,"usage":`...)
	dst = append(dst, encode(a.usage)...)
	dst = append(dst, `,"stopReason":`...)
	dst = append(dst, encode(string(a.stop))...)
	if a.failure != "" {
		dst = append(dst, `,"errorMessage":`...)
		dst = append(dst, encode(a.failure)...)
	}
	if a.details != nil {
		dst = append(dst, `,"details":`...)
		dst = append(dst, a.details...)
	}
	dst = append(dst, `,"timestamp":`...)
	return append(strconv.AppendInt(dst, a.at, 10), '}')
}

func (a *assistant) json() jsontext.Value { return a.append(nil) }

// size is about how many bytes append writes.
func (a *assistant) size() int {
	n := 400
	for _, b := range a.blocks {
		n += len(b.quoted) + len(b.call.Arguments) + 64
	}
	return n
}

// stream tells how a message grows.
type stream struct {
	*assistant
	out   *lineWriter
	delta bool // updates have the delta only
	now   func() time.Time

	told  time.Time // the last update
	spent int       // bytes of updates
	raw   int       // bytes of the message's texts
}

// add takes more of a block.
func (s *stream) add(kind, delta string) {
	b := s.last(kind)
	if b == nil {
		s.endBlock()
		b = &block{kind: kind}
		s.blocks = append(s.blocks, b)
		s.update(kind+"_start", nil)
	}
	b.add(delta)
	b.pending += delta
	s.raw += len(delta)
	if s.due() {
		s.flush()
	}
}

// due tells whether an update may be told now.
func (s *stream) due() bool {
	return s.now().Sub(s.told) >= updatePause && s.affordable()
}

func (s *stream) affordable() bool {
	return s.delta || s.spent+2*s.size() <= updateBase+updateShare*s.raw
}

// flush tells what is not told yet.
func (s *stream) flush() {
	n := len(s.blocks)
	if n == 0 || s.blocks[n-1].pending == "" {
		return
	}
	b := s.blocks[n-1]
	delta := b.pending
	b.pending = ""
	s.update(b.kind+"_delta", func(dst []byte) []byte {
		return append(append(dst, `,"delta":`...), encode(delta)...)
	})
}

// endBlock ends the block that is open.
func (s *stream) endBlock() {
	n := len(s.blocks)
	if n == 0 || s.blocks[n-1].kind == "toolCall" {
		return
	}
	s.flush()
	b := s.blocks[n-1]
	s.update(b.kind+"_end", func(dst []byte) []byte {
		return append(append(append(dst, `,"content":"`...), b.quoted...), '"')
	})
}

// call tells a whole tool call.
func (s *stream) call(c toolCall) {
	whole := c.Arguments
	c.Arguments = jsontext.Value("{}")
	b := &block{kind: "toolCall", call: c}
	s.blocks = append(s.blocks, b)
	s.update("toolcall_start", nil)
	b.call.Arguments = whole
	s.update("toolcall_delta", func(dst []byte) []byte {
		return append(append(dst, `,"delta":`...), encode(string(whole))...)
	})
	s.update("toolcall_end", func(dst []byte) []byte {
		return append(append(dst, `,"toolCall":`...), encode(b.call)...)
	})
}

// update writes one message_update.
func (s *stream) update(kind string, more func([]byte) []byte) {
	s.told = s.now()
	s.out.line(func(dst []byte) []byte {
		before := len(dst)
		dst = append(dst, `{"type":"message_update"`...)
		var partial []byte
		if !s.delta {
			dst = append(dst, `,"message":`...)
			start := len(dst)
			dst = slices.Grow(dst, 2*s.size())
			dst = s.append(dst)
			partial = dst[start:len(dst):len(dst)]
		}
		dst = append(dst, `,"assistantMessageEvent":{"type":"`...)
		dst = append(dst, kind...)
		dst = append(dst, `","contentIndex":`...)
		dst = strconv.AppendInt(dst, int64(len(s.blocks)-1), 10)
		if more != nil {
			dst = more(dst)
		}
		if partial != nil {
			dst = append(append(dst, `,"partial":`...), partial...)
		}
		dst = append(dst, "}}"...)
		s.spent += len(dst) - before
		return dst
	})
}
