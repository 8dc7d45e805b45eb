package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
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
		t.emit(Event{Type: ToolExecutionStart, ID: s.id, Step: &s.step, CWD: s.dir, Judgement: &s.judgement, Change: s.change})
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
		} else if o.Outcome == protocol.Ran && s.tool.failed(o) {
			failed = true
		}
		if why == "" && t.SteerAfter != SteerAfterTurn && t.queue.steered() {
			why = skippedForPerson
		}
	}
	return observations
}

// A tool carries out one kind of step.
type tool interface {
	// judge finds out what the step would do and has it judged. Where the
	// step cannot be carried out at all it says so in cannot.
	judge(t *turn, s *stepRun)
	// question adds what a person has to see of this step.
	question(t *turn, s *stepRun, q *Confirmation)
	// edit lets the person change the step. It tells whether there is one to
	// judge.
	edit(ctx context.Context, t *turn, s *stepRun) bool
	// run carries the step out and observes it. It is not done where things
	// have changed such that the person must be asked anew.
	run(ctx context.Context, t *turn, s *stepRun) (done bool)
	// failed tells whether a step that ran did not do its work.
	failed(o protocol.Observation) bool
}

// stepRun is one step under way.
type stepRun struct {
	id          string
	step        protocol.Step
	dir         string
	reply       protocol.Reply
	tool        tool
	judgement   policy.Judgement
	cannot      *cannot     // nil where it can be carried out
	change      *FileChange // of a settings file; nil for other tools
	decidedBy   protocol.Decider
	enforced    string // by the kernel
	observation protocol.Observation
}

// cannot is why a step cannot be carried out, whoever allows it.
type cannot struct {
	outcome protocol.Outcome // Refused or NotStarted
	note    string
}

// stepID is the id of the n-th step of a session.
func stepID(n int64) string { return fmt.Sprintf("cmd_%03d", n) }

func (t *turn) prepare(reply protocol.Reply, step protocol.Step) *stepRun {
	s := &stepRun{id: stepID(t.steps.Add(1)), step: step, dir: t.Dir, reply: reply, decidedBy: protocol.DecidedByPolicy}
	if reply.Cmd.CWD != "" {
		s.dir = reply.Cmd.CWD
	}
	switch {
	case step.Tool == protocol.ToolPluginRun && t.Plugins != nil:
		s.tool = &pluginTool{}
	case step.Tool == protocol.ToolJSONPatch && t.Files != nil:
		s.tool = &patchTool{}
	case step.Tool == protocol.ToolBashExec && t.Shell != nil:
		s.tool = shellTool{}
	case step.Tool == protocol.ToolDecide && t.Decide != nil:
		s.tool = decideTool{}
	case step.Tool == protocol.ToolExec:
		s.tool = commandTool{}
	default:
		s.tool = absentTool{}
	}
	t.judge(s)
	return s
}

// judge asks the policy, through the step's tool.
func (t *turn) judge(s *stepRun) {
	s.cannot = nil
	s.tool.judge(t, s)
}

// decide acts on the judgement: run, ask or refuse.
func (t *turn) decide(ctx context.Context, s *stepRun) {
	for {
		j := s.judgement
		switch {
		case s.cannot != nil && s.cannot.outcome == protocol.Refused:
			t.refuse(s, s.cannot.note)
			return
		case s.cannot != nil:
			s.observe(s.cannot.outcome, s.cannot.note)
			return
		case t.SandboxRequired && !t.walled() && s.starts():
			t.refuse(s, "the settings require a sandbox, and this machine has none")
			return
		case !j.Listed || j.Level == protocol.Block:
			t.refuse(s, reasons(j))
			return
		case j.Level == protocol.Safe:
			if s.tool.run(ctx, t, s) {
				return
			}
			continue
		case t.own || t.allowed[s.key()]:
			s.decidedBy = protocol.DecidedBySession
			if t.own {
				s.decidedBy = protocol.DecidedByUser
			}
			if s.tool.run(ctx, t, s) {
				return
			}
			continue
		}
		choice, ok := t.confirm(ctx, s, j)
		switch {
		case !ok:
			return
		case choice == Yes || choice == Always:
			if choice == Always && s.change == nil {
				t.allowed[s.key()] = true
			}
			if s.tool.run(ctx, t, s) {
				return
			}
		case choice == Edit && s.tool.edit(ctx, t, s):
			t.judge(s) // from the start
		default:
			t.result.Declined++
			s.observe(protocol.Declined, "the person said no")
			return
		}
	}
}

// starts tells whether a step starts a program.
func (s *stepRun) starts() bool {
	return s.step.Tool != protocol.ToolJSONPatch && s.step.Tool != protocol.ToolDecide
}

// confirm asks whether a step may run. It is not ok where there is no answer;
// then the step has its observation.
func (t *turn) confirm(ctx context.Context, s *stepRun, j policy.Judgement) (choice Choice, ok bool) {
	question := Confirmation{
		ID: s.id, Step: s.step, CWD: s.dir, Judgement: j,
		Message: s.reply.Message, ExpectedEffect: s.reply.Cmd.ExpectedEffect,
	}
	s.tool.question(t, s, &question)
	choice, err := t.Asker.Confirm(ctx, question)
	switch {
	case ctx.Err() != nil:
		s.decidedBy = protocol.DecidedByNobody
		s.observe(protocol.Cancelled, "the turn was ended at the question")
		return No, false
	case errors.Is(err, ErrNobody):
		s.decidedBy = protocol.DecidedByNobody
		t.result.NeedPerson++
		t.refuse(s, "needs a confirmation, and "+err.Error()+": "+reasons(j))
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

// key names exactly what a person allows for the session.
func (s *stepRun) key() string {
	parts := append([]string{string(s.step.Tool), s.judgement.Path, s.dir, s.step.Program}, s.judgement.Args...)
	parts = append(parts, s.judgement.Rules...)
	return strings.Join(parts, "\x00")
}

func (t *turn) refuse(s *stepRun, note string) {
	t.result.Refused++
	s.observe(protocol.Refused, note)
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
	case protocol.ToolPluginRun:
		program := pluginProgram
		o.Program = &program
		if j.Args != nil {
			o.Args = slices.Clone(j.Args)
		}
	case protocol.ToolBashExec:
		program := "bash"
		o.Program, o.Args = &program, shellWords(s.step)
	case protocol.ToolJSONPatch, protocol.ToolDecide:
	}
	if o.Args == nil {
		o.Args = []string{}
	}
	if outcome == protocol.NotStarted {
		o.StderrTail = note
	}
	s.observation = o
}

// absentTool is a tool that this conversation does not offer.
type absentTool struct{}

func (absentTool) judge(_ *turn, s *stepRun) {
	s.judgement = policy.Judgement{
		Level: protocol.Block, Rules: []string{"tool not available"},
		Reasons: []string{fmt.Sprintf("the tool %s is not available; use exec steps", s.step.Tool)},
	}
}
func (absentTool) question(*turn, *stepRun, *Confirmation)    {}
func (absentTool) edit(context.Context, *turn, *stepRun) bool { return false }
func (absentTool) run(_ context.Context, t *turn, s *stepRun) bool {
	t.refuse(s, reasons(s.judgement))
	return true
}
func (absentTool) failed(protocol.Observation) bool { return true }

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
