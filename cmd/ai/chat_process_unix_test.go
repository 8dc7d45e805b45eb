//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// chatLine is a line of a session file.
type chatLine struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// readSession reads a session file, in which every line must be whole.
func readSession(t *testing.T, path string) []chatLine {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) == 0 || text[len(text)-1] != '\n' {
		t.Fatalf("the last line is not ended: …%q", text[max(0, len(text)-100):])
	}
	var lines []chatLine
	for i, raw := range bytes.Split(text[:len(text)-1], []byte("\n")) {
		var l chatLine
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatalf("line %d: %v: %.100s", i+1, err, raw)
		}
		lines = append(lines, l)
	}
	return lines
}

// Fifty calls with one session file: each either has its turn in the file,
// whole, or ended with 4 and was not paid for. Also where each writes the
// whole file anew, because it replaces the system message.
func TestChatWritersOfOneSession(t *testing.T) {
	t.Parallel()
	t.Run("append", func(t *testing.T) { chatWriters(t, false) })
	t.Run("rewrite", func(t *testing.T) { chatWriters(t, true) })
}

func chatWriters(t *testing.T, rewrite bool) {
	t.Parallel()
	long := strings.Repeat("很长的回答 ", 2000)
	srv := fakellm.New(t, fakellm.Answer{Times: -1, By: func(r fakellm.Request) fakellm.Answer {
		var q asked
		if err := json.Unmarshal(r.Body, &q); err != nil {
			return fakellm.Error(err.Error())
		}
		return fakellm.Chat("answer to " + q.Messages[len(q.Messages)-1].Content + ": " + long)
	}})
	path := filepath.Join(t.TempDir(), "s.jsonl")
	const calls = 50
	codes := make([]int, calls)
	var wg sync.WaitGroup
	for i := range calls {
		args := []string{"chat", "--no-stdin", "--session_file", path, fmt.Sprintf("question %02d", i)}
		if rewrite {
			args = append(args, "--system_instruction_text", fmt.Sprintf("instruction %02d", i))
		}
		cmd := command(t, srv, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			codes[i] = finish(t, cmd)
			if codes[i] != 0 && (codes[i] != 4 || !strings.Contains(stderr.String(), "another process has it open")) {
				t.Errorf("call %d: exit code %d: %s", i, codes[i], stderr.String())
			}
		})
	}
	wg.Wait()

	lines := readSession(t, path)
	if rewrite {
		if first := lines[0]; first.Role != "system" || !strings.HasPrefix(first.Content, "instruction ") {
			t.Errorf("the first line is %+v", first)
		}
		lines = lines[1:]
	}
	turns := map[string]bool{}
	for i := 0; i+1 < len(lines); i += 2 {
		user, answer := lines[i], lines[i+1]
		if user.Role != "user" || answer.Role != "assistant" || answer.Content != "answer to "+user.Content+": "+long {
			t.Fatalf("lines %d and %d are no turn: %s %.40q, %s %.40q", i+1, i+2, user.Role, user.Content, answer.Role, answer.Content)
		}
		if turns[user.Content] {
			t.Errorf("%s is there twice", user.Content)
		}
		turns[user.Content] = true
	}
	succeeded := 0
	for i, code := range codes {
		if code == 0 {
			succeeded++
		}
		if name := fmt.Sprintf("question %02d", i); turns[name] != (code == 0) {
			t.Errorf("%s: exit code %d, in the file: %v", name, code, turns[name])
		}
	}
	if succeeded == 0 || len(lines) != 2*succeeded {
		t.Errorf("%d calls succeeded, the file has %d lines", succeeded, len(lines))
	}
	if n := len(srv.Requests()); n != succeeded {
		t.Errorf("%d calls succeeded, %d were paid for", succeeded, n)
	}
	t.Logf("%d of %d succeeded", succeeded, calls)
}

// The lock is taken before the model is asked: another call ends with 4 and
// asks nothing.
func TestChatSessionIsLockedFromTheBeginning(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	answer := fakellm.Chat("at last")
	answer.Before = gate
	srv := fakellm.New(t, answer)
	path := filepath.Join(t.TempDir(), "s.jsonl")
	first := command(t, srv, "chat", "--no-stdin", "--session_file", path, "first")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"--json"}} {
		second := command(t, srv, append([]string{"chat", "--no-stdin", "--session_file", path, "second"}, args...)...)
		out, err := second.CombinedOutput()
		if code := second.ProcessState.ExitCode(); code != 4 || !strings.Contains(string(out), "another process has it open") {
			t.Errorf("exit code %d: %s %v", code, out, err)
		}
	}
	// Reading needs no lock.
	srv.Add(fakellm.Chat("read only"))
	reader := command(t, srv, "chat", "--no-stdin", "--session_file", path, "--no-append", "third")
	if out, err := reader.Output(); err != nil || string(out) != "read only\n" {
		t.Errorf("%q %v", out, err)
	}
	close(gate)
	if code := finish(t, first); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if lines := readSession(t, path); len(lines) != 2 || lines[1].Content != "at last" {
		t.Errorf("%+v", lines)
	}
}

// With --stream words come out while more of them arrive, on standard output
// as in the events.
func TestChatStreams(t *testing.T) {
	t.Parallel()
	words := "one two three four" + strings.Repeat(" more", 10_000)
	step := make(chan struct{})
	answer := fakellm.Chat(words)
	answer.Chunk, answer.Step = 8, step
	srv := fakellm.New(t, answer)
	cmd := command(t, srv, "chat", "--json", "--stream", "--no-stdin", "question")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := func(r io.Reader, want string) (<-chan struct{}, <-chan string) {
		seen, all := make(chan struct{}), make(chan string, 1)
		go func() {
			var text strings.Builder
			part := make([]byte, 4096)
			for told := false; ; {
				n, err := r.Read(part)
				text.Write(part[:n])
				if !told && strings.Contains(text.String(), want) {
					told = true
					close(seen)
				}
				if err != nil {
					all <- text.String()
					return
				}
			}
		}()
		return seen, all
	}
	said, answered := read(stdout, "one two")
	told, events := read(stderr, `"type":"chunk"`)
	for said != nil || told != nil {
		select {
		case step <- struct{}{}:
		case <-said:
			said = nil
		case <-told:
			told = nil
		case <-t.Context().Done():
			t.Fatal("nothing came")
		}
	}
	close(step) // the rest, now that the beginning was seen
	if got := <-answered; got != words+"\n" {
		t.Errorf("%d bytes of %d came: %.80q…", len(got), len(words)+1, got)
	}
	joined := ""
	for line := range strings.Lines(<-events) {
		var event struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if event.Type == "chunk" {
			joined += event.Message
		}
	}
	if joined != words {
		t.Errorf("the chunks have %d bytes of %d", len(joined), len(words))
	}
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A connection that breaks and an answer that begins anew: what was written
// is not written twice.
func TestChatStreamBreaks(t *testing.T) {
	t.Parallel()
	words := "the answer is forty-two, and that is the whole of it"
	broken := fakellm.Chat(words)
	broken.Chunk = 4
	whole := broken
	srv := fakellm.New(t, broken.Fail(fakellm.Cut, 15), whole)
	cmd := command(t, srv, "chat", "--json", "--stream", "--no-stdin", "question")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || string(out) != words+"\n" {
		t.Errorf("%q %v\n%s", out, err, stderr.String())
	}
	if !strings.Contains(stderr.String(), `"type":"retry"`) {
		t.Errorf("no retry is told: %s", stderr.String())
	}
}

// A session of thousands of lines: the request stays under its ceiling, no
// call is made to sum it up, also where the model finds it too long, and the
// file keeps all.
func TestChatLongSession(t *testing.T) {
	t.Parallel()
	const turns = 5000
	var text strings.Builder
	for i := range turns {
		fmt.Fprintf(&text, `{"role":"user","content":"question %04d %s"}`+"\n", i, strings.Repeat("long ", 50))
		fmt.Fprintf(&text, `{"role":"assistant","content":"answer %04d %s"}`+"\n", i, strings.Repeat("回答", 60))
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := fakellm.New(t, fakellm.Status(400, `{"error":{"code":"context_length_exceeded","message":"maximum context length"}}`), fakellm.Chat("the end"))
	cmd := command(t, srv, "chat", "--json", "--no-stdin", "--session_file", path, "the last question")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(string(out), `"type":"retry","message":"the request was too long`) {
		t.Errorf("no second try is told: %s", out)
	}
	if requests := srv.Requests(); len(requests) != 2 || len(requests[1].Body) > len(requests[0].Body)*9/10 {
		t.Fatalf("%d requests", len(requests))
	}
	t.Logf("%v with %d lines", cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), 2*turns)
	var q asked
	if err := json.Unmarshal(srv.Requests()[0].Body, &q); err != nil {
		t.Fatal(err)
	}
	size, all := 0, ""
	for _, m := range q.Messages {
		quoted, err := json.Marshal(m.Content)
		if err != nil {
			t.Fatal(err)
		}
		size += len(quoted) - 2
		all += m.Content + "\n"
	}
	if size > 48<<10 || size < 40<<10 {
		t.Errorf("%d bytes of text", size)
	}
	for _, want := range []string{"question 4999", "answer 4999", "the last question", "oldest messages of this conversation"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in the request", want)
		}
	}
	if strings.Contains(all, "question 0000") {
		t.Error("the oldest message is in the request")
	}
	lines := readSession(t, path)
	if n := len(lines); n != 2*turns+2 || lines[0].Content[:13] != "question 0000" || lines[n-1].Content != "the end" {
		t.Errorf("%d lines, the last %+v", n, lines[n-1])
	}
}

// A signal while the model is asked: nothing is added to the session, and the
// log says so.
func TestChatInterrupted(t *testing.T) {
	t.Parallel()
	hang := fakellm.Chat("never")
	srv := fakellm.New(t, hang.Fail(fakellm.Hang, 0))
	dir := t.TempDir()
	session, log := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "turn.md")
	before := `{"role":"user","content":"a"}` + "\n"
	if err := os.WriteFile(session, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, srv, "chat", "--json", "--no-stdin", "--session_file", session, "--log_file", log)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != 130 || stdout.Len() > 0 {
		t.Errorf("exit code %d, %q", code, stdout.String())
	}
	if last := stderr.String(); !strings.Contains(last, `"type":"error"`) || !strings.Contains(last, `"exitCode":130`) {
		t.Errorf("events: %s", last)
	}
	if after, err := os.ReadFile(session); err != nil || string(after) != before {
		t.Errorf("the session is %q, %v", after, err)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "exit code 130") {
		t.Errorf("the log is %s, %v", text, err)
	}
}

// A reader of standard output that leaves is no failure.
func TestChatOutputClosed(t *testing.T) {
	t.Parallel()
	answer := fakellm.Chat(strings.Repeat("word ", 200_000))
	answer.Chunk = 1000
	srv := fakellm.New(t, answer)
	cmd := command(t, srv, "chat", "--stream", "--no-stdin", "question")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
