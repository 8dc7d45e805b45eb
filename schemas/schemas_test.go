package schemas_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	oracle "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/holic512/plugin-ai/schemas"
)

func TestEverySchemaCompiles(t *testing.T) {
	t.Parallel()
	names := schemas.Names()
	if len(names) < 3 {
		t.Fatalf("only %d schemas: %v", len(names), names)
	}
	for _, name := range names {
		if _, err := schemas.Load(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := schemas.Load("nope"); err == nil || !strings.Contains(err.Error(), "reply") {
		t.Errorf("an unknown name should be answered with the known ones, got %v", err)
	}
}

// cases are answers and where they break the reply schema: each line of want
// is "path: expected".
var cases = []struct {
	name, answer string
	want         []string
}{
	{"chat", `{"type":"chat","message":"hi"}`, nil},
	{"chat with data", `{"type":"chat","message":"hi","data":{"format":"markdown","suggestions":["a"],"more":1}}`, nil},
	{"error", `{"type":"error","message":"no","data":{"x":[1]}}`, nil},
	{"cmd", `{"type":"cmd","message":"m","data":{"cwd":null,"commands":[{"program":"git","args":["status"]}]}}`, nil},
	{"cmd with all", `{"type":"cmd","message":"m","data":{"cwd":"/a","commands":[{"tool":"exec","program":"git","args":[],"requires":{"confirm":true}}],"expected_effect":"e"}}`, nil},
	{"windows cwd", `{"type":"cmd","message":"m","data":{"cwd":"C:\\x","commands":[{"program":"git","args":[]}]}}`, nil},
	{"plugin", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"plugin.run","plugin":"loc","args":["src"],"interactive":false}]}}`, nil},
	{"patch", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"~/a.json","patch":[{"op":"replace","path":"/a","value":null}]}]}}`, nil},
	{"set and unset", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"p","set":{"/a":1},"unset":["/b"]}]}}`, nil},

	{"empty", `{}`, []string{`/type: "chat", "cmd" or "error"`}},
	{"array", `[]`, []string{": an object"}},
	{"null", `null`, []string{": an object"}},
	{"string", `"x"`, []string{": an object"}},
	{"unknown type", `{"type":"ai","message":"m"}`, []string{`/type: "chat", "cmd" or "error"`}},
	{"wrong case of type", `{"type":"CMD","message":"m"}`, []string{`/type: "chat", "cmd" or "error"`}},
	{"type a number", `{"type":5,"message":"m"}`, []string{`/type: "chat", "cmd" or "error"`}},
	{"no message", `{"type":"chat"}`, []string{"/message: a string"}},
	{"message null", `{"type":"chat","message":null}`, []string{"/message: a string"}},
	{"wrong case of a key", `{"type":"chat","Message":"m"}`, []string{"/message: a string", "/Message: no such field"}},
	{"unknown top field", `{"type":"chat","message":"m","_event":"continue"}`, []string{"/_event: no such field"}},
	{"chat data array", `{"type":"chat","message":"m","data":[]}`, []string{"/data: an object"}},
	{"chat data null", `{"type":"chat","message":"m","data":null}`, []string{"/data: an object"}},
	{"format html", `{"type":"chat","message":"m","data":{"format":"html"}}`, []string{`/data/format: "plain" or "markdown"`}},
	{"suggestion a number", `{"type":"chat","message":"m","data":{"suggestions":["a",1]}}`, []string{"/data/suggestions/1: a string"}},
	{"cmd without data", `{"type":"cmd","message":"m"}`, []string{"/data: an object"}},
	{"cmd data null", `{"type":"cmd","message":"m","data":null}`, []string{"/data: an object"}},
	{"cmd data empty", `{"type":"cmd","message":"m","data":{}}`, []string{"/data/commands: an array"}},
	{"no commands", `{"type":"cmd","message":"m","data":{"commands":[]}}`, []string{"/data/commands: an array of 1 or more"}},
	{"relative cwd", `{"type":"cmd","message":"m","data":{"cwd":"src","commands":[{"program":"ls","args":[]}]}}`, []string{"/data/cwd: a string that matches"}},
	{"program empty", `{"type":"cmd","message":"m","data":{"commands":[{"program":"","args":[]}]}}`, []string{"/data/commands/0/program: a string of 1"}},
	{"program with NUL", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls\u0000","args":[]}]}}`, []string{"/data/commands/0/program: a string that matches"}},
	{"no args", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls"}]}}`, []string{"/data/commands/0/args: an array"}},
	{"args a string", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":"-l"}]}}`, []string{"/data/commands/0/args: an array"}},
	{"args not strings", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":["a",1,null]}]}}`, []string{"/data/commands/0/args/1: a string", "/data/commands/0/args/2: a string"}},
	{"a good step, a broken one", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":[]},{"program":"ls"}]}}`, []string{"/data/commands/1/args: an array"}},
	{"unknown tool", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"shell","program":"ls","args":[]}]}}`, []string{`/data/commands/0/tool: "exec", "plugin.run", "config.json_patch" or "decide.ask"`}},
	{"step with a shell string", `{"type":"cmd","message":"m","data":{"commands":[{"command":"ls -l"}]}}`, []string{"/data/commands/0/program: a string", "/data/commands/0/args: an array", "/data/commands/0/command: no such field"}},
	{"requires not boolean", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":[],"requires":{"confirm":"yes"}}]}}`, []string{"/data/commands/0/requires/confirm: a boolean"}},
	{"requires unknown", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":[],"requires":{"sudo":true}}]}}`, []string{"/data/commands/0/requires/sudo: no such field"}},
	{"cmd data unknown", `{"type":"cmd","message":"m","data":{"commands":[{"program":"ls","args":[]}],"verdict":{}}}`, []string{"/data/verdict: no such field"}},
	{"plugin without args", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"plugin.run","plugin":"loc"}]}}`, []string{"/data/commands/0/args: an array"}},
	{"patch and set", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"p","patch":[{"op":"remove","path":"/a"}],"set":{"/a":1}}]}}`, []string{"/data/commands/0: another combination"}},
	{"pointer without slash", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"p","unset":["a"]}]}}`, []string{"/data/commands/0/unset/0: a string that matches"}},
	{"add without value", `{"type":"cmd","message":"m","data":{"commands":[{"tool":"config.json_patch","path":"p","patch":[{"op":"add","path":"/a"}]}]}}`, []string{"/data/commands/0/patch/0/value: a value"}},
}

func TestCheckNamesThePlace(t *testing.T) {
	t.Parallel()
	reply, err := schemas.Load("reply")
	if err != nil {
		t.Fatal(err)
	}
	judge := oracleFor(t, "reply")
	for _, c := range cases {
		var value any
		if err := json.Unmarshal([]byte(c.answer), &value); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []string
		for _, v := range reply.Check(value) {
			if v.Actual == "" {
				t.Errorf("%s: %s does not say what was there", c.name, v)
			}
			got = append(got, v.Path+": "+v.Expected)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%s:\n got %q\nwant %q", c.name, got[i], c.want[i])
			}
		}
		if err := judge.Validate(value); (err == nil) != (len(got) == 0) {
			t.Errorf("%s: another validator says %v", c.name, err)
		}
	}
}

// oracleFor compiles an embedded schema with another library.
func oracleFor(t *testing.T, name string) *oracle.Schema {
	t.Helper()
	c := oracle.NewCompiler()
	for _, n := range schemas.Names() {
		text, err := schemas.Source(n)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := oracle.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		if err := c.AddResource("https://github.com/holic512/plugin-ai/schemas/"+n+".schema.json", doc); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile("https://github.com/holic512/plugin-ai/schemas/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWireIsInTheStrictSubset(t *testing.T) {
	t.Parallel()
	for _, tools := range [][]string{nil, {"exec"}, {"exec", "plugin.run"}} {
		wire, err := schemas.Wire(schemas.OpenAIStrict, tools...)
		if err != nil {
			t.Fatal(err)
		}
		var root map[string]any
		if err := json.Unmarshal(wire, &root); err != nil {
			t.Fatal(err)
		}
		if root["type"] != "object" {
			t.Errorf("the root is %v, not an object", root["type"])
		}
		allowed := map[string]bool{"type": true, "enum": true, "anyOf": true, "items": true, "properties": true, "required": true, "additionalProperties": true}
		var walk func(path string, s map[string]any)
		walk = func(path string, s map[string]any) {
			for key := range s {
				if !allowed[key] {
					t.Errorf("%s: keyword %q is not in the subset", path, key)
				}
			}
			if properties, ok := s["properties"].(map[string]any); ok {
				if s["additionalProperties"] != false {
					t.Errorf("%s is not closed", path)
				}
				if required := s["required"].([]any); len(required) != len(properties) {
					t.Errorf("%s: %d of %d fields are required", path, len(required), len(properties))
				}
				for name, p := range properties {
					walk(path+"/"+name, p.(map[string]any))
				}
			} else if s["type"] == "object" {
				t.Errorf("%s is a free-form object", path)
			}
			if items, ok := s["items"].(map[string]any); ok {
				walk(path+"/*", items)
			}
			if list, ok := s["anyOf"].([]any); ok {
				for _, alternative := range list {
					walk(path+"|", alternative.(map[string]any))
				}
			}
		}
		walk("", root)
		if got := bytes.Contains(wire, []byte("config.json_patch")); got != (tools == nil) {
			t.Errorf("tools %v: config.json_patch offered: %v", tools, got)
		}
	}
	if _, err := schemas.Wire("klingon"); err == nil {
		t.Error("an unknown dialect is accepted")
	}
}

// TestWireLosesNothing sends every valid answer through the wire form: it has
// to follow the wire schema, and to come back as it was.
func TestWireLosesNothing(t *testing.T) {
	t.Parallel()
	wire, err := schemas.Wire(schemas.OpenAIStrict)
	if err != nil {
		t.Fatal(err)
	}
	wireSchema, err := schemas.Compile(wire)
	if err != nil {
		t.Fatal(err)
	}
	canonicalSchema, err := schemas.Load("reply")
	if err != nil {
		t.Fatal(err)
	}
	for answer := range answers(t) {
		var value any
		if err := json.Unmarshal(answer, &value); err != nil {
			t.Fatal(err)
		}
		if v := canonicalSchema.Check(value); v != nil {
			t.Fatalf("%s is not canonical: %v", answer, v)
		}
		sent, err := schemas.ToWire(schemas.OpenAIStrict, answer)
		if err != nil {
			t.Fatalf("ToWire(%s): %v", answer, err)
		}
		var sentValue any
		if err := json.Unmarshal(sent, &sentValue); err != nil {
			t.Fatal(err)
		}
		if v := wireSchema.Check(sentValue); v != nil {
			t.Fatalf("%s does not follow the wire schema: %v", sent, v)
		}
		back, err := schemas.FromWire(schemas.OpenAIStrict, sent)
		if err != nil {
			t.Fatalf("FromWire(%s): %v", sent, err)
		}
		again, err := schemas.FromWire(schemas.OpenAIStrict, back)
		if err != nil || !bytes.Equal(again, back) {
			t.Fatalf("FromWire changes its own result %s into %s (%v)", back, again, err)
		}
		if diff := cmp.Diff(normal(t, answer), normal(t, back)); diff != "" {
			t.Fatalf("%s came back as %s:\n%s", answer, back, diff)
		}
	}
}
