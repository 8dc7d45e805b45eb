package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
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

// TestChatIsDocumented looks in docs/chat.md for every flag, class and event.
func TestChatIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "chat.md"))
	if err != nil {
		t.Fatal(err)
	}
	(&app{}).chatCommand().LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(string(text), "--"+f.Name) {
			t.Errorf("the flag --%s is missing", f.Name)
		}
	})
	events := []string{eventStart, eventChunk, eventProgress, eventCall, eventResult, eventRetry, eventWarning, eventInfo, eventComplete, eventError}
	for _, word := range append(events, classNames()...) {
		if !strings.Contains(string(text), "`"+word+"`") {
			t.Errorf("%s is missing", word)
		}
	}
}
