package jsonfile_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/protocol"
)

// Where the library departs from RFC 6902, and where hostile patches try to.
func TestApply(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, doc, patch, want, says string }{
		{"numbers mean the same", `{"a":1.0,"b":100,"c":-0}`, `[{"op":"test","path":"","value":{"c":0,"b":1e2,"a":1}}]`, `{"a":1.0,"b":100,"c":-0}`, ""},
		{"exact numbers", `{"a":9007199254740993}`, `[{"op":"test","path":"/a","value":9007199254740992}]`, "", "operation 1 (test /a): the test failed"},
		{"numbers out of range", `{"a":1e400}`, `[{"op":"test","path":"/a","value":10E399},{"op":"add","path":"/b","value":-1.50e-9999999999999999999999}]`, `{"a":1e400,"b":-1.50e-9999999999999999999999}`, ""},
		{"big numbers out of range differ", `{"a":1e400}`, `[{"op":"test","path":"/a","value":1e401}]`, "", "the test failed"},
		{"HTML stays", `{"a":"<b>&","<":1}`, `[{"op":"test","path":"","value":{"<":1,"a":"\u003cb>&"}},{"op":"copy","from":"/a","path":"/c"}]`, `{"a":"<b>&","<":1,"c":"<b>&"}`, ""},
		{"null is a value", `{"a":null,"b":[null,1]}`, `[{"op":"test","path":"/a","value":null},{"op":"test","path":"/b","value":[null,1]},{"op":"move","from":"/a","path":"/c"},{"op":"copy","from":"/b/0","path":"/b/-"},{"op":"replace","path":"/c","value":1}]`, `{"b":[null,1,null],"c":1}`, ""},
		{"nothing is not null", `{}`, `[{"op":"test","path":"/a","value":null}]`, "", `there is no member "a"`},
		{"null is not the string that stands for it", `{"a":null}`, `[{"op":"test","path":"/a","value":"\u0000"}]`, "", "the test failed"},
		{"a string of that kind", `{"a":"\u0000"}`, `[{"op":"test","path":"/a","value":"\u0000"}]`, `{"a":"\u0000"}`, ""},
		{"the empty name", `{"":{"":1}}`, `[{"op":"test","path":"//","value":1},{"op":"replace","path":"//","value":2},{"op":"copy","from":"/","path":"/a"},{"op":"remove","path":"//"}]`, `{"":{},"a":{"":2}}`, ""},
		{"/ onto itself", `{"":1,"a":2}`, `[{"op":"move","from":"/","path":"/"}]`, `{"":1,"a":2}`, ""},
		{"/ onto itself where it is not", `{"a":2}`, `[{"op":"move","from":"/","path":"/"}]`, "", `there is no member ""`},
		{"the whole onto itself", `{"a":2}`, `[{"op":"move","from":"","path":""}]`, `{"a":2}`, ""},
		{"the whole into itself", `{"a":2}`, `[{"op":"move","from":"","path":"/b"}]`, "", "moved into itself"},
		{"an item into the next", `[[1],[2]]`, `[{"op":"move","from":"/0","path":"/0/0"}]`, "", "moved into itself"},
		{"a copy of the whole within it", `{"a":1}`, `[{"op":"replace","path":"/a","value":2},{"op":"copy","from":"","path":"/b"}]`, `{"a":2,"b":{"a":2}}`, ""},
		{"a copy over the whole", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":""}]`, `{"b":1}`, ""},
		{"a move over the whole", `{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":""}]`, `{"b":1}`, ""},
		{"the whole away", `{"":1}`, `[{"op":"remove","path":""}]`, "", "cannot be removed"},
		{"signed index", `[1,2]`, `[{"op":"remove","path":"/+1"}]`, "", `no item "+1"`},
		{"index with a zero", `[1,2]`, `[{"op":"replace","path":"/01","value":3}]`, "", `no item "01"`},
		{"negative index", `[1,2]`, `[{"op":"remove","path":"/-1"}]`, "", `no item "-1"`},
		{"such names of members", `{"+1":1,"01":2,"-1":3}`, `[{"op":"remove","path":"/+1"},{"op":"replace","path":"/01","value":4}]`, `{"01":4,"-1":3}`, ""},
		{"names with the mark", `{"a\u0001":1,"\u0001":2}`, `[{"op":"copy","from":"/a\u0001","path":"/"}]`, `{"a\u0001":1,"\u0001":2,"":1}`, ""},
		{"the end has no value", `[1]`, `[{"op":"remove","path":"/-"}]`, "", `no item "-"`},
		{"behind the end", `[1]`, `[{"op":"add","path":"/2","value":1}]`, "", `expected an index from 0 to 1`},
		{"into a string", `{"a":"x"}`, `[{"op":"add","path":"/a/b","value":1}]`, "", `at "/a", got a string`},
		{"no pointer", `{"a":1}`, `[{"op":"remove","path":"a"}]`, "", "expected a JSON Pointer"},
		{"half an escape", `{"a":1}`, `[{"op":"remove","path":"/a~"}]`, "", "expected a JSON Pointer"},
		{"escapes", `{"a/b":1,"m~n":2,"~1":3}`, `[{"op":"remove","path":"/a~1b"},{"op":"test","path":"/~01","value":3},{"op":"remove","path":"/m~0n"}]`, `{"~1":3}`, ""},
		{"all or nothing", `{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]`, "", "operation 2 (remove /a)"},
		{"a test in the middle", `{"a":1}`, `[{"op":"replace","path":"/a","value":2},{"op":"test","path":"/a","value":2},{"op":"remove","path":"/a"},{"op":"test","path":"/a","value":2}]`, "", "operation 4 (test /a)"},
		{"doubled key in a value", `{}`, `[{"op":"add","path":"/a","value":{"b":1}},{"op":"bump","path":"/a"}]`, "", "operation 2 (bump /a): expected add"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ops, err := operations([]byte(tt.patch))
			if err != nil {
				t.Fatal(err)
			}
			got, err := jsonfile.Apply([]byte(tt.doc), ops)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) || kindOf(err) != jsonfile.KindPatch {
					t.Fatalf("got %s, %v; want an error that says %q", got, err, tt.says)
				}
				return
			}
			if err != nil || !jsonfile.Equal(got, []byte(tt.want)) {
				t.Fatalf("got %s, %v; want %s", got, err, tt.want)
			}
			if want := jsontext.Value(tt.want); len(got) != len(want) {
				t.Errorf("something is spelled in another way: %s", got)
			}
		})
	}
}

func TestApplyLimits(t *testing.T) {
	t.Parallel()
	add := func(n int) []protocol.Operation {
		ops := make([]protocol.Operation, n)
		for i := range ops {
			ops[i] = protocol.Operation{Op: "add", Path: "/" + strconv.Itoa(i), Value: jsontext.Value("1")}
		}
		return ops
	}
	if _, err := jsonfile.Apply([]byte(`{}`), add(jsonfile.MaxOperations)); err != nil {
		t.Error(err)
	}
	double := []protocol.Operation{{Op: "add", Path: "/a", Value: jsontext.Value(`["x"]`)}}
	for range 100 {
		double = append(double, protocol.Operation{Op: "copy", From: "/a", Path: "/a/-"})
	}
	deep := jsontext.Value(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))
	nested := add(1)
	for n := range 1000 {
		nested = append(nested, protocol.Operation{Op: "add", Path: "/0" + strings.Repeat("/a", n), Value: jsontext.Value("{}")})
	}
	for name, c := range map[string]struct {
		ops  []protocol.Operation
		says string
	}{
		"10,000 operations": {add(10_000), "at most 2000 operations"},
		"doubling":          {double, "copies more than"},
		"deep value":        {[]protocol.Operation{{Op: "add", Path: "/a", Value: deep}}, "at most 128 levels"},
		"deep pointer":      {nested, "at most 128 words"},
	} {
		if got, err := jsonfile.Apply([]byte(`{}`), c.ops); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %.100s, %v", name, got, err)
		}
	}
}

// Each operation on an array copies it.
func TestLongArrays(t *testing.T) {
	t.Parallel()
	long := []byte(`{"a":[` + strings.Repeat("0,", 1_000_000) + `0]}`)
	ops := slices.Repeat([]protocol.Operation{{Op: "add", Path: "/a/0", Value: jsontext.Value("1")}}, 1000)
	if _, err := jsonfile.Apply(long, ops); err == nil || !strings.Contains(err.Error(), "too many for a file with arrays this long") {
		t.Errorf("got %v", err)
	}
	if _, err := jsonfile.Apply(long, ops[:2]); err != nil {
		t.Error(err)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for want, same := range map[string][]string{
		"0": {"0", "-0", "0.0", "0e99", "-0.00E-5"}, "1": {"1", "1.0", "10e-1", "0.1e1", "1E0", "1e+0"},
		"1e2": {"100", "1e2", "100.00", "0.001e5"}, "-15e-1": {"-1.5", "-15e-1", "-0.15E+1"},
		"1e400": {"1e400", "10e399"}, "1e99999999999999999999": {"1e99999999999999999999", "0.1e100000000000000000000"},
	} {
		for _, s := range same {
			if got := jsonfile.Number(s); got != want {
				t.Errorf("%s: got %s, want %s", s, got, want)
			}
		}
	}
}

// naive is another reading of RFC 6902, on Go values whose numbers are text.
func naive(doc any, op protocol.Operation) (any, bool) {
	value := func() any { return decode(op.Value) }
	switch op.Op {
	case "add":
		return naiveAdd(doc, words(op.Path), value())
	case "remove":
		if op.Path == "" {
			return nil, false
		}
		return naiveRemove(doc, words(op.Path))
	case "replace":
		if op.Path == "" {
			return value(), true
		}
		if _, ok := naiveGet(doc, words(op.Path)); !ok {
			return nil, false
		}
		return naiveReplace(doc, words(op.Path), value()), true
	case "move":
		moved, ok := naiveGet(doc, words(op.From))
		if op.From == op.Path {
			return doc, ok
		}
		if !ok || op.From == "" || strings.HasPrefix(op.Path, op.From+"/") {
			return nil, false
		}
		if doc, ok = naiveRemove(doc, words(op.From)); !ok {
			return nil, false
		}
		return naiveAdd(doc, words(op.Path), moved)
	case "copy":
		copied, ok := naiveGet(doc, words(op.From))
		if !ok {
			return nil, false
		}
		return naiveAdd(doc, words(op.Path), clone(copied))
	}
	found, ok := naiveGet(doc, words(op.Path))
	if !ok {
		return nil, false
	}
	return doc, jsonfile.Equal(encode(found), op.Value)
}

func words(pointer string) []string { return slices.Collect(jsontext.Pointer(pointer).Tokens()) }

func clone(v any) any { return decode(encode(v)) }

func encode(v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		var b []byte
		for _, name := range slices.Sorted(maps.Keys(v)) {
			quoted, err := jsontext.AppendQuote(nil, name)
			if err != nil {
				panic(err)
			}
			b = append(append(append(append(b, ','), quoted...), ':'), encode(v[name])...)
		}
		return append(append([]byte("{"), strings.TrimPrefix(string(b), ",")...), '}')
	case []any:
		var b []byte
		for _, item := range v {
			b = append(append(b, ','), encode(item)...)
		}
		return append(append([]byte("["), strings.TrimPrefix(string(b), ",")...), ']')
	}
	return v.(jsontext.Value)
}

func decode(text []byte) any {
	switch jsontext.Value(text).Kind() {
	case '{':
		var m map[string]jsontext.Value
		if err := json.Unmarshal(text, &m); err != nil {
			panic(err)
		}
		o := map[string]any{}
		for name, item := range m {
			o[name] = decode(item)
		}
		return o
	case '[':
		var items []jsontext.Value
		if err := json.Unmarshal(text, &items); err != nil {
			panic(err)
		}
		list := []any{}
		for _, item := range items {
			list = append(list, decode(item))
		}
		return list
	}
	return jsontext.Value(strings.TrimSpace(string(text)))
}

func naiveIndex(word string, size int) (int, bool) {
	for n := range size {
		if fmt.Sprint(n) == word {
			return n, true
		}
	}
	return 0, false
}

func naiveGet(doc any, path []string) (any, bool) {
	if len(path) == 0 {
		return doc, true
	}
	switch v := doc.(type) {
	case map[string]any:
		if next, ok := v[path[0]]; ok {
			return naiveGet(next, path[1:])
		}
	case []any:
		if n, ok := naiveIndex(path[0], len(v)); ok {
			return naiveGet(v[n], path[1:])
		}
	}
	return nil, false
}

// naiveReplace gives a new value for a place that there is.
func naiveReplace(doc any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if o, ok := doc.(map[string]any); ok {
		o = maps.Clone(o)
		o[path[0]] = naiveReplace(o[path[0]], path[1:], value)
		return o
	}
	list := slices.Clone(doc.([]any))
	n, _ := naiveIndex(path[0], len(list))
	list[n] = naiveReplace(list[n], path[1:], value)
	return list
}

func naiveAdd(doc any, path []string, value any) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	above, last := path[:len(path)-1], path[len(path)-1]
	in, ok := naiveGet(doc, above)
	if !ok {
		return nil, false
	}
	switch v := in.(type) {
	case map[string]any:
		v = maps.Clone(v)
		v[last] = value
		return naiveReplace(doc, above, v), true
	case []any:
		n, ok := naiveIndex(last, len(v)+1)
		if last == "-" {
			n, ok = len(v), true
		}
		if !ok {
			return nil, false
		}
		return naiveReplace(doc, above, slices.Insert(slices.Clone(v), n, value)), true
	}
	return nil, false
}

func naiveRemove(doc any, path []string) (any, bool) {
	above, last := path[:len(path)-1], path[len(path)-1]
	in, ok := naiveGet(doc, above)
	if !ok {
		return nil, false
	}
	switch v := in.(type) {
	case map[string]any:
		if _, ok := v[last]; !ok {
			return nil, false
		}
		v = maps.Clone(v)
		delete(v, last)
		return naiveReplace(doc, above, v), true
	case []any:
		n, ok := naiveIndex(last, len(v))
		if !ok {
			return nil, false
		}
		return naiveReplace(doc, above, slices.Delete(slices.Clone(v), n, n+1)), true
	}
	return nil, false
}

// Whatever document and patch there are, two readings agree.
func FuzzApply(f *testing.F) {
	for _, s := range [][2]string{
		{`{"a":[1,{"b":null}],"":{"":"x"}}`, `[{"op":"move","from":"/a/1/b","path":"/"},{"op":"test","path":"/a/0","value":1.0},{"op":"copy","from":"","path":"/a/-"}]`},
		{`[1,2,[3]]`, `[{"op":"add","path":"/2/0","value":{"01":1}},{"op":"remove","path":"/2/0/01"},{"op":"replace","path":"/01","value":1}]`},
		{`"x"`, `[{"op":"replace","path":"","value":[null]},{"op":"test","path":"/0","value":null}]`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, doc, patch string) {
		ops, err := operations([]byte(patch))
		if err != nil || !jsontext.Value(doc).IsValid() || len(doc) > 1<<12 || len(ops) > 50 {
			return
		}
		got, err := jsonfile.Apply([]byte(doc), ops)
		want, ok := decode([]byte(doc)), true
		for _, op := range ops {
			// What no reading accepts is left to the one that is tested.
			if !jsontext.Pointer(op.Path).IsValid() || !jsontext.Pointer(op.From).IsValid() || strings.Count(op.Path+op.From, "/") > jsonfile.MaxDepth ||
				!slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test"}, op.Op) {
				return
			}
			if (op.Op == "add" || op.Op == "replace" || op.Op == "test") && !op.Value.IsValid() {
				return
			}
			if want, ok = naive(want, op); !ok {
				break
			}
		}
		if ok != (err == nil) {
			t.Fatalf("%s with %s: got %s, %v; the other reading applies it: %v", doc, patch, got, err, ok)
		}
		if ok && !jsonfile.Equal(got, encode(want)) {
			t.Fatalf("%s with %s: got %s, want %s", doc, patch, got, encode(want))
		}
	})
}
