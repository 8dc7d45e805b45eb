package jsonfile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/protocol"
)

// lines says how one text becomes another, line by line with their ends.
func lines(old, fresh string) []string {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(fresh, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var found []string
	for _, l := range a {
		if !slices.Contains(b, l) {
			found = append(found, "-"+l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			found = append(found, "+"+l)
		}
	}
	return found
}

const (
	packageJSON = "{\n  \"name\": \"plugin-todo\",\n  \"version\": \"1.2.0\",\n  \"description\": \"A list & <more>\",\n  \"files\": [\n    \"lib\",\n    \"bin\"\n  ],\n  \"scripts\": {\n    \"test\": \"node --test\",\n    \"lint\": \"eslint .\"\n  },\n  \"dependencies\": {\n    \"a\": \"^1.0.0\",\n    \"b\": \"~2.0.0\"\n  }\n}\n"
	tsconfig    = "{\n    \"compilerOptions\": {\n        \"target\": \"ES2022\",\n        \"lib\": [\"ES2022\", \"DOM\"],\n        \"paths\": { \"@/*\": [\"./src/*\"] },\n\n        \"strict\": true\n    },\n    \"include\": [\"src\"]\n}\n"
	code        = "{\n\t\"editor.fontSize\": 13.50,\n\t\"editor.rulers\": [80, 120],\n\t\"files.exclude\": {\n\t\t\"**/.git\": true,\n\t\t\"**/node_modules\": true\n\t},\n\t\"[go]\": {\"editor.tabSize\": 4}\n}\n"
	sloth       = "{\n  \"language\": \"zh\",\n  \"theme\": \"默认\"\n}"
	base        = "{\r\n  \"profiles\": [\r\n    {\r\n      \"name\": \"主\",\r\n      \"api_key\": \"sk-abc\",\r\n      \"timeout\": 3e1\r\n    }\r\n  ]\r\n}\r\n"
	minified    = `{"a":1,"b":{"c":[1,2,3],"d":"\u4e2d"},"e":1e400}`
)

// The difference has exactly the lines that were asked for.
func TestPlanChangesOnlyWhatWasAsked(t *testing.T) {
	t.Parallel()
	patch := func(ops string) jsonfile.Edit {
		found, err := operations([]byte(ops))
		if err != nil {
			t.Fatal(err)
		}
		return jsonfile.Edit{Patch: found}
	}
	tests := []struct {
		name, text string
		edit       jsonfile.Edit
		want       []string
		members    []string
	}{
		{"language", sloth, set("/language", `"en"`), []string{"-  \"language\": \"zh\",\n", "+  \"language\": \"en\",\n"}, []string{"language"}},
		{"no final newline", sloth, set("/theme", `"浅"`), []string{"-  \"theme\": \"默认\"\n}"[:len("-  \"theme\": \"默认\"\n")], "+  \"theme\": \"浅\"\n"}, []string{"theme"}},
		{"one script", packageJSON, set("/scripts/lint", `"biome"`), []string{"-    \"lint\": \"eslint .\"\n", "+    \"lint\": \"biome\"\n"}, []string{"scripts"}},
		{"new script", packageJSON, set("/scripts/fmt", `"x"`), []string{"-    \"lint\": \"eslint .\"\n", "+    \"lint\": \"eslint .\",\n", "+    \"fmt\": \"x\"\n"}, []string{"scripts"}},
		{"a file in front", packageJSON, patch(`[{"op":"add","path":"/files/0","value":"README.md"}]`), []string{"+    \"README.md\",\n"}, []string{"files"}},
		{"a file at the end", packageJSON, patch(`[{"op":"add","path":"/files/-","value":"z"}]`), []string{"-    \"bin\"\n", "+    \"bin\",\n", "+    \"z\"\n"}, []string{"files"}},
		{"first dependency away", packageJSON, jsonfile.Edit{Unset: []string{"/dependencies/a"}}, []string{"-    \"a\": \"^1.0.0\",\n"}, []string{"dependencies"}},
		{"tested first", packageJSON, patch(`[{"op":"test","path":"/description","value":"A list & <more>"},{"op":"replace","path":"/version","value":"1.3.0"}]`), []string{"-  \"version\": \"1.2.0\",\n", "+  \"version\": \"1.3.0\",\n"}, []string{"version"}},
		{"four spaces", tsconfig, set("/compilerOptions/strict", "false", "/compilerOptions/lib/-", `"WebWorker"`), []string{"-        \"lib\": [\"ES2022\", \"DOM\"],\n", "-        \"strict\": true\n", "+        \"lib\": [\"ES2022\", \"DOM\", \"WebWorker\"],\n", "+        \"strict\": false\n"}, []string{"compilerOptions"}},
		{"tabs", code, set("/editor.fontSize", "14", "/files.exclude/dist", "true"), []string{"-\t\"editor.fontSize\": 13.50,\n", "-\t\t\"**/node_modules\": true\n", "+\t\"editor.fontSize\": 14,\n", "+\t\t\"**/node_modules\": true,\n", "+\t\t\"dist\": true\n"}, []string{"editor.fontSize", "files.exclude"}},
		{"on one line", code, set("/[go]/editor.insertSpaces", "false"), []string{"-\t\"[go]\": {\"editor.tabSize\": 4}\n", "+\t\"[go]\": {\"editor.tabSize\": 4, \"editor.insertSpaces\": false}\n"}, []string{"[go]"}},
		{"parents are made", code, set("/terminal/font/size", "12"), []string{"-\t\"[go]\": {\"editor.tabSize\": 4}\n", "+\t\"[go]\": {\"editor.tabSize\": 4},\n", "+\t\"terminal\": {\n", "+\t\t\"font\": {\n", "+\t\t\t\"size\": 12\n", "+\t\t}\n", "+\t}\n"}, []string{"terminal"}},
		{"CRLF", base, set("/profiles/0/timeout", "30.0"), []string{"-      \"timeout\": 3e1\r\n", "+      \"timeout\": 30.0\r\n"}, []string{}},
		{"CRLF, new", base, set("/profiles/0/model", `"m"`), []string{"-      \"timeout\": 3e1\r\n", "+      \"timeout\": 3e1,\r\n", "+      \"model\": \"m\"\r\n"}, []string{"profiles"}},
		{"BOM", "\ufeff" + sloth, set("/language", `"en"`), []string{"-  \"language\": \"zh\",\n", "+  \"language\": \"en\",\n"}, []string{"language"}},
		{"minified", minified, patch(`[{"op":"remove","path":"/b/c/1"},{"op":"copy","from":"/e","path":"/f"}]`), []string{"-" + minified, `+{"a":1,"b":{"c":[1,3],"d":"\u4e2d"},"e":1e400,"f":1e400}`}, []string{"b", "f"}},
		{"nothing", packageJSON, patch(`[{"op":"test","path":"/files/0","value":"lib"}]`), nil, []string{}},
		{"there and back", packageJSON, patch(`[{"op":"move","from":"/scripts","path":"/x"},{"op":"move","from":"/x","path":"/scripts"}]`), nil, []string{}},
		{"equal in another order", packageJSON, set("/dependencies", `{"b":"~2.0.0","a":"^1.0.0"}`), nil, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path := p.write("plugin-configs/x.json", tt.text)
			change, err := p.editor.Plan(path, "", tt.edit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, lines(tt.text, string(change.New))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.members, change.Members); diff != "" {
				t.Errorf("members: -want +got:\n%s", diff)
			}
			if got := p.read("plugin-configs/x.json"); got != tt.text {
				t.Errorf("planning wrote %q", got)
			}
			id, err := p.editor.Commit(t.Context(), change)
			if err != nil || p.read("plugin-configs/x.json") != string(change.New) {
				t.Fatalf("%v, %q", err, p.read("plugin-configs/x.json"))
			}
			if (id == "") != (tt.want == nil) {
				t.Errorf("the backup is %q", id)
			}
			if id == "" {
				return
			}
			undo, _, err := p.editor.PlanUndo("")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.editor.Commit(t.Context(), undo); err != nil || p.read("plugin-configs/x.json") != tt.text {
				t.Errorf("%v: taken back is %q", err, p.read("plugin-configs/x.json"))
			}
		})
	}
}

func TestSetAndUnset(t *testing.T) {
	t.Parallel()
	assign := func(pairs ...string) []protocol.Assignment { return set(pairs...).Set }
	tests := []struct {
		name, text string
		edit       jsonfile.Edit
		want, says string
	}{
		{"over an item", `{"a":[1,2]}`, jsonfile.Edit{Set: assign("/a/0", "9")}, `{"a":[9,2]}`, ""},
		{"after the last item", `{"a":[1]}`, jsonfile.Edit{Set: assign("/a/1", "2", "/a/-", "3", "/a/2", "4")}, `{"a":[1,2,4]}`, ""},
		{"behind the end", `{"a":[1]}`, jsonfile.Edit{Set: assign("/a/5", "2")}, "", "set /a/5: expected an index from 0 to 1"},
		{"into what was just made", `{}`, jsonfile.Edit{Set: assign("/a/b/c", "1", "/a/b/d", "2", "/a/e", "{}", "/a/e/f", "3")}, `{"a":{"b":{"c":1,"d":2},"e":{"f":3}}}`, ""},
		{"over what was just made", `{"a":1}`, jsonfile.Edit{Set: assign("/a", `{"b":1}`, "/a/c", "2", "/a", "{}")}, `{"a":{}}`, ""},
		{"into a number", `{"a":1}`, jsonfile.Edit{Set: assign("/a/b", "1")}, "", `at "/a", got a number`},
		{"into an item that is not there", `{"a":[]}`, jsonfile.Edit{Set: assign("/a/0/b", "1")}, "", `no item "0" in the array at "/a"`},
		{"the whole", `{"a":1}`, jsonfile.Edit{Set: assign("", `{"b":2}`)}, `{"b":2}`, ""},
		{"the whole as an array", `{"a":1}`, jsonfile.Edit{Set: assign("", `[]`)}, "", "got an array"},
		{"not there", `{"a":1}`, jsonfile.Edit{Unset: []string{"/b"}}, "", `unset /b: there is no member "b"`},
		{"items keep their numbers", `{"a":[0,1,2,3,4,5,6,7,8,9,10,11]}`, jsonfile.Edit{Unset: []string{"/a/1", "/a/10", "/a/2"}}, `{"a":[0,3,4,5,6,7,8,9,11]}`, ""},
		{"within and around", `{"a":{"b":1},"c":1}`, jsonfile.Edit{Unset: []string{"/a", "/a/b"}}, `{"c":1}`, ""},
		{"twice", `{"a":1}`, jsonfile.Edit{Unset: []string{"/a", "/a"}}, "", "twice"},
		{"both", `{"a":1}`, jsonfile.Edit{Set: assign("/a", "1"), Unset: []string{"/a"}}, "", "unset as well"},
		{"set and patch", `{"a":1}`, jsonfile.Edit{Set: assign("/a", "1"), Patch: []protocol.Operation{{Op: "remove", Path: "/a"}}}, "", "either patch"},
		{"no JSON", `{"a":1}`, jsonfile.Edit{Set: assign("/a", "tru")}, "", "expected a JSON value"},
		{"empty names", `{}`, jsonfile.Edit{Set: assign("//", "1")}, `{"":{"":1}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			change, err := p.editor.Plan(p.write("plugin-configs/x.json", tt.text), "", tt.edit)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) || kindOf(err) != jsonfile.KindPatch || !strings.Contains(err.Error(), "x.json") {
					t.Fatalf("got %v, want an error that says %q and names the file", err, tt.says)
				}
				return
			}
			if err != nil || !jsonfile.Equal(change.New, []byte(tt.want)) {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			again, err := jsonfile.Apply([]byte(tt.text), change.Operations)
			if err != nil || !jsonfile.Equal(again, change.New) {
				t.Errorf("the operations %v make %s, %v", change.Operations, again, err)
			}
		})
	}
}

func TestMaskedValues(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.write("plugin-configs/x.json", `{"key":"sk-0123456789","note":"a *** b"}`)
	for _, value := range []string{`"***"`, `"sk-***6789"`, `{"a":["x",{"b":"***"}]}`, `"\u002a**"`, `"*\u002A*"`} {
		_, err := p.editor.Plan(path, "", set("/key", value))
		if kindOf(err) != jsonfile.KindValue || !strings.Contains(err.Error(), "/key") {
			t.Errorf("%s: got %v", value, err)
		}
	}
	for _, value := range []string{`"**"`, `{"***":1}`, `"*"`} {
		if _, err := p.editor.Plan(path, "", set("/key", value)); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
	change, err := p.editor.Plan(path, "", set("/key", `"new"`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.editor.Replan(change, []byte(`{"key":"s","note":"a *** b"}`)); err != nil {
		t.Errorf("what the file has already is refused: %v", err)
	}
	if _, err := p.editor.Replan(change, []byte(`{"key":"sk***89","note":"a *** b"}`)); kindOf(err) != jsonfile.KindValue {
		t.Errorf("got %v", err)
	}
}

func TestReplan(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.write("settings.json", sloth)
	change, err := p.editor.Plan(path, "", set("/language", `"en"`))
	if err != nil {
		t.Fatal(err)
	}
	p.write("settings.json", `{"language":"fr"}`)
	text := []byte("{ \"language\" : \"en\" }\n")
	own, err := p.editor.Replan(change, text)
	if err != nil || string(own.New) != string(text) || string(own.Old) != `{"language":"fr"}` || len(own.Operations) > 0 {
		t.Fatalf("%+v, %v", own, err)
	}
	for _, bad := range []string{"", "{", "[]", `{"a":1,"a":2}`, "{} {}", "\"\xff\"", "null"} {
		if _, err := p.editor.Replan(change, []byte(bad)); kindOf(err) != jsonfile.KindFile {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	p.write("settings.json", `{"language":"de"}`)
	if _, err := p.editor.Commit(t.Context(), own); kindOf(err) != jsonfile.KindChanged {
		t.Errorf("got %v", err)
	}
	if own, err = p.editor.Refresh(own); err != nil || string(own.New) != string(text) || string(own.Old) != `{"language":"de"}` {
		t.Errorf("%+v, %v", own, err)
	}
	if change, err = p.editor.Refresh(change); err != nil || string(change.New) != `{"language":"en"}` {
		t.Errorf("%+v, %v", change, err)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.editor = jsonfile.New(jsonfile.Config{Home: p.home, Sloth: p.sloth, Schema: func(path string) string {
		if strings.HasSuffix(path, "ai.json") {
			return "config"
		}
		return ""
	}})
	path := p.write("plugin-configs/ai.json", `{"language":"zh"}`)
	_, err := p.editor.Plan(path, "", set("/maxRepairs", "1e400"))
	e, ok := errors.AsType[*jsonfile.Error](err)
	if !ok || e.Kind != jsonfile.KindSchema || len(e.Violations) != 1 || e.Violations[0].Path != "/maxRepairs" || e.Path != path {
		t.Errorf("got %v", err)
	}
	change, err := p.editor.Plan(path, "", set("/language", `"en"`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.editor.Replan(change, []byte(`{"nonsense":1}`)); kindOf(err) != jsonfile.KindSchema {
		t.Errorf("got %v", err)
	}
	if _, err := p.editor.Plan(p.write("plugin-configs/other.json", "{}"), "", set("/maxRepairs", "1e400")); err != nil {
		t.Error(err)
	}
}

func TestBigFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("{\n  \"list\": [\n")
	for n := 0; b.Len() < jsonfile.MaxBytes-200_000; n++ {
		fmt.Fprintf(&b, "    {\"id\": %d, \"name\": \"文字\", \"on\": true, \"tags\": [1, 2.50, null]},\n", n)
	}
	b.WriteString("    {}\n  ]\n}\n")
	p := newPlace(t)
	path := p.write("plugin-configs/big.json", b.String())
	var edit jsonfile.Edit
	for n := range 1000 {
		edit.Set = append(edit.Set, protocol.Assignment{Path: fmt.Sprintf("/list/%d/name", n*30), Value: jsontext.Value(`"x"`)})
	}
	change, err := p.editor.Plan(path, "", edit)
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := strings.Split(b.String(), "\n"), strings.Split(string(change.New), "\n")
	differ := 0
	for i := range old {
		if old[i] != fresh[i] {
			differ++
		}
	}
	if len(old) != len(fresh) || differ != 1000 {
		t.Errorf("%d of %d lines became %d others", differ, len(old), len(fresh))
	}
	if _, err := p.editor.Plan(path, "", set("/more", `"`+strings.Repeat("x", 300_000)+`"`)); kindOf(err) != jsonfile.KindPatch || !strings.Contains(err.Error(), "4194304") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkPlan(b *testing.B) {
	var text strings.Builder
	text.WriteString("{\n  \"list\": [\n")
	for n := 0; text.Len() < jsonfile.MaxBytes-100_000; n++ {
		fmt.Fprintf(&text, "    {\"id\": %d, \"name\": \"文字\", \"on\": true, \"tags\": [1, 2.50, null]},\n", n)
	}
	text.WriteString("    {}\n  ]\n}\n")
	p := newPlace(b)
	path := p.write("plugin-configs/big.json", text.String())
	var edit jsonfile.Edit
	for n := range 500 {
		at := fmt.Sprintf("/list/%d/", n*30)
		edit.Patch = append(edit.Patch, protocol.Operation{Op: "test", Path: at + "id", Value: jsontext.Value(fmt.Sprint(n * 30))},
			protocol.Operation{Op: "replace", Path: at + "name", Value: jsontext.Value(`"x"`)})
	}
	for b.Loop() {
		if _, err := p.editor.Plan(path, "", edit); err != nil {
			b.Fatal(err)
		}
	}
}
