package executors_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/executors"
)

// BenchmarkStep compares a whole step with a bare run of the same program,
// in turn, so that both see the same machine.
func BenchmarkStep(b *testing.B) {
	e := newExec(b, executors.ExecConfig{})
	printf := command(b, "printf", "hello\\n")
	var step, bare time.Duration
	for b.Loop() {
		start := time.Now()
		if r := e.Run(b.Context(), printf, nil); r.Stdout != "hello\n" {
			b.Fatalf("unexpected result %+v", r)
		}
		middle := time.Now()
		if out, err := exec.Command(printf.Path, printf.Args...).Output(); err != nil || string(out) != "hello\n" {
			b.Fatal(err)
		}
		step += middle.Sub(start)
		bare += time.Since(middle)
	}
	n := float64(b.N)
	b.ReportMetric(float64(step.Microseconds())/n, "step-µs")
	b.ReportMetric(float64(bare.Microseconds())/n, "bare-µs")
	b.ReportMetric(float64((step-bare).Microseconds())/n, "over-µs")
}

// BenchmarkFlood takes in 1 GiB beside a bare pipe that is read with the same
// sizes, in turn.
func BenchmarkFlood(b *testing.B) { flood(b, 1, "", nil) }

// BenchmarkFloodSpooled is the same with a spool file of 64 MiB.
func BenchmarkFloodSpooled(b *testing.B) { flood(b, 1, b.TempDir(), nil) }

// BenchmarkFloodLive is the same with a face that watches.
func BenchmarkFloodLive(b *testing.B) { flood(b, 1, "", func(executors.Chunk) {}) }

// BenchmarkFlood4GiB shows that memory stays flat.
func BenchmarkFlood4GiB(b *testing.B) { flood(b, 4, b.TempDir(), func(executors.Chunk) {}) }

func flood(b *testing.B, gib int64, spoolDir string, output func(executors.Chunk)) {
	e := newExec(b, executors.ExecConfig{SpoolDir: spoolDir})
	head := command(b, "head", "-c", fmt.Sprint(gib<<30), "/dev/zero")
	var step, bare time.Duration
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		start := time.Now()
		if r := e.Run(b.Context(), head, output); r.ExitCode == nil || *r.ExitCode != 0 {
			b.Fatalf("unexpected result %+v", r)
		}
		middle := time.Now()
		if n := barePipe(b, head); n != gib<<30 {
			b.Fatalf("%d bytes", n)
		}
		step += middle.Sub(start)
		bare += time.Since(middle)
	}
	runtime.ReadMemStats(&after)
	size := float64(gib<<10) * float64(b.N)
	b.ReportMetric(size/step.Seconds(), "MiB/s")
	b.ReportMetric(size/bare.Seconds(), "bare-MiB/s")
	b.ReportMetric(bare.Seconds()/step.Seconds(), "ratio")
	b.ReportMetric(float64(after.Sys-before.Sys)/(1<<20), "grown-MiB")
}

// barePipe runs a program and reads its output into a ring, with blocking
// reads of 256 KiB from a pipe of 1 MiB.
func barePipe(b *testing.B, c executors.Command) int64 {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	fd := int(r.Fd()) // blocking from here on
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), 1031, 1<<20)
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	_ = w.Close()
	ring := make([]byte, 512<<10)
	pos, total := 0, int64(0)
	for {
		n, err := syscall.Read(fd, ring[pos:min(pos+256<<10, len(ring))])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			break
		}
		total += int64(n)
		pos = (pos + n) % len(ring)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return total
}
