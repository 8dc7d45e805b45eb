package jsonedit_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/config/jsonedit"
)

func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, at, value, want string
	}{
		{"scalar in place", "{\n  \"a\": 1,\n  \"b\" : true\n}\n", "/b", "false", "{\n  \"a\": 1,\n  \"b\" : false\n}\n"},
		{"new at the end", "{\n  \"a\": 1\n}\n", "/b", `"x"`, "{\n  \"a\": 1,\n  \"b\": \"x\"\n}\n"},
		{"empty object", "{}\n", "/a", "1", "{\n  \"a\": 1\n}\n"},
		{"empty object, no newline", "{}", "/a", "1", "{\n  \"a\": 1\n}"},
		{"tabs", "{\n\t\"a\": 1\n}", "/b", `{"c":[{"d":1}]}`, "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": [\n\t\t\t{\n\t\t\t\t\"d\": 1\n\t\t\t}\n\t\t]\n\t}\n}"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", "/b", `{"c":1}`, "{\r\n  \"a\": 1,\r\n  \"b\": {\r\n    \"c\": 1\r\n  }\r\n}\r\n"},
		{"compact", `{"a":1}`, "/b", `[1, 2]`, `{"a":1,"b":[1,2]}`},
		{"one line with spaces", `{"a": 1, "c": 2}`, "/b", `{"x": 1}`, `{"a": 1, "c": 2, "b": {"x":1}}`},
		{"short array on one line", "{\n  \"a\": []\n}", "/a", `["ls","cat"]`, "{\n  \"a\": [\"ls\", \"cat\"]\n}"},
		{"numbers and order stay", "{\n  \"z\": 1.50,\n  \"y\": 1e2, \"x\": \"\\u00e9\"\n}", "/y", "3", "{\n  \"z\": 1.50,\n  \"y\": 3, \"x\": \"\\u00e9\"\n}"},
		{"nested", `{"a": {"b": 1}}`, "/a/c", "2", `{"a": {"b": 1,"c": 2}}`},
		{"nested empty", "{\n  \"a\": {}\n}\n", "/a/c", "2", "{\n  \"a\": {\n    \"c\": 2\n  }\n}\n"},
		{"array end", "{\n  \"a\": [\n    1\n  ]\n}\n", "/a/-", "2", "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n"},
		{"array item", `[1,2,3]`, "/1", "9", `[1,9,3]`},
		{"array index at the end", `[1]`, "/1", "9", `[1,9]`},
		{"escaped words", `{"a/b": 1, "c~d": 2}`, "/c~0d", "3", `{"a/b": 1, "c~d": 3}`},
		{"escaped name in the text", `{"\u0061": 1}`, "/a", "3", `{"\u0061": 3}`},
		{"Chinese", `{"名": 1}`, "/名", `"值"`, `{"名": "值"}`},
		{"the whole", " 1\n", "", "2", " 2\n"},
		{"raw text of the value stays", "{\n  \"a\": 1\n}", "/a", `"\u00e9/"`, "{\n  \"a\": \"\\u00e9/\"\n}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonedit.Set([]byte(tt.text), jsontext.Pointer(tt.at), jsontext.Value(tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, at, want string }{
		{"first", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/a", "{\n  \"b\": 2\n}\n"},
		{"last", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/b", "{\n  \"a\": 1\n}\n"},
		{"middle", `{"a":1, "b":2, "c":3}`, "/b", `{"a":1, "c":3}`},
		{"only", "{\n  \"a\": 1\n}\n", "/a", "{}\n"},
		{"array", "[1, 2, 3]", "/0", "[2, 3]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonedit.Remove([]byte(tt.text), jsontext.Pointer(tt.at))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, at, value string
		notFound              bool
	}{
		{"broken text", `{"a":1,}`, "/a", "2", false},
		{"two values", `{} {}`, "/a", "2", false},
		{"doubled key", `{"a":1,"a":2}`, "/a", "2", false},
		{"doubled key below", `{"b":{"a":1,"a":2}}`, "/a", "2", false},
		{"not UTF-8", "{\"a\":\"\xff\"}", "/a", "2", false},
		{"broken value", `{}`, "/a", "tru", false},
		{"two values as value", `{}`, "/a", `1,"b":2`, false},
		{"no parent", `{}`, "/a/b", "1", true},
		{"parent is a number", `{"a":1}`, "/a/b", "1", true},
		{"array hole", `[1]`, "/3", "1", true},
		{"array word", `[1]`, "/x", "1", true},
		{"leading zero", `[1]`, "/00", "1", true},
		{"no pointer", `{}`, "a", "1", true},
		{"empty", "", "/a", "1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonedit.Set([]byte(tt.text), jsontext.Pointer(tt.at), jsontext.Value(tt.value))
			if err == nil || got != nil {
				t.Fatalf("got %q, %v; want an error", got, err)
			}
			if errors.Is(err, jsonedit.ErrNotFound) != tt.notFound {
				t.Errorf("got %v; not found should be %v", err, tt.notFound)
			}
		})
	}
}

// member is one field of an object as it is written.
type member struct{ Name, Raw string }

func membersOf(t *testing.T, text []byte) []member {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	if _, err := d.ReadToken(); err != nil {
		t.Fatal(err)
	}
	var found []member
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		word := name.String()
		raw, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, member{word, string(raw)})
	}
	return found
}

// Whatever an object looks like, setting a key changes that key alone, and
// removing it again leaves the others.
func FuzzSet(f *testing.F) {
	f.Add("{\n  \"a\": 1.0,\n  \"b\": [ 1,2 ]\n}\n", "c", `{"x":[1,{"y":2}]}`)
	f.Add("{\r\n\t\"a\":{ },\"b\":{\r\n}}", "a", `[]`)
	f.Add(`{"":1}`, "", `"~"`)
	f.Add("{ \n}", "a/b~", `null`)
	f.Fuzz(func(t *testing.T, text, key, value string) {
		at := jsontext.Pointer("").AppendToken(key)
		got, err := jsonedit.Set([]byte(text), at, jsontext.Value(value))
		if err != nil || jsontext.Value(text).Kind() != '{' {
			return
		}
		before, after := membersOf(t, []byte(text)), membersOf(t, got)
		// The name may have been written with bytes that are not UTF-8.
		known := -1
		for i, m := range before {
			if m.Name == key {
				known = i
			}
		}
		if known < 0 {
			if len(after) != len(before)+1 {
				t.Fatalf("%q has %d members, %q has %d", text, len(before), got, len(after))
			}
			known = len(before)
			before = append(before, member{after[known].Name, ""})
		}
		a, b := jsontext.Value(after[known].Raw), jsontext.Value(value)
		if err := a.Compact(); err != nil {
			t.Fatal(err)
		}
		if err := b.Compact(); err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Fatalf("the value became %s, not %s, in %q", a, b, got)
		}
		before[known].Raw, after[known].Raw = "", ""
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("other members changed: %s", diff)
		}
		again, err := jsonedit.Set(got, at, jsontext.Value(value))
		if err != nil {
			t.Fatal(err)
		}
		if len(membersOf(t, again)) != len(after) {
			t.Fatalf("setting twice: %q, then %q", got, again)
		}
		removed, err := jsonedit.Remove(got, at)
		if err != nil {
			t.Fatal(err)
		}
		left := membersOf(t, removed)
		if diff := cmp.Diff(append(append([]member{}, after[:known]...), after[known+1:]...), left); diff != "" && len(left)+len(after) > 1 {
			t.Fatalf("removing changed others: %s", diff)
		}
	})
}
