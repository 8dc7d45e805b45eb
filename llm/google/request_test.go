package google_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/fakewire"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/google"
	"github.com/holic512/plugin-ai/schemas"
)

// contents is what a request for hello begins with.
const contents = `{"systemInstruction":{"parts":[{"text":"be short"}]},"contents":[{"role":"user","parts":[{"text":"hello"}]}]`

func body(t *testing.T, m llm.Model, c llm.Context, o llm.Options) string {
	t.Helper()
	b, err := newProvider(t, google.Config{}).Request(m, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRequestAll(t *testing.T) {
	t.Parallel()
	zero := 0.0
	c := hello
	c.Tools = []llm.ToolDefinition{{Name: "f", Description: "d", Parameters: []byte(`{"type":"object"}`)}, {Name: "g"}}
	got := body(t, llm.Model{ID: "models/gemini-2.5-flash", MaxTokens: 100, Reasoning: true}, c, llm.Options{
		Temperature: &zero, Format: format, Level: llm.LevelHigh,
		Params: map[string]jsontext.Value{"top_p": []byte("0.5"), "stop": []byte(`"x"`), "safetySettings": []byte(`[]`), "max_tokens": []byte("7"), "seed": []byte("3")},
	})
	want := contents + `,"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":{"type":"object"}},{"name":"g"}]}],` +
		`"generationConfig":{"temperature":0,"responseMimeType":"application/json","responseJsonSchema":{"type":"object"},"thinkingConfig":{"includeThoughts":true,"thinkingBudget":16384},` +
		`"maxOutputTokens":7,"seed":3,"stopSequences":["x"],"topP":0.5},"safetySettings":[]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestThinking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model string
		level llm.Level
		want  string
	}{
		{"gemini-2.5-flash", "", `{"includeThoughts":true}`},
		{"gemini-2.5-flash", llm.LevelOff, `{"includeThoughts":false,"thinkingBudget":0}`},
		{"gemini-2.5-pro", llm.LevelOff, `{"includeThoughts":false,"thinkingBudget":128}`},
		{"gemini-2.5-pro", llm.LevelMedium, `{"includeThoughts":true,"thinkingBudget":8192}`},
		{"gemini-3-pro-preview", llm.LevelMedium, `{"includeThoughts":true,"thinkingLevel":"high"}`},
		{"gemini-3-pro-preview", llm.LevelMinimal, `{"includeThoughts":true,"thinkingLevel":"low"}`},
		{"gemini-3-flash-preview", llm.LevelMinimal, `{"includeThoughts":true,"thinkingLevel":"minimal"}`},
		{"gemini-3-flash-preview", llm.LevelXHigh, `{"includeThoughts":true,"thinkingLevel":"high"}`},
	} {
		want := contents + `,"generationConfig":{"thinkingConfig":` + c.want + `}}`
		if got := body(t, llm.Model{ID: c.model, Reasoning: true}, hello, llm.Options{Level: c.level}); got != want {
			t.Errorf("%s %s: %s", c.model, c.level, got)
		}
		if got := body(t, llm.Model{ID: c.model}, hello, llm.Options{Level: c.level}); strings.Contains(got, "thinking") {
			t.Errorf("%s does not think: %s", c.model, got)
		}
	}
	if got := body(t, llm.Model{ID: "models/gemma-3-27b-it", Reasoning: true}, hello, llm.Options{Level: llm.LevelHigh}); strings.Contains(got, "thinking") {
		t.Errorf("Gemma takes no such setting: %s", got)
	}
	got := body(t, llm.Model{ID: "gemini-2.5-pro", Reasoning: true}, hello, llm.Options{Params: map[string]jsontext.Value{"thinkingConfig": []byte(`{"thinkingBudget":-1}`)}})
	if got != contents+`,"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}` {
		t.Error(got)
	}
}

func TestRequestParts(t *testing.T) {
	t.Parallel()
	c := llm.Context{System: []string{"one", "", "two"}, Messages: []llm.Message{
		{Role: llm.RoleUser, Content: []llm.Block{llm.Text{}, llm.Text{Text: "看"}, llm.Image{Data: []byte{0, 255}, MIMEType: "image/png"}, llm.Image{URL: "https://example.com/a.png", MIMEType: "image/png"}}},
		llm.UserText("more"),
		{Role: llm.RoleAssistant, Content: []llm.Block{llm.Thinking{Thinking: "of another", Signature: "s"}, llm.ToolCall{ID: "1", Name: "cut"}}},
	}}
	const user = `{"role":"user","parts":[{"text":"看"},{"inlineData":{"mimeType":"image/png","data":"AP8="}},{"fileData":{"mimeType":"image/png","fileUri":"https://example.com/a.png"}},{"text":"more"}]}`
	if got := body(t, llm.Model{ID: "m"}, c, llm.Options{}); got != `{"systemInstruction":{"parts":[{"text":"one"},{"text":"two"}]},"contents":[`+user+`]}` {
		t.Error(got)
	}
	if got := body(t, llm.Model{ID: "gemma-3-27b-it"}, hello, llm.Options{}); got != `{"contents":[{"role":"user","parts":[{"text":"be short"},{"text":"hello"}]}]}` {
		t.Error(got)
	}
	if got := body(t, llm.Model{ID: "m", Input: []string{"text"}}, c, llm.Options{}); strings.Contains(got, "AP8=") || strings.Contains(got, "fileData") || !strings.Contains(got, "2 bytes) is left out") {
		t.Error(got)
	}
}

func TestRequestRefuses(t *testing.T) {
	t.Parallel()
	p := newProvider(t, google.Config{})
	for name, c := range map[string]struct {
		model llm.Model
		c     llm.Context
		o     llm.Options
	}{
		"address": {model: llm.Model{BaseURL: "localhost:1"}},
		"role":    {c: llm.Context{Messages: []llm.Message{{Role: "system"}}}},
		"schema":  {o: llm.Options{Format: &llm.AnswerFormat{Schema: []byte("{")}}},
		"own":     {o: llm.Options{Params: map[string]jsontext.Value{"contents": []byte("[]")}}},
	} {
		if b, err := p.Request(c.model, c.c, c.o); err == nil {
			t.Errorf("%s: %s", name, b)
		}
		if m := llm.Complete(t.Context(), p, c.model, c.c, c.o); m.Err == nil || m.Err.Kind != llm.ErrInvalid {
			t.Errorf("%s: %v", name, m.Err)
		}
	}
}

func TestOnTheWire(t *testing.T) {
	t.Parallel()
	srv := fakewire.New(t, fakewire.Answer{Body: piece("a", "STOP")})
	m := model(srv)
	m.ID, m.BaseURL = "a/b c", m.BaseURL+"/models/?x=1"
	got := llm.Complete(t.Context(), newProvider(t, google.Config{UserAgent: "me"}), m, hello, llm.Options{Whole: true, Headers: map[string]string{"X-Own": "1"}})
	r := srv.Requests()[0]
	if got.Err != nil || r.Path != "/v1beta/models/a%2Fb%20c:generateContent" || r.Query != "x=1" || r.Header.Get("User-Agent") != "me" || r.Header.Get("X-Own") != "1" {
		t.Errorf("%v %s?%s %v", got.Err, r.Path, r.Query, r.Header)
	}
}

// rung is how a request enforces the form of the answer.
func rung(r fakewire.Request) llm.Enforcement {
	switch {
	case strings.Contains(r.Body, `"responseJsonSchema"`):
		return llm.EnforceSchema
	case strings.Contains(r.Body, `"responseMimeType"`):
		return llm.EnforceObject
	}
	return llm.EnforcePrompt
}

func TestLadder(t *testing.T) {
	t.Parallel()
	invalid := func(message string) fakewire.Answer {
		return fakewire.Status(400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"`+message+`"}}`)
	}
	for name, c := range map[string]struct {
		refuse map[llm.Enforcement]fakewire.Answer
		asked  []llm.Enforcement
		kind   llm.ErrorKind
	}{
		"takes all":      {nil, []llm.Enforcement{llm.EnforceSchema}, ""},
		"old server":     {map[llm.Enforcement]fakewire.Answer{llm.EnforceSchema: invalid(`Invalid JSON payload received. Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.`)}, []llm.Enforcement{llm.EnforceSchema, llm.EnforceObject}, ""},
		"large schema":   {map[llm.Enforcement]fakewire.Answer{llm.EnforceSchema: invalid("The specified schema produces a constraint that has too many states for serving.")}, []llm.Enforcement{llm.EnforceSchema, llm.EnforceObject}, ""},
		"no JSON at all": {map[llm.Enforcement]fakewire.Answer{llm.EnforceSchema: invalid("JSON mode is not enabled for models/m"), llm.EnforceObject: invalid("JSON mode is not enabled for models/m")}, []llm.Enforcement{llm.EnforceSchema, llm.EnforceObject, llm.EnforcePrompt}, ""},
		"something else": {map[llm.Enforcement]fakewire.Answer{llm.EnforceSchema: invalid("bad temperature")}, []llm.Enforcement{llm.EnforceSchema}, llm.ErrInvalid},
		"wrong key":      {map[llm.Enforcement]fakewire.Answer{llm.EnforceSchema: invalid("API key not valid. (response_schema)")}, []llm.Enforcement{llm.EnforceSchema}, llm.ErrAuthentication},
		"limit":          {map[llm.Enforcement]fakewire.Answer{llm.EnforceSchema: fakewire.Status(429, `{"error":{"message":"response_schema"}}`)}, []llm.Enforcement{llm.EnforceSchema}, llm.ErrRateLimit},
		"its own fault":  {map[llm.Enforcement]fakewire.Answer{llm.EnforceSchema: fakewire.Status(500, `{"error":{"message":"response_schema"}}`)}, []llm.Enforcement{llm.EnforceSchema}, llm.ErrOverloaded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakewire.New(t, fakewire.Answer{By: func(r fakewire.Request) fakewire.Answer {
				if a, no := c.refuse[rung(r)]; no {
					return a
				}
				return fakewire.Events(piece("a", "STOP"))
			}})
			p := newProvider(t, google.Config{})
			events := fakewire.Collect(t, p.Stream(t.Context(), model(srv), hello, llm.Options{Format: format}))
			m := fakewire.Final(events)
			var asked []llm.Enforcement
			for _, r := range srv.Requests() {
				asked = append(asked, rung(r))
			}
			if !slices.Equal(asked, c.asked) || m.Enforced != asked[len(asked)-1] {
				t.Errorf("asked %v, enforced %s", asked, m.Enforced)
			}
			if c.kind != "" {
				if m.Err == nil || m.Err.Kind != c.kind {
					t.Error(m.Err)
				}
				return
			}
			if m.Err != nil {
				t.Fatal(m.Err)
			}
			// What was learned is known the next time, and shown.
			b, err := p.Request(model(srv), hello, llm.Options{Format: format})
			if err != nil || rung(fakewire.Request{Body: string(b)}) != m.Enforced {
				t.Errorf("%s %v", b, err)
			}
			llm.Complete(t.Context(), p, model(srv), hello, llm.Options{Format: format})
			if n := len(srv.Requests()); n != len(asked)+1 {
				t.Errorf("%d requests more", n-len(asked))
			}
		})
	}
}

// TestSchemaSubset: the form of the answer language that is sent uses nothing
// that Gemini would not look at, so that nothing of it is lost.
func TestSchemaSubset(t *testing.T) {
	t.Parallel()
	known := strings.Fields("$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required propertyOrdering")
	var walk func(path string, schema jsontext.Value)
	walk = func(path string, schema jsontext.Value) {
		var members map[string]jsontext.Value
		if err := json.Unmarshal(schema, &members); err != nil {
			t.Fatalf("%s: %v in %s", path, err, schema)
		}
		for name, value := range members {
			if !slices.Contains(known, name) {
				t.Errorf("%s: Gemini does not look at %q", path, name)
			}
			switch name {
			case "properties":
				var properties map[string]jsontext.Value
				if err := json.Unmarshal(value, &properties); err != nil {
					t.Fatal(err)
				}
				for p, s := range properties {
					walk(path+"/"+p, s)
				}
			case "items":
				walk(path+"/items", value)
			case "anyOf":
				var list []jsontext.Value
				if err := json.Unmarshal(value, &list); err != nil {
					t.Fatal(err)
				}
				for _, s := range list {
					walk(path+"/anyOf", s)
				}
			case "enum":
				var names []string
				if err := json.Unmarshal(value, &names); err != nil {
					t.Errorf("%s: Gemini enforces an enum of texts only: %s", path, value)
				}
			}
		}
	}
	for _, tools := range [][]string{nil, {"exec"}, {"exec", "config.json_patch", "plugin.run"}, {"exec", "config.json_patch", "plugin.run", "bash_exec"}} {
		wire, err := schemas.Wire(schemas.OpenAIStrict, tools...)
		if err != nil {
			t.Fatal(err)
		}
		walk("", wire)
	}
	wire, err := schemas.WireOf(schemas.OpenAIStrict, "summary")
	if err != nil {
		t.Fatal(err)
	}
	walk("summary", wire)
}
