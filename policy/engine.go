package policy

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/holic512/plugin-ai/protocol"
)

// Rules that do not come from a rule file. Their names are stable.
const (
	ruleWrite    = "write=true"
	ruleNetwork  = "network=true"
	ruleElevated = "elevated=true"
	ruleConfirm  = "confirm=true"
	ruleUnlisted = "not in allowedPrograms"
)

// An Engine judges steps. It runs nothing, and may be used by many at once.
type Engine struct {
	opt     Options
	files   Filesystem
	lib     *library
	rules   []userRule
	safe    map[string][]safeLine // by plugin alias
	allowed map[string]bool       // nil: the default list
	stems   []string              // beginnings of allowed names
	places  func() *places
	found   sync.Map // bare name → place
}

// New makes an engine. It fails where a rule file of opt is wrong.
func New(opt Options) (*Engine, error) {
	for _, file := range opt.RuleFiles {
		if err := Check(file.Data); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Origin, err)
		}
	}
	return newEngine(opt)
}

func newEngine(opt Options) (*Engine, error) {
	lib, err := newLibrary(opt.RuleFiles)
	if err != nil {
		return nil, err
	}
	rules, err := readUserRules(opt.UserRules)
	if err != nil {
		return nil, err
	}
	safe, err := readSafePlugins(opt.SafePlugins)
	if err != nil {
		return nil, err
	}
	e := &Engine{opt: opt, files: opt.Files, lib: lib, rules: rules, safe: safe}
	if e.files == nil {
		e.files = osFiles{}
	}
	if e.opt.SearchPath == nil {
		e.opt.SearchPath = defaultSearchPath()
	}
	if opt.AllowedPrograms != nil {
		e.allowed = make(map[string]bool, len(opt.AllowedPrograms))
	}
	for _, name := range opt.AllowedPrograms {
		if stem, ok := strings.CutSuffix(name, "*"); ok && stem != "" {
			e.stems = append(e.stems, stem)
		}
		e.allowed[name] = true
	}
	e.places = sync.OnceValue(e.loadPlaces)
	return e, nil
}

// allows says whether a program is in allowedPrograms, or in the default list
// where that is not set.
func (e *Engine) allows(name string) bool {
	if e.allowed == nil {
		return plainName(name) && e.lib.listed(name)
	}
	return e.allowed[name] || slices.ContainsFunc(e.stems, func(s string) bool { return strings.HasPrefix(name, s) && plainName(name) })
}

// Judge says what step may do. It reads links, modes and repository settings
// and nothing else; what it cannot read or understand is not safe.
func (e *Engine) Judge(step Step) Judgement {
	tries := 0
	j := &judging{e: e, cwd: filepath.Clean(step.CWD), tries: &tries, listed: e.allows(step.Program)}
	out := Judgement{Args: slices.Clone(step.Args), CWD: step.CWD}
	e.requires(j, step.Requires)
	e.form(j, step)
	if len(step.Args) <= maxArgs {
		j.named(step.Program, step.Args)
	}
	out.Path = e.resolve(j, step)
	if !j.listed {
		name := step.Program
		if e.allows(name) {
			name += " starts a program that"
		}
		j.hit(protocol.Confirm, ruleUnlisted, clip(name)+" is not in allowedPrograms")
	}
	e.conclude(j, &out)
	if out.Level == protocol.Safe {
		out.Args, out.Env = j.hardened(step.Args), j.env
	}
	return out
}

// conclude counts what the settings say and writes down what was found.
func (e *Engine) conclude(j *judging, out *Judgement) {
	e.settings(j)
	out.Listed = j.listed
	out.Level = j.level()
	slices.SortStableFunc(j.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(rank(a.rule), rank(b.rule)))
	})
	for _, h := range j.hits {
		if h.rule != "" && !slices.Contains(out.Rules, h.rule) {
			out.Rules = append(out.Rules, h.rule)
			out.Reasons = append(out.Reasons, h.reason)
		}
	}
	slices.Sort(j.facts)
	out.Facts, out.Writes = j.facts, j.writes
}

// rank puts the words that people know best first.
func rank(rule string) int {
	return slices.Index([]string{"", "not in allowedPrograms", "network=true", "write=true", "sudo detected"}, rule) * -1
}

// requires counts the model's own word: it can only raise.
func (e *Engine) requires(j *judging, r protocol.Requires) {
	if r.Elevated {
		j.hit(protocol.Block, ruleElevated, "the model says that it needs more rights, which are never given", protocol.FactElevated)
	}
	if r.Confirm {
		j.hit(protocol.Confirm, ruleConfirm, "the model asked for a confirmation")
	}
	if r.Network {
		j.hit(protocol.Confirm, ruleNetwork, "the model says that it uses the network", protocol.FactNetwork)
	}
	if r.Write {
		j.hit(protocol.Confirm, ruleWrite, "the model says that it changes files", protocol.FactWrite)
	}
}

// form judges the spelling of the step.
func (e *Engine) form(j *judging, step Step) {
	if !plainName(step.Program) {
		j.hit(protocol.Confirm, "program name", "the program "+clip(step.Program)+" is not a plain name of lower-case letters, digits and . _ + -")
	}
	j.form(step.CWD, step.Args)
}

// form judges the spelling of a working directory and of arguments.
func (j *judging) form(cwd string, args []string) {
	if !filepath.IsAbs(cwd) {
		j.hit(protocol.Confirm, "working directory", "the working directory "+clip(cwd)+" is not absolute")
	}
	if len(args) > maxArgs {
		j.hit(protocol.Confirm, "too many arguments", "there are more arguments than can be judged", protocol.FactUnbounded)
	}
	for _, arg := range args {
		if strings.IndexByte(arg, 0) >= 0 {
			j.hit(protocol.Confirm, "argument", "an argument holds a zero byte")
		}
	}
}

// plainName says whether a program is named as programs are: nothing in it
// can be taken for something else.
func plainName(name string) bool {
	if name == "[" {
		return true
	}
	for i := range len(name) {
		b := name[i]
		plain := b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || i > 0 && strings.IndexByte("._+-", b) >= 0
		if !plain {
			return false
		}
	}
	return name != ""
}

// settings counts what the person's settings say about the facts found.
func (e *Engine) settings(j *judging) {
	writes := slices.Contains(j.facts, protocol.FactWrite) || slices.Contains(j.facts, protocol.FactDestructive)
	switch {
	case writes && !e.opt.AllowWrite:
		j.hit(protocol.Block, ruleWrite, "it may change files, and allowWrite is false in the settings", protocol.FactWrite)
	case writes:
		j.hit(protocol.Confirm, ruleWrite, "it may change files", protocol.FactWrite)
	}
	switch network := slices.Contains(j.facts, protocol.FactNetwork); {
	case network && !e.opt.AllowNetwork:
		j.hit(protocol.Block, ruleNetwork, "it may use the network, and allowNetwork is false in the settings")
	case network:
		j.hit(protocol.Confirm, ruleNetwork, "it may use the network")
	}
	if e.opt.AllowSudo && slices.Contains(j.facts, protocol.FactElevated) {
		j.hit(protocol.Block, "sudo detected", "more rights are refused in this version, also where allowSudo is true", protocol.FactElevated)
	}
}

// A ProgramInfo describes a program that rules exist for.
type ProgramInfo struct {
	Name    string // a trailing * stands for any ending
	Summary string // one line: what runs unasked, or what it does
	Family  string
	Allowed bool // in allowedPrograms
}

// Programs lists all programs that rules exist for, sorted by name.
func (e *Engine) Programs() ([]ProgramInfo, error) {
	var list []ProgramInfo
	for _, f := range e.lib.families {
		file, err := f.loaded()
		if err != nil {
			return nil, err
		}
		for names, data := range file.Programs {
			for _, name := range strings.Fields(names) {
				c, err := newCommand(data, nil, name)
				if err != nil {
					return nil, err
				}
				list = append(list, ProgramInfo{name, c.Summary, file.Family, e.allows(name)})
			}
		}
	}
	slices.SortFunc(list, func(a, b ProgramInfo) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Family, b.Family))
	})
	return list, nil
}
