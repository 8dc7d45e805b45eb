package terminal

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

func (p *people) stepEnd(ev runner.Event) {
	if rest := p.output.rest(); rest != "" && p.face.cfg.Verbose {
		p.line(5, "|", 0, rest)
	}
	o := ev.Observation
	if o == nil {
		return
	}
	before, known := p.steps[ev.ID]
	if !known {
		before.listed = true
	}
	delete(p.steps, ev.ID)
	a := p.final(ev, before)
	// A person may have changed it, and then it was judged again.
	if a.line != before.line && a.line != p.told && (!p.face.cfg.Quiet || o.Outcome != protocol.Ran) {
		j := ev.Judgement
		if j == nil && o.Verdict != nil {
			j = &policy.Judgement{Rules: o.Verdict.Rules, Reasons: o.Verdict.Reasons}
		}
		p.announce(a, j)
	}
	p.told = ""
	p.outcome(o, a)
}

// final is what is known of a step at its end.
func (p *people) final(ev runner.Event, a announced) announced {
	o := ev.Observation
	switch {
	case ev.Step != nil:
		a.line, a.tool = stepLine(ev.Step), ev.Step.Tool
	case o.Tool != "cmd" && a.line != "":
	case o.Program != nil:
		a.line = protocol.FormatCommand(*o.Program, o.Args)
	case a.line == "":
		a.line = protocol.FormatCommand(o.Tool, o.Args)
	}
	switch {
	case ev.Judgement != nil:
		a.listed, a.level = ev.Judgement.Listed, ev.Judgement.Level
	case o.Verdict != nil:
		a.level = o.Verdict.Level
	}
	return a
}

func (p *people) outcome(o *protocol.Observation, a announced) {
	var facts []string
	said := "" // by the command, about its failure
	st := yellow
	change := changeOf(o)
	switch o.Outcome {
	case protocol.Ran:
		if o.ExitCode != nil && *o.ExitCode != 0 {
			facts = append(facts, fmt.Sprintf(p.t.ExitCode, *o.ExitCode))
			said = firstLine(o.StderrTail)
		} else if o.ExitCode == nil && a.tool != protocol.ToolJSONPatch && o.Note == "" { // else the note names the signal
			facts = append(facts, p.t.Stopped)
		}
		if change != nil && change.Backup != "" {
			st = green
			facts = append(facts, p.changed(change))
		}
	case protocol.TimedOut:
		facts = append(facts, p.t.TimedOut)
	case protocol.Cancelled:
		facts = append(facts, p.t.Cancelled)
	case protocol.NotStarted:
		st = red
		facts = append(facts, p.t.NotStarted)
	case protocol.Refused:
		p.refused(o, a)
		return
	case protocol.Declined:
		facts = append(facts, p.byTool(a, p.t.Declined, p.t.NotChangedSaidNo))
	case protocol.Skipped:
		facts = append(facts, p.t.Skipped)
	}
	if o.DurationMs > 1000 {
		facts = append(facts, fmt.Sprintf(p.t.Took, seconds(time.Duration(o.DurationMs)*time.Millisecond)))
	}
	if told := change != nil && change.Backup != ""; o.Note != "" && !told && (o.Outcome == protocol.NotStarted || o.Outcome == protocol.Ran || p.face.cfg.Verbose) {
		facts = append(facts, cleanLine(o.Note))
	}
	if p.face.cfg.Verbose && o.Truncated {
		facts = append(facts, p.t.Truncated)
	}
	if p.face.cfg.Verbose && o.OutputFile != "" {
		facts = append(facts, fmt.Sprintf(p.t.OutputFile, clean(o.OutputFile)))
	}
	if len(facts) == 0 || p.face.cfg.Quiet && o.Outcome == protocol.Ran {
		return
	}
	if len(facts) > 1 {
		facts[0] += ","
	}
	p.line(5, facts[0], st, strings.Join(facts[1:], ", "))
	if change != nil && o.Outcome == protocol.Ran && p.face.cfg.Verbose && diffBody(change.Diff) != p.diff {
		p.writtenDiff(change.Diff)
	}
	if said != "" && !p.face.cfg.Verbose { // else its output stands above
		p.line(5, "|", dim, said)
	}
}

// maxSaid is how much is shown of a line that a command wrote, in cells.
const maxSaid = 200

// firstLine gives the first line with words of what a command wrote: what
// follows an error is often its usage.
func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(clean(text)), "\n")
	line := cells(cleanLine(text), 0)
	if len(line) > maxSaid {
		return cellsText(line[:maxSaid]) + "…"
	}
	return cellsText(line)
}

// refused tells what was refused, by which rules, and what the person can do.
func (p *people) refused(o *protocol.Observation, a announced) {
	note := cleanLine(o.Note)
	if v := o.Verdict; v != nil && len(v.Rules) > 0 {
		note = ""
		if a.level == protocol.Safe { // else it stands above
			note = becauseOf(v.Rules, v.Reasons)
		}
	}
	refused := p.byTool(a, p.t.Refused, p.t.NotChanged)
	if note == "" {
		p.line(5, refused, red, "")
	} else {
		p.line(5, refused+":", red, note)
	}
	hint := ""
	switch {
	case !a.listed && a.tool == protocol.ToolJSONPatch: // the reason says it
	case !a.listed:
		hint = p.t.RefusedUnlisted
	case a.level == protocol.Block:
		hint = p.byTool(a, p.t.RefusedBlocked, p.t.RefusedEdit)
	case o.Verdict != nil && o.Verdict.DecidedBy == protocol.DecidedByNobody && (p.face.cfg.Yes || a.tool == protocol.ToolJSONPatch):
		hint = p.t.RefusedPerson // --yes is not enough
	case o.Verdict != nil && o.Verdict.DecidedBy == protocol.DecidedByNobody:
		hint = cmp.Or(p.face.cfg.Allowed, p.t.RefusedHint)
	}
	if hint != "" {
		p.line(5, p.t.HintLabel+":", cyan, hint)
	}
}

// becauseOf gives every reason with the rule that it comes from, in one text.
func becauseOf(rules, reasons []string) string {
	var out []string
	for i := range max(len(rules), len(reasons)) {
		switch {
		case i >= len(reasons):
			out = append(out, cleanLine(rules[i]))
		case i >= len(rules):
			out = append(out, cleanLine(reasons[i]))
		default:
			out = append(out, cleanLine(reasons[i])+" ("+cleanLine(rules[i])+")")
		}
	}
	return strings.Join(out, "; ")
}
