package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/holic512/plugin-ai/session"
)

// roleEnv makes the test binary a process that does one thing with a file.
const roleEnv = "SESSION_TEST_ROLE"

func TestMain(m *testing.M) {
	role, args := os.Getenv(roleEnv), os.Args[1:]
	if role == "" {
		os.Exit(m.Run())
	}
	if err := roles()[role](context.Background(), os.Stdin, os.Stdout, args); err != nil { //nolint:forbidigo // a process of its own
		fmt.Fprintln(os.Stderr, err) //nolint:forbidigo // a process of its own
		if errors.Is(err, session.ErrLocked) {
			os.Exit(4)
		}
		os.Exit(1)
	}
}

type roleFunc = func(ctx context.Context, in io.Reader, out io.Writer, args []string) error

func roles() map[string]roleFunc {
	all := systemRoles()
	all["append"], all["write"] = appendRole, writeRole
	return all
}

// process prepares a process of the test binary.
func process(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), must[string](t)(os.Executable()), args...)
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	return cmd
}

// appendRole waits for the end of its input and appends one turn to a file.
func appendRole(ctx context.Context, in io.Reader, out io.Writer, args []string) error {
	fmt.Fprintln(out, "ready")
	if _, err := io.ReadAll(in); err != nil {
		return err
	}
	user, err := session.NewLine(session.Message(session.User, args[1]+strings.Repeat("x", 20_000)), start)
	if err != nil {
		return err
	}
	reply, err := session.NewLine(session.Message(session.Assistant, args[1]), start)
	if err != nil {
		return err
	}
	_, err = session.AppendFile(ctx, args[0], user, reply)
	return err
}

func TestManyProcessesAppend(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	const many = 50
	// The processes begin at the same time: when their input ends.
	r, w, err := os.Pipe()
	ok(t, err)
	var wg sync.WaitGroup
	codes := make([]int, many)
	outputs := make([]io.Reader, many)
	for i := range many {
		cmd := process(t, "append", path, fmt.Sprintf("p%02d ", i))
		cmd.Stdin = r
		var stderr strings.Builder
		cmd.Stderr = &stderr
		outputs[i] = must[io.ReadCloser](t)(cmd.StdoutPipe())
		ok(t, cmd.Start())
		wg.Go(func() {
			err := cmd.Wait()
			if codes[i] = cmd.ProcessState.ExitCode(); codes[i] != 0 && codes[i] != 4 {
				t.Errorf("process %d: %v: %s", i, err, stderr.String())
			}
		})
	}
	ok(t, r.Close())
	for _, out := range outputs {
		ready := make([]byte, len("ready\n"))
		if _, err := io.ReadFull(out, ready); err != nil {
			t.Error(err)
		}
	}
	ok(t, w.Close())
	wg.Wait()
	lines, problems, err := session.ReadFile(path)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", problems, err)
	}
	seen := map[string]int{}
	for i, l := range lines {
		name := l.Text()[:4]
		seen[name]++
		if i%2 == 1 && !strings.HasPrefix(lines[i-1].Text(), name) {
			t.Errorf("line %d is between the lines of another turn", i+1)
		}
	}
	done := 0
	for i, code := range codes {
		want := 0
		if code == 0 {
			want, done = 2, done+1
		}
		if name := fmt.Sprintf("p%02d ", i); seen[name] != want {
			t.Errorf("process %d ended with %d and has %d lines", i, code, seen[name])
		}
	}
	if done == 0 {
		t.Error("nobody could append")
	}
	t.Logf("%d appended, %d were refused", done, many-done)
}

// writeRole opens a session and appends turns until it is killed. It prints
// the ids of a turn when they are safe.
func writeRole(ctx context.Context, _ io.Reader, out io.Writer, args []string) error {
	store := session.NewStore(session.Config{Dir: args[0]})
	var s *session.Session
	list, err := store.List(ctx, "")
	if err != nil {
		return err
	}
	if len(list) == 0 {
		s, err = store.Create("/work", "")
	} else {
		s, err = store.Open(ctx, list[0].Path)
	}
	if err != nil {
		return err
	}
	for _, p := range s.Problems() {
		if p.Kind != session.Torn || p.Kept == "" {
			return errors.New(p.String())
		}
	}
	for n := 0; ; n++ {
		size := 100
		if n%3 == 2 {
			size = 300_000 // long enough to be killed within
		}
		lines, err := s.Append(ctx, session.Message(session.User, fmt.Sprint(os.Getpid(), "-", n)), session.Message(session.Assistant, strings.Repeat("好", size/3)))
		if err != nil {
			return err
		}
		fmt.Fprintln(out, lines[0].ID, lines[1].ID)
	}
}
