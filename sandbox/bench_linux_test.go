//go:build amd64 || arm64

package sandbox_test

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/sandbox"
)

// BenchmarkStart runs a program behind the wall and in the open, in turn, so
// that both see the same machine. It reports medians.
func BenchmarkStart(b *testing.B) {
	s := newSandbox(b, sandbox.Config{Secret: systemSecrets()})
	s.Prepare()
	printf, err := exec.LookPath("printf")
	if err != nil {
		b.Skip("there is no printf")
	}
	var walled, open []time.Duration
	for b.Loop() {
		start := time.Now()
		cmd := exec.CommandContext(b.Context(), printf, "x")
		step, err := s.Start(cmd, sandbox.ReadOnly())
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		if err := step.Close(); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := exec.CommandContext(b.Context(), printf, "x").Run(); err != nil {
			b.Fatal(err)
		}
		walled = append(walled, middle.Sub(start))
		open = append(open, time.Since(middle))
	}
	slices.Sort(walled)
	slices.Sort(open)
	w, o := walled[len(walled)/2], open[len(open)/2]
	b.ReportMetric(float64(w.Microseconds()), "walled-µs")
	b.ReportMetric(float64(o.Microseconds()), "open-µs")
	b.ReportMetric(float64((w - o).Microseconds()), "added-µs")
	b.ReportMetric(0, "ns/op")
}
