package responses

import "github.com/go-json-experiment/json/jsontext"

// request is the body of a request.
type request struct {
	Model       string                    `json:"model"`
	Input       []any                     `json:"input"` // of the item types below
	Stream      bool                      `json:"stream"`
	Store       bool                      `json:"store"`
	Temperature *float64                  `json:"temperature,omitzero"`
	MaxTokens   int                       `json:"max_output_tokens,omitzero"`
	Text        textConfig                `json:"text,omitzero"`
	Reasoning   reasoningConfig           `json:"reasoning,omitzero"`
	Include     []string                  `json:"include,omitzero"`
	Tools       []tool                    `json:"tools,omitzero"`
	Extra       map[string]jsontext.Value `json:",embed"` //nolint:staticcheck // the option is newer than the linter
}

type textConfig struct {
	Format    textFormat     `json:"format,omitzero"`
	Verbosity jsontext.Value `json:"verbosity,omitzero"`
}

type textFormat struct {
	Type   string         `json:"type"`
	Name   string         `json:"name,omitzero"`
	Strict bool           `json:"strict,omitzero"`
	Schema jsontext.Value `json:"schema,omitzero"`
}

type reasoningConfig struct {
	Effort  jsontext.Value `json:"effort,omitzero"`
	Summary string         `json:"summary,omitzero"`
}

type tool struct {
	Type        string         `json:"type"` // function
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      bool           `json:"strict"`
}

// The items of a conversation.
type (
	message struct {
		Role    string        `json:"role"` // system, user or assistant
		Content []contentPart `json:"content"`
	}
	functionCall struct {
		Type      string `json:"type"` // function_call
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	functionOutput struct {
		Type   string        `json:"type"` // function_call_output
		CallID string        `json:"call_id"`
		Output []contentPart `json:"output"`
	}
	// sealed is what a model thought. As JSON it is also the signature of a
	// thinking block.
	sealed struct {
		Type      string         `json:"type"` // reasoning
		ID        string         `json:"id"`
		Summary   jsontext.Value `json:"summary"`
		Encrypted string         `json:"encrypted_content"`
	}
)

type contentPart struct {
	Type     string `json:"type"` // input_text, input_image or output_text
	Text     string `json:"text,omitzero"`
	ImageURL string `json:"image_url,omitzero"`
	Detail   string `json:"detail,omitzero"`
}

// event is one event of the stream. Fields that are not named are ignored, and
// texts are kept as they were written, for a character may be cut in two.
type event struct {
	Type         string         `json:"type"`
	ItemID       string         `json:"item_id"`
	OutputIndex  int            `json:"output_index"`
	ContentIndex int            `json:"content_index"`
	SummaryIndex int            `json:"summary_index"`
	Delta        jsontext.Value `json:"delta"`
	Text         jsontext.Value `json:"text"`
	Item         *item          `json:"item"`
	Response     *response      `json:"response"`
	Error        jsontext.Value `json:"error"`
}

type item struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"` // message, reasoning or function_call
	Role      string         `json:"role"`
	Phase     string         `json:"phase"`  // of a message: commentary or final_answer
	Status    string         `json:"status"` // completed, incomplete or in_progress
	Content   []itemPart     `json:"content"`
	Summary   jsontext.Value `json:"summary"`
	Encrypted string         `json:"encrypted_content"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

type itemPart struct {
	Type    string         `json:"type"` // output_text, refusal, summary_text or reasoning_text
	Text    jsontext.Value `json:"text"`
	Refusal jsontext.Value `json:"refusal"`
}

type response struct {
	Status     string         `json:"status"` // completed, incomplete, failed or cancelled
	Error      jsontext.Value `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []item `json:"output"`
	Usage  *usage `json:"usage"`
}

type usage struct {
	Input  int `json:"input_tokens"` // with the cached ones
	Output int `json:"output_tokens"`
	In     struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
}
