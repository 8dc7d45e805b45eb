package fakellm

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// messages serves the Messages API of Anthropic. A scripted answer means what
// it means for the other API, with these differences: Finish is a stop_reason
// of that API, NoDone leaves message_stop out, Reasoning is a thinking block
// with Answer.Signature, and the text is the input of the tool that a request
// forces.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left while it asked
	}
	conn, _ := r.Context().Value(connKey{}).(int)
	var asked messagesRequest
	if err := json.Unmarshal(body, &asked); err != nil {
		s.problem("a request is no JSON: " + err.Error())
	}
	request := Request{Conn: conn, Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	format, where := asked.format()
	a := s.take(request, format, func(kind, message string) string {
		if where != "" {
			message = where + ": " + message
		}
		return messagesError(kind, message)
	})
	if a.By != nil {
		a = a.By(request)
	}
	if !asked.Stream {
		a.Whole = true
	}
	if a.Body == "" && a.Status != 0 {
		kind := messagesErrorType(a.Status)
		a.Body = messagesError(kind, cmp.Or(http.StatusText(a.Status), kind))
	}
	e := &emitter{w: w, r: r, done: s.done, a: a, model: asked.Model, forced: asked.ToolChoice.Name}
	e.streams, e.documents, e.broken = e.messageStream, e.message, e.messageFault
	e.send()
}

// messagesRequest is what the server looks at in a request.
type messagesRequest struct {
	Model        string `json:"model"`
	Stream       bool   `json:"stream"`
	OutputConfig struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"output_config"`
	Tools []struct {
		Name   string `json:"name"`
		Strict bool   `json:"strict"`
	} `json:"tools"`
	ToolChoice struct {
		Name string `json:"name"`
	} `json:"tool_choice"`
}

// format is how the form of the answer is to be enforced, in the words of
// [Server.Refuse], and the parameter that says so.
func (r *messagesRequest) format() (name, parameter string) {
	if t := r.OutputConfig.Format.Type; t != "" {
		return t, "output_config.format"
	}
	for i, t := range r.Tools {
		switch {
		case r.ToolChoice.Name == "" || t.Name != r.ToolChoice.Name:
		case t.Strict:
			return "strict_tool", fmt.Sprintf("tools.%d.custom.strict", i)
		default:
			return "tool", "tool_choice"
		}
	}
	return "", ""
}

// named sends one event with its name.
func (e *emitter) named(name, fields string) {
	nl := "\n"
	if e.a.CRLF {
		nl = "\r\n"
	}
	if fields != "" {
		fields = "," + fields
	}
	e.prefix = "event: " + name + nl
	e.event(`{"type":` + quote(name) + fields + `}`)
	e.prefix = ""
}

func (e *emitter) messageStream() {
	e.named("message_start", fmt.Sprintf(`"message":{"id":"msg_fake","type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,"stop_sequence":null,"usage":%s}`,
		quote(e.model), e.messageUsage(false)))
	e.named("ping", "")
	n, index := 0, -1
	block := func(start, kind string, pieces []string) {
		index++
		e.named("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, index, start))
		field, _, _ := strings.Cut(kind, "_delta")
		if kind == "input_json_delta" {
			field = "partial_json"
		}
		for _, p := range pieces {
			e.faultAt(n)
			n++
			e.wait(e.a.Step)
			e.named("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":%q,%q:%s}`, index, kind, field, p))
		}
	}
	stop := func() { e.named("content_block_stop", fmt.Sprintf(`"index":%d`, index)) }
	if e.a.Reasoning != "" {
		block(`{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", e.pieces(e.a.Reasoning))
		e.named("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":"signature_delta","signature":%s}`, index, quote(e.a.Signature)))
		stop()
	}
	if e.a.Text != "" {
		if e.forced != "" {
			block(`{"type":"tool_use","id":"toolu_fake","name":`+quote(e.forced)+`,"input":{}}`, "input_json_delta", e.pieces(e.a.Text))
		} else {
			block(`{"type":"text","text":""}`, "text_delta", e.pieces(e.a.Text))
		}
		if e.a.After >= n {
			e.faultAt(n) // inside the last block
		}
		stop()
	}
	for _, c := range e.a.ToolCalls {
		block(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quote(c.ID), quote(c.Name)), "input_json_delta", e.pieces(c.Arguments))
		stop()
	}
	if f := e.messageFinish(); f != "" {
		details := ""
		if f == "refusal" && e.a.Refusal != "" {
			details = `,"stop_details":{"type":"refusal","category":null,"explanation":` + quote(e.a.Refusal) + `}`
		}
		e.named("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%s,"stop_sequence":null%s},"usage":%s`, quote(f), details, e.messageUsage(true)))
	}
	if !e.a.NoDone {
		e.named("message_stop", "")
	}
}

// messageFault misbehaves as [emitter.fault] does, in the words of this API.
func (e *emitter) messageFault() {
	switch e.a.Fault {
	case Malformed:
		e.event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`)
	case InvalidUTF8:
		e.event("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"\xff\xfe\"}}")
	case StreamError:
		body := e.a.Body
		if body == "" {
			body = messagesError("overloaded_error", "Overloaded")
		}
		e.event(body)
	}
}

func (e *emitter) messageFinish() string {
	switch {
	case e.a.Finish == NoFinish:
		return ""
	case e.a.Finish != "":
		return e.a.Finish
	case len(e.a.ToolCalls) > 0 || e.forced != "":
		return "tool_use"
	}
	return "end_turn"
}

// messageUsage is what is known of tokens at the start, or at the end.
func (e *emitter) messageUsage(end bool) string {
	u := Usage{}
	if e.a.Usage != nil {
		u = *e.a.Usage
	}
	if end {
		return fmt.Sprintf(`{"output_tokens":%d}`, u.Completion)
	}
	return fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":1}`, u.Prompt-u.Cached, u.Cached)
}

// message makes the answer as one document.
func (e *emitter) message() string {
	var content []string
	if e.a.Reasoning != "" {
		content = append(content, `{"type":"thinking","thinking":`+quote(e.a.Reasoning)+`,"signature":`+quote(e.a.Signature)+`}`)
	}
	switch {
	case e.a.Text == "":
	case e.forced != "":
		content = append(content, `{"type":"tool_use","id":"toolu_fake","name":`+quote(e.forced)+`,"input":`+e.a.Text+`}`)
	default:
		content = append(content, `{"type":"text","text":`+quote(e.a.Text)+`}`)
	}
	for _, c := range e.a.ToolCalls {
		content = append(content, fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":%s}`, quote(c.ID), quote(c.Name), c.Arguments))
	}
	u := Usage{}
	if e.a.Usage != nil {
		u = *e.a.Usage
	}
	finish := jsontext.Value("null")
	if f := e.messageFinish(); f != "" {
		finish = jsontext.Value(quote(f))
	}
	return fmt.Sprintf(`{"id":"msg_fake","type":"message","role":"assistant","model":%s,"content":[%s],"stop_reason":%s,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d}}`,
		quote(e.model), strings.Join(content, ","), finish, u.Prompt-u.Cached, u.Cached, u.Completion)
}

func messagesError(kind, message string) string {
	return `{"type":"error","error":{"type":` + quote(kind) + `,"message":` + quote(message) + `},"request_id":"req_fake"}`
}

// messagesErrorType is the API's name for a status.
func messagesErrorType(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	return "api_error"
}
