package terminal

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

var _ Agent = (*runner.Runner)(nil)

func ptr[T any](v T) *T { return &v }

// A story is the events of one prompt.
type story []runner.Event

func started() story { return story{{Type: runner.AgentStart}, {Type: runner.TurnStart}} }

func (s story) streamed(kind protocol.Kind, deltas ...string) story {
	s = append(s, runner.Event{Type: runner.MessageStart, Role: llm.RoleAssistant})
	for _, d := range deltas {
		s = append(s, runner.Event{Type: runner.MessageUpdate, Role: llm.RoleAssistant, Kind: kind, Delta: d})
	}
	return s
}

func (s story) chat(format protocol.Format, deltas ...string) story {
	return append(s.streamed(protocol.KindChat, deltas...), runner.Event{Type: runner.MessageEnd, Role: llm.RoleAssistant, Reply: &protocol.Reply{
		Type: protocol.KindChat, Message: strings.Join(deltas, ""), Chat: &protocol.Chat{Format: format},
	}})
}

func (s story) cmd(message string, steps ...protocol.Step) story {
	return append(s.streamed(protocol.KindCmd, message), runner.Event{Type: runner.MessageEnd, Role: llm.RoleAssistant, Reply: &protocol.Reply{
		Type: protocol.KindCmd, Message: message, Cmd: &protocol.Cmd{Steps: steps},
	}})
}

func (s story) step(j policy.Judgement, o protocol.Observation, program string, args ...string) story {
	o.Event, o.ID, o.Program, o.Args, o.CWD = "tool_result", "cmd_001", &program, args, "/home/you"
	if o.Tool == "" {
		o.Tool = "cmd"
	}
	return append(s,
		runner.Event{Type: runner.ToolExecutionStart, ID: "cmd_001", Step: &protocol.Step{Program: program, Args: args}, Judgement: &j, CWD: "/home/you", Decision: protocol.DecidedByPolicy},
		runner.Event{Type: runner.ToolExecutionUpdate, ID: "cmd_001", Chunk: &executors.Chunk{Text: "a\x1b line\n"}},
		runner.Event{Type: runner.ToolExecutionEnd, ID: "cmd_001", Observation: &o})
}

func (s story) end(r runner.Result) story {
	return append(s, runner.Event{Type: runner.TurnEnd}, runner.Event{Type: runner.AgentEnd, Result: &r})
}

func tell(t *testing.T, cfg Config, s story) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	cfg.Out, cfg.Err = &out, &err
	f := New(cfg)
	for i, ev := range s {
		ev.Timestamp = int64(1700000000000 + i)
		f.Event(ev)
	}
	f.Close()
	return out.String(), err.String()
}

func safe() policy.Judgement { return policy.Judgement{Level: protocol.Safe, Listed: true} }

func TestPeople(t *testing.T) {
	t.Parallel()
	confirm := policy.Judgement{Level: protocol.Confirm, Listed: true, Rules: []string{"write=true", "git.commit"}, Reasons: []string{"changes files", "makes a commit"}}
	block := policy.Judgement{Level: protocol.Block, Listed: true, Rules: []string{"sudo detected"}, Reasons: []string{"asks for all rights"}}
	overloaded := &llm.Error{Kind: llm.ErrOverloaded, Status: 503, Message: "503 try later"}
	violations := []protocol.Violation{{Path: "/data/commands/0/args", Expected: "a list of strings", Actual: `"-l"`}}
	for name, test := range map[string]struct {
		cfg    Config
		story  story
		out    string
		stderr string
	}{
		"chat": {story: started().chat(protocol.FormatMarkdown, "# H", "i\n").end(runner.Result{End: runner.EndChat}), out: "# Hi\n"},
		"a step": {
			story: started().cmd("I look.", protocol.Step{Program: "git"}).step(safe(), protocol.Observation{Outcome: protocol.Ran, ExitCode: ptr(1), DurationMs: 2300}, "git", "log", "a b\x1b[2J").
				chat("", "Done.").end(runner.Result{End: runner.EndChat}),
			out: "Done.\n", stderr: "I look.\n[L0] git log $'a b\\x1b[2J'\n     exit code 1, took 2.3 s\n",
		},
		"verbose": {
			cfg:    Config{Verbose: true},
			story:  started().step(safe(), protocol.Observation{Outcome: protocol.Ran, ExitCode: ptr(0)}, "ls").end(runner.Result{End: runner.EndChat}),
			stderr: "[L0] ls\n     | a␛ line\n",
		},
		"refused": {
			story: started().step(confirm, protocol.Observation{Outcome: protocol.Refused, Verdict: &protocol.Verdict{Level: protocol.Confirm, Rules: confirm.Rules, DecidedBy: protocol.DecidedByNobody}}, "git", "commit").
				end(runner.Result{End: runner.EndChat, Refused: 1, NeedPerson: 1}),
			stderr: "[L1] git commit\n     changes files (write=true); makes a commit (git.commit)\n     not run\n" +
				"     hint: it needs your yes: run ai in a terminal, or with --yes, or run it yourself\nwarning: steps that were refused: 1\n",
		},
		"blocked": {
			story: started().step(block, protocol.Observation{Outcome: protocol.Refused, Verdict: &protocol.Verdict{Level: protocol.Block, Rules: block.Rules, DecidedBy: protocol.DecidedByPolicy}}, "sudo", "x").
				end(runner.Result{End: runner.EndChat}),
			stderr: "[L2] sudo x\n     asks for all rights (sudo detected)\n     not run\n     hint: level L2 is never run; if you want it, run it yourself\n",
		},
		"edited into what is never run": {
			story: append(started(),
				runner.Event{Type: runner.ToolExecutionStart, ID: "cmd_001", Step: &protocol.Step{Program: "git", Args: []string{"commit"}}, Judgement: &confirm},
				runner.Event{Type: runner.ToolExecutionEnd, ID: "cmd_001", Step: &protocol.Step{Program: "sudo", Args: []string{"x"}}, Judgement: &block, Observation: &protocol.Observation{
					Tool: "cmd", Outcome: protocol.Refused, Note: "asks for all rights", Verdict: &protocol.Verdict{Level: protocol.Block, Rules: block.Rules},
				}}).end(runner.Result{End: runner.EndChat}),
			stderr: "[L1] git commit\n     changes files (write=true); makes a commit (git.commit)\n[L2] sudo x\n     asks for all rights (sudo detected)\n" +
				"     not run\n     hint: level L2 is never run; if you want it, run it yourself\n",
		},
		"not in allowedPrograms": {
			story: started().step(policy.Judgement{Level: protocol.Safe, Rules: []string{"not in allowedPrograms"}, Reasons: []string{"ls is not allowed"}},
				protocol.Observation{Outcome: protocol.Refused, Verdict: &protocol.Verdict{Level: protocol.Safe, Rules: []string{"not in allowedPrograms"}, Reasons: []string{"ls is not allowed"}}}, "ls").
				end(runner.Result{End: runner.EndChat}),
			stderr: "[L0] ls\n     not run: ls is not allowed (not in allowedPrograms)\n     hint: the program is not in allowedPrograms; `ai policy list` shows what is\n",
		},
		"a failed command says why": {
			story: started().step(safe(), protocol.Observation{Outcome: protocol.Ran, ExitCode: ptr(2), StderrTail: "\nls: no such 文件\r\nusage: ls\n"}, "ls", "nope").
				end(runner.Result{End: runner.EndChat}),
			stderr: "[L0] ls nope\n     exit code 2\n     | ls: no such 文件\n",
		},
		"a hint that the error holds": {
			story:  started().end(runner.Result{End: runner.EndProvider, Err: &llm.Error{Kind: llm.ErrNotFound, Status: 404, Message: "no such model (404): check the model's name and the base URL"}}),
			stderr: "error: no such model (404): check the model's name and the base URL (PROVIDER_ERROR)\n",
		},
		"no server refused it": {
			story:  started().end(runner.Result{End: runner.EndProvider, Err: &llm.Error{Kind: llm.ErrInvalid, Message: "call 1 is recorded for another input"}}),
			stderr: "error: call 1 is recorded for another input (PROVIDER_ERROR)\n",
		},
		"skipped and not started": {
			story: started().step(safe(), protocol.Observation{Outcome: protocol.Skipped, Note: "step cmd_001 was not carried out"}, "ls").
				step(safe(), protocol.Observation{Outcome: protocol.NotStarted, Note: "rg: no such program is installed"}, "rg").end(runner.Result{End: runner.EndChat}),
			stderr: "[L0] ls\n     not run: an earlier step did not succeed\n[L0] rg\n     could not be started, rg: no such program is installed\n",
		},
		"retry": {
			story: append(started().streamed(protocol.KindChat, "The ans"),
				runner.Event{Type: runner.MessageEnd, Role: llm.RoleAssistant, Error: overloaded},
				runner.Event{Type: runner.AutoRetryStart, Attempt: 1, MaxAttempts: 3, DelayMs: 2000, Error: overloaded}).
				chat("", "The ", "answer").end(runner.Result{End: runner.EndChat}),
			out: "The answer\n", stderr: "the server is overloaded; trying again in 2 s (1 of 3)\n",
		},
		"repair that differs": {
			cfg: Config{Verbose: true},
			story: append(started().streamed(protocol.KindChat, "One"),
				runner.Event{Type: runner.MessageEnd, Role: llm.RoleAssistant, Violations: violations}).
				chat("", "Two").end(runner.Result{End: runner.EndChat}),
			out:    "One\nTwo\n",
			stderr: "the answer was not in the agreed form; asking again\n  - at /data/commands/0/args: expected a list of strings, got \"-l\"\nnote: the answer above was given up; the new one starts from the beginning\n",
		},
		"the server fails": {
			story:  started().end(runner.Result{End: runner.EndProvider, Err: &llm.Error{Kind: llm.ErrAuthentication, Message: "401: no such key"}}),
			stderr: "error: 401: no such key (AUTH_ERROR)\n  hint: check the API key; `ai doctor` shows where it comes from\n",
		},
		"an error of the model": {
			story: append(started().streamed(protocol.KindError, "no\x07"), runner.Event{Type: runner.MessageEnd, Role: llm.RoleAssistant, Reply: &protocol.Reply{Type: protocol.KindError, Message: "no\x07"}}).
				end(runner.Result{End: runner.EndError, Reply: protocol.Reply{Type: protocol.KindError, Message: "no\x07"}}),
			stderr: "error: no␇\n",
		},
		"step limit": {
			story: started().end(runner.Result{End: runner.EndStepLimit, Reply: protocol.Reply{Type: protocol.KindChat, Message: "3 steps so far."}}),
			out:   "3 steps so far.\n",
		},
		"aborted": {
			story:  started().streamed(protocol.KindChat, "half").end(runner.Result{End: runner.EndAborted}),
			out:    "half\n",
			stderr: "stopped\n",
		},
		"quiet": {
			cfg: Config{Quiet: true},
			story: started().cmd("I look.", protocol.Step{Program: "ls"}).step(safe(), protocol.Observation{Outcome: protocol.Ran, ExitCode: ptr(0)}, "ls").
				chat("", "Done.").end(runner.Result{End: runner.EndChat}),
			out: "Done.\n",
		},
		"Chinese": {
			cfg:    Config{Language: Chinese},
			story:  started().step(safe(), protocol.Observation{Outcome: protocol.TimedOut, DurationMs: 60000}, "sleep", "99").end(runner.Result{End: runner.EndChat}),
			stderr: "[L0] sleep 99\n     已停止：超过时间限制, 用时 1 min 0 s\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, stderr := tell(t, test.cfg, test.story)
			if diff := cmp.Diff(test.out, out); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.stderr, stderr); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventsAsJSON(t *testing.T) {
	t.Parallel()
	step := protocol.Step{Tool: protocol.ToolJSONPatch, Path: "~/.x", Set: []protocol.Assignment{{Path: "/a", Value: []byte("10000000000000000000001")}}}
	s := started().cmd("why", step).step(safe(), protocol.Observation{Outcome: protocol.Ran, ExitCode: ptr(0)}, "ls", "\xff").
		chat(protocol.FormatMarkdown, "x\u2028").
		end(runner.Result{End: runner.EndChat, Reply: protocol.Reply{Type: protocol.KindChat, Message: "x"}, Refused: 1})
	out, stderr := tell(t, Config{JSON: true, ExitCode: func(r runner.Result) int { return 4 + r.Refused }}, s)
	if out != "x\u2028\n" {
		t.Errorf("stdout %q", out)
	}
	ends := 0
	for line := range strings.Lines(stderr) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if m["timestamp"] == nil || m["type"] == nil {
			t.Errorf("%s lacks type or timestamp", line)
		}
		if m["type"] == "agent_end" {
			ends++
			if m["exitCode"] != 5.0 {
				t.Errorf("closing event %s", line)
			}
		}
	}
	if ends != 1 {
		t.Errorf("%d closing events", ends)
	}
	if !strings.Contains(stderr, `"set":{"/a":10000000000000000000001}`) {
		t.Errorf("the step is not as the model gave it:\n%s", stderr)
	}
}

func TestFailureAsJSON(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	f := New(Config{Streams: Streams{Err: &stderr}, JSON: true})
	f.Fail("no such flag", "see --help", 1)
	f.Close()
	got := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if len(got) != 2 || !strings.Contains(got[0], `"type":"error"`) || !strings.Contains(got[0], `"hint":"see --help"`) ||
		!strings.Contains(got[1], `"type":"agent_end"`) || !strings.Contains(got[1], `"exitCode":1`) {
		t.Errorf("wrote %q", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	f := New(Config{Streams: Streams{Out: io.Discard, Err: &stderr}, JSON: true})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				f.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: "x"})
			}
		})
	}
	wg.Wait()
	f.Close()
	if n := strings.Count(stderr.String(), "\"text\":\"x\"}\n"); n != 800 {
		t.Errorf("%d whole lines of 800", n)
	}
}

func TestOutputClosed(t *testing.T) {
	t.Parallel()
	calls := 0
	var stderr strings.Builder
	f := New(Config{Streams: Streams{Out: failing{io.ErrClosedPipe}, Err: &stderr}, OnOutputClosed: func() { calls++ }})
	for _, ev := range started().chat("", "a", "b", "c").end(runner.Result{End: runner.EndAborted}) {
		f.Event(ev)
	}
	f.Close()
	if calls != 1 || f.Err() == nil || stderr.String() != "" {
		t.Errorf("told %d times, error %v, said %q", calls, f.Err(), stderr.String())
	}
}
