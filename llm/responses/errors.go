package responses

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// words reads an error, of a response's body or of an event.
func words(raw []byte) call.Words {
	w := call.ErrorText(jsontext.Value(raw))
	switch {
	case w.Code == "content_filter", w.Code == "invalid_prompt", w.Code == "image_content_policy_violation", strings.HasSuffix(w.Code, "_policy"), strings.HasSuffix(w.Code, "_policy_violation"):
		w.Kind = llm.ErrContentFilter
	case w.Code == "rate_limit_exceeded":
		w.Kind = llm.ErrRateLimit
	case strings.Contains(w.Code, "image"):
		w.Kind = llm.ErrInvalid
	}
	return w
}
