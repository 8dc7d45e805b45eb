package main

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/schemas"
)

// scriptedEvent is a line of standard error as programs read it that were
// written for pai. It always has these four fields.
type scriptedEvent struct {
	Type      string         `json:"type"`
	Message   string         `json:"message"`
	Context   map[string]any `json:"context"`
	Timestamp int64          `json:"timestamp"` // Unix milliseconds
}

// writeScripted writes an event as one line, with one call.
func writeScripted(w io.Writer, kind, message string, context map[string]any) {
	line, err := json.Marshal(scriptedEvent{kind, message, context, time.Now().UnixMilli()}, json.Deterministic(true), json.FormatNilMapAsNull(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return // texts and numbers always marshal
	}
	_, _ = w.Write(append(line, '\n'))
}

// isScripted tells whether a command keeps to the contract of pai.
func isScripted(cmd *cobra.Command) bool {
	return cmd != nil && cmd.HasParent() && slices.Contains([]string{"model", "chat"}, topWord(cmd))
}

// wantsEvents tells whether --json stands in arguments that could not be read
// to their end.
func wantsEvents(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// failIn tells an error of a command to whoever reads standard error.
func (a *app) failIn(cmd *cobra.Command, err error) exitCode {
	if !isScripted(cmd) || !a.flags.json && (a.running || !wantsEvents(a.args)) {
		return a.fail(err)
	}
	code, advice := codeOfError(err)
	context := map[string]any{"exitCode": int(code)}
	if advice != "" {
		context["hint"] = advice
	}
	var c *config.Error
	if errors.As(err, &c) {
		context["kind"] = string(c.Kind)
		if c.File != "" {
			context["file"] = c.File
		}
		if len(c.Violations) > 0 {
			context["violations"] = append([]schemas.Violation{}, c.Violations...)
		}
	}
	writeScripted(a.stderr, "error", maskUnknown(err.Error()), context)
	return code
}
