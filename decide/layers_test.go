package decide_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLayers holds that the package knows no other face, no runner and no
// model, also not through others.
func TestLayers(t *testing.T) {
	t.Parallel()
	const module = "github.com/holic512/plugin-ai/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"decide").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		for _, f := range []string{"cmd", "terminal", "rpc", "runner", "llm", "policy", "executors", "session"} {
			if strings.HasPrefix(dep+"/", module+f+"/") {
				t.Errorf("decide knows %s", dep)
			}
		}
	}
}
