package anthropic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// defaultMaxTokens is the longest answer where nothing is said; the API wants
// to be told one.
const defaultMaxTokens = 32000

// requestBody writes the body of a request. The same input gives the same
// bytes.
func requestBody(model llm.Model, conversation llm.Context, options llm.Options, rung llm.Enforcement) ([]byte, error) {
	r := request{Model: model.ID, Stream: !options.Whole, Temperature: options.Temperature, Extra: options.Params}
	for name := range options.Params {
		if OwnParam(name) {
			return nil, fmt.Errorf("the parameter %q is set by the program itself", name)
		}
	}
	if options.Params["max_tokens"] == nil {
		r.MaxTokens = maxTokens(model, options)
	}
	if options.Params["temperature"] != nil {
		r.Temperature = nil
	}
	for _, text := range conversation.System {
		if !blank(text) {
			r.System = append(r.System, block{Type: "text", Text: text})
		}
	}
	if len(r.System) > 0 {
		r.System[0].CacheControl = &cacheControl{Type: "ephemeral"}
	}
	var err error
	if r.Messages, err = messages(model, conversation.Messages); err != nil {
		return nil, err
	}
	for _, t := range conversation.Tools {
		schema := t.Parameters
		if schema == nil {
			schema = jsontext.Value(`{"type":"object"}`)
		}
		r.Tools = append(r.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	if rung != llm.EnforceStrictTool && rung != llm.EnforceTool {
		think(&r, model, options) // not beside a tool that must be called
	}
	if err := enforce(&r, options, rung); err != nil {
		return nil, err
	}
	return json.Marshal(&r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// enforce asks for the form of the answer as the rung has it.
func enforce(r *request, options llm.Options, rung llm.Enforcement) error {
	if rung == "" || rung == llm.EnforcePrompt {
		return nil
	}
	format := options.Format
	if !format.Schema.IsValid() {
		return fmt.Errorf("the schema of the answer format %q is not JSON", format.Name)
	}
	if rung == llm.EnforceSchema {
		if r.OutputConfig == nil {
			r.OutputConfig = &outputConfig{}
		}
		r.OutputConfig.Format = &outputFormat{Type: "json_schema", Schema: format.Schema}
		return nil
	}
	if slices.ContainsFunc(r.Tools, func(t tool) bool { return t.Name == format.Name }) {
		return fmt.Errorf("a tool is called %q, as the answer format is", format.Name)
	}
	r.Tools = append(r.Tools, tool{
		Name: format.Name, Description: "Gives the answer. It is called exactly once, and nothing is said beside it.",
		InputSchema: format.Schema, Strict: rung == llm.EnforceStrictTool,
	})
	r.ToolChoice = &toolChoice{Type: "tool", Name: format.Name, DisableParallel: true}
	return nil
}

// replyTool is the name of the tool whose input is the answer, where one is
// offered; "" is none.
func replyTool(options llm.Options) string {
	if options.Format == nil {
		return ""
	}
	return options.Format.Name
}

// OwnParam tells whether a member of a request is the provider's own, so that
// [llm.Options] cannot set it as a parameter.
func OwnParam(name string) bool {
	switch name {
	case "", "model", "messages", "system", "stream", "tools", "tool_choice", "output_config", "output_format":
		return true
	}
	return false
}

func maxTokens(model llm.Model, options llm.Options) int {
	if options.MaxTokens > 0 {
		return options.MaxTokens
	}
	return cmp.Or(model.MaxTokens, defaultMaxTokens)
}

// messages translates a history. What follows each other from one side becomes
// one message, for the API wants turns, and the results of calls in parallel
// together.
func messages(model llm.Model, history []llm.Message) ([]message, error) {
	var out []message
	for i, m := range history {
		var role string
		var content []block
		switch m.Role {
		case llm.RoleUser:
			role, content = "user", blocks(model, m)
		case llm.RoleAssistant:
			role, content = "assistant", blocks(model, m)
		case llm.RoleToolResult:
			role, content = "user", []block{{Type: "tool_result", ToolUseID: m.ToolCallID, IsError: m.IsError, Content: blocks(model, m)}}
		default:
			return nil, fmt.Errorf("message %d has the role %q; expected user, assistant or toolResult", i, m.Role)
		}
		switch last := len(out) - 1; {
		case len(content) == 0:
		case last >= 0 && out[last].Role == role:
			out[last].Content = append(out[last].Content, content...)
		default:
			out = append(out, message{role, content})
		}
	}
	if len(out) == 0 || out[0].Role != "user" {
		out = append([]message{{"user", []block{{Type: "text", Text: "(what was said before is left out)"}}}}, out...)
	}
	return out, nil
}

// blocks translates the content of a message. Thinking goes back only to the
// model that thought it, and a tool call without arguments never was complete.
func blocks(model llm.Model, m llm.Message) []block {
	var out []block
	own := m.API == API && m.Provider == model.Provider && m.Model == model.ID
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			if !blank(b.Text) { // which the API refuses
				out = append(out, block{Type: "text", Text: b.Text})
			}
		case llm.Image:
			out = append(out, image(model, b))
		case llm.Thinking:
			switch {
			case !own || b.Signature == "":
			case b.Redacted:
				out = append(out, block{Type: "redacted_thinking", Data: b.Signature})
			default:
				out = append(out, block{Type: "thinking", Thinking: &b.Thinking, Signature: b.Signature})
			}
		case llm.ToolCall:
			if b.Arguments != nil {
				out = append(out, block{Type: "tool_use", ID: b.ID, Name: b.Name, Input: b.Arguments})
			}
		}
	}
	return out
}

// image is the image, or words in its place for a model that says that it
// takes none.
func image(model llm.Model, img llm.Image) block {
	switch {
	case model.Input != nil && !slices.Contains(model.Input, "image"):
		return block{Type: "text", Text: fmt.Sprintf("[an image (%s, %d bytes) is left out: this model takes text only]", img.MIMEType, len(img.Data))}
	case img.URL != "":
		return block{Type: "image", Source: &source{Type: "url", URL: img.URL}}
	}
	return block{Type: "image", Source: &source{Type: "base64", MediaType: img.MIMEType, Data: img.Data}}
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
