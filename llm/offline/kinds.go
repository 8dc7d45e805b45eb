package offline

import (
	"path"
	"strings"
)

// A kind of files: a language or a format.
type kind struct {
	name  string   // for people
	globs []string // of file names
}

// kinds lists the names that people use, then the kind.
func kinds() []struct {
	names string
	kind  kind
} {
	type row = struct {
		names string
		kind  kind
	}
	return []row{
		{"go golang", kind{"Go", []string{"*.go"}}},
		{"python py", kind{"Python", []string{"*.py"}}},
		{"javascript js", kind{"JavaScript", []string{"*.js", "*.mjs", "*.cjs", "*.jsx"}}},
		{"typescript ts", kind{"TypeScript", []string{"*.ts", "*.tsx"}}},
		{"rust rs", kind{"Rust", []string{"*.rs"}}},
		{"java", kind{"Java", []string{"*.java"}}},
		{"kotlin kt", kind{"Kotlin", []string{"*.kt", "*.kts"}}},
		{"swift", kind{"Swift", []string{"*.swift"}}},
		{"ruby rb", kind{"Ruby", []string{"*.rb"}}},
		{"php", kind{"PHP", []string{"*.php"}}},
		{"c", kind{"C", []string{"*.c", "*.h"}}},
		{"c++ cpp cxx", kind{"C++", []string{"*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh"}}},
		{"c# csharp cs", kind{"C#", []string{"*.cs"}}},
		{"shell bash sh", kind{"shell", []string{"*.sh", "*.bash"}}},
		{"sql", kind{"SQL", []string{"*.sql"}}},
		{"html", kind{"HTML", []string{"*.html", "*.htm"}}},
		{"css", kind{"CSS", []string{"*.css"}}},
		{"vue", kind{"Vue", []string{"*.vue"}}},
		{"lua", kind{"Lua", []string{"*.lua"}}},
		{"markdown md", kind{"Markdown", []string{"*.md", "*.markdown"}}},
		{"text txt", kind{"text", []string{"*.txt"}}},
		{"json", kind{"JSON", []string{"*.json"}}},
		{"yaml yml", kind{"YAML", []string{"*.yaml", "*.yml"}}},
		{"toml", kind{"TOML", []string{"*.toml"}}},
		{"xml", kind{"XML", []string{"*.xml"}}},
		{"csv", kind{"CSV", []string{"*.csv"}}},
		{"log", kind{"log", []string{"*.log"}}},
		{"pdf", kind{"PDF", []string{"*.pdf"}}},
		{"image images picture pictures photo photos", kind{"image", []string{"*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.svg"}}},
		{"test tests", *testKind()},
	}
}

func testKind() *kind {
	return &kind{"test", []string{"*_test.*", "test_*", "*.test.*", "*.spec.*"}}
}

// kindOf gives the kind of files that a word names ("go", ".go", "*.go"), or
// nil.
func kindOf(low string) *kind {
	if rest, ok := strings.CutPrefix(low, "*."); ok {
		low = "." + rest
	}
	name, dotted := strings.CutPrefix(low, ".")
	if name == "" || strings.ContainsAny(name, "/.*?") {
		return nil
	}
	for _, row := range kinds() {
		for n := range strings.FieldsSeq(row.names) {
			if n == name {
				k := row.kind
				return &k
			}
		}
	}
	if dotted && len(name) <= 8 && isFile("x."+name) {
		return &kind{"." + name, []string{"*." + name}}
	}
	return nil
}

// kindOfFile gives the kind of a file by its ending, or nil.
func kindOfFile(name string) *kind {
	base := strings.ToLower(path.Base(name))
	for _, row := range kinds() {
		for _, g := range row.kind.globs {
			if ok, err := path.Match(g, base); err == nil && ok {
				k := row.kind
				return &k
			}
		}
	}
	return nil
}
