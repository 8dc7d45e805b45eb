package policy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/holic512/plugin-ai/protocol"
)

// A corpusLine is one command of testdata/policy/*.jsonl.
type corpusLine struct {
	Program string   `json:"program"`
	Args    []string `json:"args"`
	CWD     string   `json:"cwd,omitzero"`
	Why     string   `json:"why"`
}

func readCorpus(t testing.TB, name string) []Step {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "policy", name))
	if err != nil {
		t.Fatal(err)
	}
	var steps []Step
	for line := range bytes.Lines(data) {
		var c corpusLine
		if err := decode(line, &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.Why == "" {
			t.Errorf("%s: %s has no reason", name, line)
		}
		if c.CWD == "" {
			c.CWD = "/home/you/work"
		}
		steps = append(steps, Step{Program: c.Program, Args: c.Args, CWD: c.CWD})
	}
	return steps
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	e := wordsEngine(t, open(Options{}))
	for _, part := range []struct {
		file string
		min  int
		ok   func(Judgement) bool
	}{
		{"l0.jsonl", 300, func(j Judgement) bool { return j.Level == protocol.Safe && j.Listed }},
		{"ask.jsonl", 200, func(j Judgement) bool { return j.Level == protocol.Confirm }},
		{"never_l0.jsonl", 300, func(j Judgement) bool { return j.Level != protocol.Safe }},
	} {
		steps := readCorpus(t, part.file)
		good := 0
		for _, step := range steps {
			j := e.Judge(step)
			if part.ok(j) {
				good++
				continue
			}
			t.Errorf("%s: %q %q is %v (listed %v): %q", part.file, step.Program, step.Args, j.Level, j.Listed, j.Reasons)
		}
		if len(steps) < part.min {
			t.Errorf("%s has %d lines, expected %d", part.file, len(steps), part.min)
		}
		t.Logf("%s: %d of %d as expected (%.1f %%)", part.file, good, len(steps), 100*float64(good)/float64(len(steps)))
	}
}
