package terminal

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/runner"
)

// TestEventsAreDocumented holds docs/events.md against the shapes.
func TestEventsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	for _, typ := range []runner.EventType{
		runner.AgentStart, runner.AgentEnd, runner.TurnStart, runner.TurnEnd, runner.MessageStart, runner.MessageUpdate,
		runner.MessageEnd, runner.ToolExecutionStart, runner.ToolExecutionUpdate, runner.ToolExecutionEnd,
		runner.AutoRetryStart, runner.AutoRetryEnd, runner.CompactionStart, runner.CompactionEnd, typeError, typeNotice,
	} {
		if !strings.Contains(doc, "`"+string(typ)+"`") {
			t.Errorf("the type %s is not in the document", typ)
		}
	}
	for _, shape := range []any{
		messageStart{}, messageUpdate{}, messageEnd{}, toolStart{}, toolUpdate{}, toolEnd{}, retry{}, compactionStart{}, compactionEnd{}, agentEnd{}, failure{},
		noticeLine{}, replyShape{}, chatShape{}, cmdShape{}, stepShape{}, judgementShape{}, errorShape{}, head{},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(shape)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && !strings.Contains(doc, "`"+name+"`") {
				t.Errorf("the field %s of %T is not in the document", name, shape)
			}
		}
	}
}
