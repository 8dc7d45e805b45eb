package openai_test

import (
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

// TestLevelOfThinking is told to models that think, and only there.
func TestLevelOfThinking(t *testing.T) {
	t.Parallel()
	p := openai.New(openai.Config{})
	for _, c := range []struct {
		reasoning bool
		level     llm.Level
		want      bool
	}{{true, llm.LevelHigh, true}, {true, llm.LevelOff, false}, {true, "", false}, {false, llm.LevelHigh, false}} {
		body, err := p.Request(llm.Model{ID: "m", Reasoning: c.reasoning}, llm.Context{Messages: []llm.Message{llm.UserText("hi")}}, llm.Options{Level: c.level})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(body), `"reasoning_effort":"high"`); got != c.want {
			t.Errorf("%+v: %s", c, body)
		}
	}
}
