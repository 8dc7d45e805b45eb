package executors

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestParsePluginOutput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		output, want string
		exit         int
	}{
		"object":           {"{\n  \"a\": 1.50,\n  \"路径\": \"中 文\",\n  \"b\": [ 1, {} ]\n}\n", `plugin_output 1` + "\n" + `{"a":1.50,"路径":"中 文","b":[1,{}]}`, 0},
		"array":            {"[ {\"a\": \"x,]\"}, 12345678901234567890, \"s\\\"\\u4e2d\", null, [1, 2], -0.5e+3 ]\r\n", "plugin_output 6\n{\"a\":\"x,]\"}\n12345678901234567890\n\"s\\\"中\"\nnull\n[1,2]\n-0.5e+3", 0},
		"empty array":      {" [ ]\n", "plugin_output 0", 0},
		"empty object":     {"{}", "plugin_output 1\n{}", 0},
		"failed":           {`{"error":"no such list"}`, "plugin_output 1\n{\"error\":\"no such list\"}", 2},
		"lines":            {"{\"n\":1}\r\n\r\n{\"n\": 2}\n[3]\n", "plugin_output 3\n{\"n\":1}\n{\"n\":2}\n[3]", 0},
		"lines of arrays":  {"[1,2]\n[3]", "plugin_output 2\n[1,2]\n[3]", 0},
		"byte order mark":  {"\ufeff[1]", "plugin_output 1\n1", 0},
		"colours":          {"\x1b[?25l\x1b[32m{\x1b[0m\"a\"\x1b[1m:\x1b]8;;http://x\x07 tr\x1b[0mue}\x1b[39m\n\x1b[?25h", "plugin_output 1\n{\"a\":true}", 0},
		"nothing":          {"", "plugin_output 0", 0},
		"only space":       {" \n\x1b[0m\n", "plugin_output 0", 0},
		"table":            {"ID │ 名称\n1  │ x\n", "plugin_output 0", 0},
		"a number":         {"42\n", "plugin_output 0", 0},
		"text before":      {"Loading…\n{\"a\":1}\n", "plugin_output 0", 0},
		"text after":       {"{\"a\":1}\ndone\n", "plugin_output 0", 0},
		"half":             {"{\"a\":[1,2", "plugin_output 0", 0},
		"two in a line":    {"{} {}\n", "plugin_output 0", 0},
		"two documents":    {"{\n}\n{\n}\n", "plugin_output 0", 0},
		"a folded second":  {"{}\n{\n}\n", "plugin_output 0", 0},
		"equal keys":       {`{"a":1,"a":2}`, "plugin_output 0", 0},
		"not UTF-8":        {"[\"\xd6\xd0\"]", "plugin_output 0", 0},
		"trailing comma":   {"[1,]", "plugin_output 0", 0},
		"single quotes":    {"{'a':1}", "plugin_output 0", 0},
		"leading zero":     {"[01]", "plugin_output 0", 0},
		"line end in text": {"[\"a\nb\"]", "plugin_output 0", 0},
		"wrong bracket":    {"[1}", "plugin_output 0", 0},
		"mark twice":       {"\ufeff\ufeff[1]", "plugin_output 0", 0},
		"other mark":       {"\xef\xbb[1]", "plugin_output 0", 0},
		"end in an escape": {"[1]\x1b[3", "plugin_output 1\n1", 0},
		"too deep":         {strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), "plugin_output 0", 0},
		"like another":     {"f.go:3:x\n", "plugin_output 0", 1},
	} {
		for _, program := range []string{"node", "grep", "git", "cat"} {
			got := parsed(parse(Command{Name: program, Args: []string{"-n", "x"}, Plugin: "todo"}, c.output, c.exit))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, run by %s (-want +got):\n%s", name, program, diff)
			}
		}
	}
}

// Only the first items are kept, of large ones not one; all are counted and
// the memory stays small. The test is not parallel, so that it counts its own.
func TestParsePluginOutputIsCapped(t *testing.T) {
	item := `{"id":7,"text":"` + strings.Repeat("中", 30) + `"},` + "\n"
	large := `"` + strings.Repeat("x", 1<<20) + `",`
	p := newPluginParser(50, 6<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.feed([]byte("["))
	block := []byte(strings.Repeat(item, 100))
	for range 1000 {
		p.feed(block)
	}
	p.feed([]byte(large + large + "1]\n"))
	got := p.end(0)
	runtime.ReadMemStats(&after)
	size := 0
	for _, i := range got.Items {
		size += len(i)
	}
	if got.Total != 100_003 || len(got.Items) == 0 || len(got.Items) > 50 || size > 6<<10 {
		t.Errorf("total %d, %d items, %d bytes", got.Total, len(got.Items), size)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 5<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	if got := parsed(parse(Command{Plugin: "x"}, "{\"a\":"+strings.TrimSuffix(large, ",")+"}", 0)); got != "plugin_output 1" {
		t.Errorf("a large object came to %s", got)
	}
}

// The scan and a full decoder agree on what is JSON.
func FuzzJSONScan(f *testing.F) {
	for _, text := range []string{`{"a":[1,-0.5e-3,true,false,null,"\u4e2d\n"]}`, `[[],{},[{}]]`, `[1.]`, `[-]`, `[1e]`, `{"a" 1}`, `["\x"]`, `[tru]`, `[0x1]`, `{,}`, `["\ud800"]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.Trim(text, " \t\r\n")
		if text == "" || text[0] != '{' && text[0] != '[' {
			return
		}
		var s jsonScan
		ok := true
		for i := 0; i < len(text) && ok; i++ {
			ok = s.next(text[i]) && (!s.outside() || i == len(text)-1)
		}
		if want, got := validJSON(text), ok && s.outside(); got != want {
			t.Errorf("%s: %s, expected %s", text, strconv.FormatBool(got), strconv.FormatBool(want))
		}
	})
}

// validJSON asks a decoder that does not look at keys and UTF-8 either.
func validJSON(text string) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
