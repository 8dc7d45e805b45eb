package rpc

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// call is what a line of the model keeps beside its words.
type call struct {
	API        string         `json:"api"`
	Provider   string         `json:"provider"`
	Model      string         `json:"model"`
	Usage      usage          `json:"usage"`
	StopReason llm.StopReason `json:"stopReason"`
	Error      string         `json:"errorMessage,omitzero"`
	Details    jsontext.Value `json:"details,omitzero"`
	Thinking   string         `json:"thinking,omitzero"`
	Tools      []toolCall     `json:"toolCalls,omitempty"`
}

func (a *assistant) record() call {
	return call{a.api, a.provider, a.model, a.usage, a.stop, a.failure, a.details, a.thinking(), a.calls()}
}

// message rebuilds the message of which a record was made.
func (c *call) message(text string, at int64) *assistant {
	a := &assistant{api: c.API, provider: c.Provider, model: c.Model, usage: c.Usage, stop: c.StopReason, failure: c.Error, details: c.Details, at: at}
	a.put("thinking", c.Thinking)
	a.put("text", text)
	for _, t := range c.Tools {
		a.blocks = append(a.blocks, &block{kind: "toolCall", call: t})
	}
	return a
}

// userDraft is the line of what the person said.
func userDraft(text string, images []llm.Image, at int64) session.Draft {
	var d session.Draft
	if len(images) == 0 {
		d = transcript.Question(text, "")
	} else {
		d = session.Blocks(session.User, userContent(text, images))
	}
	d.Time = time.UnixMilli(at)
	return d
}

// assistantDraft is the line of a message of the model; reply is nil where the
// answer was not taken.
func assistantDraft(a *assistant, reply *protocol.Reply, mask func(string) string) session.Draft {
	c := a.record()
	c.Thinking = mask(c.Thinking)
	for i := range c.Tools {
		if masked := jsontext.Value(mask(string(c.Tools[i].Arguments))); masked.IsValid() {
			c.Tools[i].Arguments = masked
		}
	}
	var d session.Draft
	if reply != nil {
		d = transcript.Reply(*reply, mask)
	} else {
		d = session.Mark(typeAttempt).With("partial", mask(a.text()))
	}
	d = d.With("call", c)
	d.Time = time.UnixMilli(a.at)
	return d
}

// bashDraft is the line of a command of the client's.
func bashDraft(m bashMessage, mask func(string) string) session.Draft {
	d := session.Mark(typeBash).With("command", mask(m.Command)).With("output", mask(m.Output)).With("exitCode", m.ExitCode).
		With("cancelled", m.Cancelled).With("truncated", m.Truncated).With("fullOutputPath", m.FullOutputPath)
	if m.Excluded {
		d = d.With("excludeFromContext", true)
	}
	d.Time = time.UnixMilli(m.Timestamp)
	return d
}

func customDraft(m customMessage, mask func(string) string) session.Draft {
	d := session.Mark(typeCustom).With("customType", m.CustomType).With("content", mask(m.Content)).With("display", m.Display)
	d.Time = time.UnixMilli(m.Timestamp)
	return d
}

// isMessage tells whether a line is a message of the protocol.
func isMessage(l session.Line) bool {
	switch {
	case l.Role == session.User, l.Role == session.Assistant:
		return true
	case l.Role == session.Tool:
		_, ok := messageOf(l)
		return ok
	case l.Role != "":
		return false
	}
	switch l.Type {
	case typeBash, typeCustom, typeAttempt, session.TypeCompaction:
		return true
	case "message":
		return l.Field("message") != nil
	}
	return false
}

// messageOf gives the message that a line is.
func messageOf(l session.Line) (jsontext.Value, bool) {
	at := milliseconds(l.Timestamp)
	switch l.Role {
	case session.User:
		return userOf(l, at), true
	case session.Assistant:
		return assistantOf(l, at), true
	case session.Tool:
		return resultOf(l, at)
	case "":
	default:
		return nil, false
	}
	switch l.Type {
	case typeAttempt:
		var c call
		decodeField(l, "call", &c)
		return c.message(l.FieldText("partial"), at).json(), true
	case typeBash:
		m := bashMessage{Role: "bashExecution", Timestamp: at, Command: l.FieldText("command"), Output: l.FieldText("output")}
		decodeField(l, "exitCode", &m.ExitCode)
		decodeField(l, "cancelled", &m.Cancelled)
		decodeField(l, "truncated", &m.Truncated)
		decodeField(l, "fullOutputPath", &m.FullOutputPath)
		decodeField(l, "excludeFromContext", &m.Excluded)
		return encode(m), true
	case typeCustom:
		m := customMessage{Role: "custom", Timestamp: at, CustomType: l.FieldText("customType"), Content: l.FieldText("content"), Details: l.Field("details")}
		decodeField(l, "display", &m.Display)
		return encode(m), true
	case session.TypeCompaction:
		m := summaryMessage{Role: "compactionSummary", Summary: readable(l), Timestamp: at}
		decodeField(l, "tokensBefore", &m.TokensBefore)
		return encode(m), true
	case "message": // of pi's, of a kind that sessions know nothing of
		v := l.Field("message")
		return v, v != nil
	}
	return nil, false
}

// decodeField reads a field of a line, where it is of that type.
func decodeField(l session.Line, name string, into any) {
	if v := l.Field(name); v != nil {
		_ = json.Unmarshal(v, into) // else it stays as it is
	}
}

// readable is a summary as text.
func readable(l session.Line) string {
	if s := transcript.Parse(l).Summary; s != nil {
		return contextmgr.Readable(*s)
	}
	return ""
}

func userOf(l session.Line, at int64) jsontext.Value {
	content := l.Content
	if content.Kind() == '"' {
		text := l.Text()
		if piped := l.FieldText("context"); piped != "" {
			text += "\n\n--- standard input ---\n" + piped
		}
		content = encode([]textBlock{{"text", text}})
	}
	m := userMessage{Role: "user", Content: content, Timestamp: at}
	if list := l.Field("attachments"); list != nil {
		return encode(struct {
			userMessage
			Attachments jsontext.Value `json:"attachments"`
		}{m, list})
	}
	return encode(m)
}

func assistantOf(l session.Line, at int64) jsontext.Value {
	if v := l.Field("call"); v != nil {
		var c call
		if json.Unmarshal(v, &c) == nil {
			return c.message(l.Text(), at).json()
		}
	}
	// A line of pi's, or of another face of this program.
	c := call{StopReason: llm.StopEnd}
	decodeField(l, "api", &c.API)
	decodeField(l, "provider", &c.Provider)
	decodeField(l, "model", &c.Model)
	decodeField(l, "usage", &c.Usage)
	decodeField(l, "stopReason", &c.StopReason)
	decodeField(l, "errorMessage", &c.Error)
	text := l.Text()
	if e := transcript.Parse(l); e.End != "" {
		c.StopReason, c.Error, text = llm.StopError, e.Text, e.Partial
		if e.End == "aborted" {
			c.StopReason = llm.StopAborted
		}
	}
	if l.Content.Kind() != '[' {
		return c.message(text, at).json()
	}
	a := c.message("", at)
	var blocks []struct {
		Type      string         `json:"type"`
		Text      string         `json:"text"`
		Thinking  string         `json:"thinking"`
		ID        string         `json:"id"`
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	}
	_ = json.Unmarshal(l.Content, &blocks) // else there are none
	for _, b := range blocks {
		switch b.Type {
		case "text":
			a.put("text", b.Text)
		case "thinking":
			a.put("thinking", b.Thinking)
		case "toolCall":
			a.blocks = append(a.blocks, &block{kind: "toolCall", call: toolCall{b.Type, b.ID, b.Name, b.Arguments}})
		}
	}
	return a.json()
}

func resultOf(l session.Line, at int64) (jsontext.Value, bool) {
	if o := transcript.Parse(l).Observation; o != nil {
		return encode(newToolResult(o, at)), true
	}
	m := struct {
		toolResult
		Content jsontext.Value `json:"content"`
	}{toolResult: toolResult{Role: "toolResult", ToolCallID: l.FieldText("toolCallId"), ToolName: l.FieldText("toolName"), Details: l.Field("details"), Timestamp: at}}
	decodeField(l, "isError", &m.IsError)
	if m.ToolCallID == "" {
		m.ToolCallID = l.FieldText("tool_call_id") // pai's
	}
	if m.Details == nil {
		m.Details = jsontext.Value("{}")
	}
	if m.Content = l.Content; m.Content.Kind() != '[' {
		m.Content = encode([]textBlock{{"text", l.Text()}})
	}
	return encode(m), m.ToolCallID != ""
}

// entryOf gives a line as an entry of pi's sessions.
func entryOf(l session.Line) jsontext.Value {
	head := struct {
		Type      string  `json:"type"`
		ID        string  `json:"id"`
		ParentID  *string `json:"parentId"`
		Timestamp string  `json:"timestamp"`
	}{l.Type, l.ID, nil, l.Timestamp}
	if l.ParentID != "" {
		head.ParentID = &l.ParentID
	}
	var fields []string
	switch l.Type {
	case session.TypeCompaction:
		fields = []string{"firstKeptEntryId", "tokensBefore", "details"}
	case session.TypeName:
		head.Type, fields = "session_info", []string{"name"}
	case session.TypeModel:
		fields = []string{"provider", "modelId"}
	case session.TypeLabel:
		fields = []string{"targetId", "label"}
	case typeThinking:
		fields = []string{"thinkingLevel"}
	case typeCustom:
		fields = []string{"customType", "content", "display", "details"}
	default:
		if m, ok := messageOf(l); ok {
			head.Type = "message"
			return append(append(append(open(encode(head)), `,"message":`...), m...), '}')
		}
		if l.Role != "" {
			head.Type = "custom"
		}
	}
	out := open(encode(head))
	if l.Type == session.TypeCompaction {
		out = append(append(out, `,"summary":`...), encode(readable(l))...)
	}
	for _, name := range fields {
		if v := l.Field(name); v != nil {
			out = append(append(append(append(out, ','), encode(name)...), ':'), v...)
		}
	}
	return append(out, '}')
}

// open takes the last brace off an object.
func open(v jsontext.Value) jsontext.Value { return v[: len(v)-1 : len(v)-1] }
