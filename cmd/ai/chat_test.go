package main

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// checkEvents holds standard error against the one shape of all events, and
// their types against what is expected.
func checkEvents(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: events TYPES…")
	}
	types := []string{}
	for _, line := range strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n") {
		var event struct {
			Type      string         `json:"type"`
			Message   *string        `json:"message"`
			Context   jsontext.Value `json:"context"`
			Timestamp int64          `json:"timestamp"`
		}
		if err := json.Unmarshal([]byte(line), &event, json.RejectUnknownMembers(true)); err != nil {
			ts.Fatalf("%v in %q", err, line)
		}
		if k := event.Context.Kind(); event.Message == nil || k != '{' && k != 'n' || event.Timestamp < 1_600_000_000_000 {
			ts.Fatalf("not the shape of an event: %s", line)
		}
		types = append(types, event.Type)
	}
	if d := cmp.Diff(args, types); d != "" {
		ts.Fatalf("types of events (-want +got):\n%s\n%s", d, ts.ReadFile("stderr"))
	}
}

// checkRoles holds a session file against the form of its lines.
func checkRoles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: roles FILE ROLES…")
	}
	roles := []string{}
	text := ts.ReadFile(args[0])
	if text != "" && !strings.HasSuffix(text, "\n") {
		ts.Fatalf("the last line is not ended: %q", text)
	}
	for _, line := range bytes.Split([]byte(strings.TrimSuffix(text, "\n")), []byte("\n")) {
		var message struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		}
		if err := json.Unmarshal(line, &message); err != nil {
			ts.Fatalf("%v in %q", err, line)
		}
		if k := message.Content.Kind(); k != '"' && k != '{' && k != '[' {
			ts.Fatalf("no content: %s", line)
		}
		roles = append(roles, message.Role)
	}
	if d := cmp.Diff(args[1:], roles); d != "" {
		ts.Fatalf("roles (-want +got):\n%s\n%s", d, text)
	}
}
