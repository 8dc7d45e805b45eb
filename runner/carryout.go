package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// carryOut judges and runs the steps of a reply in order. Every step gets an
// observation. After one that was refused, declined or not run to its end the
// rest is skipped; after one that exited with an error only what is not
// plainly safe.
func (t *turn) carryOut(ctx context.Context, reply protocol.Reply) []protocol.Observation {
	observations := make([]protocol.Observation, 0, len(reply.Cmd.Steps))
	why := ""       // the rest is skipped
	failed := false // a step exited with an error
	for _, step := range reply.Cmd.Steps {
		s := t.prepare(reply, step)
		t.emit(Event{Type: ToolExecutionStart, ID: s.id, Step: &s.step, CWD: s.dir, Judgement: &s.judgement})
		switch {
		case ctx.Err() != nil:
			s.observe(protocol.Cancelled, "the turn was ended before it began")
		case why != "":
			s.observe(protocol.Skipped, why)
		case failed && s.judgement.Level != protocol.Safe:
			s.observe(protocol.Skipped, "an earlier step failed, and this one is not plainly safe")
		default:
			t.decide(ctx, s)
		}
		t.emit(Event{Type: ToolExecutionEnd, ID: s.id, Step: &s.step, CWD: s.dir, Judgement: &s.judgement, Decision: s.decidedBy, Observation: &s.observation})
		observations = append(observations, s.observation)
		if o := s.observation; o.Outcome != protocol.Ran && o.Outcome != protocol.Skipped {
			why = fmt.Sprintf("step %s was not carried out", o.ID)
		} else if o.ExitCode == nil || *o.ExitCode != 0 {
			failed = failed || o.Outcome == protocol.Ran
		}
	}
	return observations
}

// stepRun is one step under way.
type stepRun struct {
	id          string
	step        protocol.Step
	dir         string
	reply       protocol.Reply
	judgement   policy.Judgement
	decidedBy   protocol.Decider
	enforced    string // by the kernel
	observation protocol.Observation
}

func (t *turn) prepare(reply protocol.Reply, step protocol.Step) *stepRun {
	t.steps++
	s := &stepRun{id: fmt.Sprintf("cmd_%03d", t.steps), step: step, dir: t.Dir, reply: reply, decidedBy: protocol.DecidedByPolicy}
	if reply.Cmd.CWD != "" {
		s.dir = reply.Cmd.CWD
	}
	t.judge(s)
	return s
}

// judge asks the policy. Tools that are not built in are refused by name.
func (t *turn) judge(s *stepRun) {
	if s.step.Tool != protocol.ToolExec {
		s.judgement = policy.Judgement{
			Level: protocol.Block, Rules: []string{"tool not available"},
			Reasons: []string{fmt.Sprintf("the tool %s is not available; use exec steps", s.step.Tool)},
		}
		return
	}
	s.judgement = t.Judge.Judge(policy.Step{Program: s.step.Program, Args: s.step.Args, CWD: s.dir, Requires: s.step.Requires})
}

// decide acts on the judgement: run, ask or refuse.
func (t *turn) decide(ctx context.Context, s *stepRun) {
	for {
		j := s.judgement
		switch {
		case t.SandboxRequired && !t.walled():
			t.refuse(s, "the settings require a sandbox, and this machine has none")
			return
		case !j.Listed || j.Level == protocol.Block:
			t.refuse(s, reasons(j))
			return
		case j.Level == protocol.Safe:
			t.execute(ctx, s)
			return
		case t.allowed[s.key()]:
			s.decidedBy = protocol.DecidedBySession
			t.execute(ctx, s)
			return
		}
		choice, ok := t.confirm(ctx, s, j)
		switch {
		case !ok:
			return
		case choice == Yes || choice == Always:
			if choice == Always {
				t.allowed[s.key()] = true
			}
			t.execute(ctx, s)
			return
		case choice == Edit && t.edit(ctx, s):
			// The edited step is judged from the start.
		default:
			t.result.Declined++
			s.observe(protocol.Declined, "the person said no")
			return
		}
	}
}

// confirm asks whether a step may run. It is not ok where there is no answer;
// then the step has its observation.
func (t *turn) confirm(ctx context.Context, s *stepRun, j policy.Judgement) (choice Choice, ok bool) {
	choice, err := t.Asker.Confirm(ctx, Confirmation{
		ID: s.id, Step: s.step, CWD: s.dir, Judgement: j, Bare: t.bare(j),
		Message: s.reply.Message, ExpectedEffect: s.reply.Cmd.ExpectedEffect,
	})
	switch {
	case ctx.Err() != nil:
		s.decidedBy = protocol.DecidedByNobody
		s.observe(protocol.Cancelled, "the turn was ended at the question")
		return No, false
	case errors.Is(err, ErrNobody):
		s.decidedBy = protocol.DecidedByNobody
		t.result.NeedPerson++
		t.refuse(s, "needs a confirmation, and there is nobody to ask: "+reasons(j))
		return No, false
	case err != nil:
		choice = No
	}
	s.decidedBy = t.decider()
	return choice, true
}

// decider is who answers for the asker: the person, unless it says otherwise.
func (t *turn) decider() protocol.Decider {
	if flag, ok := t.Asker.(interface{ Decider() protocol.Decider }); ok {
		return flag.Decider()
	}
	return protocol.DecidedByUser
}

// bare tells whether a confirmed step would run without a sandbox.
func (t *turn) bare(j policy.Judgement) bool {
	if !t.walled() {
		return true
	}
	_, ok := Profile(j, t.Dir, t.Home)
	return !ok && !t.SandboxRequired
}

// walled tells whether steps run in a sandbox.
func (t *turn) walled() bool { return t.Sandbox != nil && t.Sandbox.Support().Enough() }

// edit lets the person change the command. It tells whether there is one to
// judge; a text that is no command is asked for again.
func (t *turn) edit(ctx context.Context, s *stepRun) bool {
	line := protocol.FormatCommand(s.step.Program, s.step.Args)
	for title := "Change the command"; ; {
		changed, err := t.Asker.Edit(ctx, title, line)
		if err != nil || strings.TrimSpace(changed) == "" {
			return false
		}
		program, args, err := protocol.ParseCommand(changed)
		if err != nil {
			t.Asker.Notify(Notice{Kind: NoticeError, Text: err.Error()})
			line = changed
			continue
		}
		s.step.Program, s.step.Args = program, args
		t.judge(s)
		return true
	}
}

// key names exactly what a person allows for the session.
func (s *stepRun) key() string {
	parts := append([]string{s.judgement.Path, s.dir, s.step.Program}, s.judgement.Args...)
	parts = append(parts, s.judgement.Rules...)
	return strings.Join(parts, "\x00")
}

func (t *turn) refuse(s *stepRun, note string) {
	t.result.Refused++
	s.observe(protocol.Refused, note)
}

func (t *turn) execute(ctx context.Context, s *stepRun) {
	j := s.judgement
	switch info, err := os.Stat(s.dir); {
	case err != nil || !info.IsDir():
		s.observe(protocol.NotStarted, fmt.Sprintf("the folder %s is not there", s.dir))
		return
	case j.Path == "":
		s.observe(protocol.NotStarted, fmt.Sprintf("%s: no such program is installed", s.step.Program))
		return
	}
	command := executors.Command{Name: s.step.Program, Path: j.Path, Args: j.Args, Dir: s.dir, Env: j.Env}
	if t.walled() {
		if profile, ok := Profile(j, t.Dir, t.Home); ok || t.SandboxRequired {
			command.Sandbox = &profile
		}
	}
	output := func(c executors.Chunk) { t.emit(Event{Type: ToolExecutionUpdate, ID: s.id, Chunk: &c}) }
	result := t.Exec.Run(ctx, command, output)
	for range maxWidenings {
		if result.Violation == nil || command.Sandbox == nil || !t.widen(ctx, s, &command, result.Violation) {
			break
		}
		result = t.Exec.Run(ctx, command, output)
	}
	s.enforced = result.Sandbox
	s.observe(result.Outcome, result.Note)
	defer func() { s.observation = t.Window.Mask(s.observation) }()
	o := &s.observation
	o.ExitCode, o.DurationMs = result.ExitCode, result.Duration.Milliseconds()
	o.StdoutTail, o.StderrTail, o.Truncated = result.Stdout, result.Stderr, result.Truncated
	o.OutputFile, o.Parsed = result.OutputFile, result.Parsed
	if result.Outcome == protocol.NotStarted && o.StderrTail == "" {
		o.StderrTail = result.Note
	} else if result.Outcome != protocol.NotStarted {
		t.result.Ran++
	}
}

// maxWidenings is how often a step may run again with more allowed.
const maxWidenings = 3

// widen asks whether a step that the sandbox stopped may run again with what
// it was refused. Where nobody can be asked, what happened stands.
func (t *turn) widen(ctx context.Context, s *stepRun, command *executors.Command, v *sandbox.Violation) bool {
	wider, ok := t.Sandbox.Allowing(*command.Sandbox, v)
	next, how := &wider, "run it again with that allowed?"
	if !ok {
		// Only a person who looks at it may take the wall away.
		next, how = nil, "only without the sandbox it could; run it again without?"
		if t.SandboxRequired || t.decider() != protocol.DecidedByUser {
			return false
		}
	}
	if ok {
		var opened []string
		for _, path := range wider.Writable {
			if !slices.Contains(command.Sandbox.Writable, path) {
				opened = append(opened, path)
			}
		}
		if len(opened) > 0 {
			how = "run it again with " + strings.Join(opened, ", ") + " open to changes?"
		}
	}
	if ctx.Err() != nil {
		return false
	}
	j := s.judgement
	j.Level = protocol.Confirm
	j.Rules, j.Reasons = []string{"sandbox"}, []string{v.String() + "; " + how}
	if fact, ok := factOf(v.Kind); ok {
		j.Facts = []protocol.Fact{fact}
	}
	choice, err := t.Asker.Confirm(ctx, Confirmation{
		ID: s.id, Step: s.step, CWD: s.dir, Judgement: j, Bare: next == nil, Again: true,
		Message: s.reply.Message, ExpectedEffect: s.reply.Cmd.ExpectedEffect,
	})
	if err != nil || ctx.Err() != nil || choice != Yes && choice != Always {
		return false
	}
	s.decidedBy = t.decider()
	command.Sandbox = next
	return true
}

func factOf(k sandbox.Kind) (protocol.Fact, bool) {
	switch k {
	case sandbox.KindWrite:
		return protocol.FactWrite, true
	case sandbox.KindSecret:
		return protocol.FactSecrets, true
	case sandbox.KindNetwork, sandbox.KindLocal:
		return protocol.FactNetwork, true
	case sandbox.KindProcess, sandbox.KindDevice:
	}
	return "", false
}

// observe makes the observation of a step (plugin-ai document, section 10.2).
func (s *stepRun) observe(outcome protocol.Outcome, note string) {
	j := s.judgement
	o := protocol.Observation{
		Event: "tool_result", Tool: string(s.step.Tool), ID: s.id, CWD: s.dir,
		Args: slices.Clone(s.step.Args), Outcome: outcome, Note: note,
		Verdict: &protocol.Verdict{
			Level: j.Level, Rules: orEmpty(j.Rules), Reasons: orEmpty(j.Reasons), Facts: orEmpty(j.Facts),
			DecidedBy: s.decidedBy, Sandbox: cmp.Or(s.enforced, "none"),
		},
	}
	switch s.step.Tool {
	case protocol.ToolExec:
		program := s.step.Program
		o.Tool, o.Program = "cmd", &program
	case protocol.ToolPluginRun, protocol.ToolJSONPatch:
	}
	if o.Args == nil {
		o.Args = []string{}
	}
	if outcome == protocol.NotStarted {
		o.StderrTail = note
	}
	s.observation = o
}

// orEmpty makes an empty list of none, which JSON writes as [].
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func reasons(j policy.Judgement) string {
	list := j.Reasons
	if !j.Listed && len(list) == 0 {
		list = []string{"the program is not in allowedPrograms"}
	}
	if len(list) == 0 {
		return "the policy does not allow it"
	}
	return strings.Join(list, "; ")
}
