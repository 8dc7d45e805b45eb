package jsonedit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/config/jsonedit"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want, result string }{
		{"one value", "{\n  \"a\": 1,\n  \"b\" : true\n}\n", `{"a":1,"b":false}`, "{\n  \"a\": 1,\n  \"b\" : false\n}\n"},
		{"order is the text's", `{"b":1, "a":2}`, `{"a":2,"b":3}`, `{"b":3, "a":2}`},
		{"order below is no change", `{"x":{"b":1, "a":2}}`, `{"x":{"a":2,"b":1}}`, `{"x":{"b":1, "a":2}}`},
		{"a number's other spelling", `{"a":1.0, "b":2.50}`, `{"a":1,"b":2.50}`, `{"a":1, "b":2.50}`},
		{"a string's other spelling", `{"a":"\u00e9"}`, `{"a":"é"}`, `{"a":"é"}`},
		{"a name's spelling stays", `{"\u0061":1}`, `{"a":2}`, `{"\u0061":2}`},
		{"new member", "{\n\t\"a\": 1\n}", `{"a":1,"b":{"c":[{"d":1}]}}`, "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": [\n\t\t\t{\n\t\t\t\t\"d\": 1\n\t\t\t}\n\t\t]\n\t}\n}"},
		{"CRLF", "{\r\n    \"a\": 1\r\n}\r\n", `{"a":1,"b":{"c":1}}`, "{\r\n    \"a\": 1,\r\n    \"b\": {\r\n        \"c\": 1\r\n    }\r\n}\r\n"},
		{"BOM", "\ufeff{\"a\":1}\n", `{"a":2}`, "\ufeff{\"a\":2}\n"},
		{"blank lines", "{\n\n  \"a\": 1,\n\n  \"b\": 2,\n\n  \"c\": 3\n\n}\n", `{"a":1,"c":3,"d":4}`, "{\n\n  \"a\": 1,\n\n  \"c\": 3,\n  \"d\": 4\n\n}\n"},
		{"first away", "{\n  \"a\": 1,\n\n  \"b\": 2\n}\n", `{"b":2}`, "{\n\n  \"b\": 2\n}\n"},
		{"first away on a line", `{ "a": 1, "b": 2 }`, `{"b":2}`, `{ "b": 2 }`},
		{"last away", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", `{"a":1}`, "{\n  \"a\": 1\n}\n"},
		{"all away", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", `{}`, "{}\n"},
		{"all others", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", `{"c":1}`, "{\n  \"c\": 1\n}\n"},
		{"empty gets one", "{}", `{"a":1}`, "{\n  \"a\": 1\n}"},
		{"item in front", "[\n  1,\n  2\n]", `[0,1,2]`, "[\n  0,\n  1,\n  2\n]"},
		{"item in front on a line", "[1, 2]", `[0,1,2]`, "[0, 1, 2]"},
		{"item in the middle", "[\n  1,\n  2\n]", `[1,9,2]`, "[\n  1,\n  9,\n  2\n]"},
		{"item at the end", "[\n  1,\n  2\n]", `[1,2,9]`, "[\n  1,\n  2,\n  9\n]"},
		{"items here and there", `[1, 2, 3, 4, 5, 6]`, `[1,3,"x",4,6,7]`, `[1, 3, "x", 4, 6, 7]`},
		{"an item within", "[\n  {\"a\": 1, \"b\": [1, 2]},\n  { \"a\":2 }\n]", `[{"a":1,"b":[1,3]},{"a":2}]`, "[\n  {\"a\": 1, \"b\": [1, 3]},\n  { \"a\":2 }\n]"},
		{"commas first", "{ \"a\": 1\n, \"b\": 2\n}", `{"a":1,"b":2,"c":3}`, "{ \"a\": 1\n, \"b\": 2, \"c\": 3\n}"},
		{"kind changes", "{\n  \"a\": 1\n}\n", `{"a":{"b":1}}`, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"kind changes on a line", "{\n  \"a\": [1, 2]\n}\n", `{"a":[{"b":1},2]}`, "{\n  \"a\": [{\"b\":1}, 2]\n}\n"},
		{"lone CR", "{\n\r \"a\": 1\n}", `{"a":1,"b":{"c":1}}`, "{\n\r \"a\": 1,\n\r \"b\": {\n  \"c\": 1\n}\n}"},
		{"whole", " 1\n", `"x"`, " \"x\"\n"},
		{"deep", `{"a":{"b":{"c":{"d":1,"e":[1,2]}}}}`, `{"a":{"b":{"c":{"d":1,"e":[2]}}}}`, `{"a":{"b":{"c":{"d":1,"e":[2]}}}}`},
		{"empty name", `{"":1}`, `{"":2}`, `{"":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonedit.Merge([]byte(tt.text), jsontext.Value(tt.want))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.result, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			checkMerged(t, tt.text, tt.want)
		})
	}
	for _, bad := range [][2]string{{`{"a":1,}`, `{}`}, {`{}`, `{"a":1,"a":2}`}, {`{} {}`, `{}`}, {`{}`, ``}, {"{\"a\":\"\xff\"}", `{}`}} {
		if got, err := jsonedit.Merge([]byte(bad[0]), jsontext.Value(bad[1])); err == nil || got != nil {
			t.Errorf("%q: got %q, %v; want an error", bad, got, err)
		}
	}
}

// canonical is a text with sorted names, every scalar as it is spelled.
func canonical(t testing.TB, text []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(bytes.TrimPrefix(text, []byte("\ufeff"))))
	if err := v.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(true), jsontext.CanonicalizeRawInts(false)); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return string(v)
}

// names takes the spelling of names away, which is the text's own.
func names(t testing.TB, text []byte) []byte {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimPrefix(text, []byte("\ufeff"))))
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, jsontext.PreserveRawStrings(true))
	for {
		kind, length := d.StackIndex(d.StackDepth())
		var err error
		if next := d.PeekKind(); next == '{' || next == '}' || next == '[' || next == ']' || next == '"' && kind == '{' && length%2 == 0 {
			var token jsontext.Token
			if token, err = d.ReadToken(); err == nil {
				if token.Kind() == '"' {
					token = jsontext.String(token.String())
				}
				err = e.WriteToken(token)
			}
		} else {
			var value jsontext.Value
			if value, err = d.ReadValue(); err == nil {
				err = e.WriteValue(value)
			}
		}
		if errors.Is(err, io.EOF) {
			return out.Bytes()
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

// checkMerged merges, and holds the result against what was wanted, and that
// merging the same again changes nothing.
func checkMerged(t testing.TB, text, want string) {
	t.Helper()
	got, err := jsonedit.Merge([]byte(text), jsontext.Value(want))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := canonical(t, names(t, got)), canonical(t, names(t, []byte(want))); a != b {
		t.Fatalf("%q merged with %q means %s in %q", text, want, a, got)
	}
	again, err := jsonedit.Merge(got, jsontext.Value(want))
	if err != nil || !bytes.Equal(got, again) {
		t.Fatalf("merging again makes %q of %q, %v", again, got, err)
	}
	same, err := jsonedit.Merge([]byte(text), jsontext.Value(strings.TrimPrefix(text, "\ufeff")))
	if err != nil || string(same) != text {
		t.Fatalf("merging a text with itself makes %q of %q, %v", same, text, err)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("{\n  \"a\": 1.0,\n  \"b\": [ 1,2 ]\n}\n", `{"a":1,"c":{"x":[1,{"y":2}]},"b":[2,3]}`)
	f.Add("\ufeff{\r\n\t\"a\":{ },\"b\":{\r\n}}", `{"b":{"":1},"a":[]}`)
	f.Add("[1\n,2 , [3,[ ]]\n]", `[[3,[4]],1,1,2,2]`)
	f.Add(`{"\u0061":"\u00e9","a/b":1e400}`, `{"a":"é","a/b":1E400}`)
	f.Fuzz(func(t *testing.T, text, want string) {
		if _, err := jsonedit.Merge([]byte(text), jsontext.Value(want)); err == nil {
			checkMerged(t, text, want)
		}
	})
}

// random makes a value; a small alphabet makes equal parts likely.
func random(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case depth == 0 || n < 3:
		return []any{nil, true, "x", "文", 1, 2, -0.5}[r.IntN(7)]
	case n < 6:
		object := map[string]any{}
		for range r.IntN(5) {
			object[[]string{"a", "b", "c", "", "名", "a/b"}[r.IntN(6)]] = random(r, depth-1)
		}
		return object
	default:
		array := make([]any, r.IntN(6))
		for i := range array {
			array[i] = random(r, depth-1)
		}
		return array
	}
}

// Whatever two values are, and however the first is laid out, the merge means
// the second.
func TestMergeMeansWhatIsWanted(t *testing.T) {
	t.Parallel()
	layouts := [][]json.Options{
		nil,
		{jsontext.WithIndent("  ")},
		{jsontext.WithIndent("\t")},
		{jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)},
	}
	for n := range 4000 {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		layout := append(slices.Clip(layouts[n%len(layouts)]), json.Deterministic(true))
		text, err := json.Marshal(random(r, 4), layout...)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(random(r, 4))
		if err != nil {
			t.Fatal(err)
		}
		checkMerged(t, string(text), string(want))
		crlf := strings.ReplaceAll(string(text), "\n", "\r\n")
		checkMerged(t, "\ufeff"+crlf+"\r\n", string(want))
	}
}

func BenchmarkMerge(b *testing.B) {
	for _, bb := range []struct{ name, item string }{{"objects", `{"id": %d, "name": "文字 text", "tags": [1, 2, 3], "on": true}`}, {"numbers", `%d`}} {
		b.Run(bb.name, func(b *testing.B) {
			var text, want bytes.Buffer
			for n := 0; text.Len() < 4<<20-64; n++ {
				sep := ",\n    "
				if n == 0 {
					sep = "{\n  \"list\": [\n    "
				}
				item := fmt.Sprintf(bb.item, n)
				text.WriteString(sep + item)
				if n%50 == 7 {
					item = fmt.Sprintf(bb.item, -n)
				}
				want.WriteString(sep + item)
			}
			text.WriteString("\n  ]\n}\n")
			want.WriteString("\n  ]\n}\n")
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := jsonedit.Merge(text.Bytes(), want.Bytes()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
