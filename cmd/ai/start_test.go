package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// slowPackages may take longer to initialise than maxInit, or more memory.
// Each has its reason.
func slowPackages() map[string]string {
	return map[string]string{
		"github.com/openai/openai-go/v3": "the official SDK registers the decoders of all its types",
	}
}

// What a package may take at process start: each one is paid by every call.
const (
	maxInitMs    = 0.5
	maxInitBytes = 200 << 10
)

// build makes the program without the race detector.
func build(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "ai")
	cmd := exec.Command("go", "build", "-o", program, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// TestInitialisationIsCheap reads what the Go runtime says about package
// initialisation. A time is the least of several runs: a loaded machine makes
// it longer and nothing makes it shorter.
func TestInitialisationIsCheap(t *testing.T) {
	t.Parallel()
	program := build(t)
	line := regexp.MustCompile(`init (\S+) @[\d.]+ ms, ([\d.]+) ms clock, (\d+) bytes`)
	least := map[string]float64{}
	bytes := map[string]int{}
	for range 15 {
		cmd := exec.Command(program, "--version")
		cmd.Env = []string{"GODEBUG=inittrace=1", "HOME=" + t.TempDir()}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		matches := line.FindAllStringSubmatch(string(out), -1)
		if len(matches) < 10 {
			t.Fatalf("the runtime tells of %d packages only:\n%s", len(matches), out)
		}
		for _, m := range matches {
			ms, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if old, ok := least[m[1]]; !ok || ms < old {
				least[m[1]] = ms
			}
			if bytes[m[1]], err = strconv.Atoi(m[3]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name := range least {
		if slowPackages()[name] == "" && (least[name] > maxInitMs || bytes[name] > maxInitBytes) {
			t.Errorf("%s takes %.2f ms and %d bytes at every start; allowed are %.1f ms and %d bytes", name, least[name], bytes[name], maxInitMs, maxInitBytes)
		}
	}
}

// BenchmarkStart compares a start of the program with one of an empty Go
// program, in the same run.
func BenchmarkStart(b *testing.B) {
	program := build(b)
	dir := b.TempDir()
	for name, text := range map[string]string{"main.go": "package main\n\nfunc main() {}\n", "go.mod": "module empty\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	empty := filepath.Join(dir, "empty")
	cmd := exec.Command("go", "build", "-trimpath", "-o", empty, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		name string
		argv []string
	}{{"empty", []string{empty}}, {"version", []string{program, "--version"}}, {"explain", []string{program, "policy", "explain", "--", "git", "status"}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(c.argv[0], c.argv[1:]...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
