package jsonfile

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// expand writes values to set and places to unset as operations. What is set
// takes the place of what is there, and makes the objects on its way. The
// places to unset are those of the file with all values set, so that an index
// means the same for all of them.
func expand(tree any, edit Edit) ([]protocol.Operation, error) {
	if n := len(edit.Set) + len(edit.Unset); n > MaxOperations {
		return nil, patchError("expected at most %d places to set and unset, got %d", MaxOperations, n)
	}
	var operations []protocol.Operation
	for _, a := range edit.Set {
		op := protocol.Operation{Op: "add", Path: a.Path, Value: a.Value}
		if why := check(op); why != "" {
			return nil, patchError("set %s: %s", a.Path, why)
		}
		if slices.Contains(edit.Unset, a.Path) {
			return nil, patchError("set %s: it is to be unset as well", a.Path)
		}
		value, err := treeOf(a.Value)
		if err != nil {
			return nil, patchError("set %s: %v", a.Path, err)
		}
		why := ""
		if tree, op, why = set(tree, op, value); why != "" {
			return nil, patchError("set %s: %s", a.Path, why)
		}
		operations = append(operations, op)
	}
	places := slices.Clone(edit.Unset)
	slices.SortStableFunc(places, func(a, b string) int { return comparePlaces(b, a) }) // the last first
	for i, p := range places {
		op := protocol.Operation{Op: "remove", Path: p}
		why := check(op)
		if why == "" {
			_, why = locate(tree, p)
		}
		if why == "" && i > 0 && p == places[i-1] {
			why = "it is to be unset twice"
		}
		if why != "" {
			return nil, patchError("unset %s: %s", p, why)
		}
		operations = append(operations, op)
	}
	return operations, nil
}

// set puts a value into a tree, and gives the operation that does it.
func set(tree any, op protocol.Operation, value any) (any, protocol.Operation, string) {
	if op.Path == "" {
		op.Op = "replace"
		return value, op, ""
	}
	words := slices.Collect(jsontext.Pointer(op.Path).Tokens())
	last := words[len(words)-1]
	at, in := jsontext.Pointer(""), tree
	for i, word := range words[:len(words)-1] {
		if o, ok := in.(object); ok && o[word] == nil { // make the objects from here on
			for _, inner := range slices.Backward(words[i+1:]) {
				quoted, err := jsontext.AppendQuote(nil, inner)
				if err != nil {
					return tree, op, err.Error()
				}
				op.Value = slices.Concat([]byte("{"), quoted, []byte(":"), op.Value, []byte("}"))
				value = object{inner: value}
			}
			o[word] = value
			op.Path = string(at.AppendToken(word))
			return tree, op, ""
		}
		next, why := locate(in, string(jsontext.Pointer("").AppendToken(word)))
		if why != "" {
			_, why = locate(tree, string(at.AppendToken(word)))
			return tree, op, why
		}
		in, at = next, at.AppendToken(word)
	}
	switch in := in.(type) {
	case object:
		if _, ok := in[last]; ok {
			op.Op = "replace"
		}
		in[last] = value
	case *array:
		n, ok := index(last)
		switch {
		case ok && n < len(in.items):
			op.Op = "replace"
			in.items[n] = value
		case ok && n == len(in.items) || last == "-":
			in.items = append(in.items, value)
		default:
			return tree, op, reason(tree, op)
		}
	default:
		return tree, op, reason(tree, op)
	}
	return tree, op, ""
}

// comparePlaces sorts pointers; the indices of an array as numbers, and what
// is within a place after it.
func comparePlaces(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		n, aOK := index(a)
		m, bOK := index(b)
		if aOK && bOK {
			return n - m
		}
		return strings.Compare(a, b)
	})
}
