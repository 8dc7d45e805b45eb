package policy

import (
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/protocol"
)

func TestSafePluginsErrors(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"list | id", "a 'b", "list $(id)", "a * b", "a*", "* a", "a **", "a;b", "x > y", `a \`} {
		_, err := New(Options{SafePlugins: map[string][]string{"loc": {"fine", line}}})
		if err == nil || !strings.Contains(err.Error(), "loc") || !strings.Contains(err.Error(), "safePlugins") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// FuzzSafeLine: a line allows its own words, nothing shorter or different, and
// with a last * further words without a dash.
func FuzzSafeLine(f *testing.F) {
	f.Add("list\x00--json", false, "list\x00--json")
	f.Add("list", true, "list\x00a\x00b")
	f.Add("list", true, "list\x00-rf")
	f.Add("", true, "")
	f.Add("*", false, "x")
	f.Add("a b\x00'", true, "a b\x00'\x00*")
	f.Add("中文\x00~", false, "中文\x00~")
	f.Fuzz(func(t *testing.T, wordsText string, more bool, argsText string) {
		words, args := fields(wordsText), fields(argsText)
		line := strings.TrimSpace(strings.TrimPrefix(protocol.FormatCommand("p", words), "p"))
		if more {
			line += " *"
		}
		e, err := newEngine(Options{SafePlugins: map[string][]string{"p": {line}}, Files: noFiles{}})
		if err != nil {
			t.Fatalf("%q of %q: %v", line, words, err)
		}
		want := len(args) >= len(words) && (more || len(args) == len(words))
		for i, arg := range args {
			switch {
			case !want:
			case i < len(words):
				want = arg == words[i]
			default:
				want = arg == "" || arg[0] != '-'
			}
		}
		_, unnamed, got := e.safeLine("p", args)
		if got != want || got && len(unnamed) != len(args)-len(words) {
			t.Fatalf("%q for %q: %v, expected %v (unnamed %q)", line, args, got, want, unnamed)
		}
		if _, _, other := e.safeLine("P", args); other {
			t.Fatal("another plugin's line counts")
		}
	})
}

// fields parts a text at zero bytes; "" is no words.
func fields(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
