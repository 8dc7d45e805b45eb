package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

var format = &llm.AnswerFormat{Name: "reply", Schema: []byte(`{"type":"object"}`)}

func formats(srv *fakellm.Server) string {
	var all []string
	for _, r := range srv.Requests() {
		name := "prompt"
		for _, f := range []string{"json_schema", "json_object"} {
			if strings.Contains(string(r.Body), fmt.Sprintf("%q", f)) {
				name = f
				break
			}
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func TestLadder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse []string
		first  string
		second string
		rung   llm.Enforcement
	}{
		"takes all":     {nil, "json_schema", "json_schema", llm.EnforceSchema},
		"like DeepSeek": {[]string{"json_schema"}, "json_schema json_object", "json_object", llm.EnforceObject},
		"takes none":    {[]string{"json_schema", "json_object"}, "json_schema json_object prompt", "prompt", llm.EnforcePrompt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, fakellm.Answer{Text: "1", Times: 3}).Refuse(c.refuse...)
			dir := t.TempDir()
			p := newProvider(t, openai.Config{Capabilities: openai.NewFileCapabilities(dir)})
			m := final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Enforced != c.rung || formats(srv) != c.first {
				t.Fatalf("error %v, enforced %q, asked %s", m.Err, m.Enforced, formats(srv))
			}
			// Another process knows it too.
			p = newProvider(t, openai.Config{Capabilities: openai.NewFileCapabilities(dir)})
			body, err := p.Request(model(srv), hello, llm.Options{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			m = final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Enforced != c.rung || formats(srv) != c.first+" "+c.second {
				t.Errorf("error %v, enforced %q, asked %s", m.Err, m.Enforced, formats(srv))
			}
			all := srv.Requests()
			if got := string(all[len(all)-1].Body); got != string(body) {
				t.Errorf("Request gave %s\nStream sent  %s", body, got)
			}
			// Another model of the server is another matter, and without a
			// format there is nothing to enforce.
			m = final(ask(t, t.Context(), p, model(srv), llm.Options{}))
			if m.Enforced != "" {
				t.Errorf("enforced %q without a format", m.Enforced)
			}
		})
	}
}

// TestLadderStays has refusals that are not about the format.
func TestLadderStays(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakellm.Answer{
		"400":     fakellm.Status(400, `{"error":{"message":"bad temperature"}}`),
		"401":     fakellm.Status(401, `{"error":{"message":"no response_format for you"}}`),
		"429":     fakellm.Status(429, `{"error":{"message":"too much json_schema"}}`),
		"500":     fakellm.Status(500, `{"error":{"message":"json_schema broke us"}}`),
		"context": fakellm.Status(400, `{"error":{"message":"json_schema: maximum context length is 5"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, a)
			m := final(ask(t, t.Context(), newProvider(t, openai.Config{}), model(srv), llm.Options{Format: format}))
			if m.Err == nil || m.Enforced != llm.EnforceSchema || formats(srv) != "json_schema" {
				t.Errorf("error %v, enforced %q, asked %s", m.Err, m.Enforced, formats(srv))
			}
		})
	}
}

func TestLadderWords(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakellm.Answer{
		"DeepSeek":   fakellm.Status(400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}`),
		"LM Studio":  fakellm.Status(400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`),
		"param":      fakellm.Status(400, `{"error":{"message":"Unsupported value","param":"response_format"}}`),
		"vLLM":       fakellm.Status(400, `{"object":"error","message":"The provided JSON schema contains features not supported by xgrammar.","code":400}`),
		"OpenRouter": fakellm.Status(404, `{"error":{"message":"No endpoints found that can handle the requested parameters.","code":404}}`),
		"422":        fakellm.Status(422, `{"detail":"structured outputs are not supported"}`),
		"in stream":  fakellm.Raw(`data: {"error":{"code":400,"message":"json_schema is not supported"}}` + "\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, a, fakellm.Text("1"))
			m := final(ask(t, t.Context(), newProvider(t, openai.Config{}), model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Enforced != llm.EnforceObject || m.Text() != "1" {
				t.Errorf("error %v, enforced %q", m.Err, m.Enforced)
			}
		})
	}
}

// TestLadderForgets has a server that says the same whatever is asked: then
// the format was not the reason, and nothing is remembered.
func TestLadderForgets(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Answer{Status: 400, Body: `{"error":{"message":"your text has response_format in it"}}`, Times: 3}, fakellm.Text("1"))
	p := newProvider(t, openai.Config{})
	m := final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format}))
	if m.Err == nil || m.Err.Status != 400 {
		t.Errorf("error %v", m.Err)
	}
	m = final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format}))
	if m.Enforced != llm.EnforceSchema || formats(srv) != "json_schema json_object prompt json_schema" {
		t.Errorf("enforced %q, asked %s", m.Enforced, formats(srv))
	}
}
