package anthropic_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
	"github.com/holic512/plugin-ai/llm/openai"
)

var format = &llm.AnswerFormat{Name: "reply", Schema: []byte(`{"type":"object"}`)}

// asked tells how the form of each answer was to be enforced.
func asked(srv *fakellm.Server) string {
	var all []string
	for _, r := range srv.Requests() {
		body, name := string(r.Body), "prompt"
		switch {
		case strings.Contains(body, `"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`):
			name = "schema"
		case strings.Contains(body, `"tool_choice":{"type":"tool","name":"reply","disable_parallel_tool_use":true}`) && strings.Contains(body, `"strict":true`):
			name = "strict"
		case strings.Contains(body, `"tool_choice":{"type":"tool","name":"reply","disable_parallel_tool_use":true}`):
			name = "tool"
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
		"takes all":     {nil, "schema", "schema", llm.EnforceSchema},
		"strict tools":  {[]string{"json_schema"}, "schema strict", "strict", llm.EnforceStrictTool},
		"an older one":  {[]string{"json_schema", "strict_tool"}, "schema strict tool", "tool", llm.EnforceTool},
		"takes nothing": {[]string{"json_schema", "strict_tool", "tool"}, "schema strict tool prompt", "prompt", llm.EnforcePrompt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const answer = `{"type":"chat","message":"你好"}`
			srv := fakellm.New(t, fakellm.Answer{Text: answer, Chunk: 4, Times: 3}).Refuse(c.refuse...)
			dir := t.TempDir()
			p := newProvider(t, anthropic.Config{Capabilities: openai.NewFileCapabilities(dir)})
			m := final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Enforced != c.rung || asked(srv) != c.first || m.Text() != answer || m.StopReason != llm.StopEnd || len(m.Content) != 1 {
				t.Fatalf("error %v, enforced %q, asked %s, stop %q, content %v", m.Err, m.Enforced, asked(srv), m.StopReason, m.Content)
			}
			// Another process knows it too, and shows what it would send.
			p = newProvider(t, anthropic.Config{Capabilities: openai.NewFileCapabilities(dir)})
			body, err := p.Request(model(srv), hello, llm.Options{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			m = final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Enforced != c.rung || asked(srv) != c.first+" "+c.second {
				t.Errorf("error %v, enforced %q, asked %s", m.Err, m.Enforced, asked(srv))
			}
			all := srv.Requests()
			if got := string(all[len(all)-1].Body); got != string(body) {
				t.Errorf("Request gave %s\nStream sent  %s", body, got)
			}
			// The other wire API of the same server is another matter.
			if body, err := openai.New(openai.Config{Capabilities: openai.NewFileCapabilities(dir)}).Request(model(srv), hello, llm.Options{Format: format}); err != nil || !strings.Contains(string(body), `"json_schema"`) {
				t.Errorf("%v, %s", err, body)
			}
			// In one piece it is the same answer.
			m = final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format, Whole: true}))
			if m.Err != nil || m.Text() != answer || m.StopReason != llm.StopEnd {
				t.Errorf("error %v, stop %q, text %q", m.Err, m.StopReason, m.Text())
			}
		})
	}
}

// TestLadderWords has refusals in the words of servers.
func TestLadderWords(t *testing.T) {
	t.Parallel()
	say := func(message string) fakellm.Answer {
		return fakellm.Status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"`+message+`"}}`)
	}
	for name, a := range map[string]fakellm.Answer{
		"unknown":    say("output_config: Extra inputs are not permitted"),
		"format":     say("output_config.format.schema: Invalid schema: The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools."),
		"unions":     say("Schemas contains too many parameters with union types (17 parameters)"),
		"the model":  say("'m' does not support structured outputs"),
		"in a event": stream(`error "error":{"type":"invalid_request_error","message":"output_config.format: not now"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, a, fakellm.Text("1"))
			m := final(ask(t, t.Context(), newProvider(t, anthropic.Config{}), model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Enforced != llm.EnforceStrictTool || m.Text() != "1" {
				t.Errorf("error %v, enforced %q", m.Err, m.Enforced)
			}
		})
	}
}

// TestLadderStays has refusals that are not about the format.
func TestLadderStays(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakellm.Answer{
		"400":        fakellm.Status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages: roles must alternate"}}`),
		"restricted": fakellm.Status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"this organization is restricted"}}`),
		"401":        fakellm.Status(401, `{"type":"error","error":{"type":"authentication_error","message":"no output_config for you"}}`),
		"429":        fakellm.Status(429, `{"type":"error","error":{"type":"rate_limit_error","message":"too much json_schema"}}`),
		"529":        fakellm.Status(529, `{"type":"error","error":{"type":"overloaded_error","message":"json_schema"}}`),
		"context":    fakellm.Status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum with output_config"}}`),
		"mid-stream": stream(begin, beginText, hi, `error "error":{"type":"invalid_request_error","message":"output_config"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, a)
			m := final(ask(t, t.Context(), newProvider(t, anthropic.Config{}), model(srv), llm.Options{Format: format}))
			if m.Err == nil || m.Enforced != llm.EnforceSchema || asked(srv) != "schema" {
				t.Errorf("error %v, enforced %q, asked %s", m.Err, m.Enforced, asked(srv))
			}
		})
	}
}

// TestReplyTool has answers of models that use the tool in their own way. What
// is not exactly one input is left for the reader to refuse.
func TestReplyTool(t *testing.T) {
	t.Parallel()
	reply := func(index, input string) []string {
		return []string{
			`content_block_start "index":` + index + `,"content_block":{"type":"tool_use","id":"t` + index + `","name":"reply","input":{}}`,
			`content_block_delta "index":` + index + `,"delta":{"type":"input_json_delta","partial_json":"` + input + `"}`,
			`content_block_stop "index":` + index,
		}
	}
	for name, c := range map[string]struct {
		events []string
		text   string
		stop   llm.StopReason
	}{
		"cut by the limit": {append(reply("0", `{`), stop("max_tokens")), "{", llm.StopLength},
		"two answers":      {append(append(reply("0", `{}`), reply("1", `{}`)...), stop("tool_use")), "{}{}", llm.StopEnd},
		"words before":     {append(append([]string{beginText, hi, endBlock}, reply("1", `{}`)...), stop("tool_use")), "hi{}", llm.StopEnd},
		"words only":       {[]string{beginText, hi, endBlock, stop("end_turn")}, "hi", llm.StopEnd},
		"another tool":     {[]string{`content_block_start "index":0,"content_block":{"type":"tool_use","id":"1","name":"rm","input":{}}`, endBlock, stop("tool_use")}, "", llm.StopToolUse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, stream(append(append([]string{begin}, c.events...), end)...)).Refuse("json_schema")
			m := final(ask(t, t.Context(), newProvider(t, anthropic.Config{}), model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Text() != c.text || m.StopReason != c.stop {
				t.Errorf("error %v, text %q, stop %q", m.Err, m.Text(), m.StopReason)
			}
		})
	}
}

// notes are Capabilities that tell what they were asked.
type notes map[string]llm.Enforcement

func (n notes) Get(address, model string) (llm.Enforcement, bool) {
	rung, ok := n[address+" "+model]
	return rung, ok
}

func (n notes) Set(address, model string, rung llm.Enforcement, _ string) error {
	n[address+" "+model] = rung
	return nil
}

// What is remembered is of a server, a wire API with its version, and a model.
func TestLadderIsRemembered(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("1")).Refuse("json_schema")
	known := notes{}
	p := newProvider(t, anthropic.Config{Capabilities: known})
	ask(t, t.Context(), p, model(srv), llm.Options{Format: format})
	at := strings.TrimSuffix(srv.URL, "/v1") + " anthropic-messages 2023-06-01 m"
	if d := cmp.Diff(notes{at: llm.EnforceStrictTool}, known); d != "" {
		t.Error(d)
	}
	// A tool of the caller's own cannot have the name of the answer's.
	twice := llm.Context{Messages: hello.Messages, Tools: []llm.ToolDefinition{{Name: "reply"}}}
	if b, err := p.Request(model(srv), twice, llm.Options{Format: format}); err == nil || !strings.Contains(err.Error(), `"reply"`) {
		t.Errorf("%v, %s", err, b)
	}
}
