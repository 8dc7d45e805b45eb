package replay

import "github.com/holic512/plugin-ai/llm"

// call is one line of a recording.
type call struct {
	Call     int           `json:"call"` // from 1
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
	Options  settings      `json:"options"`
	System   []string      `json:"system"`
	Messages []llm.Message `json:"messages"`
	// Hidden is true where masking changed the person's words, so that they
	// cannot be compared.
	Hidden bool        `json:"hidden,omitzero"`
	Pieces []piece     `json:"pieces"`
	Final  llm.Message `json:"final"`
}

// settings are the options of a call that are no secret.
type settings struct {
	Temperature *float64 `json:"temperature,omitzero"`
	MaxTokens   int      `json:"maxTokens,omitzero"`
	Format      string   `json:"format,omitzero"` // its name
}

// piece is a part of an answer, as it arrived.
type piece struct {
	Block    int    `json:"block"` // index in the content of the final message
	Thinking bool   `json:"thinking,omitzero"`
	Tool     bool   `json:"tool,omitzero"` // Text is a part of a call's arguments
	Text     string `json:"text"`
}
