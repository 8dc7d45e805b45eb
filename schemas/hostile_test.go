package schemas_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/schemas"
)

// A model may write a million of anything. To find out that this is too many
// must cost little, and must not give a million reasons.
func TestCheckOfMillionsIsCheap(t *testing.T) {
	const many = 200_000
	schema, err := schemas.Load("reply")
	if err != nil {
		t.Fatal(err)
	}
	command := func(rest string) string { return `{"type":"cmd","message":"m","data":{"commands":[` + rest + `]}}` }
	for name, c := range map[string]struct{ answer, want string }{
		"commands":        {command(strings.Repeat(`{"program":"ls","args":[]},`, many) + `{"program":"ls","args":[]}`), "/data/commands: expected an array of at most 16"},
		"broken commands": {command(strings.Repeat(`{},`, many) + `{}`), "/data/commands: expected an array of at most 16"},
		"arguments":       {command(`{"program":"ls","args":["a"` + strings.Repeat(`,"a"`, many) + `]}`), "/data/commands/0/args: expected an array of at most 1024"},
		"suggestions":     {`{"type":"chat","message":"m","data":{"suggestions":[1` + strings.Repeat(`,1`, many) + `]}}`, "/data/suggestions: expected an array of at most 20"},
	} {
		t.Run(name, func(t *testing.T) {
			var value any
			if err := json.Unmarshal([]byte(c.answer), &value); err != nil {
				t.Fatal(err)
			}
			var found []schemas.Violation
			allocs := testing.AllocsPerRun(1, func() { found = schema.Check(value) })
			if len(found) == 0 || !strings.HasPrefix(found[0].String(), c.want) {
				t.Fatalf("the first of %d violations is %.1v", len(found), found)
			}
			if len(found) > 100 {
				t.Errorf("%d violations", len(found))
			}
			if allocs > 50_000 {
				t.Errorf("%v allocations", allocs)
			}
		})
	}
}

// What is large and right stays right.
func TestCheckTakesTheLargestAnswer(t *testing.T) {
	t.Parallel()
	schema, err := schemas.Load("reply")
	if err != nil {
		t.Fatal(err)
	}
	args := make([]any, 1024)
	for i := range args {
		args[i] = "a"
	}
	steps := make([]any, 16)
	for i := range steps {
		steps[i] = map[string]any{"program": "ls", "args": args}
	}
	if found := schema.Check(map[string]any{"type": "cmd", "message": "m", "data": map[string]any{"commands": steps}}); found != nil {
		t.Error(found)
	}
}
