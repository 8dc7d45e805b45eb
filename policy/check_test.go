package policy

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestBuiltInRules(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(builtIn, "rules/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rule files: %v", err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data, err := builtIn.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := Check(data); err != nil {
				t.Error(err)
			}
		})
	}
}

// The schema says the same as the program: all built-in files pass it.
func TestSchema(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	text, err := os.ReadFile("../schemas/rule.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("rule.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("rule.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(builtIn, "rules/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := builtIn.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func ruleText(program string) []byte {
	return []byte(`{"family": "mine", "listed": true, "for": "shout", "programs": {"shout": ` + program + `}}`)
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, want string }{
		{"not JSON", `{`, "unexpected EOF"},
		{"unknown member", string(ruleText(`{"summary": "x", "frob": 1, "examples": {"L0": ["shout"]}}`)), "frob"},
		{"double member", `{"family": "a", "family": "b", "listed": true, "for": ""}`, "duplicate"},
		{"no family", `{"listed": true, "for": ""}`, "family"},
		{"names differ", `{"family": "a", "listed": true, "for": "x", "programs": {}}`, `"for" must name`},
		{"late head", `{"family": "a", "programs": {}, "listed": true, "for": ""}`, "first"},
		{"no examples", string(ruleText(`{"summary": "x"}`)), "example"},
		{"wrong example", string(ruleText(`{"summary": "x", "examples": {"L0": ["shout -x"]}}`)), "judged L1"},
		{"unknown fact", string(ruleText(`{"summary": "x", "options": [{"names": "-x", "level": "L1", "reason": "x", "facts": ["fun"]}], "examples": {"L0": ["shout"]}}`)), "fun"},
		{"unknown kind", string(ruleText(`{"summary": "x", "options": [{"names": "-x", "value": "fun"}], "examples": {"L0": ["shout"]}}`)), "fun"},
		{"unknown style", string(ruleText(`{"summary": "x", "style": "fun", "examples": {"L0": ["shout"]}}`)), "fun"},
		{"option without dash", string(ruleText(`{"summary": "x", "options": [{"names": "x"}], "examples": {"L0": ["shout"]}}`)), "dash"},
		{"unknown group", string(ruleText(`{"summary": "x", "use": ["fun"], "examples": {"L1": ["shout"]}}`)), "fun"},
		{"level without reason", string(ruleText(`{"summary": "x", "options": [{"names": "-x", "level": "L1"}], "examples": {"L0": ["shout"]}}`)), "reason"},
		{"wrong level", string(ruleText(`{"summary": "x", "level": "L9", "examples": {"L0": ["shout"]}}`)), "L9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := Check([]byte(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, expected something with %q", err, tt.want)
			}
			if _, err := New(Options{RuleFiles: []RuleFile{{Data: []byte(tt.file)}}}); err == nil {
				t.Error("New accepts it")
			}
		})
	}
	if err := Check(ruleText(`{"summary": "x", "options": [{"names": "-x"}], "examples": {"L0": ["shout -x"], "L1": ["shout a", "shout -y"]}}`)); err != nil {
		t.Error(err)
	}
}
