package rpc

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/schemas"
)

// The flag of this package's tests is in golden_test.go.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// TestDocument makes the tables of docs/rpc.md from the code and compares.
func TestDocument(t *testing.T) {
	t.Parallel()
	const file = "../docs/rpc.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	for name, part := range map[string]string{"commands": commandTable(t), "events": eventTable(), "types": typeTables(), "dialogs": dialogTable()} {
		begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
		from, to := strings.Index(doc, begin), strings.Index(doc, end)
		if from < 0 || to < from {
			t.Fatalf("%s has no part %s", file, name)
		}
		doc = doc[:from+len(begin)] + part + doc[to:]
	}
	if updating() {
		if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if doc != string(text) && !updating() {
		t.Errorf("%s is stale: go test ./rpc -run Document -update", file)
	}
}

// commandTable is one row for each command, from the schema and the handlers.
func commandTable(t *testing.T) string {
	source, err := schemas.Source("rpc_command")
	if err != nil {
		t.Fatal(err)
	}
	type field struct {
		Type        any      `json:"type"`
		Enum        []string `json:"enum"`
		Description string   `json:"description"`
	}
	var document struct {
		AnyOf []struct {
			Ref string `json:"$ref"`
		} `json:"anyOf"`
		Defs map[string]struct {
			Description string           `json:"description"`
			Properties  map[string]field `json:"properties"`
			Required    []string         `json:"required"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(source, &document); err != nil {
		t.Fatal(err)
	}
	table := handlers()
	var b strings.Builder
	b.WriteString("| command | fields | data of the response |\n|---|---|---|\n")
	for _, one := range document.AnyOf {
		name := strings.TrimPrefix(one.Ref, "#/$defs/")
		h, ok := table[name]
		if !ok {
			t.Errorf("the schema knows %s, and no handler", name)
		}
		delete(table, name)
		def := document.Defs[name]
		var names, fields []string
		for n := range def.Properties {
			if n != "type" {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		for _, n := range names {
			f := def.Properties[n]
			said := "`" + n + "`"
			if !slices.Contains(def.Required, n) {
				said += "?"
			}
			switch {
			case f.Enum != nil:
				said += ": `" + strings.Join(f.Enum, "`, `") + "`"
			case f.Type != "string":
				said += fmt.Sprintf(": %v", f.Type)
			}
			fields = append(fields, said)
		}
		gives := h.gives
		if gives == "" {
			gives = "none"
		}
		fmt.Fprintf(&b, "| `%s`: %s | %s | %s |\n", name, def.Description, strings.Join(fields, "; "), gives)
	}
	for name := range table {
		t.Errorf("the handler of %s is in no schema", name)
	}
	return b.String()
}

// fieldsOf names the members of a shape; ? marks those that may be left out.
func fieldsOf(shape any) string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(shape)) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "type" || f.Anonymous {
			continue
		}
		name = "`" + name + "`"
		if strings.Contains(rest, "omit") {
			name += "?"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func eventTable() string {
	rows := []struct {
		typ, when string
		shape     any
	}{
		{"agent_start", "A run begins.", bare{}},
		{"agent_end", "A run ends, with its messages. `willRetry` tells that a failed call is tried again, by another run.", struct {
			Messages jsontext.Value `json:"messages"`
			Again    bool           `json:"willRetry"`
		}{}},
		{"agent_settled", "Nothing goes on any more: no retry, no message that waits.", bare{}},
		{"turn_start", "A call of the model begins.", bare{}},
		{"turn_end", "It and its steps are over.", struct {
			Message jsontext.Value `json:"message"`
			Results jsontext.Value `json:"toolResults"`
		}{}},
		{"message_start", "A message of the user, the model, a step or a plugin begins.", struct {
			Message jsontext.Value `json:"message"`
		}{}},
		{"message_update", "More of the model's message; see below.", struct {
			Message jsontext.Value `json:"message,omitzero"`
			Event   jsontext.Value `json:"assistantMessageEvent"`
		}{}},
		{"message_end", "The message is whole.", struct {
			Message jsontext.Value `json:"message"`
		}{}},
		{"tool_execution_start", "A step begins.", stepStart{}},
		{"tool_execution_update", "Its output so far, at most the last 16 KiB.", stepUpdate{}},
		{"tool_execution_end", "It is over: it ran, was refused, declined, skipped or ended.", stepEnd{}},
		{"queue_update", "What waits has changed.", queueUpdate{}},
		{"compaction_start", "Older messages are summed up: `manual`, `threshold` or `overflow`.", compactionStart{}},
		{"compaction_end", "They were, or not.", compactionEnd{}},
		{"auto_retry_start", "A failed call will be tried again.", retryStart{}},
		{"auto_retry_end", "The trying is over.", retryEnd{}},
		{"thinking_level_changed", "The level of thinking is another.", levelChanged{}},
		{"session_info_changed", "The session's name is another.", nameChanged{}},
		{"extension_error", "A plugin or a hook failed.", extensionError{}},
	}
	var b strings.Builder
	b.WriteString("| event | when | fields |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.typ, r.when, fieldsOf(r.shape))
	}
	return b.String()
}

func typeTables() string {
	var b strings.Builder
	b.WriteString("| type | fields |\n|---|---|\n")
	for _, one := range []any{
		Model{}, State{}, Stats{}, Tokens{}, ContextUsage{}, BashResult{}, Compaction{}, SlashCommand{}, usage{},
		userMessage{}, toolResult{}, bashMessage{}, customMessage{}, summaryMessage{}, toolCall{}, imageBlock{},
	} {
		name := reflect.TypeOf(one).Name()
		fmt.Fprintf(&b, "| %s | %s |\n", strings.ToUpper(name[:1])+name[1:], fieldsOf(one))
	}
	return b.String()
}

func dialogTable() string {
	return "A request has `type`, `id`, `method` and of these, by its method: " + fieldsOf(uiRequest{}) + ".\n"
}
