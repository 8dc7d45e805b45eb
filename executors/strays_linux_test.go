package executors_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
)

// daemon is a classical daemon: it forks, leaves the session, forks again,
// closes what it inherited and goes on.
const daemon = `perl -e '
use POSIX qw(setsid);
exit 0 if fork; setsid(); exit 0 if fork;
open(STDIN,"</dev/null"); open(STDOUT,">/dev/null"); open(STDERR,">/dev/null");
exec "sleep", "MARK";'`

// Each script leaves a process behind whose command line has MARK.
func strays() map[string]string {
	return map[string]string{
		"background":          `sleep MARK & echo done`,
		"background, quiet":   `sleep MARK >/dev/null 2>&1 & echo done`,
		"nohup":               `nohup sleep MARK >/dev/null 2>&1 & echo done`,
		"setsid":              `setsid sleep MARK & sleep 0.1; echo done`,
		"setsid, quiet":       `setsid sleep MARK >/dev/null 2>&1 & sleep 0.1; echo done`,
		"empty environment":   `env -i setsid sleep MARK >/dev/null 2>&1 & sleep 0.1; echo done`,
		"double fork":         daemon + `; sleep 0.2; echo done`,
		"ignores TERM":        `(trap "" TERM; sleep MARK) >/dev/null 2>&1 & echo done`,
		"family":              `setsid sh -c "sleep MARK & sleep MARK & wait" >/dev/null 2>&1 & sleep 0.1; echo done`,
		"stopped":             `(sleep MARK & kill -STOP $!) >/dev/null 2>&1; echo done`,
		"other group, no tty": `set -m; sleep MARK >/dev/null 2>&1 & echo done`,
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	e := newExec(t, executors.ExecConfig{Grace: 300 * time.Millisecond})
	for name, script := range strays() {
		t.Run(name, func(t *testing.T) {
			mark := uniqueSeconds()
			r := e.Run(t.Context(), sh(t, strings.ReplaceAll(script, "MARK", mark)), nil)
			wantExit(t, r, 0)
			if r.Stdout != "done\n" || !strings.Contains(r.Note, "left behind") {
				t.Errorf("unexpected result %+v", r)
			}
			wantGone(t, mark)
		})
		t.Run(name+", cancelled", func(t *testing.T) {
			mark := uniqueSeconds()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			script := strings.ReplaceAll(script, "MARK", mark) + "; sleep " + mark
			r := e.Run(ctx, sh(t, script), func(c executors.Chunk) {
				if !c.Stderr {
					cancel()
				}
			})
			if r.Outcome != protocol.Cancelled || r.Stdout != "done\n" {
				t.Errorf("unexpected result %+v", r)
			}
			wantGone(t, mark)
		})
	}
}

func TestOtherChildrenAreLeftAlone(t *testing.T) {
	c := command(t, "sleep", "600")
	other, err := os.StartProcess(c.Path, append([]string{"sleep"}, c.Args...), &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	e := newExec(t, executors.ExecConfig{})
	wantExit(t, e.Run(t.Context(), sh(t, "sleep 600 >/dev/null 2>&1 & exit 0"), nil), 0)
	if err := other.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	if state, err := other.Wait(); err != nil || state.ExitCode() != -1 {
		t.Errorf("%v, %v", state, err)
	}
}

func TestDeadOrphansAreWaitedFor(t *testing.T) {
	before := zombies(t) // of other tests' Execs
	e := newExec(t, executors.ExecConfig{})
	for range 3 {
		wantExit(t, e.Run(t.Context(), sh(t, "setsid true & true & sleep 0.1"), nil), 0)
	}
	// What ended in a session of its own is waited for a good second later.
	wantExit(t, e.Run(t.Context(), command(t, "sleep", "1.1"), nil), 0)
	for _, z := range zombies(t) {
		if !slices.Contains(before, z) {
			t.Errorf("dead process %s was not waited for", z)
		}
	}
}

// zombies are the pids of this process's dead children.
func zombies(t *testing.T) (pids []string) {
	for _, stat := range stats(t) {
		f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
		if f[0] == "Z" && f[1] == strconv.Itoa(os.Getpid()) {
			pids = append(pids, strings.Fields(stat)[0])
		}
	}
	return pids
}

func stats(t *testing.T) []string {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes found: %v", err)
	}
	var all []string
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil {
			all = append(all, string(data))
		}
	}
	return all
}

// TestMemoryIsFlat is not parallel, so that it counts its own memory only.
func TestMemoryIsFlat(t *testing.T) {
	e := newExec(t, executors.ExecConfig{SpoolDir: t.TempDir(), SpoolLimit: 1 << 20})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := e.Run(t.Context(), command(t, "head", "-c", "536870912", "/dev/zero"), func(executors.Chunk) {})
	runtime.ReadMemStats(&after)
	wantExit(t, r, 0)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were allocated for 512 MiB of output", grown)
	}
}
