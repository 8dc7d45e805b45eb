package responses_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/fakewire"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/responses"
)

func body(t *testing.T, m llm.Model, c llm.Context, o llm.Options) string {
	t.Helper()
	b, err := newProvider(t, responses.Config{}).Request(m, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRequestAll(t *testing.T) {
	t.Parallel()
	zero := 0.0
	c := llm.Context{Messages: []llm.Message{
		{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "看"}, llm.Image{Data: []byte{0, 255}, MIMEType: "image/png"}, llm.Image{URL: "https://example.com/a.png"}}},
		llm.AssistantText("fine"),
	}, Tools: []llm.ToolDefinition{{Name: "f", Description: "d", Parameters: []byte(`{"type":"object"}`)}, {Name: "g"}}}
	got := body(t, llm.Model{ID: "m", MaxTokens: 100}, c, llm.Options{
		Temperature: &zero, Format: format, Level: llm.LevelHigh, Whole: true,
		Params: map[string]jsontext.Value{"top_p": []byte("0.5"), "verbosity": []byte(`"low"`), "max_tokens": []byte("7")},
	})
	want := `{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"看"},{"type":"input_image","image_url":"data:image/png;base64,AP8=","detail":"auto"},{"type":"input_image","image_url":"https://example.com/a.png","detail":"auto"}]},` +
		`{"role":"assistant","content":[{"type":"output_text","text":"fine"}]}],"stream":false,"store":false,"temperature":0,` +
		`"text":{"format":{"type":"json_schema","name":"reply","strict":true,"schema":{"type":"object"}},"verbosity":"low"},` +
		`"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":false},{"type":"function","name":"g","parameters":{"type":"object","properties":{}},"strict":false}],` +
		`"max_output_tokens":7,"top_p":0.5}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := body(t, llm.Model{ID: "m", Input: []string{"text"}}, c, llm.Options{}); strings.Contains(got, "input_image") || !strings.Contains(got, "2 bytes) is left out") {
		t.Error(got)
	}
}

func TestEffort(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"gpt-5.4 off": "none", "gpt-5.4 minimal": "low", "gpt-5.4 low": "low", "gpt-5.4 high": "high", "gpt-5.4 xhigh": "xhigh",
		"gpt-5-mini off": "minimal", "gpt-5-mini minimal": "minimal", "gpt-5-mini xhigh": "high",
		"gpt-5.1 xhigh": "high", "gpt-5.1-codex-max xhigh": "xhigh", "o3 off": "low", "o3 xhigh": "high", "o4-mini medium": "medium",
	} {
		id, level, _ := strings.Cut(spec, " ")
		got := body(t, llm.Model{ID: id, Reasoning: true}, hello, llm.Options{Level: llm.Level(level)})
		effort := `"reasoning":{"effort":"` + want + `","summary":"auto"}`
		if level == "off" {
			effort = `"reasoning":{"effort":"` + want + `"}`
		}
		if !strings.Contains(got, effort) {
			t.Errorf("%s: %s", spec, got)
		}
		if got := body(t, llm.Model{ID: id}, hello, llm.Options{Level: llm.Level(level)}); strings.Contains(got, "reasoning") {
			t.Errorf("%s does not think: %s", id, got)
		}
	}
	m := llm.Model{ID: "gpt-5.4", Reasoning: true}
	got := body(t, m, hello, llm.Options{Level: llm.LevelLow, Params: map[string]jsontext.Value{"reasoning_effort": []byte(`"high"`)}})
	if !strings.Contains(got, `"reasoning":{"effort":"high","summary":"auto"}`) {
		t.Error(got)
	}
	got = body(t, m, hello, llm.Options{Level: llm.LevelLow, Params: map[string]jsontext.Value{"reasoning": []byte(`{"effort":"none"}`), "reasoning_effort": []byte(`"high"`)}})
	if strings.Count(got, `"reasoning":`) != 1 || !strings.Contains(got, `"reasoning":{"effort":"none"}`) {
		t.Error(got)
	}
}

func TestRequestRefuses(t *testing.T) {
	t.Parallel()
	p := newProvider(t, responses.Config{})
	for name, c := range map[string]struct {
		model llm.Model
		c     llm.Context
		o     llm.Options
	}{
		"address": {model: llm.Model{BaseURL: "localhost:1"}},
		"role":    {c: llm.Context{Messages: []llm.Message{{Role: "system"}}}},
		"schema":  {o: llm.Options{Format: &llm.AnswerFormat{Schema: []byte("{")}}},
		"own":     {o: llm.Options{Params: map[string]jsontext.Value{"store": []byte("true")}}},
	} {
		if b, err := p.Request(c.model, c.c, c.o); err == nil {
			t.Errorf("%s: %s", name, b)
		}
		if m := llm.Complete(t.Context(), p, c.model, c.c, c.o); m.Err == nil || m.Err.Kind != llm.ErrInvalid {
			t.Errorf("%s: %v", name, m.Err)
		}
	}
}

func TestAzure(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"":                                   "/openai/v1/responses?",
		"/":                                  "/openai/v1/responses?",
		"/openai/v1/":                        "/openai/v1/responses?",
		"?api-version=preview":               "/openai/v1/responses?api-version=preview",
		"/openai/responses?api-version=2025": "/openai/responses?api-version=2025",
	} {
		srv := fakewire.New(t, fakewire.Events(begun, delta("a"), done))
		p := newProvider(t, responses.Config{Azure: true})
		m := model(srv)
		m.ID, m.BaseURL = "my-deployment", srv.URL+base
		got := llm.Complete(t.Context(), p, m, hello, llm.Options{APIKey: key})
		r := srv.Requests()[0]
		if got.Err != nil || got.API != responses.AzureAPI || p.API() != responses.AzureAPI || r.Path+"?"+r.Query != want ||
			r.Header.Get("Api-Key") != key || r.Header.Get("Authorization") != "" || !strings.Contains(r.Body, `"model":"my-deployment"`) {
			t.Errorf("%s: %v %s?%s %v", base, got.Err, r.Path, r.Query, r.Header)
		}
	}
}

// rung is how a request enforces the form of the answer.
func rung(r fakewire.Request) llm.Enforcement {
	switch {
	case strings.Contains(r.Body, `"json_schema"`):
		return llm.EnforceSchema
	case strings.Contains(r.Body, `"json_object"`):
		return llm.EnforceObject
	}
	return llm.EnforcePrompt
}

func TestLadder(t *testing.T) {
	t.Parallel()
	no := fakewire.Status(400, `{"error":{"message":"Invalid value","type":"invalid_request_error","param":"text.format.type"}}`)
	for name, c := range map[string]struct {
		refuse []llm.Enforcement
		with   fakewire.Answer
		asked  []llm.Enforcement
		kind   llm.ErrorKind
	}{
		"takes all":      {nil, no, []llm.Enforcement{llm.EnforceSchema}, ""},
		"JSON mode":      {[]llm.Enforcement{llm.EnforceSchema}, no, []llm.Enforcement{llm.EnforceSchema, llm.EnforceObject}, ""},
		"prompt":         {[]llm.Enforcement{llm.EnforceSchema, llm.EnforceObject}, no, []llm.Enforcement{llm.EnforceSchema, llm.EnforceObject, llm.EnforcePrompt}, ""},
		"inside":         {[]llm.Enforcement{llm.EnforceSchema}, fakewire.Events(created, `{"type":"error","error":{"code":400,"message":"json_schema is not supported","type":"invalid_request_error"}}`), []llm.Enforcement{llm.EnforceSchema, llm.EnforceObject}, ""},
		"something else": {[]llm.Enforcement{llm.EnforceSchema}, fakewire.Status(400, `{"error":{"message":"bad temperature"}}`), []llm.Enforcement{llm.EnforceSchema}, llm.ErrInvalid},
		"wrong key":      {[]llm.Enforcement{llm.EnforceSchema}, fakewire.Status(401, `{"error":{"message":"json_schema"}}`), []llm.Enforcement{llm.EnforceSchema}, llm.ErrAuthentication},
		"its own fault":  {[]llm.Enforcement{llm.EnforceSchema}, fakewire.Status(500, `{"error":{"message":"json_schema"}}`), []llm.Enforcement{llm.EnforceSchema}, llm.ErrOverloaded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakewire.New(t, fakewire.Answer{By: func(r fakewire.Request) fakewire.Answer {
				if slices.Contains(c.refuse, rung(r)) {
					return c.with
				}
				return fakewire.Events(begun, delta("a"), done)
			}})
			p := newProvider(t, responses.Config{})
			m := fakewire.Final(fakewire.Collect(t, p.Stream(t.Context(), model(srv), hello, llm.Options{Format: format})))
			var asked []llm.Enforcement
			for _, r := range srv.Requests() {
				asked = append(asked, rung(r))
			}
			if !slices.Equal(asked, c.asked) || m.Enforced != asked[len(asked)-1] {
				t.Errorf("asked %v, enforced %s", asked, m.Enforced)
			}
			if (c.kind == "") != (m.Err == nil) || m.Err != nil && m.Err.Kind != c.kind {
				t.Error(m.Err)
			}
			if b, err := p.Request(model(srv), hello, llm.Options{Format: format}); m.Err == nil && (err != nil || rung(fakewire.Request{Body: string(b)}) != m.Enforced) {
				t.Errorf("%s %v", b, err)
			}
		})
	}
}
