package llm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Builder turns what a provider hears into the events of one stream: the
// order that [EventType] promises, exactly one last event, and snapshots that
// never change. It is for one goroutine, the one that runs the sequence.
//
// Snapshots are cheap however long the answer is. The text of an open block
// grows in a [strings.Builder]; what an event shows of it is the string of its
// present length, which is a view and no copy. That is safe because such a
// buffer is only ever appended to: bytes once written are not written again,
// and when it has to grow, older views keep the older memory.
//
// Every method that can give an event tells whether the reader still wants
// more. After it said no, and after the last event, nothing is given any more.
type Builder struct {
	yield   func(Event) bool
	model   Model
	msg     Message // without Content
	blocks  []*openBlock
	current int            // index of the open text or thinking block, or -1
	calls   map[string]int // index of the open tool calls, by key
	started bool
	ended   bool // the last event is out, or the reader left
}

// openBlock is a block that grows.
type openBlock struct {
	kind      EventType // EventTextStart, EventThinkingStart or EventToolCallStart
	text      strings.Builder
	signature string
	redacted  bool
	id, name  string
	call      *ToolCall // set at the end of a tool call that is complete
}

// NewBuilder makes a builder for one answer of model. The message begins as
// base, whose role and model are filled in.
func NewBuilder(model Model, base Message, yield func(Event) bool) *Builder {
	base.Role, base.Provider, base.Model = RoleAssistant, model.Provider, model.ID
	base.Content, base.StopReason, base.Err = nil, "", nil
	return &Builder{yield: yield, model: model, msg: base, current: -1}
}

// Start gives the start event. The first of the other methods does it where
// the caller did not.
func (b *Builder) Start() bool {
	if b.started || b.ended {
		return !b.ended
	}
	b.started = true
	return b.emit(Event{Type: EventStart})
}

// Ended tells whether nothing more will be given.
func (b *Builder) Ended() bool { return b.ended }

// Empty tells whether no block was begun yet.
func (b *Builder) Empty() bool { return len(b.blocks) == 0 }

// Blocks is how many blocks were begun.
func (b *Builder) Blocks() int { return len(b.blocks) }

// Text adds to the text block that is open, or opens one.
func (b *Builder) Text(delta string) bool {
	return b.grow(EventTextStart, EventTextDelta, delta)
}

// Thinking adds to the thinking block that is open, or opens one.
func (b *Builder) Thinking(delta string) bool {
	return b.grow(EventThinkingStart, EventThinkingDelta, delta)
}

// Signature sets the signature of the open thinking block.
func (b *Builder) Signature(signature string) {
	if b.current >= 0 && b.blocks[b.current].kind == EventThinkingStart {
		b.blocks[b.current].signature = signature
	}
}

// Sealed adds a thinking block whose words the provider keeps to itself; the
// signature stands for them. Redacted is [Thinking.Redacted].
func (b *Builder) Sealed(signature string, redacted bool) bool {
	if !b.EndBlock() || !b.Start() {
		return false
	}
	b.current = len(b.blocks)
	b.blocks = append(b.blocks, &openBlock{kind: EventThinkingStart, signature: signature, redacted: redacted})
	return b.emit(Event{Type: EventThinkingStart, ContentIndex: b.current}) && b.EndBlock()
}

// CallSignature sets the signature of the open tool call that key names.
func (b *Builder) CallSignature(key, signature string) {
	if i, open := b.calls[key]; open {
		b.blocks[i].signature = signature
	}
}

// EndBlock ends the text or thinking block that is open. The start of a block
// of another kind does so by itself.
func (b *Builder) EndBlock() bool {
	if b.current < 0 || b.ended {
		return !b.ended
	}
	i := b.current
	b.current = -1
	typ := EventTextEnd
	if b.blocks[i].kind == EventThinkingStart {
		typ = EventThinkingEnd
	}
	return b.emit(Event{Type: typ, ContentIndex: i, Content: b.blocks[i].text.String()})
}

// ToolCall adds to the tool call that key names, or opens one. An id or name
// that comes late counts if there was none. In snapshots a call has no
// arguments until it is complete.
func (b *Builder) ToolCall(key, id, name, delta string) bool {
	i, open := b.calls[key]
	if !open {
		if !b.EndBlock() || !b.Start() {
			return false
		}
		i = len(b.blocks)
		if b.calls == nil {
			b.calls = map[string]int{}
		}
		b.calls[key] = i
		b.blocks = append(b.blocks, &openBlock{kind: EventToolCallStart, id: id, name: name})
		if !b.emit(Event{Type: EventToolCallStart, ContentIndex: i}) {
			return false
		}
	}
	c := b.blocks[i]
	if c.id == "" {
		c.id = id
	}
	if c.name == "" {
		c.name = name
	}
	if delta == "" {
		return !b.ended
	}
	c.text.WriteString(delta)
	return b.emit(Event{Type: EventToolCallDelta, ContentIndex: i, Delta: delta})
}

// EndToolCall ends the tool call that key names. Arguments that are not one
// JSON object are an error: the call stays in the message without arguments,
// and nothing is given. No arguments at all are {}.
func (b *Builder) EndToolCall(key string) (bool, error) {
	i, open := b.calls[key]
	if !open || b.ended {
		return !b.ended, nil
	}
	delete(b.calls, key)
	c := b.blocks[i]
	arguments := jsontext.Value(c.text.String())
	if c.text.Len() == 0 {
		arguments = jsontext.Value("{}")
	}
	if arguments.Kind() != '{' || !arguments.IsValid() {
		return true, fmt.Errorf("the arguments of the tool call %q are not one JSON object", c.name)
	}
	c.call = &ToolCall{ID: c.id, Name: c.name, Arguments: arguments, Signature: c.signature}
	given := *c.call
	given.Arguments = slices.Clone(arguments)
	return b.emit(Event{Type: EventToolCallEnd, ContentIndex: i, ToolCall: &given}), nil
}

// EndToolCalls ends all tool calls that are open, in their order.
func (b *Builder) EndToolCalls() (bool, error) {
	keys := make([]string, 0, len(b.calls))
	for k := range b.calls {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y string) int { return b.calls[x] - b.calls[y] })
	for _, k := range keys {
		if more, err := b.EndToolCall(k); !more || err != nil {
			return more, err
		}
	}
	return !b.ended, nil
}

// HasToolCalls tells whether a complete tool call is in the answer.
func (b *Builder) HasToolCalls() bool {
	return slices.ContainsFunc(b.blocks, func(o *openBlock) bool { return o.call != nil })
}

// Usage sets the tokens used so far; what they cost follows from the model's
// prices.
func (b *Builder) Usage(u Usage) {
	const million = 1e6
	p := b.model.Cost
	u.Cost = Cost{
		Input:      float64(u.Input) * p.Input / million,
		Output:     float64(u.Output) * p.Output / million,
		CacheRead:  float64(u.CacheRead) * p.CacheRead / million,
		CacheWrite: float64(u.CacheWrite) * p.CacheWrite / million,
	}
	u.Cost.Total = u.Cost.Input + u.Cost.Output + u.Cost.CacheRead + u.Cost.CacheWrite
	b.msg.Usage = u
}

// Enforced sets how the answer's form was enforced.
func (b *Builder) Enforced(e Enforcement) { b.msg.Enforced = e }

// Damaged marks the answer as one whose text may not be what was said.
func (b *Builder) Damaged() { b.msg.Damaged = true }

// Message is the answer as far as it is known. It does not change any more.
func (b *Builder) Message() *Message {
	m := b.msg
	if len(b.blocks) > 0 {
		m.Content = make([]Block, len(b.blocks))
		for i, o := range b.blocks {
			m.Content[i] = o.block()
		}
	}
	return &m
}

func (o *openBlock) block() Block {
	switch o.kind {
	case EventThinkingStart:
		return Thinking{Thinking: o.text.String(), Signature: o.signature, Redacted: o.redacted}
	case EventToolCallStart:
		if o.call == nil {
			return ToolCall{ID: o.id, Name: o.name}
		}
		c := *o.call
		c.Arguments = slices.Clone(c.Arguments)
		return c
	default:
		return Text{Text: o.text.String()}
	}
}

// Done ends the blocks that are open and the stream. Tool calls whose
// arguments are not complete stay without them.
func (b *Builder) Done(reason StopReason) {
	if !b.Start() || !b.EndBlock() {
		return
	}
	b.msg.StopReason = reason
	b.last(EventDone)
}

// Fail ends the stream with an error. What arrived stays in the message; a
// block that was open did not end and gets no end event.
func (b *Builder) Fail(err *Error) {
	if !b.Start() {
		return
	}
	b.msg.StopReason, b.msg.Err = StopError, err
	if err.Kind == ErrCancelled {
		b.msg.StopReason = StopAborted
	}
	b.last(EventError)
}

func (b *Builder) last(typ EventType) {
	ev := Event{Type: typ, Message: b.Message()}
	b.ended = true
	b.yield(ev)
}

func (b *Builder) grow(start, more EventType, delta string) bool {
	if delta == "" || b.ended {
		return !b.ended
	}
	if b.current >= 0 && b.blocks[b.current].kind != start && !b.EndBlock() {
		return false
	}
	if b.current < 0 {
		if !b.Start() {
			return false
		}
		b.current = len(b.blocks)
		b.blocks = append(b.blocks, &openBlock{kind: start})
		if !b.emit(Event{Type: start, ContentIndex: b.current}) {
			return false
		}
	}
	b.blocks[b.current].text.WriteString(delta)
	return b.emit(Event{Type: more, ContentIndex: b.current, Delta: delta})
}

func (b *Builder) emit(ev Event) bool {
	if b.ended {
		return false
	}
	ev.Message = b.Message()
	if !b.yield(ev) {
		b.ended = true
	}
	return !b.ended
}
