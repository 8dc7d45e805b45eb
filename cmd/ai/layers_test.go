package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLayers proves what the packages in the middle do not know, also through
// others: the linter sees direct imports only.
func TestLayers(t *testing.T) {
	t.Parallel()
	const module = "github.com/holic512/plugin-ai/"
	above := []string{module + "cmd", module + "terminal"}
	for pkg, forbidden := range map[string][]string{
		"schemas":    {module + "protocol", "net/http", "os/exec"},
		"protocol":   {module + "llm", module + "policy", "net/http", "os/exec"},
		"llm":        {module + "protocol", module + "schemas", module + "policy", "net/http", "os/exec"},
		"policy":     {module + "llm", module + "runner", "net/http", "os/exec"},
		"executors":  {module + "llm", module + "policy", module + "runner", "net/http"},
		"session":    {module + "llm", module + "policy", module + "runner", module + "config", "net/http", "os/exec"},
		"registry":   {module + "llm", module + "policy", module + "runner", "net/http", "os/exec"},
		"contextmgr": {module + "llm/", module + "policy", module + "runner", "net/http", "os/exec"},
		"runner":     {module + "llm/", module + "config", "net/http"},
		"rpc":        {module + "llm/", module + "config", module + "decide", "net/http"},
		"terminal":   {module + "llm/", module + "config", "net/http"},
	} {
		out, err := exec.Command("go", "list", "-deps", module+pkg).Output()
		if err != nil {
			t.Fatalf("%s: %v", pkg, err)
		}
		for dep := range strings.Lines(string(out)) {
			dep = strings.TrimSpace(dep)
			for _, f := range append(above, forbidden...) {
				if dep == f && dep != module+pkg || strings.HasSuffix(f, "/") && strings.HasPrefix(dep, f) {
					t.Errorf("%s knows %s", pkg, dep)
				}
			}
		}
	}
}
