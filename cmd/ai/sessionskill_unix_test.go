//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// TestKilledInATurn kills the program while the model answers: what was
// answered before is there, whole and once, and the session can be gone on with.
func TestKilledInATurn(t *testing.T) {
	t.Parallel()
	for kill := range 5 {
		never := make(chan struct{})
		defer close(never)
		hangs := fakellm.Chat("never")
		hangs.Before = never
		var answers []fakellm.Answer
		for i := range kill {
			answers = append(answers, fakellm.Chat(fmt.Sprintf("answer %d", i)))
		}
		srv := fakellm.New(t, append(answers, hangs, fakellm.Chat("back again"))...)
		cmd := command(t, srv, "-i")
		s := open(t, cmd)
		for i := range kill {
			s.await("> ")
			s.press(fmt.Sprintf("question %d\r", i))
			s.await(fmt.Sprintf("answer %d", i))
		}
		s.await("> ")
		s.press("the last\r")
		s.await("thinking")
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		finish(t, cmd)

		stdout, stderr, code := output(t, again(t, cmd, "-c", "are you there?"))
		if code != 0 || stdout != "back again\n" {
			t.Fatalf("after a kill: exit code %d, %s%s", code, stdout, stderr)
		}
		if strings.Contains(stderr, "could not be read") {
			t.Errorf("a kill broke the file: %s", stderr)
		}
		text := sessionText(t, cmd)
		for i := range kill {
			if n := strings.Count(text, fmt.Sprintf(`"content":"answer %d"`, i)); n != 1 {
				t.Errorf("answer %d is there %d times", i, n)
			}
		}
		if strings.Contains(text, "the last") {
			t.Error("a turn that was never over is there")
		}
	}
}

// TestKilledWhileItWrites kills the program right when an answer came, while
// its turn is written: every turn before that is there, none is there twice, and
// at most the last is missing.
func TestKilledWhileItWrites(t *testing.T) {
	t.Parallel()
	answer := fakellm.Chat("yes")
	answer.Times = 10_000
	srv := fakellm.Start(answer) // most of its answers are not fetched
	t.Cleanup(srv.Close)
	first := command(t, srv)
	file := filepath.Join(first.Dir, "talk.jsonl")
	asked := 0 // over all runs
	missing := 0
	for run := range 25 {
		cmd := again(t, first, "-i", "--session", file)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewScanner(out)
		for range 1 + run%4 {
			fmt.Fprintf(in, "question %d.\n", asked)
			asked++
			if !answers.Scan() || answers.Text() != "yes" {
				t.Fatalf("the answer is %q: %s", answers.Text(), &stderr)
			}
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		finish(t, cmd)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range asked {
			n := strings.Count(string(text), fmt.Sprintf(`"content":"question %d."`, i))
			switch {
			case n > 1:
				t.Fatalf("question %d is there %d times", i, n)
			case n == 0 && i == asked-1:
				missing++
				asked-- // it is asked again
			case n == 0:
				t.Fatalf("question %d is lost", i)
			}
		}
	}
	stdout, stderr, code := output(t, again(t, first, "sessions", "show", file))
	if code != 0 || strings.Count(stdout, "  yes\n") != asked {
		t.Errorf("%d questions, exit code %d: %s%s", asked, code, stdout, stderr)
	}
	t.Logf("of %d turns that a kill met, %d were not written", 25, missing)
}
