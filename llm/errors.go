package llm

import "time"

// ErrorKind sorts the failures of a call by what can be done about them.
type ErrorKind string

// The kinds of failure.
const (
	ErrAuthentication ErrorKind = "authentication"     // 401, 403: a key is missing or wrong
	ErrRateLimit      ErrorKind = "rate_limit"         // 429 that passes by itself
	ErrQuota          ErrorKind = "quota"              // 429 that does not pass by itself
	ErrOverloaded     ErrorKind = "overloaded"         // 5xx
	ErrContextLength  ErrorKind = "context_length"     // the conversation is too long for the model
	ErrNotFound       ErrorKind = "not_found"          // 404: no such model or address
	ErrInvalid        ErrorKind = "invalid_request"    // any other 4xx
	ErrNetwork        ErrorKind = "network"            // no connection, or it broke
	ErrTimeout        ErrorKind = "timeout"            // no answer, or no more of it, in time
	ErrIncomplete     ErrorKind = "incomplete"         // the stream ended without saying why
	ErrMalformed      ErrorKind = "malformed_response" // what came is not the wire API
	ErrContentFilter  ErrorKind = "content_filter"     // the server's filter ended the answer
	ErrRefusal        ErrorKind = "refusal"            // the model refused to answer
	ErrCancelled      ErrorKind = "cancelled"          // the caller's context ended
)

// Retryable tells whether the same call may succeed later.
func (k ErrorKind) Retryable() bool {
	switch k {
	case ErrRateLimit, ErrOverloaded, ErrNetwork, ErrTimeout, ErrIncomplete, ErrMalformed:
		return true
	}
	return false
}

// An Error is why an answer did not end well.
type Error struct {
	Kind       ErrorKind
	Status     int           // the HTTP status; 0 is none
	Message    string        // for people, keys masked
	RetryAfter time.Duration // what the server asked to wait; 0 is nothing said
	Err        error         // the cause; may be nil
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code is the name that llm-base gives such a failure, for scripts that know
// it: AUTH_ERROR, RATE_LIMIT, NETWORK_ERROR or PROVIDER_ERROR.
func (k ErrorKind) Code() string {
	switch k {
	case ErrAuthentication:
		return "AUTH_ERROR"
	case ErrRateLimit, ErrQuota:
		return "RATE_LIMIT"
	case ErrNetwork, ErrTimeout, ErrIncomplete:
		return "NETWORK_ERROR"
	}
	return "PROVIDER_ERROR"
}
