package google

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// requestBody writes the body of a request. The same input gives the same
// bytes.
func requestBody(model llm.Model, conversation llm.Context, options llm.Options, rung llm.Enforcement) ([]byte, error) {
	var r request
	var system []part
	for _, s := range conversation.System {
		if s != "" {
			system = append(system, text(s))
		}
	}
	if strings.HasPrefix(bare(model.ID), "gemma-") {
		// These take no system instruction.
		r.add("user", system...)
	} else if len(system) > 0 {
		r.System = &content{Parts: system}
	}
	for i, m := range conversation.Messages {
		if err := r.message(model, m); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
	}
	var functions []function
	for _, t := range conversation.Tools {
		functions = append(functions, function{t.Name, t.Description, t.Parameters})
	}
	if functions != nil {
		r.Tools = []tool{{functions}}
	}
	g := &r.Generation
	g.Temperature, g.MaxTokens = options.Temperature, options.MaxTokens
	if g.MaxTokens == 0 {
		g.MaxTokens = model.MaxTokens
	}
	g.Thinking = thinking(model, options.Level)
	switch rung {
	case llm.EnforceSchema:
		if !options.Format.Schema.IsValid() {
			return nil, fmt.Errorf("the schema of the answer format %q is not JSON", options.Format.Name)
		}
		g.MIMEType, g.Schema = jsonType, options.Format.Schema
	case llm.EnforceObject:
		g.MIMEType = jsonType
	}
	if err := r.params(options.Params); err != nil {
		return nil, err
	}
	return json.Marshal(&r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

const jsonType = "application/json"

// params puts in what the person gives. Members of the whole request stand
// there, the others in generationConfig; a few are also known by the names
// that other APIs have for them.
func (r *request) params(params map[string]jsontext.Value) error {
	for given, value := range params {
		name := given
		switch given {
		case "max_tokens", "max_completion_tokens":
			name = "maxOutputTokens"
		case "top_p":
			name = "topP"
		case "top_k":
			name = "topK"
		case "stop":
			name = "stopSequences"
			if value.Kind() == '"' {
				value = slices.Concat(jsontext.Value("["), value, jsontext.Value("]"))
			}
		case "presence_penalty":
			name = "presencePenalty"
		case "frequency_penalty":
			name = "frequencyPenalty"
		}
		if OwnParam(name) {
			return fmt.Errorf("the parameter %q is set by the program itself", given)
		}
		g := &r.Generation
		switch name {
		case "temperature":
			g.Temperature = nil
		case "maxOutputTokens":
			g.MaxTokens = 0
		case "thinkingConfig":
			g.Thinking = nil
		case "safetySettings", "cachedContent", "toolConfig", "labels", "serviceTier", "store":
			set(&r.Extra, name, value)
			continue
		}
		set(&g.Extra, name, value)
	}
	return nil
}

func set(to *map[string]jsontext.Value, name string, value jsontext.Value) {
	if *to == nil {
		*to = map[string]jsontext.Value{}
	}
	(*to)[name] = value
}

// OwnParam tells whether a member of a request is the provider's own, so that
// [llm.Options] cannot set it as a parameter.
func OwnParam(name string) bool {
	switch name {
	case "", "model", "systemInstruction", "contents", "tools", "generationConfig", "candidateCount",
		"responseMimeType", "responseSchema", "responseJsonSchema", "_responseJsonSchema", "responseFormat":
		return true
	}
	return false
}

// thinking says how hard to think. What a model thinks is asked for, so that
// it can be told from the answer.
func thinking(model llm.Model, level llm.Level) *thinkingConfig {
	id := bare(model.ID)
	if !model.Reasoning || strings.HasPrefix(id, "gemma-") {
		return nil
	}
	t := &thinkingConfig{Include: level != llm.LevelOff}
	switch {
	case level == "":
	case strings.HasPrefix(id, "gemini-2") || strings.HasPrefix(id, "gemini-1"):
		budget := level.Budget()
		if strings.HasPrefix(id, "gemini-2.5-pro") {
			budget = max(budget, 128) // its thinking cannot be switched off
		}
		t.Budget = &budget
	default:
		t.Level = thinkingLevel(id, level)
	}
	return t
}

// thinkingLevel is the nearest level that a model of Gemini 3 or later knows.
// Thinking cannot be switched off there; the larger ones know no "minimal".
func thinkingLevel(id string, level llm.Level) string {
	switch level {
	case llm.LevelOff, llm.LevelMinimal:
		if strings.Contains(id, "flash") {
			return "minimal"
		}
		return "low"
	case llm.LevelXHigh:
		return "high"
	case llm.LevelMedium:
		if strings.HasPrefix(id, "gemini-3-pro") {
			return "high" // it knows low and high only
		}
		return "medium"
	default:
		return string(level)
	}
}

// add puts parts behind the others. Turns of the same side are one.
func (r *request) add(role string, parts ...part) {
	if len(parts) == 0 {
		return
	}
	if last := len(r.Contents) - 1; last >= 0 && r.Contents[last].Role == role {
		r.Contents[last].Parts = append(r.Contents[last].Parts, parts...)
		return
	}
	r.Contents = append(r.Contents, content{role, parts})
}

func (r *request) message(model llm.Model, m llm.Message) error {
	switch m.Role {
	case llm.RoleUser:
		r.add("user", userParts(model, m)...)
	case llm.RoleAssistant:
		r.add("model", modelParts(model, m)...)
	case llm.RoleToolResult:
		said := m.Text()
		value := functionValue{Output: &said}
		if m.IsError {
			value = functionValue{Error: &said}
		}
		parts := []part{{Result: &result{m.ToolCallID, m.ToolName, value}}}
		for _, b := range m.Content {
			if img, ok := b.(llm.Image); ok {
				parts = append(parts, imagePart(model, img))
			}
		}
		r.add("user", parts...)
	default:
		return fmt.Errorf("the role %q; expected user, assistant or toolResult", m.Role)
	}
	return nil
}

func userParts(model llm.Model, m llm.Message) []part {
	var parts []part
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			if b.Text != "" { // an empty part is refused
				parts = append(parts, text(b.Text))
			}
		case llm.Image:
			parts = append(parts, imagePart(model, b))
		}
	}
	return parts
}

// modelParts is what is sent back of an answer. Thoughts and signatures go
// back to the model that they are from only; a tool call without arguments
// never was complete.
func modelParts(model llm.Model, m llm.Message) []part {
	own := m.API == API && m.Provider == model.Provider && m.Model == model.ID
	signed := false // the first call of an answer carries the signature
	var parts []part
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			if b.Text != "" {
				parts = append(parts, text(b.Text))
			}
		case llm.Thinking:
			if own && b.Signature != "" {
				parts = append(parts, part{Text: &b.Thinking, Thought: true, Signature: b.Signature})
			}
		case llm.ToolCall:
			if b.Arguments == nil {
				continue
			}
			p := part{Call: &functionCall{b.ID, b.Name, b.Arguments}}
			if own {
				p.Signature = b.Signature
			}
			if p.Signature == "" && !signed && strings.HasPrefix(bare(model.ID), "gemini-3") {
				p.Signature = foreignCall
			}
			signed = true
			parts = append(parts, p)
		}
	}
	return parts
}

// foreignCall stands, as Google documents it, for the signature of a call that
// another model made. Gemini 3 refuses a call without one.
const foreignCall = "skip_thought_signature_validator"

func text(s string) part { return part{Text: &s} }

// imagePart is the image, or words in its place for a model that says that it
// takes none.
func imagePart(model llm.Model, img llm.Image) part {
	switch {
	case model.Input != nil && !slices.Contains(model.Input, "image"):
		return text(fmt.Sprintf("[an image (%s, %d bytes) is left out: this model takes text only]", img.MIMEType, len(img.Data)))
	case img.URL != "":
		return part{File: &file{img.MIMEType, img.URL}}
	}
	return part{Data: &blob{img.MIMEType, img.Data}}
}
