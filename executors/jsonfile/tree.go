package jsonfile

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A tree is a JSON value: an object, an *array, or a jsontext.Value that is
// neither.
type (
	object map[string]any
	array  struct{ items []any }
)

// treeOf reads a JSON value that was checked before.
func treeOf(text []byte) (any, error) {
	return readTree(jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimPrefix(text, []byte(byteOrderMark)))))
}

func readTree(d *jsontext.Decoder) (any, error) {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		raw, err := d.ReadValue()
		return raw.Clone(), err
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	o, a := object{}, &array{}
	for next := d.PeekKind(); next != '}' && next != ']'; next = d.PeekKind() {
		name := ""
		if kind == '{' {
			token, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name = token.String()
		}
		value, err := readTree(d)
		if err != nil {
			return nil, err
		}
		if kind == '{' {
			o[name] = value
		} else {
			a.items = append(a.items, value)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if kind == '{' {
		return o, nil
	}
	return a, nil
}

// kindOf is what a value is, for people.
func kindOf(value any) string {
	switch v := value.(type) {
	case object:
		return "an object"
	case *array:
		return "an array"
	case jsontext.Value:
		return kindName(v.Kind())
	}
	return "nothing"
}

// equal tells that two values mean the same; numbers are compared exactly.
func equal(a, b any) bool {
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, ok := b[name]; !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case *array:
		b, ok := b.(*array)
		if !ok || len(a.items) != len(b.items) {
			return false
		}
		for i := range a.items {
			if !equal(a.items[i], b.items[i]) {
				return false
			}
		}
		return true
	case jsontext.Value:
		b, ok := b.(jsontext.Value)
		return ok && a.Kind() == b.Kind() && scalar(a) == scalar(b)
	}
	return false
}

// scalar is one spelling for all spellings of a string or number.
func scalar(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return unquote(v)
	case '0':
		return number(string(v))
	}
	return string(v)
}

func unquote(v jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, v) // it was checked
	return string(text)
}

// number gives one spelling for all spellings of a JSON number: digits
// without zeros at their ends, and the exponent of ten.
func number(s string) string {
	digits, negative := strings.CutPrefix(s, "-")
	exponent := new(big.Int)
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		exponent.SetString(strings.TrimPrefix(digits[i+1:], "+"), 10)
		digits = digits[:i]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent.Sub(exponent, big.NewInt(int64(len(fraction))))
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	short := strings.TrimRight(digits, "0")
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(short))))
	if negative {
		short = "-" + short
	}
	if exponent.Sign() == 0 {
		return short
	}
	return short + "e" + exponent.String()
}

// plain gives a value as schemas take it. Numbers that are too big for a
// float64 become the biggest.
func plain(value any) any {
	switch v := value.(type) {
	case object:
		m := make(map[string]any, len(v))
		for name, item := range v {
			m[name] = plain(item)
		}
		return m
	case *array:
		list := make([]any, len(v.items))
		for i, item := range v.items {
			list[i] = plain(item)
		}
		return list
	case jsontext.Value:
		switch v.Kind() {
		case '"':
			return unquote(v)
		case '0':
			n, _ := strconv.ParseFloat(string(v), 64)
			return min(max(n, -math.MaxFloat64), math.MaxFloat64)
		case 't':
			return true
		case 'f':
			return false
		}
	}
	return nil
}

// index reads the word of a pointer as RFC 6901 writes the index of an item.
func index(word string) (int, bool) {
	n, err := strconv.Atoi(word)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == word
}
