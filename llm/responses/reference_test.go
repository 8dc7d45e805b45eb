package responses_test

import (
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	reference "github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakewire"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/responses"
)

// TestReference holds this package against the official SDK: the same question
// is the same JSON, and the same events are the same answer.
func TestReference(t *testing.T) {
	t.Parallel()
	srv := fakewire.New(t, fakewire.Events(created,
		`{"type":"response.output_item.added","output_index":0,"sequence_number":1,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
		`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"想"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"想"}],"encrypted_content":"x"}}`,
		strings.ReplaceAll(begun, `"output_index":0`, `"output_index":1`),
		strings.ReplaceAll(delta(`{\"a\":`), `"output_index":0`, `"output_index":1`),
		strings.ReplaceAll(delta(`\"你\"}`), `"output_index":0`, `"output_index":1`),
		`{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"想"}]},{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"{\"a\":\"你\"}","annotations":[]}]}],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":18}}}`))

	half := 0.5
	ours := fakewire.Final(fakewire.Collect(t, newProvider(t, responses.Config{}).Stream(t.Context(), model(srv), llm.Context{
		System: []string{"be short"},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "看"}, llm.Image{URL: "https://example.com/a.png"}}},
			{Role: llm.RoleAssistant, Content: []llm.Block{llm.ToolCall{ID: "call_1", Name: "f", Arguments: []byte(`{"a":1}`)}}},
			{Role: llm.RoleToolResult, ToolCallID: "call_1", Content: []llm.Block{llm.Text{Text: "ok"}}},
		},
		Tools: []llm.ToolDefinition{{Name: "f", Description: "d", Parameters: []byte(`{"type":"object"}`)}},
	}, llm.Options{APIKey: key, Temperature: &half, MaxTokens: 9, Level: llm.LevelHigh, Format: format})))

	client := sdk.NewClient(option.WithBaseURL(srv.URL+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
	text := func(s string) reference.ResponseInputContentUnionParam {
		return reference.ResponseInputContentParamOfInputText(s)
	}
	picture := reference.ResponseInputContentParamOfInputImage(reference.ResponseInputImageDetailAuto)
	picture.OfInputImage.ImageURL = sdk.String("https://example.com/a.png")
	output := reference.ResponseInputItemParamOfFunctionCallOutput(reference.ResponseFunctionCallOutputItemListParam{
		{OfInputText: &reference.ResponseInputTextContentParam{Text: "ok"}},
	})
	output.OfFunctionCallOutput.CallID = sdk.String("call_1")
	tool := reference.ToolParamOfFunction("f", map[string]any{"type": "object"}, false)
	tool.OfFunction.Description = sdk.String("d")
	message := func(content reference.ResponseInputMessageContentListParam, role reference.EasyInputMessageRole) reference.ResponseInputItemUnionParam {
		return reference.ResponseInputItemParamOfMessage(content, role)
	}
	stream := client.Responses.NewStreaming(t.Context(), reference.ResponseNewParams{
		Model: "gpt-5.4", Store: sdk.Bool(false), Temperature: sdk.Float(half), MaxOutputTokens: sdk.Int(9),
		Input: reference.ResponseNewParamsInputUnion{OfInputItemList: reference.ResponseInputParam{
			message(reference.ResponseInputMessageContentListParam{text("be short")}, "system"),
			message(reference.ResponseInputMessageContentListParam{text("看"), picture}, "user"),
			reference.ResponseInputItemParamOfFunctionCall(`{"a":1}`, "call_1", "f"),
			output,
		}},
		Text: reference.ResponseTextConfigParam{Format: reference.ResponseFormatTextConfigUnionParam{OfJSONSchema: &reference.ResponseFormatTextJSONSchemaConfigParam{
			Name: "reply", Strict: sdk.Bool(true), Schema: map[string]any{"type": "object"},
		}}},
		Reasoning: shared.ReasoningParam{Effort: shared.ReasoningEffortHigh, Summary: shared.ReasoningSummaryAuto},
		Include:   []reference.ResponseIncludable{reference.ResponseIncludableReasoningEncryptedContent},
		Tools:     []reference.ToolUnionParam{tool},
	})
	var thought, said strings.Builder
	var final reference.Response
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case reference.ResponseReasoningSummaryTextDeltaEvent:
			thought.WriteString(e.Delta)
		case reference.ResponseTextDeltaEvent:
			said.WriteString(e.Delta)
		case reference.ResponseCompletedEvent:
			final = e.Response
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}

	if ours.Err != nil || ours.Text() != said.String() || ours.Text() != final.OutputText() {
		t.Errorf("%v: text %q, the SDK has %q and %q", ours.Err, ours.Text(), said.String(), final.OutputText())
	}
	if th, ok := ours.Content[0].(llm.Thinking); !ok || th.Thinking != thought.String() {
		t.Errorf("thinking %v, the SDK has %q", ours.Content[0], thought.String())
	}
	u := final.Usage
	if d := cmp.Diff([]int64{u.InputTokens, u.InputTokensDetails.CachedTokens, u.OutputTokens}, []int64{int64(ours.Usage.Input + ours.Usage.CacheRead), int64(ours.Usage.CacheRead), int64(ours.Usage.Output)}); d != "" {
		t.Error(d)
	}
	var bodies [2]any
	for i, r := range srv.Requests() {
		if err := json.Unmarshal([]byte(r.Body), &bodies[i]); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(bodies[1], bodies[0]); d != "" {
		t.Errorf("the SDK's request (-) and ours (+):\n%s", d)
	}
}
