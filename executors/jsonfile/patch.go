package jsonfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// MaxOperations is how many operations, or values set and unset, one change
// can have.
const MaxOperations = 2000

// maxWork bounds the items that the library copies: for each operation all
// those of the array that it changes.
const maxWork = 64 << 20

// tooMuch tells that a patch would take too long on a document.
func tooMuch(doc []byte, operations int) bool {
	// The longest array has no more items than the text has commas.
	if n := bytes.Count(doc, []byte(",")); n < maxWork/max(operations, 1) {
		return false
	}
	longest := 0
	d := jsontext.NewDecoder(bytes.NewBuffer(doc))
	for {
		kind, length := d.StackIndex(d.StackDepth())
		if token, err := d.ReadToken(); err != nil {
			return longest > maxWork/max(operations, 1)
		} else if token.Kind() == ']' && kind == '[' {
			longest = max(longest, int(length))
		}
	}
}

// apply gives what a patch makes of a JSON value, in one line. All operations
// apply, or none does and the error names the first that does not.
//
// The meaning is the library's, and where that departs from RFC 6902 the
// patch is refused (check) or both sides are translated so that it cannot
// (see translation).
func apply(doc []byte, operations []protocol.Operation) (jsontext.Value, error) {
	if len(operations) > MaxOperations {
		return nil, patchError("expected at most %d operations, got %d", MaxOperations, len(operations))
	}
	if tooMuch(doc, len(operations)) {
		return nil, patchError("%d operations are too many for a file with arrays this long", len(operations))
	}
	for i, op := range operations {
		if why := check(op); why != "" {
			return nil, operationError(i, op, why)
		}
	}
	// Tests need numbers in one spelling, and changes need them as they are.
	if slices.ContainsFunc(operations, isTest) {
		if _, err := run(doc, operations, true); err != nil {
			return nil, explain(doc, operations, true, err)
		}
	}
	result, err := run(doc, changes(operations), false)
	if err != nil {
		return nil, explain(doc, operations, false, err)
	}
	return result, nil
}

func isTest(op protocol.Operation) bool { return op.Op == "test" }

// changes are the operations that are no tests.
func changes(operations []protocol.Operation) []protocol.Operation {
	return slices.DeleteFunc(slices.Clone(operations), isTest)
}

// check says what is wrong with an operation whatever the file is.
func check(op protocol.Operation) string {
	switch op.Op {
	case "add", "replace", "test":
		if len(op.Value) == 0 {
			return "expected a value, got none"
		}
		if depth(op.Value) > MaxDepth {
			return fmt.Sprintf("expected a value of at most %d levels, got more", MaxDepth)
		}
		if !op.Value.IsValid() {
			return "expected a JSON value in UTF-8 with every key once, got something else"
		}
	case "remove":
		if op.Path == "" {
			return "the whole file cannot be removed"
		}
	case "move", "copy":
		if why := checkPointer(op.From); why != "" {
			return why
		}
		if op.Op == "move" && strings.HasPrefix(op.Path, op.From+"/") {
			return "a value cannot be moved into itself"
		}
	default:
		return "expected add, remove, replace, move, copy or test"
	}
	return checkPointer(op.Path)
}

func checkPointer(p string) string {
	if !jsontext.Pointer(p).IsValid() {
		return fmt.Sprintf("expected a JSON Pointer, which is empty or begins with /, got %q", p)
	}
	if strings.Count(p, "/") > MaxDepth {
		return fmt.Sprintf("expected a JSON Pointer of at most %d words, got more", MaxDepth)
	}
	return ""
}

// run has the library apply operations. One that would move a value onto
// itself at the top is left out.
func run(doc []byte, operations []protocol.Operation, exact bool) (jsontext.Value, error) {
	t := translation{exact}
	text, err := t.wrap(doc)
	if err != nil {
		return nil, err
	}
	moved := slices.DeleteFunc(slices.Clone(operations), func(op protocol.Operation) bool {
		return op.Op == "move" && op.From == "" && op.Path == ""
	})
	for i := range moved {
		if moved[i], err = t.operation(moved[i]); err != nil {
			return nil, err
		}
	}
	encoded, err := json.Marshal(moved)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(encoded)
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.AllowMissingPathOnRemove = false
	options.EnsurePathExistsOnAdd = false
	options.EscapeHTML = false
	options.AccumulatedCopySizeLimit = MaxBytes
	result, err := patch.ApplyWithOptions(text, options)
	if err != nil {
		return nil, err
	}
	return t.unwrap(result)
}

func operationError(i int, op protocol.Operation, why string) *Error {
	path := op.Path
	if op.Op == "move" || op.Op == "copy" {
		path = op.From + " to " + path
	}
	return patchError("operation %d (%s %s): %s", i+1, op.Op, path, why)
}

// explain finds the operation that does not apply, and why.
func explain(doc []byte, operations []protocol.Operation, exact bool, cause error) error {
	i := sort.Search(len(operations), func(i int) bool {
		done := operations[:i+1]
		if !exact {
			done = changes(done)
		}
		_, err := run(doc, done, exact)
		if err != nil {
			cause = err
		}
		return err != nil
	})
	if i == len(operations) {
		return patchError("the patch does not apply: %v", cause)
	}
	why := ""
	if before, err := run(doc, changes(operations[:i]), false); err == nil {
		if tree, err := treeOf(before); err == nil {
			why = reason(tree, operations[i])
		}
	}
	if _, ok := errors.AsType[*jsonpatch.AccumulatedCopySizeError](cause); ok && why == "" {
		why = fmt.Sprintf("the patch copies more than %d bytes", MaxBytes)
	}
	if why == "" {
		why = cause.Error()
	}
	e := operationError(i, operations[i], why)
	e.Err = cause
	return e
}

// reason says why an operation does not apply to a value; "" is not known.
func reason(tree any, op protocol.Operation) string {
	if op.Op == "move" || op.Op == "copy" {
		if _, why := locate(tree, op.From); why != "" {
			return why
		}
	}
	if op.Op == "remove" || op.Op == "replace" || op.Op == "test" {
		_, why := locate(tree, op.Path)
		if why == "" && op.Op == "test" {
			why = "the test failed: the file has another value there"
		}
		return why
	}
	parent, _ := locate(tree, string(jsontext.Pointer(op.Path).Parent()))
	_, why := locate(tree, string(jsontext.Pointer(op.Path).Parent()))
	if why != "" {
		return why
	}
	switch p := parent.(type) {
	case *array:
		word := jsontext.Pointer(op.Path).LastToken()
		if n, ok := index(word); word != "-" && (!ok || n > len(p.items)) {
			return fmt.Sprintf("expected an index from 0 to %d, or -, got %q", len(p.items), word)
		}
	case jsontext.Value:
		return fmt.Sprintf("expected an object or array at %q, got %s", jsontext.Pointer(op.Path).Parent(), kindOf(p))
	}
	return ""
}

// locate finds the value at a pointer, or says why there is none.
func locate(tree any, pointer string) (value any, why string) {
	at := jsontext.Pointer("")
	for word := range jsontext.Pointer(pointer).Tokens() {
		switch v := tree.(type) {
		case object:
			next, ok := v[word]
			if !ok {
				return nil, fmt.Sprintf("there is no member %q in the object at %q", word, at)
			}
			tree = next
		case *array:
			n, ok := index(word)
			if !ok || n >= len(v.items) {
				return nil, fmt.Sprintf("there is no item %q in the array at %q, which has %d", word, at, len(v.items))
			}
			tree = v.items[n]
		default:
			return nil, fmt.Sprintf("expected an object or array at %q, got %s", at, kindOf(tree))
		}
		at = at.AppendToken(word)
	}
	return tree, ""
}

// maskMark finds a string that stands for a masked secret.
func maskMark(operations []protocol.Operation) (pointer string, found bool) {
	for _, op := range operations {
		if !bytes.Contains(op.Value, []byte(`*`)) && !bytes.Contains(op.Value, []byte(`\u`)) {
			continue
		}
		if below, found := stringWith(op.Value, hasMark); found {
			return op.Path + below, true
		}
	}
	return "", false
}

// mark is what stands for a masked secret, or for a part of one.
const mark = "***"

func hasMark(s string) bool { return strings.Contains(s, mark) }

// stringWith finds a string value, not a name, in a JSON text.
func stringWith(text []byte, is func(string) bool) (pointer string, found bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	for {
		kind, length := d.StackIndex(d.StackDepth())
		token, err := d.ReadToken()
		if err != nil {
			return "", false
		}
		if name := kind == '{' && length%2 == 0; !name && token.Kind() == '"' && is(token.String()) {
			return string(d.StackPointer()), true
		}
	}
}
