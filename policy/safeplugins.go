package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A safeLine is a command line of a plugin that a person calls safe.
type safeLine struct {
	text  string
	words []string
	more  bool // further words may follow
}

// readSafePlugins reads lines as [protocol.ParseCommand] does, except for a
// last *, which that takes for a pattern of a shell.
func readSafePlugins(plugins map[string][]string) (map[string][]safeLine, error) {
	all := make(map[string][]safeLine, len(plugins))
	for alias, lines := range plugins {
		for _, text := range lines {
			line := safeLine{text: text}
			rest := strings.TrimRight(text, " \t\r\n")
			if before, ok := strings.CutSuffix(rest, "*"); ok && strings.TrimRight(before, " \t\r\n") != before || rest == "*" {
				rest, line.more = before, true
			}
			if rest != "" {
				// The alias is the program that the words are for.
				_, words, err := protocol.ParseCommand("alias " + rest)
				if err != nil {
					return nil, fmt.Errorf("safePlugins: the line %q of %s: %w", text, alias, err)
				}
				line.words = words
			}
			all[alias] = append(all[alias], line)
		}
	}
	return all, nil
}

// match says whether the line is these arguments, and which of them it does
// not name.
func (l *safeLine) match(args []string) (more []string, ok bool) {
	if len(args) < len(l.words) || !slices.Equal(args[:len(l.words)], l.words) {
		return nil, false
	}
	more = args[len(l.words):]
	if len(more) > 0 && !l.more || slices.ContainsFunc(more, func(s string) bool { return strings.HasPrefix(s, "-") }) {
		return nil, false
	}
	return more, true
}

// safeLine finds the line of the settings that calls a run safe: the one that
// leaves the fewest arguments unnamed.
func (e *Engine) safeLine(alias string, args []string) (text string, more []string, ok bool) {
	for i := range e.safe[alias] {
		line := &e.safe[alias][i]
		if rest, hit := line.match(args); hit && (!ok || len(rest) < len(more)) {
			text, more, ok = line.text, rest, true
		}
	}
	return text, more, ok
}
