package responses

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// body writes the body of a request. The same input gives the same bytes.
func (p *Provider) body(model llm.Model, conversation llm.Context, options llm.Options, rung llm.Enforcement) ([]byte, error) {
	r := request{Model: model.ID, Input: []any{}, Stream: !options.Whole, Temperature: options.Temperature, MaxTokens: options.MaxTokens}
	if r.MaxTokens == 0 {
		r.MaxTokens = model.MaxTokens
	}
	for _, s := range conversation.System {
		r.Input = append(r.Input, message{"system", []contentPart{{Type: "input_text", Text: s}}})
	}
	for i, m := range conversation.Messages {
		items, err := p.items(model, m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		r.Input = append(r.Input, items...)
	}
	for _, t := range conversation.Tools {
		parameters := t.Parameters
		if parameters == nil {
			parameters = jsontext.Value(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: parameters})
	}
	switch rung {
	case llm.EnforceSchema:
		if !options.Format.Schema.IsValid() {
			return nil, fmt.Errorf("the schema of the answer format %q is not JSON", options.Format.Name)
		}
		r.Text.Format = textFormat{"json_schema", options.Format.Name, true, options.Format.Schema}
	case llm.EnforceObject:
		r.Text.Format.Type = "json_object"
	}
	if model.Reasoning {
		r.Include = []string{"reasoning.encrypted_content"}
		if options.Level != "" {
			r.Reasoning.Effort = jsontext.Value(`"` + effort(model.ID, options.Level) + `"`)
			if options.Level != llm.LevelOff {
				r.Reasoning.Summary = "auto"
			}
		}
	}
	if err := r.params(options.Params); err != nil {
		return nil, err
	}
	return json.Marshal(&r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// params puts in what the person gives. A few are also known by the names that
// the chat completions have for them.
func (r *request) params(params map[string]jsontext.Value) error {
	for name, value := range params {
		if OwnParam(name) {
			return fmt.Errorf("the parameter %q is set by the program itself", name)
		}
		switch name {
		case "reasoning_effort":
			r.Reasoning.Effort = value
			continue
		case "verbosity":
			r.Text.Verbosity = value
			continue
		case "max_tokens", "max_completion_tokens", "max_output_tokens":
			name, r.MaxTokens = "max_output_tokens", 0
		case "temperature":
			r.Temperature = nil
		case "reasoning":
			r.Reasoning = reasoningConfig{}
		}
		if r.Extra == nil {
			r.Extra = map[string]jsontext.Value{}
		}
		r.Extra[name] = value
	}
	if r.Extra["reasoning"] != nil {
		r.Reasoning = reasoningConfig{}
	}
	return nil
}

// OwnParam tells whether a member of a request is the provider's own, so that
// [llm.Options] cannot set it as a parameter.
func OwnParam(name string) bool {
	switch name {
	case "", "model", "input", "instructions", "stream", "stream_options", "store", "text", "include", "background",
		"tools", "tool_choice", "parallel_tool_calls", "previous_response_id", "conversation", "prompt":
		return true
	}
	return false
}

// effort is the nearest effort that a model knows.
func effort(id string, level llm.Level) string {
	first := strings.HasPrefix(id, "gpt-5") && !strings.HasPrefix(id, "gpt-5.") // the first of the family
	o := strings.HasPrefix(id, "o1") || strings.HasPrefix(id, "o3") || strings.HasPrefix(id, "o4")
	switch level {
	case llm.LevelOff:
		switch {
		case o:
			return "low"
		case first:
			return "minimal"
		}
		return "none"
	case llm.LevelMinimal:
		if first {
			return "minimal"
		}
		return "low"
	case llm.LevelXHigh:
		if o || first || strings.HasPrefix(id, "gpt-5.1") && !strings.Contains(id, "max") {
			return "high"
		}
		return "xhigh"
	default:
		return string(level)
	}
}

// items is what a message is in the conversation that is sent.
func (p *Provider) items(model llm.Model, m llm.Message) ([]any, error) {
	switch m.Role {
	case llm.RoleUser:
		return []any{message{"user", inputParts(model, m)}}, nil
	case llm.RoleAssistant:
		return p.assistantItems(model, m), nil
	case llm.RoleToolResult:
		return []any{functionOutput{"function_call_output", m.ToolCallID, inputParts(model, m)}}, nil
	}
	return nil, fmt.Errorf("the role %q; expected user, assistant or toolResult", m.Role)
}

// assistantItems is what is sent back of an answer. What a model thought goes
// back to that model only, and only together with what it led to: alone it is
// refused. A tool call without arguments never was complete.
func (p *Provider) assistantItems(model llm.Model, m llm.Message) []any {
	own := m.API == p.API() && m.Provider == model.Provider && m.Model == model.ID && m.Err == nil && m.StopReason != llm.StopLength
	var items []any
	var thought []any // what waits for that
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Thinking:
			if s, ok := unseal(b.Signature); own && ok {
				thought = append(thought, s)
			}
		case llm.Text:
			if b.Text != "" {
				items = append(append(items, thought...), message{"assistant", []contentPart{{Type: "output_text", Text: b.Text}}})
				thought = nil
			}
		case llm.ToolCall:
			if b.Arguments != nil {
				items = append(append(items, thought...), functionCall{"function_call", b.ID, b.Name, string(b.Arguments)})
				thought = nil
			}
		}
	}
	return items
}

// unseal reads the signature of a thinking block.
func unseal(signature string) (s sealed, ok bool) {
	if signature == "" || json.Unmarshal([]byte(signature), &s) != nil {
		return s, false
	}
	return s, s.Type == "reasoning" && s.Encrypted != ""
}

func inputParts(model llm.Model, m llm.Message) []contentPart {
	parts := []contentPart{}
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			parts = append(parts, contentPart{Type: "input_text", Text: b.Text})
		case llm.Image:
			parts = append(parts, imagePart(model, b))
		}
	}
	return parts
}

// imagePart is the image, or words in its place for a model that says that it
// takes none.
func imagePart(model llm.Model, img llm.Image) contentPart {
	if model.Input != nil && !slices.Contains(model.Input, "image") {
		return contentPart{Type: "input_text", Text: fmt.Sprintf("[an image (%s, %d bytes) is left out: this model takes text only]", img.MIMEType, len(img.Data))}
	}
	address := img.URL
	if address == "" {
		address = "data:" + img.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
	}
	return contentPart{Type: "input_image", ImageURL: address, Detail: "auto"}
}
