package offline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/protocol"
)

func noon() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

// A session is a conversation whose commands really run, in a folder of the
// test. Earlier rounds of a question are kept as the window keeps them: as a
// line for each step, and shortened in the system text.
type session struct {
	t        *testing.T
	dir      string
	provider llm.Provider
	system   []string
	messages []llm.Message
	ids      int
	tail     int // bytes of an output that are kept; 0 is 8 KiB
	// outcome changes what becomes of a step before it runs; "" runs it.
	outcome func(s protocol.Step) (protocol.Outcome, *protocol.Verdict)

	steps    []protocol.Step // of the last question, all rounds; commands of programs stand below too
	commands [][]string
	rounds   int
}

func newSession(t *testing.T, dir string) *session {
	t.Helper()
	return &session{t: t, dir: dir, provider: offline.New(offline.Config{Now: noon})}
}

// decode reads an answer with the strict decoder.
func decode(t *testing.T, text string) protocol.Reply {
	t.Helper()
	a, err := protocol.Decode([]byte(text), protocol.Options{})
	if err != nil {
		t.Fatalf("the answer is not of the language: %v\n%s", err, text)
	}
	if len(a.Notes) > 0 {
		t.Fatalf("the answer has something around it: %q\n%s", a.Notes, text)
	}
	return a.Reply
}

// reply asks the provider once.
func reply(t *testing.T, p llm.Provider, c llm.Context) protocol.Reply {
	t.Helper()
	m := llm.Complete(t.Context(), p, llm.Model{}, c, llm.Options{})
	if m.StopReason != llm.StopEnd || m.Err != nil {
		t.Fatalf("ended with %s: %v", m.StopReason, m.Err)
	}
	return decode(t, m.Text())
}

// ask asks a question and carries out what is proposed, until there is an
// answer in words.
func (s *session) ask(question string) protocol.Reply {
	s.t.Helper()
	s.messages = append(s.messages, llm.UserText(question))
	s.commands, s.steps, s.rounds = nil, nil, 0
	at := len(s.messages)
	var digests []string
	for {
		c := llm.Context{System: append(append([]string{}, s.system...), strings.Join(append([]string{"Earlier results, shortened:"}, digests...), "\n")), Messages: s.messages}
		r := reply(s.t, s.provider, c)
		if r.Cmd == nil {
			s.messages = append(s.messages[:at], reduced(r, nil))
			return r
		}
		if s.rounds++; s.rounds > 3 {
			s.t.Fatalf("%q: a fourth round of commands: %v", question, r.Cmd.Steps)
		}
		var ran, observations []string
		stopped := false
		for _, step := range r.Cmd.Steps {
			o := s.carryOut(step, stopped)
			stopped = stopped || o.Outcome == protocol.Refused || o.Outcome == protocol.Declined || o.Outcome == protocol.NotStarted
			observations = append(observations, marshal(s.t, o))
			end := string(o.Outcome)
			if o.ExitCode != nil {
				end = fmt.Sprintf("exit %d", *o.ExitCode)
			}
			ran = append(ran, fmt.Sprintf("%s (%s, %s)", cutTo(protocol.FormatCommand(step.Program, step.Args), 160), o.ID, end))
			o.StdoutTail, o.Parsed = cutTo(o.StdoutTail, 600), nil
			digests = append(digests, marshal(s.t, o))
		}
		digests = digests[max(0, len(digests)-3-len(ran)):]
		// The rounds before this one are told in short.
		for i := at; i < len(s.messages); i++ {
			if m := s.messages[i]; m.Role == llm.RoleUser && strings.Contains(m.Text(), `"tool_result"`) {
				s.messages = append(s.messages[:i], s.messages[i+1:]...)
				i--
			}
		}
		s.messages = append(s.messages, reduced(r, ran))
		for _, o := range observations {
			s.messages = append(s.messages, llm.UserText(o))
		}
		s.messages = append(s.messages, llm.UserText(protocol.Continue))
	}
}

func cutTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

func reduced(r protocol.Reply, ran []string) llm.Message {
	b, err := json.Marshal(struct {
		Type    protocol.Kind `json:"type"`
		Message string        `json:"message"`
		Ran     []string      `json:"ran,omitempty"`
	}{r.Type, r.Message, ran})
	if err != nil {
		panic(err)
	}
	return llm.AssistantText(string(b))
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// carryOut really runs a step.
func (s *session) carryOut(step protocol.Step, stopped bool) protocol.Observation {
	s.t.Helper()
	s.ids++
	o := protocol.Observation{
		Event: "tool_result", Tool: "cmd", ID: fmt.Sprintf("cmd_%03d", s.ids), CWD: s.dir,
		Program: &step.Program, Args: step.Args, Outcome: protocol.Skipped,
	}
	if stopped {
		return o
	}
	s.steps = append(s.steps, step)
	if step.Tool == protocol.ToolExec {
		s.commands = append(s.commands, append([]string{step.Program}, step.Args...))
	} else {
		o.Tool, o.Program = string(step.Tool), nil
	}
	if s.outcome != nil {
		if outcome, verdict := s.outcome(step); outcome != "" {
			o.Outcome, o.Verdict = outcome, verdict
			return o
		}
	}
	if step.Tool == protocol.ToolPluginRun {
		return s.runPlugin(step, o)
	}
	if step.Tool == protocol.ToolJSONPatch {
		return s.patch(step, o)
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(s.t.Context(), step.Program, step.Args...)
	c.Dir, c.Stdout, c.Stderr, c.Env = s.dir, &stdout, &stderr, environment(s.dir)
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		o.Outcome, o.Note = protocol.NotStarted, err.Error()
		return o
	}
	code := c.ProcessState.ExitCode()
	o.Outcome, o.ExitCode = protocol.Ran, &code
	o.StdoutTail, o.StderrTail = stdout.String(), stderr.String()
	limit := s.tail
	if limit == 0 {
		limit = 8 << 10
	}
	if len(o.StdoutTail) > limit {
		o.StdoutTail, o.Truncated = o.StdoutTail[len(o.StdoutTail)-limit:], true
	}
	o.StdoutTail = strings.ToValidUTF8(o.StdoutTail, "\uFFFD")
	return o
}

func environment(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), "GIT_OPTIONAL_LOCKS=0",
		"GIT_AUTHOR_DATE=2026-03-04T10:00:00Z", "GIT_COMMITTER_DATE=2026-03-04T10:00:00Z",
	}
}

// write makes a file with its folders.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	c := exec.CommandContext(context.Background(), "git", args...)
	c.Dir, c.Env = dir, append(environment(dir), env...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func commitAs(t *testing.T, dir, name, date, subject string) {
	t.Helper()
	git(t, dir, nil, "add", "-A")
	git(t, dir, []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date},
		"-c", "user.name="+name, "-c", "user.email=a@example.com", "commit", "-q", "-m", subject)
}

const tomlText = `package toml

import "errors"

// ParseConfig reads a configuration.
func ParseConfig(text string) (map[string]string, error) {
	if text == "" {
		return nil, errors.New("nothing to read")
	}
	return map[string]string{"text": text}, nil
}

// TODO: read lists
`

// repository makes a git repository with two commits and some changes.
func repository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	write(t, dir, "go.mod", "module example.com/demo\n\ngo 1.26\n")
	write(t, dir, "README.md", "# Demo\n\nDemo reads configuration files\nand prints them.\n\n## Use\n\nRun it.\n\n## License\n\nMIT\n")
	write(t, dir, "main.go", "package main\n\nimport \"example.com/demo/toml\"\n\nfunc main() {\n\t_, _ = toml.ParseConfig(\"x\")\n}\n")
	write(t, dir, "toml/toml.go", tomlText)
	git(t, dir, nil, "init", "-q", "-b", "main")
	commitAs(t, dir, "Ada", "2026-03-01T10:00:00Z", "Begin")
	write(t, dir, "toml/toml_test.go", "package toml\n\nfunc use() { _, _ = ParseConfig(\"\") }\n")
	commitAs(t, dir, "Lin", "2026-03-04T09:00:00Z", "Test the parser")
	return dir
}
