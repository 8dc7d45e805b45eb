package openai

import (
	"net/http"
	"strings"

	"github.com/holic512/plugin-ai/llm"
)

// below is the next weaker way to enforce the form of an answer.
func below(rung llm.Enforcement) (llm.Enforcement, bool) {
	switch rung {
	case llm.EnforceSchema:
		return llm.EnforceObject, true
	case llm.EnforceObject:
		return llm.EnforcePrompt, true
	}
	return "", false
}

// refusesFormat tells whether the server refused the request because of its
// response_format: a client error that names it, and nothing else.
func (f *failure) refusesFormat() bool {
	switch f.err.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	if f.err.Status < 400 || f.err.Status > 499 || f.err.Kind == llm.ErrContextLength {
		return false
	}
	said := strings.ToLower(f.said)
	for _, name := range []string{
		"response_format", "response format", "response_schema", "json_schema", "json schema", "json_object", "json mode",
		"structured output", "structured_output", "strict schema", "grammar",
		"requested parameters", // OpenRouter, where no route takes what require_parameters demands
	} {
		if strings.Contains(said, name) {
			return true
		}
	}
	return false
}
