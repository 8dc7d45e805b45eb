package llm

import "github.com/go-json-experiment/json/jsontext"

// StopReason says why an answer ended.
type StopReason string

// The stop reasons. An answer that did not end by itself is an Error or was
// Aborted, and its message's Err says what happened.
const (
	StopEnd     StopReason = "stop"    // the model was done
	StopLength  StopReason = "length"  // the output limit cut it
	StopToolUse StopReason = "toolUse" // native tool calls follow
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted" // the caller's context ended
)

// Role says who a message is from.
type Role string

// The roles.
const (
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// A Block is one part of a message's content: [Text], [Thinking], [Image] or
// [ToolCall].
type Block interface{ block() }

// Text is what is said.
type Text struct{ Text string }

// Thinking is what a model thought before it spoke. It is never part of the
// answer.
type Thinking struct {
	Thinking  string
	Signature string // opaque, for the same provider only
	// Redacted is true where the provider keeps the words to itself: Thinking
	// is empty and Signature stands for it.
	Redacted bool
}

// Image is a picture: its bytes, or where the server finds it.
type Image struct {
	Data     []byte
	MIMEType string // image/png, image/jpeg, …
	URL      string // https://…, in place of Data
}

// ToolCall is a native tool call.
type ToolCall struct {
	ID        string
	Name      string
	Arguments jsontext.Value // a JSON object
	Signature string         // opaque, for the same provider only
}

func (Text) block()     {}
func (Thinking) block() {}
func (Image) block()    {}
func (ToolCall) block() {}

// A Message is one entry of a conversation. Fields below Content belong to
// one role only.
type Message struct {
	Role      Role
	Content   []Block
	Timestamp int64 // Unix milliseconds; 0 is unknown

	// RoleToolResult.
	ToolCallID string
	ToolName   string
	IsError    bool

	// RoleAssistant.
	API        string // the wire API, such as "openai-completions"
	Provider   string
	Model      string // the model's id
	Usage      Usage
	StopReason StopReason
	Err        *Error // set exactly where StopReason is StopError or StopAborted
	// Enforced is how the answer's form was enforced for this answer.
	Enforced Enforcement
	// Damaged is true where the answer's bytes were not valid UTF-8 on the
	// wire, or a piece of it was said twice over, so that text in it may not
	// be what the model said.
	Damaged bool
}

// UserText is a user message of one text.
func UserText(text string) Message {
	return Message{Role: RoleUser, Content: []Block{Text{Text: text}}}
}

// AssistantText is an assistant message of one text, for a history.
func AssistantText(text string) Message {
	return Message{Role: RoleAssistant, Content: []Block{Text{Text: text}}, StopReason: StopEnd}
}

// Text joins the text blocks of the message.
func (m *Message) Text() string {
	var s string
	n := 0
	for _, b := range m.Content {
		if t, ok := b.(Text); ok {
			if n == 0 {
				s = t.Text
			} else {
				s += t.Text
			}
			n++
		}
	}
	return s
}

// Usage counts tokens, and what they cost in dollars.
type Usage struct {
	Input      int  `json:"input"` // without the cached ones
	Output     int  `json:"output"`
	CacheRead  int  `json:"cacheRead"`
	CacheWrite int  `json:"cacheWrite"`
	Total      int  `json:"totalTokens"`
	Cost       Cost `json:"cost"`
}

// Add gives the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Total: u.Total + v.Total, Cost: u.Cost.add(v.Cost),
	}
}

// Cost is in dollars; as a field of [Model] in dollars per million tokens.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total,omitzero"`
}

func (c Cost) add(d Cost) Cost {
	return Cost{c.Input + d.Input, c.Output + d.Output, c.CacheRead + d.CacheRead, c.CacheWrite + d.CacheWrite, c.Total + d.Total}
}

// A Model names what is asked, and where.
type Model struct {
	ID            string   // as the server knows it
	Name          string   // for people; "" is ID
	API           string   // the wire API, such as "openai-completions"
	Provider      string   // who serves it, such as "openai"
	BaseURL       string   // of the wire API; "" is its own default
	Reasoning     bool     // thinks before it answers
	Input         []string // "text", "image"
	Cost          Cost     // per million tokens
	ContextWindow int      // tokens; 0 is unknown
	MaxTokens     int      // of one answer; 0 is the server's default
}

// Context is all that a call says to a model.
type Context struct {
	System   []string // each is a system message of its own, in order
	Messages []Message
	Tools    []ToolDefinition
}

// A ToolDefinition offers a native tool to the model.
type ToolDefinition struct {
	Name        string
	Description string
	Parameters  jsontext.Value // JSON Schema
}

// Enforcement is how the form of an answer is enforced by the server, from
// the strongest to none.
type Enforcement string

// The rungs of the ladder. A server that refuses one is asked for the next,
// and that is remembered.
const (
	EnforceSchema     Enforcement = "json_schema"
	EnforceStrictTool Enforcement = "strict_tool" // the input of a tool that must be called, and is held to its schema
	EnforceTool       Enforcement = "tool"        // the same, not held to it
	EnforceObject     Enforcement = "json_object"
	EnforcePrompt     Enforcement = "prompt"
)

// Known tells whether it is one of the rungs.
func (e Enforcement) Known() bool {
	switch e {
	case EnforceSchema, EnforceStrictTool, EnforceTool, EnforceObject, EnforcePrompt:
		return true
	}
	return false
}

// AnswerFormat asks for answers that follow a JSON Schema.
type AnswerFormat struct {
	Name   string         // [A-Za-z0-9_-], at most 64 characters
	Schema jsontext.Value // in the subset that the wire API knows
}

// Options change one call. The zero value is fine.
type Options struct {
	APIKey      string // "" is none
	Temperature *float64
	MaxTokens   int // of the answer; 0 is the model's default
	Format      *AnswerFormat
	// Level is how hard to think; "" is the model's default. Models that are
	// not Reasoning are not told.
	Level   Level
	Headers map[string]string
	// Whole asks for the answer in one piece; else it is streamed.
	Whole bool
	// Params are members of the request as the person gives them. They stand
	// above what the model and the other options say. A provider fails at one
	// that it sets itself.
	Params map[string]jsontext.Value
}
