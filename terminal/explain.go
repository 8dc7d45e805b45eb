package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// alreadyShown tells whether progress has just shown the step and why the
// model wants it on the same screen.
func (a *asker) alreadyShown(q runner.Confirmation) (step, message bool) {
	p := a.face.people
	if p == nil || a.out != a.face.err {
		return false, false
	}
	a.face.mu.Lock()
	defer a.face.mu.Unlock()
	step, message = p.told == stepLine(&q.Step), p.said == q.Message
	p.told, p.said = stepLine(&q.Step), q.Message
	return step, message
}

// explain shows all that the person needs to decide, but for what stands
// just above.
func (a *asker) explain(q runner.Confirmation, told, said bool) {
	t := a.face.texts
	if !told {
		a.command(q.Judgement.Level, stepLine(&q.Step))
	}
	if !told || q.Again {
		a.indented(becauseOf(q.Judgement.Rules, q.Judgement.Reasons))
	}
	if q.Bare {
		a.say("", t.Bare)
	}
	if q.Screen {
		a.say("", t.ScreenOpens)
	}
	if q.Change == nil {
		a.say(t.Folder, visibleLine(q.CWD))
	}
	if !said {
		a.say(t.Why, strings.TrimSpace(clean(q.Message)))
	}
	a.say(t.Effect, strings.TrimSpace(clean(q.ExpectedEffect)))
}

// explainAll shows what the question itself leaves out, rule by rule and
// argument by argument.
func (a *asker) explainAll(q runner.Confirmation) {
	t, j := a.face.texts, q.Judgement
	a.say(t.Why, strings.TrimSpace(clean(q.Message)))
	for i, rule := range j.Rules {
		if i < len(j.Reasons) {
			a.say(cleanLine(rule), cleanLine(j.Reasons[i]))
		} else {
			a.say(t.Rule, cleanLine(rule))
		}
	}
	var facts []string
	for _, f := range j.Facts {
		facts = append(facts, string(f))
	}
	a.say(t.Facts, strings.Join(facts, ", "))
	a.say(t.Claims, t.claims(q.Step.Requires))
	if !j.Listed {
		a.say(t.Settings, t.Unlisted)
	}
	a.say(t.Operations, strings.Join(operations(&q.Step), ", "))
	if q.Step.Tool == "" || q.Step.Tool == protocol.ToolExec {
		a.say(t.Program, protocol.FormatCommand(q.Step.Program, nil))
	}
	for i, arg := range q.Step.Args {
		a.say(fmt.Sprintf(t.Argument, i+1), protocol.FormatCommand(arg, nil))
	}
	a.say(t.Found, visibleLine(j.Path))
	switch {
	case j.Path == "" || slices.Equal(j.Args, q.Step.Args):
	case q.Step.Tool == protocol.ToolPluginRun:
		a.say(t.RunAs, protocol.FormatCommand(j.Path, j.Args))
	default:
		a.say(t.RunAs, protocol.FormatCommand(q.Step.Program, j.Args))
	}
	a.say(t.Env, strings.Join(j.Env, " "))
}

// claims names what the model says that a step requires.
func (t *texts) claims(r protocol.Requires) string {
	var out []string
	for _, c := range []struct {
		name string
		said bool
	}{{"confirm", r.Confirm}, {"elevated", r.Elevated}, {"network", r.Network}, {"write", r.Write}} {
		if c.said {
			out = append(out, c.name+"=true")
		}
	}
	if out == nil {
		return t.None
	}
	return strings.Join(out, ", ")
}

// visibleLine shows a path such that nothing in it hides.
func visibleLine(path string) string {
	if path == "" {
		return ""
	}
	return protocol.FormatCommand(path, nil)
}
