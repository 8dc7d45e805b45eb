package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// commandTool carries out exec steps: a program with its arguments.
type commandTool struct{}

func (commandTool) judge(t *turn, s *stepRun) {
	s.judgement = t.Judge.Judge(policy.Step{Program: s.step.Program, Args: s.step.Args, CWD: s.dir, Requires: s.step.Requires})
}

func (commandTool) question(t *turn, s *stepRun, q *Confirmation) {
	q.Bare = t.bare(s)
}

// edit lets the person change the command line. A text that is no command is
// asked for again.
func (commandTool) edit(ctx context.Context, t *turn, s *stepRun) bool {
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
		return true
	}
}

func (commandTool) run(ctx context.Context, t *turn, s *stepRun) bool {
	if s.judgement.Path == "" {
		s.observe(protocol.NotStarted, fmt.Sprintf("%s: no such program is installed", s.step.Program))
		return true
	}
	if command, ok := t.command(s, s.step.Program, ""); ok {
		if waitsForAPerson(s.step) {
			command.Timeout = personLimit
		}
		t.execute(ctx, s, command)
	}
	return true
}

// personLimit is how long a step may run that waits for a person to decide.
const personLimit = 7 * 24 * time.Hour

// waitsForAPerson tells whether a step shows questions on a page until somebody
// has decided.
func waitsForAPerson(s protocol.Step) bool {
	name := strings.TrimSuffix(filepath.Base(s.Program), ".exe")
	return (name == "ai" || name == "aide") && len(s.Args) >= 2 && s.Args[0] == "decide" && s.Args[1] == "submit"
}

func (commandTool) failed(o protocol.Observation) bool { return exitedBadly(o) }

// exitedBadly tells whether a program did not end with exit code 0.
func exitedBadly(o protocol.Observation) bool { return o.ExitCode == nil || *o.ExitCode != 0 }

// execute runs the program that was judged and observes it.
func (t *turn) execute(ctx context.Context, s *stepRun, command executors.Command) {
	output := func(c executors.Chunk) { t.emit(Event{Type: ToolExecutionUpdate, ID: s.id, Chunk: &c}) }
	result := t.Exec.Run(ctx, command, output)
	for range maxWidenings {
		if result.Violation == nil || command.Sandbox == nil || !t.widen(ctx, s, &command, result.Violation) {
			break
		}
		result = t.Exec.Run(ctx, command, output)
	}
	t.observeResult(s, result)
}

// command is what runs, called name, behind its wall; plugin is the alias of
// the plugin that it is, "" is none. It is not ok where the folder is not
// there; then the step has its observation.
func (t *turn) command(s *stepRun, name, plugin string) (executors.Command, bool) {
	if info, err := os.Stat(s.dir); err != nil || !info.IsDir() {
		s.observe(protocol.NotStarted, fmt.Sprintf("the folder %s is not there", s.dir))
		return executors.Command{}, false
	}
	j := s.judgement
	command := executors.Command{Name: name, Path: j.Path, Args: j.Args, Dir: s.dir, Env: j.Env, Plugin: plugin}
	if t.walled() {
		if profile, ok := t.profile(s); ok || t.SandboxRequired {
			command.Sandbox = &profile
		}
	}
	return command, true
}

// observeResult makes the observation of a program that was started, or
// could not be.
func (t *turn) observeResult(s *stepRun, result executors.Result) {
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

// bare tells whether a confirmed step would run without a sandbox.
func (t *turn) bare(s *stepRun) bool {
	if !t.walled() {
		return true
	}
	_, ok := t.profile(s)
	return !ok && !t.SandboxRequired
}

// walled tells whether steps run in a sandbox.
func (t *turn) walled() bool { return t.Sandbox != nil && t.Sandbox.Support().Enough() }

// profile is what the kernel lets a step do.
func (t *turn) profile(s *stepRun) (sandbox.Profile, bool) {
	if s.step.Tool == protocol.ToolPluginRun && t.PluginData != "" {
		return Profile(s.judgement, t.Dir, t.Home, t.PluginData)
	}
	return Profile(s.judgement, t.Dir, t.Home)
}
