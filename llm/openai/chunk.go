package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A chunk is one event of the stream, or the whole answer of a server that
// does not stream. Fields that are not named are ignored.
type chunk struct {
	Choices []choice       `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
	// An error in place of an answer, in one of two forms.
	Error   jsontext.Value `json:"error"`
	Object  jsontext.Value `json:"object"`
	Message jsontext.Value `json:"message"`
}

type choice struct {
	Index        int            `json:"index"`
	Delta        delta          `json:"delta"`
	Message      delta          `json:"message"` // in place of Delta where the answer is whole
	FinishReason *string        `json:"finish_reason"`
	Usage        jsontext.Value `json:"usage"` // some put it here
}

type delta struct {
	Role             jsontext.Value `json:"role"`
	Content          jsontext.Value `json:"content"`
	ReasoningContent jsontext.Value `json:"reasoning_content"`
	Reasoning        jsontext.Value `json:"reasoning"`
	Refusal          jsontext.Value `json:"refusal"`
	ToolCalls        []callDelta    `json:"tool_calls"`
	FunctionCall     *callFunction  `json:"function_call"` // the form before tool_calls
}

type callDelta struct {
	Index    *int         `json:"index"`
	ID       string       `json:"id"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// usage counts tokens; servers differ in what they give.
type usage struct {
	Prompt     int `json:"prompt_tokens"` // with the cached ones
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	CacheHit   int `json:"prompt_cache_hit_tokens"` // DeepSeek
	In         struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// speaksForOthers tells whether a role is certainly not the model's. Servers
// write the model's own in many ways, or not at all.
func speaksForOthers(role string) bool {
	switch strings.ToLower(role) {
	case "user", "system", "developer", "tool", "function":
		return true
	}
	return false
}
