package policy

import (
	"io/fs"
	"testing"
)

func TestBuiltInRules(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(builtIn, "rules/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rule files: %v", err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data, err := builtIn.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := Check(data); err != nil {
				t.Error(err)
			}
		})
	}
}
