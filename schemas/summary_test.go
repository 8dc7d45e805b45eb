package schemas_test

import (
	"testing"

	"github.com/holic512/plugin-ai/schemas"
)

// TestWireOfSummary: what is sent to a provider is closed, requires all and
// has no limits.
func TestWireOfSummary(t *testing.T) {
	t.Parallel()
	got, err := schemas.WireOf(schemas.OpenAIStrict, "summary")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"summary":{"type":"string"},"keyFacts":{"type":"array","items":{"type":"string"}},"openTasks":{"type":"array","items":{"type":"string"}}},"required":["summary","keyFacts","openTasks"],"additionalProperties":false}`
	if string(got) != want {
		t.Errorf("the wire form is %s", got)
	}
	if _, err := schemas.WireOf("other", "summary"); err == nil {
		t.Error("an unknown dialect is taken")
	}
	if _, err := schemas.WireOf(schemas.OpenAIStrict, "nope"); err == nil {
		t.Error("an unknown schema is taken")
	}
	if v, err := schemas.WireOf(schemas.Canonical, "summary"); err != nil || !v.IsValid() {
		t.Errorf("the canonical form: %v", err)
	}
}
