package executors

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// pluginParser understands what a plugin wrote: one JSON object, one array,
// whose elements are the items, or lines of which each is an object or array.
// All else is text, for which the tails speak; the result then has no items.
//
// It looks at each byte once and keeps no more than the items may take.
type pluginParser struct {
	elements *items // of the first value, where that is an array
	values   *items // the values themselves

	scan   jsonScan
	begun  bool   // something came
	escape []byte // the beginning of an escape sequence
	bad    bool   // it is text
	count  int    // values that began
	array  bool   // the first one is an array
	folded bool   // a value has line ends in it
	spaced bool   // a line end came since the last value
	value  kept
	part   kept // an element of the first value
}

// kept is a value without its white space, as long as it is small enough.
type kept struct {
	text []byte
	over bool
}

func (k *kept) add(c byte, limit int) {
	if k.over = k.over || len(k.text) >= limit; !k.over {
		k.text = append(k.text, c)
	}
}

// into hands the value on. It is false where the value is not strictly JSON.
func (k *kept) into(l *items) bool {
	value, over := jsontext.Value(k.text), k.over
	k.text, k.over = k.text[:0], false
	if !l.wants() {
		return true
	}
	if over {
		l.total++
		l.full = true
		return true
	}
	if !value.IsValid() { // UTF-8 and equal keys, which the scan does not look at
		return false
	}
	l.add(value)
	return true
}

func newPluginParser(maxItems, maxBytes int) *pluginParser {
	return &pluginParser{
		elements: &items{max: maxItems, room: maxBytes},
		values:   &items{max: maxItems, room: maxBytes},
		spaced:   true,
	}
}

func (p *pluginParser) feed(block []byte) {
	if p.bad {
		return
	}
	if len(p.escape) > 0 {
		block = append(p.escape, block...)
		p.escape = nil
	}
	p.take(block, false)
}

func (p *pluginParser) take(block []byte, eof bool) {
	for len(block) > 0 && !p.bad {
		size := 1
		switch c := block[0]; {
		case c == 0x1b:
			var t token
			if t, _, size = scanEscape(block, eof); t == tokenMore {
				p.escape = bytes.Clone(block)
				return
			}
		case !p.begun && c == 0xef:
			const mark = "\xef\xbb\xbf"
			if !eof && len(block) < len(mark) {
				p.escape = bytes.Clone(block)
				return
			}
			p.begun = true
			if p.bad = !bytes.HasPrefix(block, []byte(mark)); !p.bad {
				size = len(mark)
			}
		default:
			p.begun = true
			p.bad = !p.byte(c)
		}
		block = block[size:]
	}
}

// byte takes a byte that is no escape. It is false where the output is text.
func (p *pluginParser) byte(c byte) bool {
	if p.scan.outside() {
		switch c {
		case '\n':
			p.spaced = true
			return true
		case ' ', '\t', '\r':
			return true
		case '{', '[':
		default:
			return false
		}
		if !p.spaced {
			return false
		}
		p.spaced = false
		if p.count++; p.count == 1 {
			p.array = c == '['
		}
	}
	was := p.scan.depth()
	if !p.scan.next(c) {
		return false
	}
	if !p.scan.inString() && (c == '\n' || c == '\r' || c == ' ' || c == '\t') {
		p.folded = p.folded || c == '\n'
		return p.count == 1 || !p.folded
	}
	p.value.add(c, p.values.room)
	if p.array && p.count == 1 {
		if !p.element(c, was) {
			return false
		}
	}
	return !p.scan.outside() || p.value.into(p.values)
}

// element takes a byte of the first value, an array.
func (p *pluginParser) element(c byte, was int) bool {
	structural := was == 1 && !p.scan.inString() && (c == ',' || c == ']')
	switch {
	case was == 0: // its bracket
		return true
	case !structural:
		p.part.add(c, p.elements.room)
		return true
	case len(p.part.text) == 0 && !p.part.over: // an empty array
		return true
	}
	return p.part.into(p.elements)
}

func (p *pluginParser) end(int) *protocol.Parsed {
	if rest := p.escape; len(rest) > 0 && !p.bad {
		p.escape = nil
		p.take(rest, true)
	}
	switch {
	case p.bad || p.count == 0 || !p.scan.outside() || p.count > 1 && p.folded:
		return noPluginOutput()
	case p.count == 1 && p.array:
		return p.elements.parsed(protocol.ParsedPluginOutput)
	}
	return p.values.parsed(protocol.ParsedPluginOutput)
}

// noPluginOutput is what a plugin's text comes to.
func noPluginOutput() *protocol.Parsed { return (&items{}).parsed(protocol.ParsedPluginOutput) }
