package mask_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/internal/mask"
)

// sourceFiles gives the text files of a tree, in their order.
func sourceFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "fuzz"):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		if info, err := d.Info(); err == nil && info.Size() <= 256<<10 {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// changedLines counts lines, and gives those that are not what they were.
func changedLines(t *testing.T, m *mask.Masker, file string) (lines int, changed []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || !utf8.Valid(data) {
		return 0, nil
	}
	text := string(data)
	lines = strings.Count(text, "\n") + 1
	masked, found := m.Text(text)
	if found == nil {
		return lines, nil
	}
	was, is := strings.Split(text, "\n"), strings.Split(masked, "\n")
	for i, line := range was {
		if i >= len(is) || line != is[i] {
			changed = append(changed, line)
		}
		if len(is) != len(was) && len(changed) > 0 {
			break // a key block became one line
		}
	}
	return lines, changed
}

// Ordinary source code stays as it is. What looks like a secret there is in
// tests, of which some are about secrets.
func TestSourceCodeStays(t *testing.T) {
	t.Parallel()
	root := filepath.Join(runtime.GOROOT(), "src") //nolint:staticcheck // the tests run where Go is installed
	if _, err := os.Stat(root); err != nil {
		t.Skip("the source of Go is not installed")
	}
	all := sourceFiles(t, root)
	const sample = 2000
	if len(all) < sample {
		t.Fatalf("only %d files in %s", len(all), root)
	}
	m := mask.New()
	lines, inTests, inCode := 0, 0, 0
	for i := range sample {
		file := all[i*len(all)/sample]
		n, changed := changedLines(t, m, file)
		lines += n
		name, _ := filepath.Rel(root, file)
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
			inTests += len(changed)
			continue
		}
		inCode += len(changed)
		for _, line := range changed {
			t.Logf("%s: %.100q", name, strings.TrimSpace(line))
		}
	}
	t.Logf("%d lines: %d changed in tests, %d in other code", lines, inTests, inCode)
	if inCode*100_000 > lines {
		t.Errorf("%d of %d lines are changed, expected one of 100,000 at most", inCode, lines)
	}
	if inTests*5_000 > lines {
		t.Errorf("%d of %d lines are changed in tests, expected one of 5,000 at most", inTests, lines)
	}
}

// Nothing in this repository's own files is a secret, apart from tests.
func TestOwnFilesStay(t *testing.T) {
	t.Parallel()
	m := mask.New()
	files, lines := 0, 0
	for _, file := range sourceFiles(t, filepath.Join("..", "..")) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
			continue
		}
		n, changed := changedLines(t, m, file)
		if n > 0 {
			files++
		}
		lines += n
		for _, line := range changed {
			if !isExample(line) {
				t.Errorf("%s: %.100q is changed", file, strings.TrimSpace(line))
			}
		}
	}
	if files < 200 || lines < 20_000 {
		t.Errorf("only %d files with %d lines were read", files, lines)
	}
}

// isExample tells lines that show what a secret looks like.
func isExample(line string) bool {
	for _, example := range []string{"://user:password@", "://u:p"} {
		if strings.Contains(line, example) {
			return true
		}
	}
	return false
}
