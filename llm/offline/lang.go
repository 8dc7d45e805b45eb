package offline

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/holic512/plugin-ai/protocol"
)

// lang is the language of an answer.
type lang int

const (
	en lang = iota
	zh
)

// f gives one of two texts, with args put in; both take the same args.
func (l lang) f(english, chinese string, args ...any) string {
	s := english
	if l == zh {
		s = chinese
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// some gives "1 file" and "3 files", or "3 个文件".
func (l lang) some(n int, thing, chinese string) string {
	if l == zh {
		return digits(n) + " " + chinese
	}
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "ch"), strings.HasSuffix(thing, "s"):
		thing += "es"
	case strings.HasSuffix(thing, "y"):
		thing = strings.TrimSuffix(thing, "y") + "ies"
	default:
		thing += "s"
	}
	return digits(n) + " " + thing
}

// digits writes a number with its thousands apart.
func digits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes bytes for people.
func size(bytes int64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%d B", bytes)
	}
	v := float64(bytes)
	units := "KMGTP"
	i := -1
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if v < 10 {
		return fmt.Sprintf("%.1f %ciB", v, units[i])
	}
	return fmt.Sprintf("%.0f %ciB", v, units[i])
}

// code writes a name or a word as code in markdown, on one line, with what
// cannot be seen made visible.
func code(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		q := strconv.QuoteToGraphic(s)
		s = q[1 : len(q)-1]
	}
	s = cut(s, 200)
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + " " + s + " " + fence
}

// inline makes a text of an output fit to stand in a line of the answer.
func inline(s string) string {
	return cut(strings.Join(strings.Fields(visible(s)), " "), 200)
}

// cut shortens a text to at most n characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// block writes lines as a block of code, in a fence that none of them ends.
func block(language string, lines []string) string {
	fence := "```"
	for _, l := range lines {
		for strings.Contains(l, fence) {
			fence += "`"
		}
	}
	var b strings.Builder
	b.WriteString(fence + language + "\n")
	for _, l := range lines {
		b.WriteString(cut(strings.TrimRight(l, "\r"), 240) + "\n")
	}
	b.WriteString(fence)
	return b.String()
}

// bullets writes a list of at most limit items, and how many were left out.
func (l lang) bullets(items []string, limit int) string {
	var b strings.Builder
	for i, it := range items {
		if i == limit {
			b.WriteString("- " + l.andMore(len(items)-limit) + "\n")
			break
		}
		b.WriteString("- " + it + "\n")
	}
	return b.String()
}

// names writes some names in one line.
func (l lang) names(list []string, limit int) string {
	var out []string
	for i, n := range list {
		if i == limit {
			out = append(out, l.andMore(len(list)-limit))
			break
		}
		out = append(out, code(n))
	}
	return strings.Join(out, l.f(", ", "、"))
}

// paragraphs joins the parts that are not empty.
func paragraphs(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimRight(p, "\n"); strings.TrimSpace(p) != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n\n")
}

// line writes the command of an observation.
func line(o *protocol.Observation) string {
	if o.Program == nil {
		return o.Tool
	}
	return protocol.FormatCommand(*o.Program, o.Args)
}
