package schemas_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// answers gives many valid answers in canonical form, the same ones in every
// run.
func answers(t *testing.T) iter.Seq[[]byte] {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"", "a", "hello world", "日本語", "quote\"s", "back\\slash", "new\nline", "\U0001F600", "null", "{}", "-rf", "~/x"}
	word := func() string { return words[r.IntN(len(words))] }
	nonEmpty := func() string { return "p" + word() }
	quote := func(s string) string {
		b, err := jsontext.AppendQuote(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	list := func(min int, f func() string) string {
		n := min + r.IntN(4)
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	maybe := func(s string) string {
		if r.IntN(2) == 0 {
			return ""
		}
		return "," + s
	}
	boolean := func() string { return fmt.Sprint(r.IntN(2) == 0) }
	values := []string{"null", "true", "1", "9007199254740993", "1e300", "-0.10", `"x"`, `[]`, `{"a":[1,{"b":null}]}`, "12345678901234567890.5"}
	value := func() string { return values[r.IntN(len(values))] }
	pointers := []string{`""`, `"/a"`, `"/a~1b/0"`, `"/~0"`, `"/中"`}
	pointer := func() string { return pointers[r.IntN(len(pointers))] }
	strs := func() string { return list(0, func() string { return quote(word()) }) }
	requires := func() string {
		return `"requires":{"confirm":` + boolean() + `,"elevated":` + boolean() + `,"network":` + boolean() + `,"write":` + boolean() + "}"
	}
	operation := func() string {
		switch r.IntN(3) {
		case 0:
			return `{"op":"add","path":` + pointer() + `,"value":` + value() + `}`
		case 1:
			return `{"op":"remove","path":` + pointer() + `}`
		}
		return `{"op":"move","from":` + pointer() + `,"path":` + pointer() + `}`
	}
	set := func() string {
		var parts []string
		for _, p := range pointers[:1+r.IntN(len(pointers))] {
			parts = append(parts, p+":"+value())
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	step := func() string {
		switch r.IntN(5) {
		case 3:
			return `{"tool":"decide.ask","task":` + quote(nonEmpty()) + `,"items":` + value() + "}"
		case 0:
			return `{"tool":"plugin.run","plugin":` + quote(nonEmpty()) + `,"args":` + strs() + maybe(`"interactive":`+boolean()) + maybe(requires()) + "}"
		case 1:
			return `{"tool":"config.json_patch","path":` + quote(nonEmpty()) + `,"patch":` + list(1, operation) + maybe(requires()) + "}"
		case 2:
			return `{"tool":"config.json_patch","path":` + quote(nonEmpty()) + `,"set":` + set() + maybe(`"unset":`+list(1, pointer)) + "}"
		}
		return `{"program":` + quote(nonEmpty()) + `,"args":` + strs() + maybe(`"tool":"exec"`) + maybe(requires()) + "}"
	}
	return func(yield func([]byte) bool) {
		for range 2000 {
			var s string
			switch r.IntN(4) {
			case 0:
				s = `{"type":"chat","message":` + quote(word()) + maybe(`"data":{"format":"markdown"`+maybe(`"suggestions":`+strs())+"}") + "}"
			case 1:
				s = `{"type":"error","message":` + quote(word()) + maybe(`"data":{}`) + "}"
			default:
				s = `{"type":"cmd","message":` + quote(word()) + `,"data":{"commands":` + list(1, step) +
					maybe(`"cwd":`+[]string{"null", `"/tmp"`}[r.IntN(2)]) + maybe(`"expected_effect":`+quote(word())) + "}}"
			}
			if !yield([]byte(s)) {
				return
			}
		}
	}
}

// normal reads an answer with what is absent filled in, numbers as spelled.
func normal(t *testing.T, answer []byte) map[string]any {
	t.Helper()
	var v struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Data    struct {
			Format      string   `json:"format"`
			Suggestions []string `json:"suggestions"`
			CWD         *string  `json:"cwd"`
			Effect      *string  `json:"expected_effect"`
			Commands    []struct {
				Tool        string          `json:"tool"`
				Program     string          `json:"program"`
				Args        []string        `json:"args"`
				Plugin      string          `json:"plugin"`
				Interactive bool            `json:"interactive"`
				Path        string          `json:"path"`
				Patch       jsontext.Value  `json:"patch"`
				Set         jsontext.Value  `json:"set"`
				Unset       []string        `json:"unset"`
				Requires    map[string]bool `json:"requires"`
			} `json:"commands"`
		} `json:"data"`
	}
	v.Data.Format = "plain"
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	out := map[string]any{"type": v.Type, "message": v.Message}
	switch v.Type {
	case "chat":
		out["format"], out["suggestions"] = v.Data.Format, v.Data.Suggestions
		if len(v.Data.Suggestions) == 0 {
			out["suggestions"] = nil
		}
	case "cmd":
		cwd, effect := "", ""
		if v.Data.CWD != nil {
			cwd = *v.Data.CWD
		}
		if v.Data.Effect != nil {
			effect = *v.Data.Effect
		}
		out["cwd"], out["effect"] = cwd, effect
		for i := range v.Data.Commands {
			c := &v.Data.Commands[i]
			if c.Tool == "" {
				c.Tool = "exec"
			}
			for _, raw := range []*jsontext.Value{&c.Patch, &c.Set} {
				if *raw != nil {
					if err := raw.Compact(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if c.Requires == nil {
				c.Requires = map[string]bool{"confirm": false, "elevated": false, "network": false, "write": false}
			}
		}
		commands, err := json.Marshal(v.Data.Commands, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		out["commands"] = string(commands)
	}
	return out
}
