package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// people tells on standard error, in words, what a runner does.
type people struct {
	face *Face
	out  *output
	t    *texts
	spin spinner

	repair []protocol.Violation // told when the model is asked again
	steps  map[string]announced // by id, as long as they run
	told   string               // the step that the person was shown last
	said   string               // why the model wants it, as it was shown
	diff   string               // that the person was shown last
	output lines                // of the running step, with Verbose
}

// announced is what is known of a step from its start.
type announced struct {
	line   string
	tool   protocol.Tool
	listed bool
	level  protocol.Level
}

func newPeople(f *Face) *people {
	p := &people{face: f, out: f.err, t: f.texts, steps: map[string]announced{}}
	p.spin = spinner{out: f.err, lock: &f.mu, free: func() bool { return !p.beside() && !f.lent }}
	return p
}

// beside tells whether an unfinished line of the answer stands where the
// next line of standard error would go.
func (p *people) beside() bool {
	if !p.out.terminal || !p.face.out.terminal {
		return false
	}
	switch s := p.face.sheet.(type) {
	case *stream:
		return s.dirty
	case *screen:
		return s.dirty()
	}
	return false
}

// line writes one line, or several where it is long.
func (p *people) line(indent int, label string, st style, text string) {
	p.spin.stop()
	if p.beside() {
		p.face.sheet.interrupt()
	}
	pad := strings.Repeat(" ", indent)
	if label != "" && text != "" {
		label += " "
	}
	rows := strings.Split(text, "\n")
	if p.out.terminal {
		columns, _ := p.out.size()
		rows = hang(label+text, columns-1-indent, 2)
	} else {
		rows[0] = label + rows[0]
	}
	for i, row := range rows {
		if rest, ok := strings.CutPrefix(row, label); ok && i == 0 {
			row = paint(label, st, p.out.color) + rest
		}
		p.out.print(strings.TrimRight(pad+row, " ") + "\n")
	}
}

func (p *people) fact(label string, st style, fact, hint string) {
	p.line(0, label+":", st|bold, clean(fact))
	if hint != "" && !strings.Contains(fact, hint) {
		p.line(2, p.t.HintLabel+":", cyan, hint)
	}
}

func (p *people) event(ev runner.Event) {
	switch ev.Type {
	case runner.AgentStart:
		p.repair, p.told, p.said, p.diff = nil, "", "", ""
		clear(p.steps)
		p.wait(p.t.Thinking)
	case runner.MessageStart:
		if ev.Role == llm.RoleAssistant {
			p.askingAgain()
			p.wait(p.t.Thinking)
		}
	case runner.MessageEnd:
		if ev.Role == llm.RoleAssistant {
			p.messageEnd(ev)
		}
	case runner.ToolExecutionStart:
		p.stepStart(ev)
	case runner.ToolExecutionUpdate:
		if p.face.cfg.Verbose && ev.Chunk != nil {
			for _, l := range p.output.add(clean(ev.Chunk.Text)) {
				p.line(5, "|", 0, l)
			}
		}
	case runner.ToolExecutionEnd:
		p.stepEnd(ev)
		p.wait(p.t.Thinking)
	case runner.AutoRetryStart:
		if !p.face.cfg.Quiet {
			delay := time.Duration(ev.DelayMs) * time.Millisecond
			p.line(0, "", 0, fmt.Sprintf(p.t.Retry, p.why(ev.Error), seconds(delay), ev.Attempt, ev.MaxAttempts))
			p.wait(p.t.Waiting)
		}
	case runner.AutoRetryEnd:
		if ev.Error != nil && !p.face.cfg.Quiet && ev.Attempt > 0 {
			p.line(0, "", 0, fmt.Sprintf(p.t.RetryGaveUp, ev.Attempt))
		}
	case runner.CompactionStart:
		p.wait(p.t.Compacting)
	case runner.CompactionEnd:
		p.compacted(ev.Compaction)
	case runner.AgentEnd:
		p.spin.stop()
		p.repair = nil
		if ev.Result != nil {
			p.end(ev.Result)
		}
	default:
	}
}

// wait shows what is waited for.
func (p *people) wait(label string) {
	if !p.face.cfg.Quiet {
		p.spin.show(label)
	}
}

func (p *people) askingAgain() {
	if p.repair == nil || p.face.cfg.Quiet {
		return
	}
	p.line(0, "", 0, p.t.AskingAgain)
	if p.face.cfg.Verbose {
		for _, v := range p.repair {
			path := v.Path
			if path == "" {
				path = "/"
			}
			p.line(2, "-", 0, clean(fmt.Sprintf(p.t.Violation, path, v.Expected, v.Actual)))
		}
	}
	p.repair = nil
}

func (p *people) messageEnd(ev runner.Event) {
	if p.face.cfg.Verbose {
		for _, n := range ev.Notes {
			p.line(0, p.t.NoteLabel+":", dim, clean(n))
		}
	}
	switch {
	case len(ev.Violations) > 0:
		p.repair = ev.Violations
	case ev.Reply == nil:
	case ev.Reply.Type == protocol.KindCmd:
		if !p.face.cfg.Quiet && strings.TrimSpace(ev.Reply.Message) != "" {
			p.line(0, "", 0, strings.TrimSpace(clean(ev.Reply.Message)))
			p.said = ev.Reply.Message
		}
	case ev.Reply.Type == protocol.KindError:
		p.fact(p.t.ErrorLabel, red, ev.Reply.Message, "")
	}
}

// restarted implements reporter.
func (p *people) restarted() {
	p.line(0, p.t.NoteLabel+":", yellow, p.t.AnswerRestarts)
}

func (p *people) stepStart(ev runner.Event) {
	p.output = lines{}
	if ev.Step == nil {
		return
	}
	a := announced{line: stepLine(ev.Step), tool: ev.Step.Tool, listed: true}
	if ev.Judgement != nil {
		a.listed, a.level = ev.Judgement.Listed, ev.Judgement.Level
	}
	p.steps[ev.ID] = a
	if !p.face.cfg.Quiet || a.level > protocol.Safe {
		p.announce(a, ev.Judgement)
	}
	p.wait(fmt.Sprintf(p.t.Running, a.line))
}

// announce shows a step before it runs.
func (p *people) announce(a announced, j *policy.Judgement) {
	p.command(a.level, a.line)
	if j != nil && a.level > protocol.Safe {
		p.line(5, "", 0, becauseOf(j.Rules, j.Reasons))
	}
	p.told = a.line
}

// command writes a step on a line of its own, whole.
func (p *people) command(level protocol.Level, line string) {
	p.spin.stop()
	if p.beside() {
		p.face.sheet.interrupt()
	}
	rows := []string{line}
	if p.out.terminal {
		columns, _ := p.out.size()
		rows = chop(line, columns-6)
	}
	tag := paint("["+level.String()+"]", levelStyle(level), p.out.color)
	for i, row := range rows {
		if i > 0 {
			tag = "    "
		}
		p.out.print(tag + " " + paint(row, bold, p.out.color) + "\n")
	}
}

func levelStyle(l protocol.Level) style {
	switch l {
	case protocol.Safe:
		return green
	case protocol.Confirm:
		return yellow
	default:
		return red
	}
}

func (p *people) fail(fact, hint string, _ int) {
	p.fact(p.t.ErrorLabel, red, fact, hint)
}

func (p *people) notice(n runner.Notice) {
	switch n.Kind {
	case runner.NoticeError:
		p.fact(p.t.ErrorLabel, red, n.Text, "")
	case runner.NoticeWarning:
		p.fact(p.t.WarningLabel, yellow, n.Text, "")
	default:
		if !p.face.cfg.Quiet {
			p.line(0, "", 0, clean(n.Text))
		}
	}
}

func (p *people) close() { p.spin.stop() }

// maxPart is how much of a line without an end is kept, in bytes.
const maxPart = 4096

// lines parts text that comes in pieces into whole lines, very long ones too.
type lines struct{ part string }

func (l *lines) add(s string) []string {
	all := strings.Split(l.part+s, "\n")
	l.part = all[len(all)-1]
	if len(l.part) > maxPart {
		all, l.part = append(all, ""), ""
	}
	return all[:len(all)-1]
}

func (l *lines) rest() string {
	s := l.part
	l.part = ""
	return s
}
