package runner

import (
	"cmp"
	"context"
	"time"

	"github.com/holic512/plugin-ai/protocol"
)

// shellSeconds is how long a script may run that says nothing of its own (pai
// document, bash_exec).
const shellSeconds = 60

// shellTool carries out bash_exec steps: a script, every command of which is
// judged.
type shellTool struct{}

func (shellTool) judge(t *turn, s *stepRun) {
	s.dir = cmp.Or(s.step.CWD, s.dir)
	s.judgement = t.Shell(s.step.Command, s.dir, s.step.Requires)
}

func (shellTool) question(t *turn, s *stepRun, q *Confirmation) { q.Bare = t.bare(s) }

// edit lets the person change the script.
func (shellTool) edit(ctx context.Context, t *turn, s *stepRun) bool {
	changed, err := t.Asker.Edit(ctx, "Change the script", s.step.Command)
	if err != nil || changed == "" {
		return false
	}
	s.step.Command = changed
	return true
}

func (shellTool) run(ctx context.Context, t *turn, s *stepRun) bool {
	if s.judgement.Path == "" {
		s.observe(protocol.NotStarted, "bash is not installed")
		return true
	}
	command, ok := t.command(s, "bash", "")
	if !ok {
		return true
	}
	command.Timeout = time.Duration(cmp.Or(s.step.TimeoutSeconds, shellSeconds)) * time.Second
	t.execute(ctx, s, command)
	return true
}

func (shellTool) failed(o protocol.Observation) bool { return exitedBadly(o) }

// shellWords is a script as it is shown in place of the arguments of bash.
func shellWords(s protocol.Step) []string { return []string{"-c", s.Command} }
