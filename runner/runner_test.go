package runner_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// answer is what the scripted model says in one call.
type answer struct {
	text   string
	stop   llm.StopReason
	err    *llm.Error
	damage bool
	// before is called when the call begins.
	before func()
}

func say(text string) answer { return answer{text: text, stop: llm.StopEnd} }

func fault(kind llm.ErrorKind) answer {
	return answer{stop: llm.StopError, err: &llm.Error{Kind: kind, Message: string(kind)}}
}

func chat(message string) string { return fmt.Sprintf(`{"type":"chat","message":%q}`, message) }

func cmd(commands ...string) string {
	var steps []string
	for _, c := range commands {
		words := strings.Fields(c)
		args := make([]string, len(words)-1)
		for i, w := range words[1:] {
			args[i] = fmt.Sprintf("%q", w)
		}
		steps = append(steps, fmt.Sprintf(`{"program":%q,"args":[%s]}`, words[0], strings.Join(args, ",")))
	}
	return fmt.Sprintf(`{"type":"cmd","message":"why","data":{"commands":[%s]}}`, strings.Join(steps, ","))
}

// script is a model that says what a test wants, and keeps what it was told.
type script struct {
	t       *testing.T
	answers []answer
	asked   []llm.Context
	// summaries answers the calls for a summary; nil foresees none.
	summaries func(llm.Context) answer
}

func (s *script) Stream(ctx context.Context, c llm.Context) iter.Seq[llm.Event] {
	s.asked = append(s.asked, c)
	if len(s.answers) == 0 {
		s.t.Error("the model is asked more often than the test foresees")
		s.answers = []answer{say(chat("too often"))}
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	return func(yield func(llm.Event) bool) {
		if a.before != nil {
			a.before()
		}
		m := llm.Message{Role: llm.RoleAssistant, Content: []llm.Block{llm.Text{Text: a.text}}, StopReason: a.stop, Err: a.err, Damaged: a.damage, Usage: llm.Usage{Output: 1}}
		if ctx.Err() != nil {
			m.StopReason, m.Err = llm.StopAborted, &llm.Error{Kind: llm.ErrCancelled, Message: "cancelled"}
		}
		for i, r := range a.text {
			if !yield(llm.Event{Type: llm.EventTextDelta, Delta: a.text[i : i+len(string(r))], Message: &m}) {
				return
			}
		}
		last := llm.EventDone
		if m.Err != nil {
			last = llm.EventError
		}
		yield(llm.Event{Type: last, Message: &m})
	}
}

func (s *script) Summarize(ctx context.Context, c llm.Context) iter.Seq[llm.Event] {
	if s.summaries == nil {
		s.t.Error("a summary is asked for, which the test does not foresee")
		s.summaries = func(llm.Context) answer { return fault(llm.ErrInvalid) }
	}
	plain := &script{t: s.t, answers: []answer{s.summaries(c)}}
	return plain.Stream(ctx, c)
}

// told gives the texts of the newest request.
func (s *script) told() string {
	var b strings.Builder
	for _, m := range s.asked[len(s.asked)-1].Messages {
		b.WriteString(m.Text() + "\n")
	}
	return b.String()
}

// judge knows a few words: levels by the program's name.
type judge struct{ seen []policy.Step }

func (j *judge) Judge(s policy.Step) policy.Judgement {
	j.seen = append(j.seen, s)
	out := policy.Judgement{Listed: true, Path: "/bin/" + s.Program, Args: s.Args, CWD: s.CWD}
	switch s.Program {
	case "write":
		out.Level, out.Rules, out.Reasons, out.Facts = protocol.Confirm, []string{"write=true"}, []string{"it writes"}, []protocol.Fact{protocol.FactWrite}
	case "sudo":
		out.Level, out.Rules, out.Reasons = protocol.Block, []string{"sudo detected"}, []string{"it asks for more rights"}
	case "stranger":
		out.Listed, out.Reasons = false, []string{"not on the list"}
	case "missing":
		out.Path = ""
	}
	return out
}

func (j *judge) JudgePlugin(s policy.PluginStep) policy.Judgement {
	out := policy.Judgement{
		Level: protocol.Confirm, Listed: true, Rules: []string{"plugin.run"}, Reasons: []string{"it runs code"},
		Facts: []protocol.Fact{protocol.FactCode}, Path: "/bin/node", Args: append([]string{s.Bin}, s.Args...), CWD: s.CWD,
	}
	if s.Screen == "" && slices.Equal(s.Args, []string{"--help"}) {
		out.Level = protocol.Safe
	}
	return out
}

func (j *judge) JudgePatch(s policy.PatchStep) policy.Judgement {
	out := policy.Judgement{Level: protocol.Confirm, Listed: true, Rules: []string{"config.json_patch"}, Writes: []string{s.Path}}
	if slices.Contains(s.Members, "sandbox") {
		out.Level, out.Reasons = protocol.Block, []string{"own leash"}
	}
	return out
}

// exec keeps what was run; "fail" exits with 1, "hang" waits for the end.
type exec struct {
	ran  []string
	lent int // commands that got the terminal

	timeouts []time.Duration
	hang     func()
	onRun    func() // nil is nothing
}

func (e *exec) Run(ctx context.Context, c executors.Command, output func(executors.Chunk)) executors.Result {
	line := strings.Join(append([]string{c.Path}, c.Args...), " ")
	e.ran, e.timeouts = append(e.ran, line), append(e.timeouts, c.Timeout)
	if e.onRun != nil {
		e.onRun()
	}
	if c.Name == "hang" {
		e.hang()
		<-ctx.Done()
		return executors.Result{Outcome: protocol.Cancelled, Note: "cancelled"}
	}
	output(executors.Chunk{Text: "out"})
	code := 0
	if c.Name == "fail" {
		code = 1
	}
	return executors.Result{Outcome: protocol.Ran, ExitCode: &code, Stdout: "ran " + line, Duration: time.Millisecond}
}

func (e *exec) RunInteractive(ctx context.Context, c executors.Command, _ executors.Console) executors.Result {
	e.lent++
	r := e.Run(ctx, c, func(executors.Chunk) {})
	r.Stdout = ""
	return r
}

func (e *exec) RunAttached(ctx context.Context, c executors.Command, console executors.Console) executors.Result {
	return e.RunInteractive(ctx, c, console)
}

// asker gives scripted choices; with none left there is nobody to ask.
type asker struct {
	choices []runner.Choice
	edits   []string
	selects []int
	asked   []runner.Confirmation
	titles  []string
	files   []string // that were opened to be edited
	notices []runner.Notice
	onAsk   func()
}

func (a *asker) Confirm(_ context.Context, q runner.Confirmation) (runner.Choice, error) {
	a.asked = append(a.asked, q)
	if a.onAsk != nil {
		a.onAsk()
	}
	if len(a.choices) == 0 {
		return runner.No, runner.ErrNobody
	}
	c := a.choices[0]
	a.choices = a.choices[1:]
	return c, nil
}

func (a *asker) EditFile(_ context.Context, _ string, text []byte) ([]byte, error) {
	a.files = append(a.files, string(text))
	if len(a.edits) == 0 {
		return nil, runner.ErrNobody
	}
	e := a.edits[0]
	a.edits = a.edits[1:]
	return []byte(e), nil
}

func (a *asker) Edit(_ context.Context, _, _ string) (string, error) {
	if len(a.edits) == 0 {
		return "", runner.ErrNobody
	}
	e := a.edits[0]
	a.edits = a.edits[1:]
	return e, nil
}

func (a *asker) Select(_ context.Context, title string, _ []string) (int, error) {
	a.titles = append(a.titles, title)
	if len(a.selects) == 0 {
		return 0, runner.ErrNobody
	}
	n := a.selects[0]
	a.selects = a.selects[1:]
	return n, nil
}

func (a *asker) Input(context.Context, string) (string, error) { return "", runner.ErrNobody }
func (a *asker) Notify(n runner.Notice)                        { a.notices = append(a.notices, n) }

// stage is a runner with everything around it scripted.
type stage struct {
	*runner.Runner
	model  *script
	judge  *judge
	exec   *exec
	asker  *asker
	events []runner.Event
	waits  []time.Duration
}

func newStage(t *testing.T, answers ...answer) *stage {
	t.Helper()
	s := &stage{model: &script{t: t, answers: answers}, judge: &judge{}, exec: &exec{}, asker: &asker{}}
	window, err := contextmgr.New(contextmgr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s.Runner, err = runner.New(runner.Config{
		Model: s.model, Judge: s.judge, Exec: s.exec, Asker: s.asker, Window: window, Dir: t.TempDir(),
		MaxSteps: 3, MaxRepairs: 2, MaxRetries: 3,
		Events: func(e runner.Event) { s.events = append(s.events, e) },
		Wait: func(ctx context.Context, d time.Duration) error {
			s.waits = append(s.waits, d)
			return ctx.Err()
		},
		Now: func() time.Time { return time.UnixMilli(1700000000000) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nested(t, s.events) })
	return s
}

func (s *stage) prompt(text string) runner.Result {
	return s.Prompt(context.Background(), runner.Input{Text: text})
}

func (s *stage) observations() []string {
	var out []string
	for _, e := range s.events {
		if e.Type == runner.ToolExecutionEnd {
			out = append(out, string(e.Observation.Outcome)+" by "+string(e.Observation.Verdict.DecidedBy))
		}
	}
	return out
}

// nested proves that events open and close as they should.
func nested(t *testing.T, events []runner.Event) {
	t.Helper()
	open := map[runner.EventType]int{}
	var steps []string
	for i, e := range events {
		switch e.Type {
		case runner.AgentStart, runner.TurnStart, runner.MessageStart, runner.CompactionStart:
			if open[e.Type] > 0 {
				t.Errorf("event %d: %s within another", i, e.Type)
			}
			open[e.Type]++
		case runner.AgentEnd:
			open[runner.AgentStart]--
			if e.Result == nil || e.Result.End == "" {
				t.Errorf("event %d: the prompt ends without a reason", i)
			}
		case runner.TurnEnd:
			open[runner.TurnStart]--
		case runner.MessageEnd:
			open[runner.MessageStart]--
		case runner.CompactionEnd:
			open[runner.CompactionStart]--
		case runner.MessageUpdate:
			if open[runner.MessageStart] != 1 {
				t.Errorf("event %d: text outside of a message", i)
			}
		case runner.ToolExecutionStart:
			steps = append(steps, e.ID)
		case runner.ToolExecutionUpdate, runner.ToolExecutionEnd:
			if len(steps) == 0 || steps[len(steps)-1] != e.ID {
				t.Errorf("event %d: %s of %s, which is not open", i, e.Type, e.ID)
			}
			if e.Type == runner.ToolExecutionEnd {
				steps = steps[:len(steps)-1]
			}
		case runner.AutoRetryStart, runner.AutoRetryEnd, runner.QueueUpdate:
		}
	}
	for kind, n := range open {
		if n != 0 {
			t.Errorf("%s: %d left open", kind, n)
		}
	}
	if len(steps) > 0 {
		t.Errorf("steps left open: %v", steps)
	}
}

func TestChat(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(chat("hello")))
	if r := s.prompt("hi"); r.End != runner.EndChat || r.Reply.Message != "hello" {
		t.Errorf("result: %+v", r)
	}
	var shown strings.Builder
	for _, e := range s.events {
		shown.WriteString(e.Delta)
	}
	if shown.String() != "hello" {
		t.Errorf("shown: %q", shown.String())
	}
}

func TestThreeStepsThenAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(cmd("one a")), say(cmd("two", "three")), say(cmd("four")), say(chat("done")))
	r := s.prompt("go")
	if r.End != runner.EndChat || r.Steps != 3 || r.Ran != 4 {
		t.Errorf("result: %+v", r)
	}
	if diff := cmp.Diff([]string{"/bin/one a", "/bin/two", "/bin/three", "/bin/four"}, s.exec.ran); diff != "" {
		t.Error(diff)
	}
	if told := s.model.told(); !strings.Contains(told, `"stdoutTail":"ran /bin/four"`) || !strings.HasSuffix(told, protocol.Continue+"\n") {
		t.Errorf("the model is told: %s", told)
	}
}

func TestStepLimit(t *testing.T) {
	t.Parallel()
	forever := []answer{say(cmd("a")), say(cmd("b")), say(cmd("c")), say(cmd("d"))}
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, forever...)
		r := s.prompt("go")
		if r.End != runner.EndStepLimit || r.Steps != 3 || len(s.exec.ran) != 3 {
			t.Fatalf("result: %+v, ran %v", r, s.exec.ran)
		}
		for _, word := range []string{"a (exit 0)", "c (exit 0)", "Next would be: d.", "Shall I go on?"} {
			if !strings.Contains(r.Reply.Message, word) {
				t.Errorf("%q does not say %q", r.Reply.Message, word)
			}
		}
		// The next line starts a new count.
		s.model.answers = []answer{say(cmd("e")), say(cmd("f")), say(cmd("g")), say(chat("ok"))}
		if r := s.prompt("continue"); r.End != runner.EndChat || r.Steps != 3 {
			t.Errorf("second result: %+v", r)
		}
	})
	t.Run("continue", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, append(slices.Clone(forever), say(cmd("e")), say(cmd("f")), say(cmd("g")), say(chat("ok")))...)
		s.asker.selects = []int{0, 0}
		if r := s.prompt("go"); r.End != runner.EndChat || r.Steps != 7 || len(s.asker.titles) != 2 {
			t.Errorf("result: %+v, asked %d times", r, len(s.asker.titles))
		}
	})
	t.Run("keep going", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, append(slices.Clone(forever), say(cmd("e")), say(cmd("f")), say(cmd("g")), say(cmd("h")), say(chat("ok")))...)
		s.asker.selects = []int{2}
		if r := s.prompt("go"); r.End != runner.EndChat || r.Steps != 8 || len(s.asker.titles) != 1 {
			t.Errorf("result: %+v, asked %d times", r, len(s.asker.titles))
		}
	})
	t.Run("stop", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, forever...)
		s.asker.selects = []int{1}
		if r := s.prompt("go"); r.End != runner.EndStepLimit || r.Steps != 3 {
			t.Errorf("result: %+v", r)
		}
	})
}

func TestRepair(t *testing.T) {
	t.Parallel()
	s := newStage(t, say("I would run ls."), say(chat("sorry")))
	if r := s.prompt("go"); r.End != runner.EndChat || r.Reply.Message != "sorry" {
		t.Errorf("result: %+v", r)
	}
	if told := s.model.told(); !strings.Contains(told, "I would run ls.\n") || !strings.Contains(told, `"_event":"invalid_answer"`) {
		t.Errorf("the model is told: %s", told)
	}
}

// What is wrong with an answer is told with a part of the answer, which must
// not be the beginning of a key.
func TestNoKeyInWhatIsWrong(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-Zq8mT3vK1xW9bN5cJ7dL2fR6hY4gP0sA"
	s := newStage(t, say(key+" is the key"), say(`{"`+key+`": 1}`), say(`{"type": "`+key+`"}`))
	window, err := contextmgr.New(contextmgr.Config{Mask: func(s string) string { return strings.ReplaceAll(s, key, "***") }})
	if err != nil {
		t.Fatal(err)
	}
	s.Runner, err = runner.New(runner.Config{
		Model: s.model, Judge: s.judge, Exec: s.exec, Asker: s.asker, Window: window, Dir: t.TempDir(), MaxSteps: 3, MaxRepairs: 2,
		Events: func(e runner.Event) { s.events = append(s.events, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := s.prompt("go")
	if r.End != runner.EndInvalid {
		t.Fatalf("result: %+v", r)
	}
	said := r.Reply.Message + r.Fallback.Result + s.model.told()
	for _, e := range s.events {
		for _, v := range e.Violations {
			said += v.String()
		}
	}
	if !strings.Contains(said, "expected") || strings.Contains(said, "sk-proj") || strings.Contains(said, key[10:20]) {
		t.Errorf("it says %s", said)
	}
}

func TestFallbackAfterThree(t *testing.T) {
	t.Parallel()
	s := newStage(t, say("a"), say("b"), say("Sure: "+cmd("ls")))
	r := s.prompt("go")
	if r.End != runner.EndInvalid || len(s.exec.ran) != 0 {
		t.Errorf("result: %+v, ran %v", r, s.exec.ran)
	}
	want := &runner.Fallback{Result: "Sure: " + cmd("ls"), Fallback: true, Reason: "model_output_was_not_valid_json"}
	if diff := cmp.Diff(want, r.Fallback); diff != "" {
		t.Error(diff)
	}
	s.model.answers = []answer{say(chat("here"))}
	if r := s.prompt("still there?"); r.End != runner.EndChat {
		t.Errorf("the next prompt: %+v", r)
	}
}

func TestNothingRunsFromABadEnd(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]answer{
		"length":         {text: cmd("ls"), stop: llm.StopLength},
		"tool use":       {text: cmd("ls"), stop: llm.StopToolUse},
		"damaged":        {text: cmd("ls"), stop: llm.StopEnd, damage: true},
		"closed":         {text: cmd("ls"), stop: llm.StopError, err: &llm.Error{Kind: llm.ErrIncomplete, Message: "x"}},
		"broken":         {text: cmd("ls"), stop: llm.StopError, err: &llm.Error{Kind: llm.ErrNetwork, Message: "x"}},
		"two objects":    {text: cmd("ls") + cmd("ls"), stop: llm.StopEnd},
		"half a command": {text: cmd("ls")[:40], stop: llm.StopEnd},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, bad, say(chat("again")))
			if r := s.prompt("go"); r.End != runner.EndChat || r.Reply.Message != "again" || len(s.exec.ran) != 0 {
				t.Errorf("result: %+v, ran %v", r, s.exec.ran)
			}
		})
	}
	filter := answer{text: cmd("ls"), stop: llm.StopError, err: &llm.Error{Kind: llm.ErrContentFilter, Message: "filtered"}}
	s := newStage(t, filter)
	if r := s.prompt("go"); r.End != runner.EndProvider || len(s.exec.ran) != 0 {
		t.Errorf("filter: %+v, ran %v", r, s.exec.ran)
	}
}

func TestWholeWordsOfABrokenEndAreKept(t *testing.T) {
	t.Parallel()
	s := newStage(t, answer{text: chat("whole"), stop: llm.StopError, err: &llm.Error{Kind: llm.ErrIncomplete, Message: "x"}})
	if r := s.prompt("go"); r.End != runner.EndChat || r.Reply.Message != "whole" {
		t.Errorf("result: %+v", r)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	slow := fault(llm.ErrRateLimit)
	slow.err.RetryAfter = 7 * time.Second
	tooSlow := fault(llm.ErrRateLimit)
	tooSlow.err.RetryAfter = time.Hour
	for name, c := range map[string]struct {
		answers []answer
		end     runner.End
		waits   []time.Duration
	}{
		"overloaded":        {[]answer{fault(llm.ErrOverloaded), fault(llm.ErrOverloaded), say(chat("ok"))}, runner.EndChat, []time.Duration{2 * time.Second, 4 * time.Second}},
		"broken connection": {[]answer{fault(llm.ErrNetwork), fault(llm.ErrNetwork), say(chat("ok"))}, runner.EndChat, []time.Duration{100 * time.Millisecond, 2 * time.Second}},
		"retry after":       {[]answer{slow, say(chat("ok"))}, runner.EndChat, []time.Duration{7 * time.Second}},
		"too long":          {[]answer{tooSlow}, runner.EndProvider, nil},
		"for good":          {[]answer{fault(llm.ErrOverloaded), fault(llm.ErrOverloaded), fault(llm.ErrOverloaded), fault(llm.ErrOverloaded)}, runner.EndProvider, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}},
		"authentication":    {[]answer{fault(llm.ErrAuthentication)}, runner.EndProvider, nil},
		"context length":    {[]answer{fault(llm.ErrContextLength)}, runner.EndProvider, nil},
		"refusal":           {[]answer{fault(llm.ErrRefusal)}, runner.EndProvider, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.answers...)
			r := s.prompt("go")
			if r.End != c.end || (c.end == runner.EndProvider) != (r.Err != nil) {
				t.Errorf("result: %+v", r)
			}
			if diff := cmp.Diff(c.waits, s.waits); diff != "" {
				t.Error(diff)
			}
			if len(s.model.answers) > 0 {
				t.Errorf("%d answers were not asked for", len(s.model.answers))
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply   string
		choices []runner.Choice
		edits   []string
		want    []string
		ran     []string
		result  func(runner.Result) bool
	}{
		"blocked": {
			reply: cmd("ls", "sudo ls", "pwd"), choices: []runner.Choice{runner.Yes},
			want: []string{"ran by policy", "refused by policy", "skipped by policy"}, ran: []string{"/bin/ls"},
			result: func(r runner.Result) bool { return r.Refused == 1 && r.NeedPerson == 0 },
		},
		"not on the list": {
			reply: cmd("stranger"), choices: []runner.Choice{runner.Yes},
			want: []string{"refused by policy"}, result: func(r runner.Result) bool { return r.Refused == 1 },
		},
		"nobody there": {
			reply: cmd("write x", "ls"), want: []string{"refused by nobody", "skipped by policy"},
			result: func(r runner.Result) bool { return r.Refused == 1 && r.NeedPerson == 1 },
		},
		"yes": {
			reply: cmd("write x"), choices: []runner.Choice{runner.Yes}, want: []string{"ran by user"}, ran: []string{"/bin/write x"},
			result: func(r runner.Result) bool { return r.Refused == 0 },
		},
		"no": {
			reply: cmd("write x", "ls"), choices: []runner.Choice{runner.No}, want: []string{"declined by user", "skipped by policy"},
			result: func(r runner.Result) bool { return r.Declined == 1 },
		},
		"always": {
			reply: cmd("write x", "write x", "write y"), choices: []runner.Choice{runner.Always, runner.No},
			want: []string{"ran by user", "ran by session", "declined by user"}, ran: []string{"/bin/write x", "/bin/write x"},
			result: func(r runner.Result) bool { return r.Declined == 1 },
		},
		"edited into something blocked": {
			reply: cmd("write x"), choices: []runner.Choice{runner.Edit}, edits: []string{"sudo write x"},
			want: []string{"refused by user"}, result: func(r runner.Result) bool { return r.Refused == 1 },
		},
		"edited, with a typing error on the way": {
			reply: cmd("write x"), choices: []runner.Choice{runner.Edit, runner.Yes}, edits: []string{"write 'y", "write y"},
			want: []string{"ran by user"}, ran: []string{"/bin/write y"}, result: func(runner.Result) bool { return true },
		},
		"edited to nothing": {
			reply: cmd("write x"), choices: []runner.Choice{runner.Edit}, edits: []string{"  "},
			want: []string{"declined by user"}, result: func(r runner.Result) bool { return r.Declined == 1 },
		},
		"an unknown choice": {
			reply: cmd("write x"), choices: []runner.Choice{"maybe"}, want: []string{"declined by user"}, result: func(r runner.Result) bool { return r.Declined == 1 },
		},
		"not installed": {
			reply: cmd("missing", "ls"), want: []string{"not_started by policy", "skipped by policy"}, result: func(r runner.Result) bool { return r.Ran == 0 },
		},
		"after a failure only what is safe": {
			reply: cmd("fail", "ls", "write x"), choices: []runner.Choice{runner.Yes},
			want: []string{"ran by policy", "ran by policy", "skipped by policy"}, ran: []string{"/bin/fail", "/bin/ls"}, result: func(runner.Result) bool { return true },
		},
		"another tool": {
			reply: `{"type":"cmd","message":"m","data":{"commands":[{"tool":"plugin.run","plugin":"loc","args":["src"]}]}}`,
			want:  []string{"refused by policy"}, result: func(r runner.Result) bool { return r.Refused == 1 },
		},
		"a folder that is not there": {
			reply: `{"type":"cmd","message":"m","data":{"cwd":"/no/such/folder","commands":[{"program":"ls","args":[]}]}}`,
			want:  []string{"not_started by policy"}, result: func(r runner.Result) bool { return r.Ran == 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, say(c.reply), say(chat("ok")))
			s.asker.choices, s.asker.edits = c.choices, c.edits
			r := s.prompt("go")
			if diff := cmp.Diff(c.want, s.observations()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.ran, s.exec.ran); diff != "" {
				t.Error(diff)
			}
			if r.End != runner.EndChat || !c.result(r) {
				t.Errorf("result: %+v", r)
			}
			if told := s.model.told(); strings.Count(told, `"_event":"tool_result"`) != len(c.want) {
				t.Errorf("the model is told: %s", told)
			}
		})
	}
}

func TestReasonsReachTheModel(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(cmd("sudo ls")), say(chat("ok")))
	s.prompt("go")
	for _, word := range []string{`"exitCode":null`, `"level":"L2"`, `"rules":["sudo detected"]`, `"reasons":["it asks for more rights"]`} {
		if told := s.model.told(); !strings.Contains(told, word) {
			t.Errorf("the model is not told %s: %s", word, told)
		}
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(*stage, context.CancelFunc){
		"while the model answers": func(s *stage, cancel context.CancelFunc) {
			s.model.answers = []answer{{text: chat("never"), stop: llm.StopEnd, before: cancel}}
		},
		"while a command runs": func(s *stage, cancel context.CancelFunc) {
			s.model.answers = []answer{say(cmd("hang", "ls"))}
			s.exec.hang = cancel
		},
		"at a question": func(s *stage, cancel context.CancelFunc) {
			s.model.answers = []answer{say(cmd("write x", "ls"))}
			s.asker.onAsk, s.asker.choices = cancel, []runner.Choice{runner.Yes}
		},
		"while it waits": func(s *stage, cancel context.CancelFunc) {
			s.model.answers = []answer{fault(llm.ErrOverloaded)}
			s.Wait = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			arrange(s, cancel)
			if r := s.Prompt(ctx, runner.Input{Text: "go"}); r.End != runner.EndAborted {
				t.Errorf("result: %+v", r)
			}
			if slices.Contains(s.exec.ran, "/bin/ls") || slices.Contains(s.exec.ran, "/bin/write x") {
				t.Errorf("ran after the end: %v", s.exec.ran)
			}
			s.model.answers = []answer{say(chat("still here"))}
			if r := s.prompt("again"); r.End != runner.EndChat {
				t.Errorf("the next prompt: %+v", r)
			}
		})
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(cmd("write x")), say(chat("ok")), say(cmd("write x")), say(chat("ok")))
	s.asker.choices = []runner.Choice{runner.Always}
	s.prompt("remember this")
	s.Forget()
	if r := s.prompt("what?"); r.NeedPerson != 1 {
		t.Errorf("what was allowed is still allowed: %+v", r)
	}
	if told := s.model.told(); strings.Contains(told, "remember this") {
		t.Errorf("the model is told: %s", told)
	}
}

func TestNewRefusesWhatIsMissing(t *testing.T) {
	t.Parallel()
	if _, err := runner.New(runner.Config{}); err == nil {
		t.Error("a runner of nothing")
	}
}
