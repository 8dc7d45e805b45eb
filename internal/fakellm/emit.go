package fakellm

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An emitter sends one answer.
type emitter struct {
	w       http.ResponseWriter
	r       *http.Request
	done    <-chan struct{}
	a       Answer
	model   string
	forced  string // the tool that must be called
	prefix  string // lines before the data of an event
	pending int    // bytes since the last flush

	// How the API writes a stream, a document, and a fault in a stream.
	streams   func()
	documents func() string
	broken    func()
}

func (e *emitter) send() {
	for k, v := range e.a.Headers {
		e.w.Header().Set(k, v)
	}
	switch e.a.Fault {
	case Reset:
		e.reset()
		return
	case Hang:
		e.hang()
		return
	}
	e.wait(e.a.Before)
	switch {
	case e.a.Status != 0 && e.a.Status != http.StatusOK:
		body := e.a.Body
		if body == "" {
			body = errorBody("fake_error", http.StatusText(e.a.Status))
		}
		if e.w.Header().Get("Content-Type") == "" {
			e.w.Header().Set("Content-Type", "application/json")
		}
		e.w.WriteHeader(e.a.Status)
		io.WriteString(e.w, body) //nolint:errcheck // the client may be gone
	case e.a.Raw != nil:
		e.header("text/event-stream")
		for _, piece := range e.a.Raw {
			e.wait(e.a.Step)
			e.write(piece)
			e.flush()
		}
		if e.a.Fault == Cut {
			panic(http.ErrAbortHandler)
		}
		e.end()
	case e.a.Whole:
		e.header("application/json")
		e.write(e.documents())
		e.end()
	default:
		e.header("text/event-stream")
		e.streams()
		e.end()
	}
}

func (e *emitter) header(contentType string) {
	if e.w.Header().Get("Content-Type") == "" {
		e.w.Header().Set("Content-Type", contentType)
	}
	e.w.WriteHeader(http.StatusOK)
	e.flush()
}

// wait holds until the test lets go or the client leaves.
func (e *emitter) wait(gate <-chan struct{}) {
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-e.r.Context().Done():
		panic(http.ErrAbortHandler)
	case <-e.done:
		panic(http.ErrAbortHandler)
	}
}

func (e *emitter) hang() {
	select {
	case <-e.r.Context().Done():
	case <-e.done:
	}
	panic(http.ErrAbortHandler)
}

func (e *emitter) reset() {
	conn, _, err := e.w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // a plain close is a broken answer too
	}
	conn.Close() //nolint:errcheck // nobody reads it
}

func (e *emitter) flush() {
	e.w.(http.Flusher).Flush()
	e.pending = 0
}

// write sends bytes, flushed after each WireChunk of them.
func (e *emitter) write(s string) {
	for e.a.WireChunk > 0 && e.pending+len(s) >= e.a.WireChunk {
		n := e.a.WireChunk - e.pending
		io.WriteString(e.w, s[:n]) //nolint:errcheck // the client may be gone
		e.flush()
		s = s[n:]
	}
	io.WriteString(e.w, s) //nolint:errcheck // the client may be gone
	e.pending += len(s)
}

// event sends the data of one server-sent event.
func (e *emitter) event(data string) {
	nl := "\n"
	if e.a.CRLF {
		nl = "\r\n"
	}
	if e.a.Comments {
		e.write(": still at work" + nl + nl)
	}
	if e.a.BlankLines {
		e.write(nl + nl)
	}
	e.write(e.prefix + "data: " + data + nl + nl)
	if e.a.WireChunk == 0 {
		e.flush()
	}
}

func (e *emitter) end() {
	e.flush()
	if e.a.KeepOpen {
		e.hang()
	}
}

// chunk makes one chat.completion.chunk. Delta is JSON.
func (e *emitter) chunk(delta, finish string) string {
	f := "null"
	if finish != "" {
		f = quote(finish)
	}
	return fmt.Sprintf(`{"id":"chatcmpl-fake","object":"chat.completion.chunk","created":1700000000,"model":%s,"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`,
		quote(e.model), delta, f)
}

func (e *emitter) stream() {
	e.event(e.chunk(`{"role":"assistant","content":""}`, ""))
	n := 0
	piece := func(delta string) {
		e.faultAt(n)
		n++
		e.wait(e.a.Step)
		e.event(e.chunk(delta, ""))
	}
	for _, p := range e.pieces(e.a.Reasoning) {
		switch e.a.ReasoningField {
		case "both":
			piece(`{"reasoning":` + p + `,"reasoning_content":` + p + `}`)
		case "":
			piece(`{"reasoning_content":` + p + `}`)
		default:
			piece(`{` + quote(e.a.ReasoningField) + `:` + p + `}`)
		}
	}
	for _, p := range e.pieces(e.a.Text) {
		piece(`{"content":` + p + `}`)
	}
	for _, p := range e.pieces(e.a.Refusal) {
		piece(`{"refusal":` + p + `}`)
	}
	for i, c := range e.a.ToolCalls {
		piece(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`, i, quote(c.ID), quote(c.Name)))
		for _, p := range e.pieces(c.Arguments) {
			piece(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, p))
		}
	}
	e.a.After = min(e.a.After, n)
	e.faultAt(n)
	if f := e.finish(); f != "" {
		e.event(e.chunk(`{}`, f))
	}
	if e.a.Usage != nil {
		e.event(fmt.Sprintf(`{"id":"chatcmpl-fake","object":"chat.completion.chunk","created":1700000000,"model":%s,"choices":[],"usage":%s}`, quote(e.model), e.usage()))
	}
	if !e.a.NoDone {
		e.event("[DONE]")
	}
}

// faultAt misbehaves if it is time to, n pieces having been sent.
func (e *emitter) faultAt(n int) {
	if n != e.a.After {
		return
	}
	switch e.a.Fault {
	case Cut:
		e.flush()
		panic(http.ErrAbortHandler)
	case Stall:
		e.flush()
		e.hang()
	case InvalidJSON:
		e.event(`<html>no JSON</html>`)
	default:
		e.broken()
	}
}

// fault sends what is wrong in the words of the chat completions API.
func (e *emitter) fault() {
	switch e.a.Fault {
	case Malformed:
		e.event(`{"choices":[{"delta":{"content":`)
	case InvalidUTF8:
		e.event(e.chunk("{\"content\":\"\xff\xfe\"}", ""))
	case StreamError:
		body := e.a.Body
		if body == "" {
			body = errorBody("server_error", "the model broke down")
		}
		e.event(body)
	}
}

func (e *emitter) finish() string {
	switch {
	case e.a.Finish == NoFinish:
		return ""
	case e.a.Finish != "":
		return e.a.Finish
	case len(e.a.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (e *emitter) usage() string {
	u := e.a.Usage
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		u.Prompt, u.Completion, u.Prompt+u.Completion, u.Cached, u.Reasoning)
}

// whole makes the answer as one chat.completion.
func (e *emitter) whole() string {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	type message struct {
		Role      string `json:"role"`
		Content   string `json:"content"`
		Reasoning string `json:"reasoning_content,omitzero"`
		Refusal   string `json:"refusal,omitzero"`
		ToolCalls []call `json:"tool_calls,omitzero"`
	}
	m := message{Role: "assistant", Content: e.a.Text, Reasoning: e.a.Reasoning, Refusal: e.a.Refusal}
	for _, c := range e.a.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, call{c.ID, "function", function{c.Name, c.Arguments}})
	}
	type choice struct {
		Index   int     `json:"index"`
		Message message `json:"message"`
		Finish  *string `json:"finish_reason"`
	}
	c := choice{Message: m}
	if f := e.finish(); f != "" {
		c.Finish = &f
	}
	v := struct {
		ID      string         `json:"id"`
		Object  string         `json:"object"`
		Model   string         `json:"model"`
		Choices []choice       `json:"choices"`
		Usage   jsontext.Value `json:"usage,omitzero"`
	}{"chatcmpl-fake", "chat.completion", e.model, []choice{c}, nil}
	if e.a.Usage != nil {
		v.Usage = jsontext.Value(e.usage())
	}
	return object(v)
}

// pieces cuts a text into JSON strings.
func (e *emitter) pieces(text string) []string {
	if text == "" {
		return nil
	}
	size := e.a.Chunk
	if size <= 0 {
		size = len(text)
	}
	var out []string
	if e.a.Escape {
		units := utf16.Encode([]rune(text))
		for len(units) > 0 {
			n := min(size, len(units))
			out = append(out, escape(units[:n]))
			units = units[n:]
		}
		return out
	}
	for len(text) > 0 {
		n := min(size, len(text))
		if e.a.SplitRunes {
			out = append(out, quoteBytes(text[:n]))
		} else {
			for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			if n == 0 {
				_, n = utf8.DecodeRuneInString(text)
			}
			out = append(out, quote(text[:n]))
		}
		text = text[n:]
	}
	return out
}

func escape(units []uint16) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range units {
		switch {
		case u == '"' || u == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(u))
		case u >= ' ' && u < 0x7f:
			b.WriteByte(byte(u))
		default:
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quoteBytes makes a JSON string that keeps bytes that are no UTF-8.
func quoteBytes(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quote(s string) string {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		panic(err) // a valid string
	}
	return string(b)
}

func errorBody(kind, message string) string {
	return `{"error":{"message":` + quote(message) + `,"type":` + quote(kind) + `,"param":null,"code":null}}`
}

func writeError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, errorBody(kind, message)) //nolint:errcheck // the client may be gone
}
