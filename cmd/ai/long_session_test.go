//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/protocol"
)

// asked is a request as a server reads it.
type asked struct {
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Format struct {
		Schema struct {
			Name string `json:"name"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// listener is a model that runs one command for every question, answers the
// last one with the fact that it was told first, if its request holds it, and
// makes summaries that keep what it is asked to remember, and nothing else.
type listener struct {
	command []string

	mu        sync.Mutex
	calls     int
	summaries int
	longest   int // bytes of a request's texts
	forgotten int // requests without the fact
	problems  []string
}

func (l *listener) answer(r fakellm.Request) fakellm.Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	var q asked
	if err := json.Unmarshal(r.Body, &q); err != nil {
		l.problems = append(l.problems, err.Error())
		return fakellm.Error("unreadable")
	}
	l.calls++
	size, all := 0, ""
	for _, m := range q.Messages {
		quoted, err := json.Marshal(m.Content)
		if err != nil {
			l.problems = append(l.problems, err.Error())
		}
		size += len(quoted) - 2
		all += m.Content + "\n"
	}
	l.longest = max(l.longest, size)
	last := q.Messages[len(q.Messages)-1].Content
	if q.Format.Schema.Name == "summary" {
		l.summaries++
		return fakellm.Text(l.summary(last))
	}
	if last != protocol.Continue {
		return fakellm.Cmd("I look.", l.command)
	}
	switch known := strings.Contains(all, "the port is 7117"); {
	case !known:
		l.forgotten++
		return fakellm.Chat("I do not know it any more.")
	case strings.Contains(all, "the last question"):
		return fakellm.Chat("I know that the port is 7117.")
	}
	return fakellm.Chat("I have looked.") // the answers must not be what keeps it
}

func (l *listener) summary(request string) string {
	var m struct {
		Earlier      protocol.Summary `json:"earlier"`
		Conversation []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"conversation"`
	}
	if err := json.Unmarshal([]byte(request), &m); err != nil {
		l.problems = append(l.problems, err.Error())
	}
	s := protocol.Summary{Text: "The person asks for the same again and again.", KeyFacts: append([]string{}, m.Earlier.KeyFacts...), OpenTasks: []string{}}
	for _, line := range m.Conversation {
		if said, ok := line.Content.(string); ok && line.Role == "user" && strings.HasPrefix(said, "Remember: ") {
			s.KeyFacts = append(s.KeyFacts, strings.TrimPrefix(said, "Remember: "))
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		l.problems = append(l.problems, err.Error())
	}
	return string(b)
}

// TestThousandTurns is one conversation of a thousand questions, each with a
// command that writes 64 KiB: no request is above the ceiling, and the last
// answer knows what was said first.
func TestThousandTurns(t *testing.T) {
	t.Parallel()
	const turns, ceiling = 1000, 48 << 10
	dir, home := t.TempDir(), t.TempDir()
	var output bytes.Buffer
	for i := 0; output.Len() < 64<<10; i++ {
		fmt.Fprintf(&output, "line %d of what the command writes: \"中文\" and more\n", i)
	}
	settings := filepath.Join(home, ".slothtool", "plugin-configs", "ai.json")
	for path, text := range map[string]string{
		filepath.Join(dir, "log.txt"): output.String(),
		settings:                      `{"maxTailBytes":131072,"maxTailLines":100000}`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := &listener{command: []string{"cat", "log.txt"}}
	srv := fakellm.New(t, fakellm.Answer{By: l.answer, Times: -1})
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	// The race detector would take minutes more and find nothing here: one
	// turn comes after the other.
	program := filepath.Join(plainProgram(t), "ai")
	var stdin strings.Builder
	stdin.WriteString("Remember: the port is 7117\n")
	for i := 1; i < turns-1; i++ {
		fmt.Fprintf(&stdin, "What does the log say? (%d)\n", i)
	}
	stdin.WriteString("What is the port? This is the last question.\n")
	cmd := exec.CommandContext(ctx, program, "-i", "--quiet")
	cmd.Dir = dir
	cmd.Env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"OPENAI_BASE_URL=" + srv.URL, "OPENAI_API_KEY=sk-test-0123456789abcdefghij",
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin.String()), &stdout, io.Writer(&stderr)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%.2000s", err, stderr.String())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.problems {
		t.Error(p)
	}
	if out := strings.TrimSpace(stdout.String()); !strings.HasSuffix(out, "I know that the port is 7117.") || l.forgotten > 0 {
		t.Errorf("%d requests do not hold the fact; the last answer is %q", l.forgotten, out[max(0, len(out)-60):])
	}
	if l.longest > ceiling || l.longest < ceiling/4 {
		t.Errorf("the longest request has %d bytes, the ceiling is %d", l.longest, ceiling)
	}
	if l.calls != 2*turns+l.summaries || l.summaries < turns/10 || l.summaries > turns/2 {
		t.Errorf("%d calls with %d summaries", l.calls, l.summaries)
	}
	t.Logf("%d calls, %d of them summaries, the longest request %d bytes", l.calls, l.summaries, l.longest)
}
