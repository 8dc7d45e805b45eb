//go:build unix

package jsonfile_test

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/executors/jsonfile"
)

// Two processes that change one file at once lose nothing.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("settings.json", "{\n  \"language\": \"zh\"\n}")
	var running []*exec.Cmd
	for _, name := range []string{"a", "b"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"=count,"+p.home+","+name+",50")
		cmd.Stderr = new(bytes.Buffer)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, cmd.Stderr)
		}
	}
	if got := p.read("settings.json"); !jsonfile.Equal([]byte(got), []byte(`{"language":"zh","a":50,"b":50}`)) {
		t.Errorf("got %s", got)
	}
	list, err := p.editor.Backups()
	if err != nil || len(list) != 20 {
		t.Errorf("%d backups, %v", len(list), err)
	}
	onlyOurs(t, p)
}

// onlyOurs finds what was left behind.
func onlyOurs(t *testing.T, p place) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(p.sloth, "*", ".*.new-*"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(p.sloth, ".*.new-*"))
	if err != nil || len(left)+len(more) > 0 {
		t.Errorf("left behind: %q %q, %v", left, more, err)
	}
	list, err := p.editor.Backups()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(p.sloth, "backups", "*"+".old"))
	if err != nil || len(kept) != len(list) {
		t.Errorf("%d texts for %d backups, %v", len(kept), len(list), err)
	}
}

func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	const old, fresh = "{\n  \"n\": 0\n}\n", "{\n  \"n\": 1\n}\n"
	for _, step := range []string{"locked", "kept", "recorded", "prepared", "replaced", "confirmed", "pruned"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write("settings.json", "{\n  \"n\": -1\n}\n")
			_, first := p.do("~/.slothtool/settings.json", set("/n", "0"))
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), childVariable+"=die,"+p.home+","+step)
			out, err := cmd.CombinedOutput()
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
				t.Fatalf("%v: %s", err, out)
			}
			written := step == "replaced" || step == "confirmed" || step == "pruned"
			want := old
			if written {
				want = fresh
			}
			if got := p.read("settings.json"); got != want {
				t.Fatalf("the file is %q", got)
			}
			undo, backup, err := p.editor.PlanUndo("")
			if err != nil || (backup.ID == first) == written || undo.ChangedSince || string(undo.Old) != want {
				t.Errorf("%+v would be taken back, %v", backup, err)
			}
			p.do("~/.slothtool/settings.json", set("/n", "2"))
			onlyOurs(t, p)
			for _, want := range []string{want, map[bool]string{true: old, false: "{\n  \"n\": -1\n}\n"}[written]} {
				undo, _, err := p.editor.PlanUndo("")
				if err != nil || undo.ChangedSince || string(undo.New) != want {
					t.Fatalf("%+v, %v; want %q", undo, err, want)
				}
				if _, err := p.editor.Commit(t.Context(), undo); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestKillAtAnyMoment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("settings.json", `{"n":0}`)
	for round := range 25 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"=die,"+p.home+",random")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "going\n" {
			t.Fatal(line, err)
		}
		<-time.After(time.Duration(rand.IntN(8000)) * time.Microsecond) // any moment will do
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got := p.read("settings.json"); !jsontext.Value(got).IsValid() || !strings.HasPrefix(got, `{"n":`) {
			t.Fatalf("the file is %q", got)
		}
		undo, _, err := p.editor.PlanUndo("")
		if err != nil || undo.ChangedSince {
			t.Fatalf("%+v, %v", undo, err)
		}
		p.do("~/.slothtool/settings.json", set("/round", itoa(round)))
		onlyOurs(t, p)
	}
}
