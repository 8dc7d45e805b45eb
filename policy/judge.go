package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// Limits of what is judged at all. Beyond them a step is asked for or, where
// programs start programs, refused.
const (
	maxDepth = 8
	maxArgs  = 4096
	maxTries = 64 // nested commands judged for one step
)

// A hit is one rule that was hit.
type hit struct {
	level  protocol.Level
	rule   string
	reason string
}

// An insert is arguments that go before the argument of that index.
type insert struct {
	at   int
	args []string
}

// judging is the work on one step.
type judging struct {
	e     *Engine
	cwd   string
	facts []protocol.Fact
	hits  []hit
	depth int
	tries *int

	listed  bool
	inserts []insert
	writes  []string
	env     []string
}

func (j *judging) hit(level protocol.Level, rule, reason string, facts ...protocol.Fact) {
	for _, f := range facts {
		if !slices.Contains(j.facts, f) {
			j.facts = append(j.facts, f)
		}
	}
	h := hit{level, rule, reason}
	if !slices.Contains(j.hits, h) {
		j.hits = append(j.hits, h)
	}
}

func (j *judging) level() protocol.Level {
	level := protocol.Safe
	for _, h := range j.hits {
		level = max(level, h.level)
	}
	return level
}

// effect counts what a rule says about something called name.
func (j *judging) effect(e *effect, rule, name string) {
	if e.Level == protocol.Safe && len(e.Facts) == 0 {
		return
	}
	reason := e.Reason
	if reason == "" {
		reason = "may do more than read"
	}
	j.hit(e.Level, cmp.Or(e.Rule, rule), name+" "+reason, e.Facts...)
}

// program judges a program by its bare name. It says whether it is known.
func (j *judging) program(name string, args []string) bool {
	list, err := j.e.lib.program(name)
	if err != nil {
		j.hit(protocol.Confirm, "broken rules", err.Error())
		return true
	}
	for _, c := range list {
		before := len(j.hits)
		j.command(c, args, 0)
		if c.origin != "" {
			for i := range j.hits[before:] {
				j.hits[before+i].reason += " (by " + c.origin + ")"
			}
		}
	}
	return len(list) > 0
}

// command judges the arguments of a program or sub-command, which begin at
// index at of the step's arguments.
func (j *judging) command(c *command, args []string, at int) {
	if c.Harden != nil {
		j.inserts = append(j.inserts, insert{at, c.Harden.Args})
		j.env = append(j.env, c.Harden.Env...)
	}
	p := c.parse(args, len(c.Commands) > 0)
	sub := j.subCommand(c, &p)
	if sub == nil && c.Mixed {
		p = c.parse(args, false)
	}
	if c.err != nil {
		j.hit(protocol.Confirm, "broken rules", c.err.Error())
	}
	j.effect(&c.effect, c.id, c.name)
	j.options(c, &p)
	if sub != nil {
		j.command(sub, args[p.first+1:], at+p.first+1)
		j.guessCommands(c, &p)
		return
	}
	for i := range c.Raise {
		if c.Raise[i].matches(&p) {
			j.effect(&c.Raise[i].effect, c.id, c.name)
		}
	}
	if len(p.operands) == 0 && c.Bare.matches(&p) {
		j.effect(&c.Bare.effect, c.id, c.name)
	}
	j.operands(c, &p)
	for root := c; root != nil; root = root.parent {
		if root.Probe == "git" {
			j.probeGit()
			break
		}
	}
	if len(c.TrapFiles) > 0 {
		j.probeFiles(c)
	}
}

// hardened gives the arguments as they run when nobody is asked.
func (j *judging) hardened(args []string) []string {
	slices.SortStableFunc(j.inserts, func(a, b insert) int { return cmp.Compare(a.at, b.at) })
	var out []string
	from := 0
	for _, in := range j.inserts {
		out = append(append(out, args[from:in.at]...), in.args...)
		from = in.at
	}
	return append(out, args[from:]...)
}

// subCommand finds the sub-command that is named, or says what it means that
// there is none.
func (j *judging) subCommand(c *command, p *parsed) *command {
	if len(c.Commands) == 0 {
		return nil
	}
	if len(p.operands) == 0 {
		return nil
	}
	sub, err := c.command(p.operands[0])
	if err != nil {
		j.hit(protocol.Confirm, "broken rules", err.Error())
	}
	if sub == nil && !c.Mixed {
		j.hit(protocol.Confirm, "unknown command", c.name+" "+clip(p.operands[0])+" is not on the list of known commands", protocol.FactCode)
		j.guessCommands(c, p)
	}
	return sub
}

// guessCommands looks further for a refused sub-command where an unknown
// option may have taken what looked like the sub-command.
func (j *judging) guessCommands(c *command, p *parsed) {
	if len(p.unknown) == 0 || len(p.operands) < 2 {
		return
	}
	for i := 1; i < min(len(p.operands), 4); i++ {
		if sub, _ := c.command(p.operands[i]); sub != nil {
			j.nested(func(n *judging) { n.command(sub, p.operands[i+1:], 0) }, protocol.Block)
		}
	}
}

// options judges every option that was found.
func (j *judging) options(c *command, p *parsed) {
	for _, u := range p.unknown {
		j.hit(protocol.Confirm, "unknown option", c.name+" "+clip(u)+" is not on the list of harmless options")
	}
	for i := range p.opts {
		o := &p.opts[i]
		if o.opt == nil {
			continue
		}
		j.effect(&o.opt.effect, c.id+"."+strings.TrimLeft(o.name, "-"), c.name+" "+o.name)
		if o.dashed {
			j.hit(protocol.Confirm, "unknown option", c.name+" "+o.name+" "+clip(o.value)+" can be read in two ways")
		}
		if o.opt.Kind == kindExec {
			j.start(o.argv)
		} else if o.has {
			j.value(c, &o.opt.value, o.value, o.name, "")
		}
		if o.opt.Moves {
			j.move(c, o.value)
		}
	}
}

// move changes the working directory that the rest is judged in.
func (j *judging) move(c *command, folder string) {
	to := j.real(join(j.cwd, folder))
	if root := j.e.opt.Workspace; !within(to, j.real(j.cwd)) && (root == "" || !within(to, j.real(root))) {
		j.hit(protocol.Confirm, c.id+".elsewhere", c.name+" works in "+clip(folder)+", outside the workspace")
	}
	j.cwd = to
}

// operands judges what the operands mean, one after the other.
func (j *judging) operands(c *command, p *parsed) {
	walks := c.Walks
	for i := range p.opts {
		if o := p.opts[i].opt; o != nil && o.Walks != "" {
			walks = o.Walks
		}
	}
	rest, paths := p.operands, 0
	for i := range c.Operands {
		op := &c.Operands[i]
		if len(op.Unless) > 0 && p.has(op.Unless) {
			continue
		}
		for len(rest) > 0 {
			if op.Kind == kindAssign && !assignment(rest[0]) {
				break
			}
			if j.takesAll(op, rest) {
				if len(p.unknown) > 0 {
					j.shifted(rest)
				}
				rest = nil
				break
			}
			if op.Kind == kindPath || op.Kind == kindRevision {
				paths++
			}
			j.value(c, &op.value, rest[0], "", walks)
			rest = rest[1:]
			if !op.Many {
				break
			}
		}
	}
	if len(rest) > 0 {
		j.hit(protocol.Confirm, "unknown operand", c.name+" "+clip(rest[0])+" is more than it takes")
	}
	if paths == 0 && c.Default != "" {
		j.readPath(c.Default, walks)
	}
}

// takesAll judges operands that belong together: a command that is started.
func (j *judging) takesAll(op *operand, rest []string) bool {
	switch op.Kind {
	case kindCommand:
		j.start(rest)
	case kindRemote:
		j.nested(func(n *judging) { n.startElsewhere(rest) }, protocol.Block)
	case kindShell:
		if !op.Many {
			return false
		}
		j.shell(strings.Join(rest, " "))
		for _, word := range rest {
			j.commands(word, false)
		}
	default:
		return false
	}
	return true
}

// matches says whether all that the raise names is there.
func (r *raise) matches(p *parsed) bool {
	for _, names := range r.All {
		if !p.has(names) {
			return false
		}
	}
	if p.has(r.None) || len(p.operands) < r.Operands || r.Fewer > 0 && len(p.operands) >= r.Fewer {
		return false
	}
	if r.Operand == "" {
		return true
	}
	return slices.ContainsFunc(p.operands, func(s string) bool { return glob(r.Operand, s) })
}

// clip shortens a text for a reason and takes out what a terminal would act on.
func clip(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\uFFFD' || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '?'
		}
		return r
	}, s)
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
