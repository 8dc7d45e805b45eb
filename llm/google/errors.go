package google

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// words reads the body of an error: {"error": status}, alone or as the one
// element of an array.
func words(body []byte) call.Words {
	raw := jsontext.Value(body)
	var list []jsontext.Value
	if json.Unmarshal(raw, &list, call.Lenient()) == nil && len(list) > 0 {
		raw = list[0]
	}
	var outer struct {
		Error jsontext.Value `json:"error"`
	}
	if json.Unmarshal(raw, &outer, call.Lenient()) == nil && outer.Error.Kind() == '{' {
		return statusWords(outer.Error)
	}
	return call.ErrorText(raw)
}

// statusWords says what a status means. Google answers a wrong key with 400,
// and the same words tell of a limit per minute and of one per day; only the
// details tell them apart.
func statusWords(raw jsontext.Value) call.Words {
	var s status
	if json.Unmarshal(raw, &s, call.Lenient()) != nil || s.Message == "" {
		return call.ErrorText(raw)
	}
	w := call.Words{Message: s.Message, Code: s.Status}
	if s.Code >= 400 && s.Code < 600 {
		w.Status = s.Code
	}
	daily := false
	for _, d := range s.Details {
		switch d.Type[strings.LastIndexByte(d.Type, '.')+1:] {
		case "ErrorInfo":
			w.Type = d.Reason
			if strings.HasPrefix(d.Reason, "API_KEY_") {
				w.Kind = llm.ErrAuthentication
			}
		case "RetryInfo":
			if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
				w.RetryAfter = wait
			}
		case "QuotaFailure":
			for _, v := range d.Violations {
				daily = daily || strings.Contains(v.QuotaID, "PerDay")
			}
		case "BadRequest":
			for _, f := range d.Fields {
				w.Near += f.Field + " " + f.Description + "\n"
			}
		}
	}
	switch s.Status {
	case "RESOURCE_EXHAUSTED":
		w.Kind = llm.ErrRateLimit
		if daily || strings.Contains(s.Message, "limit: 0") {
			w.Kind = llm.ErrQuota
		}
	case "UNAUTHENTICATED", "PERMISSION_DENIED":
		w.Kind = llm.ErrAuthentication
	case "INVALID_ARGUMENT", "FAILED_PRECONDITION":
		if strings.HasPrefix(s.Message, "API key not valid") || strings.HasPrefix(s.Message, "API key expired") {
			w.Kind = llm.ErrAuthentication
		}
	case "DEADLINE_EXCEEDED":
		w.Kind = llm.ErrTimeout
	}
	return w
}
