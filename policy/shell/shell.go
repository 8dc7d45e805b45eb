package shell

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is judged at all. A script beyond them is refused.
const (
	maxScript   = 64 << 10
	maxCommands = 500 // judged commands, each turn of a loop counted
	maxDepth    = 6   // scripts in scripts
	maxBrackets = 1000
	maxReasons  = 40
	maxEntries  = 2000 // names in a folder that a pattern is matched with
	maxMatches  = 200
	maxReads    = 50
)

// Rules that a script itself may hit. Their names are stable.
const (
	ruleSyntax       = "shell.not-understood"
	ruleLimit        = "shell.too-large"
	ruleText         = "shell.unusual-text"
	ruleUnknown      = "shell.unknown-word"
	ruleSubstitution = "shell.substitution"
	ruleCommand      = "shell.unknown-command"
	ruleBuiltin      = "shell.builtin"
	ruleFunction     = "shell.function"
	ruleVariable     = "shell.variable"
	ruleLoop         = "shell.loop"
	ruleBackground   = "shell.background"
	ruleFolder       = "shell.folder"
	ruleFed          = "shell.input"
	ruleRedirect     = "shell.redirect"
	ruleOther        = "shell.construct"
)

// A Judger judges one step; a [policy.Engine] is one.
type Judger interface {
	Judge(step policy.Step) policy.Judgement
}

// Judge says what a bash script may do: every simple command in it is judged
// by the engine, and the highest level counts. cwd is absolute.
//
// What comes back can be run as it is: Path is bash, Args hold the script, with
// the same hardening words put into it as the engine puts before the arguments
// of single commands, and Env pins PATH to the folders the programs were found
// in. It needs an environment without BASH_COMPAT, POSIXLY_CORRECT and variables
// that bring code into programs. bash's own listing does not count; Listed is
// false where a command in the script is not in allowedPrograms.
//
// Rules may name one rule several times, for several commands.
func Judge(engine Judger, script, cwd string, requires protocol.Requires) policy.Judgement {
	j := &judging{engine: engine, listed: true, calls: new(int), requires: requires}
	at := cwd
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		at = real // as bash sees it
	}
	text := j.script(script, newState(at))
	if len(text) > 2*maxScript {
		j.hit(protocol.Confirm, ruleLimit, "the script with what makes it safe is too long to run")
	}
	out := policy.Judgement{CWD: cwd}
	j.shell(script, cwd, &out)
	if j.level == protocol.Safe {
		script = text
	}
	out.Args = []string{"--noprofile", "--norc", "-p", "-c", "--", script}
	out.Level, out.Listed, out.Facts, out.Writes = j.level, j.listed, j.facts, j.writes
	slices.Sort(out.Facts)
	out.Env = []string{"PATH=" + strings.Join(append(searchPath(), j.folders...), ":")}
	if j.level == protocol.Safe {
		out.Env = append(out.Env, j.env...)
	}
	slices.SortStableFunc(j.hits, func(a, b hit) int { return cmp.Compare(b.level, a.level) })
	for _, h := range j.hits[:min(len(j.hits), maxReasons)] {
		out.Rules, out.Reasons = append(out.Rules, h.rule), append(out.Reasons, h.reason)
	}
	return out
}

// A hit is one rule that was hit.
type hit struct {
	level        protocol.Level
	rule, reason string
}

// An insert is text that goes into the script before it runs.
type insert struct {
	at   uint
	text string
}

// judging is the work on one script.
type judging struct {
	engine   Judger
	requires protocol.Requires
	depth    int
	calls    *int // judged commands, with those of nested scripts

	level  protocol.Level
	hits   []hit
	facts  []protocol.Fact
	writes []string
	env    []string
	listed bool

	folders []string // further folders that programs are taken from
	reads   int      // folders read for patterns

	src     string
	seen    map[*syntax.CallExpr]bool
	inserts map[*syntax.CallExpr][]insert
	opaque  int // how often something ran that may change anything
}

func (j *judging) hit(level protocol.Level, rule, reason string, facts ...protocol.Fact) {
	j.level = max(j.level, level)
	j.fact(facts...)
	if h := (hit{level, rule, reason}); rule != "" && !slices.Contains(j.hits, h) {
		j.hits = append(j.hits, h)
	}
}

func (j *judging) fact(facts ...protocol.Fact) {
	for _, f := range facts {
		if !slices.Contains(j.facts, f) {
			j.facts = append(j.facts, f)
		}
	}
}

// shell finds bash and counts the model's own word and a person's word on bash.
func (j *judging) shell(script, cwd string, out *policy.Judgement) {
	step := policy.Step{Program: "bash", CWD: cwd}
	if slices.ContainsFunc(j.hits, func(h hit) bool { return h.rule == ruleText || h.rule == ruleSyntax }) && !strings.Contains(script, "\x00") {
		step.Args = []string{"-c", script}
	}
	base := j.engine.Judge(step)
	out.Path = base.Path
	if base.Path == "" {
		j.hit(protocol.Confirm, "not installed", "bash was not found in the folders programs are taken from")
	}
	if base.Level == protocol.Block {
		j.add("bash", base, true)
	}
	if j.requires != (protocol.Requires{}) {
		// echo has no rules of its own: what it hits is the model's word.
		word := j.engine.Judge(policy.Step{Program: "echo", CWD: cwd, Requires: j.requires})
		for i := range word.Rules {
			if word.Rules[i] != "not in allowedPrograms" && word.Rules[i] != "not installed" {
				j.hit(word.Level, word.Rules[i], word.Reasons[i])
			}
		}
		j.hit(word.Level, "", "", word.Facts...)
	}
}

// add counts the judgement of one command. With blockOnly only a refusal counts.
func (j *judging) add(command string, r policy.Judgement, blockOnly bool) {
	if blockOnly && r.Level < protocol.Block {
		return
	}
	for i, rule := range r.Rules {
		j.hit(r.Level, rule, clip(command)+": "+r.Reasons[i])
	}
	j.hit(r.Level, "", "", r.Facts...)
	for _, path := range r.Writes {
		if !strings.Contains(path, placeholder) && !slices.Contains(j.writes, path) {
			j.writes = append(j.writes, path)
		}
	}
}

// script judges a whole script and gives it back as it runs when nobody is
// asked.
func (j *judging) script(text string, s *state) string {
	if len(text) > maxScript || strings.Count(text, "(")+strings.Count(text, "{") > maxBrackets || strings.Count(text, "`") > 64 {
		j.hit(protocol.Block, ruleLimit, "the script is larger than can be judged: at most 64 KiB, 1000 brackets and 64 backquotes", protocol.FactUnbounded)
		return text
	}
	if what := unusual(text); what != "" {
		j.hit(protocol.Confirm, ruleText, "the script "+what+", which shells read differently", protocol.FactCode)
		if other := strings.NewReplacer("\\\n", "\n", "\r", "\n").Replace(text); other != text {
			j.nested(other, "the script with other line ends", s, withFacts)
		}
	}
	file, err := parse(text)
	if err != nil {
		j.hit(protocol.Block, ruleSyntax, "the script is not understood as bash: "+clip(err.Error()), protocol.FactCode)
		return text
	}
	j.src = text
	j.seen, j.inserts = map[*syntax.CallExpr]bool{}, map[*syntax.CallExpr][]insert{}
	j.features(file)
	j.stmts(file.Stmts, s)
	// What the walk did not come to is judged without knowing anything.
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && !j.seen[c] {
			j.hit(protocol.Confirm, ruleOther, "a command stands where it is not looked for", protocol.FactCode)
			j.call(c, nil, newState(s.cwd))
		}
		return true
	})
	return j.hardened()
}

// hardened gives the script with the inserts of all commands.
func (j *judging) hardened() string {
	var all []insert
	for _, list := range j.inserts {
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b insert) int { return cmp.Compare(a.at, b.at) })
	var out strings.Builder
	from := uint(0)
	for _, in := range all {
		out.WriteString(j.src[from:in.at])
		out.WriteString(in.text)
		from = in.at
	}
	out.WriteString(j.src[from:])
	return out.String()
}

// counted says what counts of a script within a script.
type counted int

const (
	refusals  counted = iota // it may be no script at all
	withFacts                // what it does as well: it is run, in a way that is not followed
	allOfIt                  // it is run just so
)

// nested judges the text of a script that the script runs, or may run.
func (j *judging) nested(text, what string, s *state, counts counted) {
	if j.depth >= maxDepth {
		j.hit(protocol.Block, ruleLimit, what+" runs scripts in scripts, too deep to follow", protocol.FactCode)
		return
	}
	n := &judging{engine: j.engine, depth: j.depth + 1, calls: j.calls, listed: true}
	n.script(text, s.clone())
	if counts != allOfIt {
		if slices.ContainsFunc(n.hits, func(h hit) bool { return h.rule == ruleSyntax }) {
			return
		}
		if n.level < protocol.Block {
			if counts == withFacts {
				j.hit(protocol.Safe, "", "", n.facts...)
			}
			return
		}
	}
	for _, h := range n.hits {
		j.hit(h.level, h.rule, "in "+what+": "+h.reason)
	}
	j.hit(n.level, "", "", n.facts...)
	j.listed = j.listed && n.listed
	j.writes = append(j.writes, n.writes...)
}

// parse reads a script as bash. A panic of the parser is an error.
func parse(text string) (file *syntax.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "script")
}
