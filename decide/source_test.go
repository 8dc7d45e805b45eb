package decide

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := t.TempDir()
	project := filepath.Join(dir, "project")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("x\n", 1000)
	write(filepath.Join(project, "a.txt"), "\ufeff一\r\n二\n三\n四\n五\n六")
	write(filepath.Join(project, "long.txt"), long)
	write(filepath.Join(project, "wide.txt"), strings.Repeat("宽", 3000)+"\n\xff\xfe\n")
	write(filepath.Join(project, "binary"), "a\x00b\n")
	write(filepath.Join(project, "empty"), "")
	write(filepath.Join(project, "huge"), strings.Repeat(strings.Repeat("y", 1<<16)+"\n", 200))
	write(filepath.Join(outside, "secret"), "secret\n")
	write(filepath.Join(dir, "project-b", "secret"), "secret\n")
	for link, to := range map[string]string{
		"in": "a.txt", "absolute": filepath.Join(project, "a.txt"), "out": filepath.Join(outside, "secret"),
		"up": "../project-b/secret", "folder": outside, "loop": "loop", "gone": "nothing",
	} {
		if err := os.Symlink(to, filepath.Join(project, link)); err != nil {
			t.Skipf("this system makes no links: %v", err)
		}
	}
	for _, tt := range []struct {
		name       string
		file       string
		start, end int64
		first      int64
		lines      string // joined by |
		why        string
	}{
		{"in the middle", "a.txt", 5, 5, 2, "二|三|四|五|六", ""},
		{"from the first", "a.txt", 1, 2, 1, "一|二|三|四|五", ""},
		{"line 0", "a.txt", 0, 0, 1, "一|二|三|四", ""},
		{"backwards", "a.txt", 2, 1, 1, "一|二|三|四|五", ""},
		{"beyond the end", "a.txt", 6, 90, 3, "三|四|五|六", ""},
		{"behind the end", "a.txt", 8, 9, 5, "", sourceShort},
		{"an absolute path", filepath.Join(project, "a.txt"), 1, 1, 1, "一|二|三|四", ""},
		{"dots that stay", "x/../a.txt", 1, 1, 1, "一|二|三|四", ""},
		{"a link", "in", 1, 1, 1, "一|二|三|四", ""},
		{"an absolute link", "absolute", 1, 1, 1, "一|二|三|四", ""},

		{"up", "../project-b/secret", 1, 1, 0, "", sourceOutside},
		{"another absolute path", filepath.Join(outside, "secret"), 1, 1, 0, "", sourceOutside},
		{"its neighbour", filepath.Join(dir, "project-b", "secret"), 1, 1, 0, "", sourceOutside},
		{"a link out", "out", 1, 1, 0, "", sourceOutside},
		{"a link up", "up", 1, 1, 0, "", sourceOutside},
		{"through a folder", "folder/secret", 1, 1, 0, "", sourceOutside},
		{"a loop", "loop", 1, 1, 0, "", sourceMissing},
		{"a link to nothing", "gone", 1, 1, 0, "", sourceMissing},
		{"nothing", "b.txt", 1, 1, 0, "", sourceMissing},
		{"a zero byte", "a.txt\x00", 1, 1, 0, "", sourceMissing},
		{"a folder", ".", 1, 1, 0, "", sourceMissing},
		{"binary", "binary", 1, 1, 1, "", sourceBinary},
		{"empty", "empty", 1, 1, 1, "", sourceShort},
		{"far away", "huge", 190, 191, 187, "", sourceLarge},
		{"no line there can be", "a.txt", maxID, maxID, maxID - 3, "", sourceShort},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := source(project, Location{tt.file, tt.start, tt.end})
			if got := strings.Join(x.Lines, "|"); got != tt.lines || x.Error != tt.why || x.First != tt.first || x.File != tt.file || x.More {
				t.Errorf("got %q %+v", got, x)
			}
		})
	}
	x := source(project, Location{"long.txt", 10, 900})
	if len(x.Lines) != sourceLines || !x.More || x.First != 7 {
		t.Errorf("%d lines from %d, more %v", len(x.Lines), x.First, x.More)
	}
	x = source(project, Location{"wide.txt", 1, 2})
	if diff := cmp.Diff([]string{strings.Repeat("宽", sourceRunes) + "…", "\ufffd"}, x.Lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
