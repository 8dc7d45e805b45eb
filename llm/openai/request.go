package openai

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// requestBody writes the body of a request. The same input gives the same
// bytes.
func requestBody(at call.Endpoint, model llm.Model, conversation llm.Context, options llm.Options, rung llm.Enforcement) ([]byte, error) {
	params := sdk.ChatCompletionNewParams{
		Model: model.ID,
	}
	extra := map[string]any{"stream": !options.Whole}
	if !options.Whole {
		params.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)}
	}
	for name, value := range options.Params {
		if OwnParam(name) {
			return nil, fmt.Errorf("the parameter %q is set by the program itself", name)
		}
		extra[name] = value
	}
	for _, s := range conversation.System {
		params.Messages = append(params.Messages, sdk.SystemMessage(s))
	}
	var err error
	if params.Messages, err = appendMessages(params.Messages, model, conversation.Messages); err != nil {
		return nil, err
	}
	for _, t := range conversation.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Description != "" {
			f.Description = sdk.String(t.Description)
		}
		if t.Parameters != nil {
			if err := json.Unmarshal(t.Parameters, &f.Parameters); err != nil {
				return nil, fmt.Errorf("parameters of the tool %q: %w", t.Name, err)
			}
		}
		params.Tools = append(params.Tools, sdk.ChatCompletionFunctionTool(f))
	}
	if options.Temperature != nil {
		params.Temperature = sdk.Float(*options.Temperature)
	}
	if n := maxTokens(model, options); n > 0 && options.Params["max_tokens"] == nil && options.Params["max_completion_tokens"] == nil {
		if at.Host == "api.openai.com" || strings.HasSuffix(at.Host, ".openai.azure.com") {
			params.MaxCompletionTokens = sdk.Int(n) // the old name is refused by its reasoning models
		} else {
			params.MaxTokens = sdk.Int(n) // the new name is unknown to many servers
		}
	}
	if level := options.Level; model.Reasoning && level != "" && level != llm.LevelOff && options.Params["reasoning_effort"] == nil {
		params.ReasoningEffort = shared.ReasoningEffort(level)
	}
	switch rung {
	case llm.EnforceSchema:
		if !options.Format.Schema.IsValid() {
			return nil, fmt.Errorf("the schema of the answer format %q is not JSON", options.Format.Name)
		}
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: options.Format.Name, Strict: sdk.Bool(true), Schema: options.Format.Schema,
		}}
		if at.Host == "openrouter.ai" { // else it may choose a route that ignores the schema
			if _, said := options.Params["provider"]; !said {
				extra["provider"] = map[string]any{"require_parameters": true}
			}
		}
	case llm.EnforceObject:
		params.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	params.SetExtraFields(extra)
	return params.MarshalJSON()
}

// OwnParam tells whether a member of a request is the provider's own, so that
// [llm.Options] cannot set it as a parameter.
func OwnParam(name string) bool {
	switch name {
	case "", "model", "messages", "stream", "stream_options", "response_format", "n",
		"tools", "tool_choice", "parallel_tool_calls", "functions", "function_call":
		return true
	}
	return false
}

func maxTokens(model llm.Model, options llm.Options) int64 {
	if options.MaxTokens > 0 {
		return int64(options.MaxTokens)
	}
	return int64(model.MaxTokens)
}

func appendMessages(to []sdk.ChatCompletionMessageParamUnion, model llm.Model, messages []llm.Message) ([]sdk.ChatCompletionMessageParamUnion, error) {
	var late []sdk.ChatCompletionContentPartUnionParam // images of tool results, which a tool message cannot hold
	for i, m := range messages {
		if m.Role != llm.RoleToolResult && late != nil {
			to = append(to, sdk.UserMessage(late))
			late = nil
		}
		switch m.Role {
		case llm.RoleUser:
			to = append(to, userMessage(model, m))
		case llm.RoleAssistant:
			if a := assistantMessage(m); a != nil {
				to = append(to, sdk.ChatCompletionMessageParamUnion{OfAssistant: a})
			}
		case llm.RoleToolResult:
			to = append(to, sdk.ToolMessage(m.Text(), m.ToolCallID))
			for _, b := range m.Content {
				if img, ok := b.(llm.Image); ok {
					late = append(late, imagePart(model, img))
				}
			}
		default:
			return nil, fmt.Errorf("message %d has the role %q; expected user, assistant or toolResult", i, m.Role)
		}
	}
	if late != nil {
		to = append(to, sdk.UserMessage(late))
	}
	return to, nil
}

func userMessage(model llm.Model, m llm.Message) sdk.ChatCompletionMessageParamUnion {
	var parts []sdk.ChatCompletionContentPartUnionParam
	images := false
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			parts = append(parts, sdk.TextContentPart(b.Text))
		case llm.Image:
			parts = append(parts, imagePart(model, b))
			images = true
		}
	}
	if !images {
		return sdk.UserMessage(m.Text()) // a plain string is what every server takes
	}
	return sdk.UserMessage(parts)
}

// imagePart is the image, or words in its place for a model that says that it
// takes none.
func imagePart(model llm.Model, img llm.Image) sdk.ChatCompletionContentPartUnionParam {
	if model.Input != nil && !slices.Contains(model.Input, "image") {
		return sdk.TextContentPart(fmt.Sprintf("[an image (%s, %d bytes) is left out: this model takes text only]", img.MIMEType, len(img.Data)))
	}
	if img.URL != "" {
		return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: img.URL})
	}
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{
		URL: "data:" + img.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(img.Data),
	})
}

// assistantMessage is nil where nothing is left to send: thinking is not sent
// back, and a tool call without arguments never was complete.
func assistantMessage(m llm.Message) *sdk.ChatCompletionAssistantMessageParam {
	a := &sdk.ChatCompletionAssistantMessageParam{}
	if text := m.Text(); text != "" {
		a.Content.OfString = sdk.String(text)
	}
	for _, b := range m.Content {
		if c, ok := b.(llm.ToolCall); ok && c.Arguments != nil {
			a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: c.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments)},
			}})
		}
	}
	if !a.Content.OfString.Valid() && a.ToolCalls == nil {
		return nil
	}
	return a
}
