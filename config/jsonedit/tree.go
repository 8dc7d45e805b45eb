package jsonedit

import (
	"bytes"
	"errors"
	"hash/maphash"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// maxText is how long a text can be, in bytes, for its offsets to fit.
const maxText = math.MaxInt32

var errTooLong = errors.New("the text is longer than 2 GiB")

// node is a value in a text; all numbers are byte offsets.
type node struct {
	kind  byte   // '{' or '['; 0 is neither
	name0 int32  // the start of the member's name, or of the value in an array
	colon int32  // the end of the name
	start int32  // of the value
	end   int32  // of the value
	sum   uint64 // equal for equal values, whatever the order of members
	name  string
	kids  []node
}

// trail is the white space after an item, before its comma or the bracket.
func (n *node) trail(text []byte, i int) []byte {
	from := n.kids[i].end
	to := from
	for text[to] == ' ' || text[to] == '\t' || text[to] == '\r' || text[to] == '\n' {
		to++
	}
	return text[from:to]
}

// same tells that two values mean the same and spell their numbers and
// strings in the same way.
func (n *node) same(text []byte, w *node, want []byte) bool {
	if n.sum != w.sum || n.kind != w.kind || len(n.kids) != len(w.kids) {
		return false
	}
	switch n.kind {
	case '{':
		return n.sameMembers(text, w, want)
	case '[':
		for i := range n.kids {
			if !n.kids[i].same(text, &w.kids[i], want) {
				return false
			}
		}
		return true
	}
	return bytes.Equal(text[n.start:n.end], want[w.start:w.end])
}

func (n *node) sameMembers(text []byte, w *node, want []byte) bool {
	var place map[string]int // made where the order differs
	for i := range n.kids {
		j := i
		if n.kids[i].name != w.kids[i].name {
			if place == nil {
				place = make(map[string]int, len(w.kids))
				for j := range w.kids {
					place[w.kids[j].name] = j
				}
			}
			var ok bool
			if j, ok = place[n.kids[i].name]; !ok {
				return false
			}
		}
		if !n.kids[i].same(text, &w.kids[j], want) {
			return false
		}
	}
	return true
}

// parse reads one JSON value in UTF-8 without doubled keys.
func parse(text []byte) (*node, error) {
	if len(text) > maxText {
		return nil, errTooLong
	}
	if err := valid(text); err != nil {
		return nil, err
	}
	p := parser{d: jsontext.NewDecoder(bytes.NewBuffer(text))}
	n, err := p.value()
	return &n, err
}

// seed makes sums of one run of the program comparable.
var seed = maphash.MakeSeed() //nolint:gochecknoglobals // a constant of this run

type parser struct{ d *jsontext.Decoder }

func (p *parser) value() (n node, err error) {
	kind := p.d.PeekKind()
	if kind != '{' && kind != '[' {
		raw, err := p.d.ReadValue()
		n.end = int32(p.d.InputOffset())
		n.start = n.end - int32(len(raw))
		n.name0, n.sum = n.start, maphash.Bytes(seed, raw)
		return n, err
	}
	if _, err := p.d.ReadToken(); err != nil {
		return n, err
	}
	n.kind = byte(kind)
	n.start = int32(p.d.InputOffset()) - 1
	n.name0 = n.start
	sum := uint64(kind) * mixer
	for next := p.d.PeekKind(); next != '}' && next != ']'; next = p.d.PeekKind() {
		kid, err := p.kid(n.kind)
		if err != nil {
			return n, err
		}
		if n.kind == '{' { // the order does not count
			sum += mix(maphash.String(seed, kid.name) ^ mix(kid.sum))
		} else {
			sum = mix(sum + kid.sum)
		}
		n.kids = append(n.kids, kid)
	}
	n.sum = mix(sum + uint64(len(n.kids)))
	_, err = p.d.ReadToken()
	n.end = int32(p.d.InputOffset())
	return n, err
}

// kid reads an item of an array, or a member with its name.
func (p *parser) kid(kind byte) (node, error) {
	if kind == '[' {
		return p.value()
	}
	raw, err := p.d.ReadValue()
	if err != nil {
		return node{}, err
	}
	colon := int32(p.d.InputOffset())
	start := colon - int32(len(raw))
	name, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return node{}, err
	}
	n, err := p.value()
	n.name0, n.colon, n.name = start, colon, string(name)
	return n, err
}

const mixer = 0x9e3779b97f4a7c15

// mix spreads the bits of a number.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= mixer
	x ^= x >> 29
	return x * mixer
}
