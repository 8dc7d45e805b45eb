package decide_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/decide"
	"github.com/holic512/plugin-ai/schemas"
)

// item is a valid input with one item, in which a part can be changed.
func item(change func(item, option map[string]any)) string {
	option := map[string]any{"value": "a", "label": "A"}
	it := map[string]any{"id": 1, "title": "T", "options": []any{option, map[string]any{"value": "b", "label": "B"}}}
	change(it, option)
	text, err := json.Marshal(map[string]any{"task": "t", "source": "s", "items": []any{it}}, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func inItem(name string, value any) string {
	return item(func(it, _ map[string]any) { it[name] = value })
}

func inOption(name string, value any) string {
	return item(func(_, o map[string]any) { o[name] = value })
}

func top(text string) string { return strings.Replace(inItem("id", 1), `"task":"t"`, text, 1) }

// rules are inputs with what is said of them: the violations in Chinese, one
// line each, nothing where the input is good. by is true where a schema can
// say it too.
var rules = []struct {
	name, input string
	says        string
	schema      bool
}{
	{"good", inItem("id", 1), "", true},
	{"top array", `[]`, "顶层 必须是对象,当前为数组", true},
	{"top number", `1`, "顶层 必须是对象,当前为 1", true},
	{"top null", `null`, "顶层 必须是对象,当前为 null", true},
	{"empty", `{}`, "task 必须是非空字符串,当前缺失\nsource 必须是非空字符串,当前缺失\nitems 必须是数组,至少包含 1 个待定项,当前缺失", true},
	{"task number", top(`"task":5`), "task 必须是非空字符串,当前为 5", true},
	{"task empty", top(`"task":""`), `task 必须是非空字符串,当前为 ""`, true},
	{"task blank", top(`"task":" \t"`), `task 必须是非空字符串,当前为 " \t"`, false},
	{"task null", top(`"task":null`), `task 必须是非空字符串,当前为 null`, true},
	{"source object", `{"task":"t","source":{},"items":[]}`, "source 必须是非空字符串,当前为对象\nitems 至少需要 1 个待定项,当前只有 0 个", true},
	{"items object", `{"task":"t","source":"s","items":{}}`, "items 必须是数组,至少包含 1 个待定项,当前为对象", true},
	{"item a number", `{"task":"t","source":"s","items":[1]}`, "items[0] 必须是对象,当前为 1", true},
	{"unknown field", top(`"task":"t","tasks":1`), "tasks 不是已知字段,可用字段: task, source, items", true},
	{"field of other signs", top(`"task":"t","a.b\u001b":1`), "\"a.b\\u001b\" 不是已知字段,可用字段: task, source, items", true},

	{"id 0", inItem("id", 0), "items[0].id 必须是正整数,当前为 0", true},
	{"id negative", inItem("id", -1), "items[0].id 必须是正整数,当前为 -1", true},
	{"id fraction", inItem("id", 1.5), "items[0].id 必须是正整数,当前为 1.5", true},
	{"id text", inItem("id", "1"), `items[0].id 必须是正整数,当前为 "1"`, true},
	{"id bool", inItem("id", true), "items[0].id 必须是正整数,当前为 true", true},
	{"id null", inItem("id", nil), "items[0].id 必须是正整数,当前为 null", true},
	{"id too large", inItem("id", 1e17), "items[0].id 必须是正整数,当前为 100000000000000000", true},
	{"id large", inItem("id", 1<<53-1), "", true},
	{"id 1.0", strings.Replace(inItem("id", 1), `"id":1`, `"id":1.0`, 1), "", true},
	{"title missing", item(func(it, _ map[string]any) { delete(it, "title") }), "items[0].title 必须是非空字符串,当前缺失", true},
	{"title array", inItem("title", []int{1}), "items[0].title 必须是非空字符串,当前为数组", true},
	{"options missing", item(func(it, _ map[string]any) { delete(it, "options") }), "items[0].options 必须是数组,至少包含 2 个选项,当前缺失", true},
	{"no options", inItem("options", []int{}), "items[0].options 至少需要 2 个选项,当前只有 0 个", true},
	{"one option", inItem("options", []any{map[string]any{"value": "a", "label": "A"}}), "items[0].options 至少需要 2 个选项,当前只有 1 个", true},
	{"option a text", inItem("options", []string{"a", "b"}), "items[0].options[0] 必须是对象,当前为 \"a\"\nitems[0].options[1] 必须是对象,当前为 \"b\"", true},
	{"value empty", inOption("value", ""), `items[0].options[0].value 必须是非空字符串,当前为 ""`, true},
	{"value number", inOption("value", 1), `items[0].options[0].value 必须是非空字符串,当前为 1`, true},
	{"value twice", inOption("value", "b"), `items[0].options[1].value 值 "b" 重复,必须在同一待定项的 options 中唯一`, false},
	{"label missing", item(func(_, o map[string]any) { delete(o, "label") }), "items[0].options[0].label 必须是非空字符串,当前缺失", true},

	{"location empty", inItem("location", map[string]any{}), "items[0].location.file 必须是非空字符串,当前缺失\nitems[0].location.start 必须是非负整数,当前缺失\nitems[0].location.end 必须是非负整数,当前缺失", true},
	{"location text", inItem("location", "a.go:1"), `items[0].location 必须是对象,当前为 "a.go:1"`, true},
	{"location null", inItem("location", nil), "", true},
	{"location good", inItem("location", map[string]any{"file": "a", "start": 0, "end": 9}), "", true},
	{"location fraction", inItem("location", map[string]any{"file": "a", "start": 1.5, "end": "2"}), "items[0].location.start 必须是非负整数,当前为 1.5\nitems[0].location.end 必须是非负整数,当前为 \"2\"", true},
	{"location unknown", inItem("location", map[string]any{"file": "a", "start": 1, "end": 2, "line": 3}), "items[0].location.line 不是已知字段,可用字段: file, start, end", true},
	{"context number", inItem("context", 1), "items[0].context 必须是字符串或 null,当前为 1", true},
	{"context empty", inItem("context", ""), "", true},
	{"recommend", inItem("recommend", "b"), "", true},
	{"recommend null", inItem("recommend", nil), "", true},
	{"recommend another", inItem("recommend", "c"), `items[0].recommend 值 "c" 不在 options 中`, false},
	{"recommend empty", inItem("recommend", ""), `items[0].recommend 值 "" 不在 options 中`, false},
	{"recommend number", inItem("recommend", 1), `items[0].recommend 必须是字符串或 null,当前为 1`, true},
	{"score 0", inOption("score", 0), "", true},
	{"score 100", inOption("score", 100), "", true},
	{"score null", inOption("score", nil), "", true},
	{"score -1", inOption("score", -1), "items[0].options[0].score 必须是 0-100 之间的数字或 null,当前为 -1", true},
	{"score 100.5", inOption("score", 100.5), "items[0].options[0].score 必须是 0-100 之间的数字或 null,当前为 100.5", true},
	{"score text", inOption("score", "90"), `items[0].options[0].score 必须是 0-100 之间的数字或 null,当前为 "90"`, true},
	{"score bool", inOption("score", true), `items[0].options[0].score 必须是 0-100 之间的数字或 null,当前为 true`, true},
	{"pros", inOption("pros", []string{"", "x"}), "", true},
	{"pros null", inOption("pros", nil), "", true},
	{"pros text", inOption("pros", "x"), `items[0].options[0].pros 必须是字符串数组或 null,当前为 "x"`, true},
	{"cons with a number", inOption("cons", []any{"x", 1, nil}), "items[0].options[0].cons[1] 必须是字符串,当前为 1\nitems[0].options[0].cons[2] 必须是字符串,当前为 null", true},

	{"two ids", `{"task":"t","source":"s","items":[{"id":1,"title":"a","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]},{"id":1,"title":"b","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]}]}`, "items[1].id 值 1 重复,必须在 items 中唯一", false},
	{"the document's examples", `{"task":"t","source":"s","items":[{"id":1,"title":"a","options":[{"value":"x","label":"X"}]},{"id":2,"title":"b","recommend":"invalid","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]}]}`,
		"items[0].options 至少需要 2 个选项,当前只有 1 个\nitems[1].recommend 值 \"invalid\" 不在 options 中", true},
	{"another item's value", strings.Replace(two, `"recommend":"jwt"`, `"recommend":"bcrypt"`, 1), `items[0].recommend 值 "bcrypt" 不在 options 中`, false},
	{"Chinese and nulls", two, "", true},
}

func TestRules(t *testing.T) {
	t.Parallel()
	schema, err := schemas.Load("decide_input")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range rules {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, err := decide.ParseInput([]byte(tt.input))
			var said []string
			var invalid *decide.InvalidError
			if errors.As(err, &invalid) {
				for _, p := range invalid.Problems {
					said = append(said, p.Message(decide.Chinese))
					if en := p.Message(decide.English); strings.ContainsFunc(en, func(r rune) bool { return r > 0x2000 && r < 0xfff0 }) || en == p.Message(decide.Chinese) {
						t.Errorf("in English: %s", en)
					}
					if p.Advice(decide.Chinese) == "" || p.Advice(decide.English) == "" {
						t.Errorf("no advice for %s", p.Rule)
					}
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.says, strings.Join(said, "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if (in != nil) != (tt.says == "") {
				t.Errorf("got %v, %v", in, err)
			}
			var tree any
			if err := json.Unmarshal([]byte(tt.input), &tree); err != nil {
				t.Fatal(err)
			}
			if found := schema.Check(tree); (len(found) == 0) != (tt.says == "" || !tt.schema) {
				t.Errorf("the schema says %v", found)
			}
		})
	}
}

func TestSyntax(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, input, says string }{
		{"empty", "", "第 1 行第 1 列: 内容不完整"},
		{"cut", "{\n  \"task\": \"任务\",", "第 2 行第 16 列: 内容不完整"},
		{"twice", `{"task":1,"task":2}`, "第 1 行第 11 列: 字段 task 重复"},
		{"twice deep", `{"items":[{"id":1,"id":2}]}`, "第 1 行第 19 列: 字段 items/0/id 重复"},
		{"no UTF-8", "{\"task\":\"\xff\"}", "第 1 行第 10 列: 不是有效的 UTF-8"},
		{"huge number", `{"task":1e999}`, "第 1 行第 9 列: 数字超出范围"},
		{"too large", `"` + strings.Repeat("x", decide.MaxInputBytes) + `"`, "第 1 行第 1 列: 超过 4 MiB"},
		{"two values", `{} {}`, "第 1 行第 4 列: "},
		{"trailing comma", `{"task":1,}`, "第 1 行第 10 列: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := decide.ParseInput([]byte(tt.input))
			var syntax *decide.SyntaxError
			if !errors.As(err, &syntax) || !strings.HasPrefix(syntax.Detail(decide.Chinese), tt.says) || syntax.Detail(decide.English) == "" {
				t.Errorf("got %v", err)
				if syntax != nil {
					t.Error(syntax.Detail(decide.Chinese), " / ", syntax.Detail(decide.English))
				}
			}
		})
	}
	if _, err := decide.ParseInput([]byte("\ufeff" + strings.ReplaceAll(two, "\n", "\r\n"))); err != nil {
		t.Errorf("a byte order mark and CRLF: %v", err)
	}
}

// TestManyProblems holds that a hostile input is answered shortly.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	text := `{"task":"t","source":"s","items":[` + strings.TrimSuffix(strings.Repeat("{},", 500_000), ",") + `]}`
	_, err := decide.ParseInput([]byte(text))
	var invalid *decide.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Problems) != 100 {
		t.Fatalf("got %T", err)
	}
}

func TestInputKeepsItsText(t *testing.T) {
	t.Parallel()
	in := parse(t, `{ "source" : "s", "task":"\u4efb\u52a1 <&>\u2028", "items":[{"options":[{"value":"a","label":"A","score":90.50},{"value":"b","label":"B"}],"title":"T","id":1.0}]}`)
	want := `{"source":"s","task":"任务 <&>` + "\u2028" + `","items":[{"options":[{"value":"a","label":"A","score":90.50},{"value":"b","label":"B"}],"title":"T","id":1.0}]}`
	if string(in.JSON()) != want || in.Items[0].ID != 1 {
		t.Errorf("got %s", in.JSON())
	}
}

func TestParseDecisions(t *testing.T) {
	t.Parallel()
	in := parse(t, two)
	for _, tt := range []struct{ text, want string }{
		{`{"decisions":[{"id":2,"chosen":"bcrypt","note":" 说明 <&>\n"},{"id":1,"chosen":"jwt"}]}`, `{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"bcrypt","note":"说明 <&>"}]}`},
		{`{"decisions":[{"id":2,"chosen":"bcrypt","note":" \n"},{"id":1,"chosen":"jwt","note":null}]}`, `{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"bcrypt"}]}`},
		{`{"decisions":[{"id":1,"chosen":"jwt"}]}`, "none for 2"},
		{`{"decisions":[]}`, "none for 1"},
		{`{}`, "none for 1"},
		{`{"decisions":[{"id":3,"chosen":"jwt"}]}`, "decisions[0].id: expected the id of an item, got 3"},
		{`{"decisions":[{"id":1,"chosen":"jwt"},{"id":1,"chosen":"jwt"}]}`, "a second time"},
		{`{"decisions":[{"id":1,"chosen":"bcrypt"},{"id":2,"chosen":"bcrypt"}]}`, "decisions[0].chosen: expected one of the values"},
		{`{"decisions":[{"id":"1","chosen":"jwt"}]}`, "expected {"},
		{`{"decisions":[{"id":1.5,"chosen":"jwt"}]}`, "expected {"},
		{`{"decisions":[{"chosen":"jwt"}]}`, "expected id and chosen"},
		{`{"decisions":[{"id":1,"chosen":"jwt","extra":1}]}`, "expected {"},
		{`{"decisions":[{"id":1,"chosen":"jwt","note":"` + strings.Repeat("长", decide.MaxNoteRunes+1) + `"},{"id":2,"chosen":"bcrypt"}]}`, "at most 20000"},
		{`[]`, "expected {"}, {`{`, "expected {"}, {``, "expected {"}, {`{"decisions":[]} x`, "expected {"},
	} {
		d, err := decide.ParseDecisions(in, []byte(tt.text))
		if err != nil {
			if strings.HasPrefix(tt.want, `{"decisions"`) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.80s: %v", tt.text, err)
			}
			continue
		}
		got, err := d.JSON()
		if err != nil || string(got) != tt.want {
			t.Errorf("%.80s: got %s, %v", tt.text, got, err)
		}
		var tree any
		schema, serr := schemas.Load("decide_output")
		if err := errors.Join(serr, json.Unmarshal(got, &tree)); err != nil || len(schema.Check(tree)) > 0 {
			t.Errorf("the schema refuses %s: %v", got, err)
		}
	}
}

func FuzzParseInput(f *testing.F) {
	for _, tt := range rules {
		f.Add([]byte(tt.input))
	}
	schema, err := schemas.Load("decide_input")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := decide.ParseInput(text)
		if err != nil {
			var syntax *decide.SyntaxError
			var invalid *decide.InvalidError
			switch {
			case errors.As(err, &invalid):
				for _, p := range invalid.Problems {
					for _, l := range []decide.Language{decide.Chinese, decide.English} {
						if m := p.Message(l); strings.ContainsFunc(m, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x202e }) {
							t.Errorf("%q would act on a terminal", m)
						}
					}
				}
			case errors.As(err, &syntax):
				_ = syntax.Detail(decide.Chinese)
			default:
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		// What is good is good for the schema, keeps its meaning, and can be
		// decided.
		var tree any
		if err := json.Unmarshal(in.JSON(), &tree); err != nil {
			t.Fatal(err)
		}
		if found := schema.Check(tree); len(found) > 0 {
			t.Errorf("the schema says %v", found)
		}
		again, err := decide.ParseInput(in.JSON())
		if err != nil || string(again.JSON()) != string(in.JSON()) {
			t.Errorf("a second time: %v\n%s\n%s", err, in.JSON(), again.JSON())
		}
		var parts []string
		for _, it := range in.Items {
			chosen, err := json.Marshal(it.Options[1].Value)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, fmt.Sprintf(`{"id":%d,"chosen":%s}`, it.ID, chosen))
		}
		if _, err := decide.ParseDecisions(in, []byte(`{"decisions":[`+strings.Join(parts, ",")+`]}`)); err != nil {
			t.Error(err)
		}
	})
}
