package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExitCodesAreDocumented holds docs/exit-codes.md against the table.
func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Exit codes\n\n| code | meaning |\n|---|---|\n")
	for _, row := range exitCodes() {
		fmt.Fprintf(&b, "| %d | %s |\n", row.code, row.meaning)
	}
	b.WriteString("\nA script that reads `--json` finds the same code in the closing `agent_end`\nevent. New codes may be added; these keep their meaning.\n")
	path := filepath.Join("..", "..", "docs", "exit-codes.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s is stale: go test ./cmd/ai -run ExitCodes -update", path)
	}
}
