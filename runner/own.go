package runner

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// Own is a step that the person gave, not the model.
type Own struct {
	Step protocol.Step
	// Console is what a plugin gets in place of having its output captured;
	// nil is nothing. Screen tells that it is a terminal.
	Console *executors.Console
	Screen  bool
	// Bare runs it without the sandbox.
	Bare bool
}

// Run carries out a step that the person gave. It goes the way of every step,
// but that its words are the yes to what would be asked for. What is refused
// stays refused.
func (r *Runner) Run(ctx context.Context, own Own) protocol.Observation {
	t := &turn{Runner: r, own: true, console: own.Console, screen: own.Screen, bareRun: own.Bare && !r.SandboxRequired}
	return t.carryOut(ctx, protocol.Reply{Type: protocol.KindCmd, Cmd: &protocol.Cmd{Steps: []protocol.Step{own.Step}}})[0]
}

// Change makes a change of a settings file that the person asked for, such as
// taking back an earlier one. The person sees the diff first, unless sure is
// true.
func (r *Runner) Change(ctx context.Context, plan *jsonfile.Change, why string, sure bool) protocol.Observation {
	t := &turn{Runner: r, own: sure, planned: &planned{plan, why}}
	path := plan.Path
	if rest, ok := strings.CutPrefix(path, r.Home+string(filepath.Separator)); ok && r.Home != "" {
		path = "~/" + filepath.ToSlash(rest)
	}
	step := protocol.Step{Tool: protocol.ToolJSONPatch, Path: path}
	reply := protocol.Reply{Type: protocol.KindCmd, Cmd: &protocol.Cmd{Steps: []protocol.Step{step}}}
	return t.carryOut(ctx, reply)[0]
}

// planned is a change that was planned before its step.
type planned struct {
	plan *jsonfile.Change
	why  string
}

// judge says that a person's own change is asked for and no more.
func (p *planned) judge() policy.Judgement {
	return policy.Judgement{
		Level: protocol.Confirm, Rules: []string{"file change"}, Reasons: []string{p.why},
		Facts: []protocol.Fact{protocol.FactWrite}, Listed: true,
	}
}
