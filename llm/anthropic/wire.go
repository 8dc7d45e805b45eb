package anthropic

import "github.com/go-json-experiment/json/jsontext"

// A request is the body of POST /v1/messages.
type request struct {
	Model        string                    `json:"model"`
	MaxTokens    int                       `json:"max_tokens,omitzero"`
	System       []block                   `json:"system,omitzero"`
	Messages     []message                 `json:"messages"`
	Tools        []tool                    `json:"tools,omitzero"`
	ToolChoice   *toolChoice               `json:"tool_choice,omitzero"`
	OutputConfig *outputConfig             `json:"output_config,omitzero"`
	Thinking     *thinking                 `json:"thinking,omitzero"`
	Temperature  *float64                  `json:"temperature,omitzero"`
	Stream       bool                      `json:"stream"`
	Extra        map[string]jsontext.Value `json:",embed"` //nolint:staticcheck // an option of go-json-experiment/json
}

type message struct {
	Role    string  `json:"role"` // user or assistant
	Content []block `json:"content"`
}

// A block is one part of a message, of any type. Which fields belong to a type
// is told beside them.
type block struct {
	Type         string         `json:"type"`
	Text         string         `json:"text,omitzero"` // text
	CacheControl *cacheControl  `json:"cache_control,omitzero"`
	Source       *source        `json:"source,omitzero"`   // image
	Thinking     *string        `json:"thinking,omitzero"` // thinking
	Signature    string         `json:"signature,omitzero"`
	Data         string         `json:"data,omitzero"` // redacted_thinking
	ID           string         `json:"id,omitzero"`   // tool_use
	Name         string         `json:"name,omitzero"`
	Input        jsontext.Value `json:"input,omitzero"`
	ToolUseID    string         `json:"tool_use_id,omitzero"` // tool_result
	Content      []block        `json:"content,omitzero"`
	IsError      bool           `json:"is_error,omitzero"`
}

type cacheControl struct {
	Type string `json:"type"`
}

// source is where an image is.
type source struct {
	Type      string `json:"type"` // base64 or url
	MediaType string `json:"media_type,omitzero"`
	Data      []byte `json:"data,omitzero"`
	URL       string `json:"url,omitzero"`
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	InputSchema jsontext.Value `json:"input_schema"`
	Strict      bool           `json:"strict,omitzero"`
}

type toolChoice struct {
	Type            string `json:"type"` // tool
	Name            string `json:"name"`
	DisableParallel bool   `json:"disable_parallel_tool_use"`
}

type outputConfig struct {
	Effort string        `json:"effort,omitzero"`
	Format *outputFormat `json:"format,omitzero"`
}

type outputFormat struct {
	Type   string         `json:"type"` // json_schema
	Schema jsontext.Value `json:"schema"`
}

type thinking struct {
	Type    string `json:"type"` // enabled, adaptive or disabled
	Budget  int    `json:"budget_tokens,omitzero"`
	Display string `json:"display,omitzero"`
}

// An event is one event of a stream. Fields that are not named are ignored,
// and so are types that are not known: the API says that new ones may come.
type event struct {
	Type    string    `json:"type"`
	Index   *int      `json:"index"`         // content_block_*
	Message *document `json:"message"`       // message_start
	Block   *said     `json:"content_block"` // content_block_start
	Delta   delta     `json:"delta"`         // content_block_delta, message_delta
	Usage   *usage    `json:"usage"`         // message_delta
}

// A document is a whole answer; in message_start it has no content yet.
type document struct {
	Type        string       `json:"type"` // message
	Role        string       `json:"role"`
	Content     []said       `json:"content"`
	StopReason  *string      `json:"stop_reason"`
	StopDetails *stopDetails `json:"stop_details"`
	Usage       *usage       `json:"usage"`
}

// said is a block of an answer.
type said struct {
	Type      string         `json:"type"`
	Text      jsontext.Value `json:"text"`
	Thinking  jsontext.Value `json:"thinking"`
	Signature string         `json:"signature"`
	Data      string         `json:"data"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
}

type delta struct {
	Type        string         `json:"type"`
	Text        jsontext.Value `json:"text"`
	Thinking    jsontext.Value `json:"thinking"`
	Signature   string         `json:"signature"`
	PartialJSON jsontext.Value `json:"partial_json"`

	// Of message_delta, which has no type.
	StopReason  *string      `json:"stop_reason"`
	StopDetails *stopDetails `json:"stop_details"`
}

// stopDetails says more of a refusal.
type stopDetails struct {
	Category    string `json:"category"`
	Explanation string `json:"explanation"`
}

// usage counts tokens. In a stream the counts grow, and a count that is not
// said stays.
type usage struct {
	Input      *int `json:"input_tokens"` // without the cached ones
	Output     *int `json:"output_tokens"`
	CacheRead  *int `json:"cache_read_input_tokens"`
	CacheWrite *int `json:"cache_creation_input_tokens"`
}
