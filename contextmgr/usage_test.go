package contextmgr_test

import (
	"testing"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
)

// TestSmallModel: a model that can read little gets less, and its requests are
// summed up when they fill it.
func TestSmallModel(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{})
	for tokens, want := range map[int]int{0: 48 << 10, 4096: 9216, 8192: 18432, 32768: 48 << 10, 1 << 20: 48 << 10} {
		m.ForModel(tokens)
		if got := m.Usage().Window; got != want {
			t.Errorf("%d tokens: the ceiling is %d, expected %d", tokens, got, want)
		}
	}
	m.ForModel(8192)
	for range 2 {
		m.Ask("q", "")
		m.Answer(chat("a"))
	}
	m.Ask("q", "")
	w := window(t, m)
	m.Sent(w, llm.Usage{Input: 6144})
	if m.Due() {
		t.Error("due with a quarter left")
	}
	m.Sent(w, llm.Usage{Input: 6145})
	if !m.Due() {
		t.Error("not due with less than a quarter left")
	}
	m.ForModel(0)
	if m.Due() || m.Usage().Window != 48<<10 {
		t.Error("another model is taken for the one before")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{})
	if u := m.Usage(); u != (contextmgr.Usage{Window: contextmgr.DefaultMaxBytes}) {
		t.Errorf("before a request: %+v", u)
	}
	m.Ask("hello", "")
	w := window(t, m)
	m.Sent(w, llm.Usage{Input: 100, CacheRead: 20, Output: 7})
	if u := m.Usage(); u != (contextmgr.Usage{Used: w.Bytes, Window: contextmgr.DefaultMaxBytes, Tokens: 120, Reported: true}) {
		t.Errorf("reported: %+v", u)
	}
	m.Sent(w, llm.Usage{})
	if u := m.Usage(); u.Reported || u.Tokens != w.EstimateTokens() || u.Tokens < w.Bytes/6 || u.Tokens > w.Bytes/2 {
		t.Errorf("estimated: %+v", u)
	}
}

// TestEstimateTokens compares with what common tokenizers say, give or take.
func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int{
		"": {0, 0},
		"The quick brown fox jumps over the lazy dog.":         {9, 14},
		"上下文管理机制要保持稳定":                                         {8, 14},
		"0123456789012345678901234567890123456789":             {13, 24},
		"if err != nil {\n\treturn fmt.Errorf(\"%w\", err)\n}": {12, 24},
		"Съешь же ещё этих мягких французских булок":           {12, 26},
		"👍👍👍":      {3, 9},
		"\xff\xfe": {1, 3},
	} {
		if n := contextmgr.EstimateTokens(text); n < want[0] || n > want[1] {
			t.Errorf("%q: %d tokens, expected %v", text, n, want)
		}
	}
}
