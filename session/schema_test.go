package session_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/schemas"
	"github.com/holic512/plugin-ai/session"
)

// TestSchemaAndReaderAgree gives the same lines to both.
func TestSchemaAndReaderAgree(t *testing.T) {
	t.Parallel()
	schema := must[*schemas.Schema](t)(schemas.Load("session_line"))
	store := newStore(t)
	path, ours, _ := aSession(t, store)
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	ok(t, s.SetName(t.Context(), "n"))
	ok(t, s.Close())
	good := append(strings.Split(strings.TrimSpace(paiFile+ours+read(t, path)), "\n"),
		`{"type":"x"}`, `{"type":"x","content":5}`, `{"role":"user","content":"","type":5}`, `{"role":"user","content":{},"parentId":null}`)
	bad := []string{
		`{}`, `[]`, `5`, `{"role":"user"}`, `{"content":"a"}`, `{"role":"User","content":"a"}`, `{"role":null,"content":"a"}`,
		`{"role":"user","content":null}`, `{"role":"user","content":5}`, `{"role":"user","content":true,"type":"x"}`,
		`{"role":"user","content":"a","id":5}`, `{"role":"user","content":"a","id":""}`, `{"role":"user","content":"a","parentId":5}`,
		`{"role":"user","content":"a","timestamp":5}`, `{"type":""}`, `{"type":5}`, `{"type":"x","role":5}`, `{"type":"x","role":""}`,
		`{"type":"x","role":"robot","content":""}`,
	}
	check := func(line string, want bool) {
		t.Helper()
		var value any
		ok(t, json.Unmarshal([]byte(line), &value))
		if found := schema.Check(value); (len(found) == 0) != want {
			t.Errorf("the schema on %s: %v", line, found)
		}
		if _, err := session.ParseLine([]byte(line)); (err == nil) != want {
			t.Errorf("the reader on %s: %v", line, err)
		}
	}
	for _, line := range good {
		check(line, true)
	}
	for _, line := range bad {
		check(line, false)
	}
}
