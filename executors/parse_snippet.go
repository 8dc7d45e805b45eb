package executors

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A Snippet is the item of [protocol.ParsedFileSnippet]: which part of which
// file the output is. The text itself is in the tail.
type Snippet struct {
	File      string `json:"file"`
	FirstLine int    `json:"firstLine,omitzero"` // from 1; 0 is not known
	Lines     int    `json:"lines"`
	Bytes     int64  `json:"bytes"`
}

type snippetParser struct {
	out     *items
	snippet Snippet
	last    byte
	binary  bool
}

// newSnippet is a parser for a program that shows one file; nil where the
// arguments say something else.
func newSnippet(program string, args []string, l *items) parser {
	var a arguments
	first := 1
	switch program {
	case "cat":
		a = readArguments(args, "")
	case "head":
		a = readArguments(args, "nc", "--lines", "--bytes")
	case "tail":
		a = readArguments(args, "ncs", "--lines", "--bytes", "--pid", "--sleep-interval")
		first = 0
		if v, ok := a.value("-n", "--lines"); ok && strings.HasPrefix(v, "+") {
			first, _ = strconv.Atoi(v[1:])
			first = max(first, 1)
		}
		if a.has("-f", "-F", "--follow") {
			return nil
		}
	case "sed":
		a = readArguments(args, "ef", "--expression", "--file")
		script, ok := a.value("-e", "--expression")
		if !ok && len(a.operands) > 0 {
			script, a.operands = a.operands[0], a.operands[1:]
		}
		if first = sedFirstLine(script); first == 0 || !a.has("-n", "--quiet", "--silent") || a.has("-f", "--file", "-i", "--in-place") {
			return nil
		}
	}
	if len(a.operands) != 1 || a.operands[0] == "-" || a.has("-v", "--verbose") && program != "cat" {
		return nil
	}
	return &snippetParser{out: l, snippet: Snippet{File: clean([]byte(a.operands[0])), FirstLine: first}}
}

// sedFirstLine is where "12,34p", "12,$p" or "12p" begins; 0 for other scripts.
func sedFirstLine(script string) int {
	r, ok := strings.CutSuffix(strings.TrimSuffix(strings.TrimSpace(script), ";"), "p")
	if !ok {
		return 0
	}
	from, to, ranged := strings.Cut(r, ",")
	first, err := strconv.Atoi(from)
	if err != nil || first < 1 {
		return 0
	}
	if to = strings.TrimPrefix(to, "+"); ranged && to != "$" {
		if n, err := strconv.Atoi(to); err != nil || n < 0 {
			return 0
		}
	}
	return first
}

func (p *snippetParser) feed(block []byte) {
	if p.binary || len(block) == 0 {
		return
	}
	if bytes.IndexByte(block, 0) >= 0 {
		p.binary = true
		return
	}
	p.snippet.Lines += bytes.Count(block, []byte{'\n'})
	p.snippet.Bytes += int64(len(block))
	p.last = block[len(block)-1]
}

func (p *snippetParser) end(exitCode int) *protocol.Parsed {
	if p.binary || exitCode != 0 {
		return nil
	}
	if p.snippet.Bytes > 0 && p.last != '\n' {
		p.snippet.Lines++
	}
	if p.out.wants() {
		p.out.add(p.snippet)
	}
	return p.out.parsed(protocol.ParsedFileSnippet)
}
