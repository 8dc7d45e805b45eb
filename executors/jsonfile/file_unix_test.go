//go:build unix

package jsonfile_test

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/executors/jsonfile"
)

func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, text := range map[string]string{"list": "[]", "number": "1", "empty": "", "blank": " \n", "broken": "{\n  \"a\": 1,\n}", "two": "{} {}", "twice": `{"a":{"b":1,"b":2}}`, "bytes": "{\"a\":\"\xff\"}",
		"comment": "{\n // x\n}", "open": `{"a":`, "deep": strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000), "big": `{"a":"` + strings.Repeat("x", jsonfile.MaxBytes) + `"}`, "linked": "{}", "surrogate": `{"a":"\ud800"}`} {
		p.write("plugin-configs/"+name+".json", text)
	}
	at := func(name string) string { return filepath.Join(p.sloth, "plugin-configs", name+".json") }
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	for _, err := range []error{os.Link(at("linked"), at("second")), unix.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, says := range map[string]string{"list": "got an array", "number": "got a number", "empty": "got an empty file", "blank": "got an empty file", "broken": "at 2:9", "two": "got more behind it at 1:4",
		"twice": "the key /a/b a second time", "bytes": "UTF-8", "comment": "at 2:2", "open": "the end of the file", "deep": "128 levels", "big": "4194304 bytes", "linked": "several (hard links)",
		"second": "several (hard links)", "pipe": "got a pipe", "folder": "got a folder", "socket": "got a socket", "surrogate": "surrogate"} {
		_, err := p.editor.Plan(at(name), "", set("/a", "1"))
		if kindOf(err) != jsonfile.KindFile || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: got %v; want an error that says %q", name, err, says)
		}
	}
}

// A pipe that takes the place of the file between the look and the write does
// not make anybody wait.
func TestPipeInThePlaceOfTheFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.write("settings.json", "{}")
	change, err := p.editor.Plan(path, "", set("/a", "1"))
	if err != nil {
		t.Fatal(err)
	}
	p.editor.Watch(func(what string) {
		if what == "locked" {
			if err := errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)); err != nil {
				t.Error(err)
			}
		}
	})
	if _, err := p.editor.Commit(t.Context(), change); kindOf(err) != jsonfile.KindFile || !strings.Contains(err.Error(), "got a pipe") {
		t.Errorf("got %v", err)
	}
}

func TestModeAndOwner(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.write("plugin-configs/a.json", "{}")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	wantOwner := os.Getuid()
	if wantOwner == 0 {
		wantOwner = 4242
		if err := os.Chown(path, wantOwner, 4343); err != nil {
			t.Fatal(err)
		}
	}
	p.do(path, set("/a", "1"))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); info.Mode() != 0o640 || int(stat.Uid) != wantOwner {
		t.Errorf("the mode is %v, the owner %d", info.Mode(), stat.Uid)
	}
	p.do("~/.slothtool/data/plugin-configs/new.json", set("/a", "1"))
	for path, want := range map[string]os.FileMode{"data/plugin-configs/new.json": 0o600, "data/plugin-configs": os.ModeDir | 0o700, "backups": os.ModeDir | 0o700} {
		if info, err := os.Stat(filepath.Join(p.sloth, path)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(p.sloth, "backups", "*"))
	if err != nil || len(kept) != 5 {
		t.Fatalf("%q, %v", kept, err)
	}
	for _, path := range kept {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// A program that has the file itself locked is waited for, and named.
func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"flock", "fcntl", "sidecar"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path := p.write("settings.json", "{}")
			change, err := p.editor.Plan(path, "", set("/a", "1"))
			if err != nil {
				t.Fatal(err)
			}
			locked := path
			if how == "sidecar" {
				locked = filepath.Join(p.sloth, ".settings.json.lock")
			}
			holder := exec.CommandContext(t.Context(), os.Args[0])
			holder.Env = append(os.Environ(), childVariable+"=hold,"+how+","+locked)
			out, err := holder.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			in, err := holder.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := holder.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
				t.Fatal(line, err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			over := errors.New("called off")
			p.editor.Watch(func(string) { cancel(over) }) // once it waits for the file itself
			if how == "sidecar" {
				cancel(over)
			}
			if _, err := p.editor.Commit(ctx, change); !errors.Is(err, over) || p.read("settings.json") != "{}" {
				t.Errorf("got %v", err)
			}
			p.editor.Watch(nil)
			if how == "flock" && !testing.Short() { // the whole wait
				_, err := p.editor.Commit(t.Context(), change)
				if kindOf(err) != jsonfile.KindBusy || p.read("settings.json") != "{}" {
					t.Errorf("got %v", err)
				}
				if _, serr := os.Stat("/proc/locks"); serr == nil && !strings.Contains(err.Error(), "process "+itoa(holder.Process.Pid)) {
					t.Errorf("the holder is not named: %v", err)
				}
			}
			_ = in.Close() // the holder ends
			if _, err := p.editor.Commit(t.Context(), change); err != nil {
				t.Error(err)
			}
			if err := holder.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
