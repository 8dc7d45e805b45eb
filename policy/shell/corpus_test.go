package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// readScripts reads scripts, one a line; a line in double quotes holds one
// with escapes.
func readScripts(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(line, `"`) {
			if script, err := strconv.Unquote(line); err == nil {
				line = script
			}
		}
		all = append(all, line)
	}
	return all
}

// workspace is a folder with what the scripts name.
func workspace(t testing.TB) string {
	t.Helper()
	at, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "1\n2\n", "b.txt": "x\n", "sub/x.go": "package x\n", "sub/y.go": "", "a b.txt": "", "-R": "", "中文.txt": "", "s": "x=-R\n"} {
		writeFile(t, filepath.Join(at, name), text)
	}
	if err := os.Symlink("/", filepath.Join(at, "link")); err != nil {
		t.Fatal(err)
	}
	return at
}

func writeFile(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func engine(t testing.TB, opt policy.Options) *policy.Engine {
	t.Helper()
	opt.Home = "/home/you"
	e, err := policy.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func open() policy.Options { return policy.Options{AllowWrite: true, AllowNetwork: true} }

func TestCorpus(t *testing.T) {
	t.Parallel()
	at := workspace(t)
	e := engine(t, open())
	for name, levels := range map[string][]protocol.Level{
		"l0.txt":      {protocol.Safe},
		"l1.txt":      {protocol.Confirm},
		"l2.txt":      {protocol.Block},
		"hostile.txt": {protocol.Confirm, protocol.Block},
	} {
		for _, script := range readScripts(t, name) {
			j := Judge(e, script, at, protocol.Requires{})
			if !slices.Contains(levels, j.Level) {
				t.Errorf("%s: %q is %v: %q", name, script, j.Level, j.Reasons)
			}
			if len(j.Rules) != len(j.Reasons) || j.Level > protocol.Safe && len(j.Reasons) == 0 {
				t.Errorf("%q: rules %q, reasons %q", script, j.Rules, j.Reasons)
			}
		}
	}
}
