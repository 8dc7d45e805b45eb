package terminal

import "strings"

// A splitter finds where the blocks of a Markdown text begin, line by line.
// Its blocks can be drawn one by one: what follows changes nothing in them.
type splitter struct {
	fence   string // that is open; "" is none
	begun   bool   // there is a block
	list    bool   // it is a list
	empty   int    // empty lines since its last line
	skipped int    // empty lines before the line that next was just given
	over    bool   // the block is complete
}

func (p *splitter) fenced() bool { return p.fence != "" }

// blank counts an empty line between blocks.
func (p *splitter) blank() { p.empty++ }

// next takes the next line and tells whether a block begins with it.
func (p *splitter) next(line string) (begins bool) {
	p.skipped, p.empty = p.empty, 0
	body := strings.TrimLeft(line, " ")
	indented := len(line)-len(body) >= 2
	switch {
	case p.fence != "":
	case !p.begun, p.over:
		begins = true
	case p.skipped > 0:
		begins = !p.list || !indented
	default: // a heading or a fence needs no empty line before it
		begins = !indented && (isHeading(body) || fenceOf(body) != "" && !p.list)
	}
	if begins {
		p.begun, p.over, p.list = true, false, isItem(body)
	}
	switch mark := fenceOf(afterMarker(body)); {
	case p.fence == "":
		p.fence = mark
		if mark == "" && begins && isHeading(body) {
			p.over = true
		}
	case strings.HasPrefix(mark, p.fence) && strings.Trim(body, p.fence[:1]+" ") == "":
		p.fence = ""
		p.over = !p.list
	}
	return begins
}

func isHeading(s string) bool {
	rest := strings.TrimLeft(s, "#")
	n := len(s) - len(rest)
	return n >= 1 && n <= 6 && strings.HasPrefix(rest, " ")
}

// fenceOf gives the fence that a line opens or closes.
func fenceOf(s string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, c)); n >= 3 && (c == "~" || !strings.Contains(s[n:], "`")) {
			return s[:n]
		}
	}
	return ""
}

func isItem(s string) bool { return afterMarker(s) != s }

// afterMarker gives what stands behind the marker of a list item.
func afterMarker(s string) string {
	if len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && s[1] == ' ' {
		return strings.TrimLeft(s[2:], " ")
	}
	rest := strings.TrimLeft(s, "0123456789")
	if n := len(s) - len(rest); n > 0 && n < 10 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")) {
		return strings.TrimLeft(rest[2:], " ")
	}
	return s
}

// looksRich tells whether a line can hardly be meant as plain text.
func looksRich(line string) bool {
	body := strings.TrimLeft(line, " ")
	switch {
	case isHeading(body), isItem(body), fenceOf(body) != "", strings.HasPrefix(body, "> "):
		return true
	case strings.Contains(body, "|") && strings.Contains(body, "---") && strings.Trim(body, "|:- ") == "":
		return true
	case strings.Contains(body, "]("):
		return true
	}
	return paired(body, "**") || paired(body, "`")
}

// paired tells whether a mark stands around something.
func paired(s, mark string) bool {
	_, rest, ok := strings.Cut(s, mark)
	if !ok {
		return false
	}
	inner, _, ok := strings.Cut(rest, mark)
	return ok && inner != "" && inner == strings.TrimSpace(inner)
}
