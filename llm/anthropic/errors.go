package anthropic

import (
	"net/http"
	"strings"

	"github.com/holic512/plugin-ai/llm"
)

// statusOf is the HTTP status of a type of error, for one that comes inside a
// stream; 0 is not known.
func statusOf(kind string) int {
	switch kind {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "billing_error":
		return http.StatusPaymentRequired
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	case "api_error":
		return http.StatusInternalServerError
	case "timeout_error":
		return http.StatusGatewayTimeout
	case "overloaded_error":
		return 529 // of this API only
	}
	return 0
}

// kindOf knows failures that the API gives a status of something else; "" is
// none of them.
func kindOf(message string) llm.ErrorKind {
	s := strings.ToLower(message)
	switch {
	case strings.Contains(s, "credit balance is too low"), strings.Contains(s, "reached your specified api usage limits"):
		return llm.ErrQuota
	case strings.Contains(s, "exceed context limit"), strings.Contains(s, "prompt is too long"):
		return llm.ErrContextLength
	}
	return ""
}
