//go:build unix

package session_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/session"
)

func systemRoles() map[string]roleFunc {
	return map[string]roleFunc{"full": fullRole, "rights": rightsRole}
}

// TestKilledWriters kills a process that appends, again and again, and lets
// the next one go on in the same session.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	const kills = 220
	dir := filepath.Join(t.TempDir(), "sessions")
	rnd := rand.New(rand.NewPCG(1, 2))
	var acknowledged []string
	for i := range kills {
		cmd := process(t, "write", dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out := must[io.ReadCloser](t)(cmd.StdoutPipe())
		ok(t, cmd.Start())
		lines := bufio.NewScanner(out)
		take := func() {
			acknowledged = append(acknowledged, strings.Fields(lines.Text())...)
		}
		for range rnd.IntN(4) {
			if !lines.Scan() {
				break
			}
			take()
		}
		// Some moment of the start or of the next turn.
		<-time.After(time.Duration(rnd.IntN(6000)) * time.Microsecond)
		ok(t, cmd.Process.Kill())
		for lines.Scan() {
			take()
		}
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			t.Fatalf("process %d ended by itself: %v: %s", i, err, stderr.String())
		}
	}
	store := session.NewStore(session.Config{Dir: dir})
	list := must[[]session.Info](t)(store.List(t.Context(), ""))
	if len(list) != 1 {
		t.Fatalf("%d sessions", len(list))
	}
	s := must[*session.Session](t)(store.Open(t.Context(), list[0].Path))
	closeLater(t, s)
	branch := collect(t, s.Branch(""))
	seen, turns := map[string]int{}, map[string]bool{}
	for i, l := range branch {
		seen[l.ID]++
		if i > 0 && l.ParentID != branch[i-1].ID {
			t.Fatalf("entry %d does not follow the one before", i)
		}
		if l.Role == session.User {
			if turns[l.Text()] {
				t.Errorf("turn %s is there twice", l.Text())
			}
			turns[l.Text()] = true
		}
	}
	for _, id := range acknowledged {
		if seen[id] != 1 {
			t.Errorf("the entry %s was acknowledged and is there %d times", id, seen[id])
		}
	}
	if n := s.Counts().Messages(); n != len(branch) || n > len(acknowledged)+2*kills {
		t.Errorf("%d messages, %d on the branch, %d acknowledged", n, len(branch), len(acknowledged))
	}
	t.Logf("%d kills, %d entries, %d acknowledged, %d torn ends", kills, len(branch), len(acknowledged), len(torn(t, s.Path())))
}

// fullRole appends to a session and to a flat file when no file may grow
// beyond a few more bytes, as on a full disk.
func fullRole(ctx context.Context, _ io.Reader, out io.Writer, args []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	store := session.NewStore(session.Config{Dir: args[0]})
	s, err := store.Open(ctx, args[1])
	if err != nil {
		return err
	}
	info, err := os.Stat(args[1])
	if err != nil {
		return err
	}
	limit := uint64(info.Size()) + 50
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit + 1<<30}); err != nil {
		return err
	}
	_, err = s.Append(ctx, session.Message(session.User, strings.Repeat("x", 500)))
	fmt.Fprintln(out, err)
	line, err := session.NewLine(session.Message(session.User, strings.Repeat("x", 500)), start)
	if err != nil {
		return err
	}
	_, err = session.AppendFile(ctx, args[2], line)
	fmt.Fprintln(out, err)
	err = session.Rewrite(ctx, args[2], line, line)
	fmt.Fprintln(out, err)
	fresh, err := store.Create("/other", "")
	if err != nil {
		return err
	}
	_, err = fresh.Append(ctx, session.Message(session.User, strings.Repeat("x", int(limit))))
	fmt.Fprintln(out, err)
	// There is room again.
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit + 1<<30, Max: limit + 1<<30}); err != nil {
		return err
	}
	if _, err = s.Append(ctx, session.Message(session.User, "room")); err != nil {
		return err
	}
	return s.Close()
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "sessions")
	store := session.NewStore(session.Config{Dir: dir})
	s := create(t, store)
	say(t, s, session.Message(session.User, "one"), session.Message(session.Assistant, "two"))
	ok(t, s.Close())
	size := len(read(t, s.Path()))
	flat := strings.Repeat("{\"role\":\"user\",\"content\":\"a\"}\n", size/30+1)
	path := write(t, "s.jsonl", flat)
	cmd := process(t, "full", dir, s.Path(), path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	told := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(told) != 4 {
		t.Fatalf("told %q", told)
	}
	for _, line := range told {
		if !strings.Contains(line, "file too large") {
			t.Errorf("told %q", line)
		}
	}
	if read(t, path) != flat {
		t.Error("the flat file was changed")
	}
	if left := must[[]os.DirEntry](t)(os.ReadDir(filepath.Dir(path))); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
	r := must[*session.Session](t)(store.Open(t.Context(), s.Path()))
	closeLater(t, r)
	if got := words(must[[]session.Line](t)(r.Window(9))); len(r.Problems()) > 0 || strings.Join(got, " ") != "user:one assistant:two user:room" {
		t.Errorf("%v %v", r.Problems(), got)
	}
	if list := must[[]session.Info](t)(store.List(t.Context(), "")); len(list) != 1 {
		t.Errorf("a session that could not begin is in the list: %v", list)
	}
}

// rightsRole does what it can as a user without rights.
func rightsRole(ctx context.Context, _ io.Reader, out io.Writer, args []string) error {
	if err := os.Chmod(args[0], 0o500); err != nil { // the folder of the session
		return err
	}
	store := session.NewStore(session.Config{Dir: filepath.Dir(args[0])})
	s, err := store.Open(ctx, args[1])
	if err != nil {
		return err
	}
	if _, err := s.Append(ctx, session.Message(session.User, "in a folder that is closed")); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if err := os.Chmod(args[1], 0o400); err != nil {
		return err
	}
	_, err = store.Open(ctx, args[1])
	fmt.Fprintln(out, errors.Is(err, os.ErrPermission), err)
	_, err = session.AppendFile(ctx, args[1], session.Line{})
	fmt.Fprintln(out, errors.Is(err, os.ErrPermission), err)
	_, err = session.AppendFile(ctx, filepath.Join(args[0], "new"), session.Line{})
	fmt.Fprintln(out, errors.Is(err, os.ErrPermission), err)
	v, err := store.View(ctx, args[1])
	if err != nil {
		return err
	}
	lines, err := v.Window(5)
	fmt.Fprintln(out, len(lines) == 2, err)
	return v.Close()
}

func TestWithoutRights(t *testing.T) {
	t.Parallel()
	// Not t.TempDir: the other user must get there.
	top := must[string](t)(os.MkdirTemp("", "session-rights-")) //nolint:usetesting // t.TempDir is closed to others
	t.Cleanup(func() { ok(t, os.RemoveAll(top)) })
	ok(t, os.Chmod(top, 0o755))
	store := session.NewStore(session.Config{Dir: filepath.Join(top, "sessions")})
	s := create(t, store)
	say(t, s, session.Message(session.User, "one"))
	ok(t, s.Close())
	ok(t, os.Remove(s.Path()+".idx"))
	folder := filepath.Dir(s.Path())
	cmd := process(t, "rights", folder, s.Path())
	if os.Getuid() == 0 {
		const nobody = 65534
		for _, path := range []string{filepath.Dir(folder), folder, s.Path()} {
			ok(t, os.Chown(path, nobody, nobody))
		}
		// The test binary must be where the other user can run it.
		program := filepath.Join(top, "program")
		// A file that this process wrote could not be run while others fork.
		if out, err := exec.CommandContext(t.Context(), "cp", cmd.Path, program).CombinedOutput(); err != nil {
			t.Fatalf("cp: %v: %s", err, out)
		}
		ok(t, os.Chmod(program, 0o755))
		cmd.Path, cmd.Dir = program, top
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	} else {
		t.Cleanup(func() { ok(t, os.Chmod(folder, 0o700)) })
	}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "true") != 4 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPipes must not wait for somebody who writes.
func TestPipes(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	pipe := filepath.Join(t.TempDir(), "p.jsonl")
	ok(t, syscall.Mkfifo(pipe, 0o600))
	line := message(t, session.User, "x")
	for name, f := range map[string]func() error{
		"open":   func() error { _, err := store.Open(t.Context(), pipe); return err },
		"view":   func() error { _, err := store.View(t.Context(), pipe); return err },
		"read":   func() error { _, _, err := session.ReadFile(pipe); return err },
		"append": func() error { _, err := session.AppendFile(t.Context(), pipe, line); return err },
		"remove": func() error { return store.Remove(t.Context(), pipe) },
		"device": func() error { _, _, err := session.ReadFile("/dev/zero"); return err },
	} {
		if err := f(); !errors.Is(err, session.ErrNotRegular) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := create(t, store)
	say(t, s, session.Message(session.User, "one"))
	ok(t, os.Remove(s.Path()))
	ok(t, syscall.Mkfifo(s.Path(), 0o600))
	if _, err := s.Append(t.Context(), session.Message(session.User, "two")); !errors.Is(err, session.ErrChanged) {
		t.Errorf("a pipe in the place of the file: %v", err)
	}
	ok(t, syscall.Mkfifo(filepath.Join(filepath.Dir(s.Path()), "x.jsonl"), 0o600))
	if list := must[[]session.Info](t)(store.List(t.Context(), "")); len(list) != 0 {
		t.Errorf("pipes in the list: %v", list)
	}
	idx := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, idx, "")
	ok(t, syscall.Mkfifo(idx+".idx", 0o600))
	o := must[*session.Session](t)(store.Open(t.Context(), idx))
	say(t, o, session.Message(session.User, "one"))
	ok(t, o.Close())
}
