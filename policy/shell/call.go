package shell

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"mvdan.cc/sh/v3/syntax"
)

// placeholder stands for an unknown word where the rest of a command is judged.
const placeholder = "unknown-word"

// call judges a simple command.
func (j *judging) call(c *syntax.CallExpr, redirs []*syntax.Redirect, s *state) {
	j.seen[c] = true
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			j.assign(a, s)
		}
		return
	}
	for _, a := range c.Assigns {
		v := j.value(a, s)
		if a.Name == nil || !plainAssign(a) || !harmlessVariable(a.Name.Value) || !v.known || strings.ContainsAny(v.text, "/%$~") && a.Name.Value != "TZ" {
			j.hit(protocol.Confirm, ruleVariable, "a variable is set for one command: "+clip(assignName(a)), protocol.FactCode)
		}
	}
	values := make([]value, len(c.Args))
	for i, w := range c.Args {
		values[i] = j.word(w, s)
	}
	j.simple(values, c, s)
	j.fed(values, redirs, s)
}

// simple judges a command by its words. c is nil where they do not stand in
// the script as they are.
func (j *judging) simple(values []value, c *syntax.CallExpr, s *state) {
	*j.calls++
	if *j.calls > maxCommands {
		if *j.calls == maxCommands+1 {
			j.hit(protocol.Block, ruleLimit, "the script runs more commands than can be judged", protocol.FactUnbounded)
		}
		return
	}
	first := values[0]
	if !first.known || len(first.fields) != 1 || first.paths {
		j.hit(protocol.Confirm, ruleCommand, "which command runs is known only when it runs: "+clip(first.text), protocol.FactCode)
		j.suspect(values, s)
		j.opaqueRan(s)
		return
	}
	name := first.fields[0]
	if first.expanded {
		j.hit(protocol.Confirm, ruleCommand, "the command "+clip(name)+" comes from an expansion", protocol.FactCode)
	}
	kind := builtin(name)
	switch {
	case s.funcs[name]: // its body was judged where it was declared
		clear(s.vars)
		s.lost = true
		j.suspect(values, s)
	case kind != notBuiltin:
		j.builtin(name, kind, values, s)
	default:
		j.program(name, values, c, s)
	}
	j.texts(values, s)
}

// program asks the engine about a program with its arguments.
func (j *judging) program(name string, values []value, c *syntax.CallExpr, s *state) {
	args, known := []string{}, true
	paths := false
	starts := []int{} // where the fields of each word begin
	for _, v := range values[1:] {
		starts = append(starts, len(args))
		if !v.known {
			known = false
			args = append(args, placeholder)
			continue
		}
		paths = paths || v.paths
		args = append(args, v.fields...)
	}
	line := strings.TrimSpace(name + " " + strings.Join(args, " "))
	if s.lost {
		j.hit(protocol.Confirm, ruleFolder, clip(line)+": the folder it works in is known only when it runs", protocol.FactCode)
	}
	if !known {
		j.unknown(name, "a word")
		j.suspect(values, s)
	}
	if s.fed && !hasWord(filters, name) {
		j.hit(protocol.Confirm, ruleFed, clip(name)+": it may take what it is given on its input for commands", protocol.FactCode)
	}
	if paths && !readsPaths(name, values) {
		j.unknown(name, "a file name")
	}
	r := j.engine.Judge(policy.Step{Program: name, Args: args, CWD: s.cwd})
	j.listed = j.listed && r.Listed
	j.add(line, r, false)
	if paths && known && r.Level == protocol.Safe {
		j.readAll(values[1:], s)
	}
	if r.Level == protocol.Safe {
		j.found(name, r.Path)
		j.harden(line, args, starts, c, r)
	}
}

// found makes sure that bash finds the program that was judged, or none where
// there is none. The folders of the engine that are not the system's come last.
func (j *judging) found(name, judged string) {
	switch at := lookup(name); {
	case at == judged:
	case at == "" && filepath.Base(judged) == name:
		if folder := filepath.Dir(judged); !slices.Contains(j.folders, folder) && !strings.Contains(folder, ":") {
			j.folders = append(j.folders, folder)
		}
	default:
		j.hit(protocol.Confirm, ruleCommand, clip(name)+": bash would find another program than was judged", protocol.FactCode)
	}
}

// readAll judges every path that a pattern or a tilde gives as a file that is
// read: the order that bash puts them in does not count.
func (j *judging) readAll(values []value, s *state) {
	args := []string{"--"}
	for _, v := range values {
		if v.paths {
			args = append(args, v.fields...)
		}
	}
	r := j.engine.Judge(policy.Step{Program: "cat", Args: args, CWD: s.cwd})
	if r.Level != protocol.Safe && (r.Listed || len(r.Facts) > 0) {
		j.add("reading "+strings.Join(args[1:], " "), r, false)
	}
}

// suspect looks whether a command with unknown words may be a refused one: the
// unknown words may be nothing, or the command may begin later.
func (j *judging) suspect(values []value, s *state) {
	var words []string
	for _, v := range values {
		if v.known {
			words = append(words, v.fields...)
		}
	}
	for i := range min(len(words), 8) {
		j.add(strings.Join(words[i:], " "), j.engine.Judge(policy.Step{Program: words[i], Args: words[i+1:], CWD: s.cwd}), true)
		if values[0].known {
			break
		}
	}
}

// harden puts the words into the script that the engine put before arguments.
func (j *judging) harden(line string, args []string, starts []int, c *syntax.CallExpr, r policy.Judgement) {
	for _, kv := range r.Env {
		key, _, _ := strings.Cut(kv, "=")
		i := slices.IndexFunc(j.env, func(e string) bool { return strings.HasPrefix(e, key+"=") })
		if i < 0 {
			j.env = append(j.env, kv)
		} else if j.env[i] != kv {
			j.hit(protocol.Confirm, ruleVariable, clip(line)+": two commands need different values of "+key)
		}
	}
	var list []insert
	at := 0
	for _, arg := range r.Args {
		if at < len(args) && args[at] == arg {
			at++
			continue
		}
		word := slices.Index(starts, at)
		switch {
		case c == nil:
			j.hit(protocol.Confirm, ruleCommand, clip(line)+": it cannot be made safe within a script")
			return
		case word >= 0:
			list = append(list, insert{c.Args[word+1].Pos().Offset(), quote(arg) + " "})
		case at == len(args):
			list = append(list, insert{c.Args[len(c.Args)-1].End().Offset(), " " + quote(arg)})
		default:
			j.hit(protocol.Confirm, ruleCommand, clip(line)+": it cannot be made safe within a script")
			return
		}
	}
	if at != len(args) {
		j.hit(protocol.Confirm, ruleCommand, clip(line)+": it cannot be made safe within a script")
		return
	}
	if c == nil {
		return
	}
	if had, ok := j.inserts[c]; ok && !slices.Equal(had, list) {
		j.hit(protocol.Confirm, ruleCommand, clip(line)+": it cannot be made safe for every turn of the loop")
		return
	}
	j.inserts[c] = list
}

// isShell says whether a word names a program that reads shell text.
func isShell(word string) bool {
	switch strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/"))), ".exe") {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox", "ssh", "parallel", "su":
		return true
	}
	return false
}

func namesShell(values []value) bool {
	return slices.ContainsFunc(values, func(v value) bool { return slices.ContainsFunc(v.fields, isShell) })
}

// texts judges words that a shell among the words before may run.
func (j *judging) texts(values []value, s *state) {
	shell := false
	for _, v := range values {
		for _, f := range v.fields {
			if shell && strings.ContainsAny(f, " \t\n;&|`(") {
				j.nested(f, "the text of a shell", s, refusals)
			}
			shell = shell || isShell(f)
		}
	}
}

// fed judges here-documents and here-strings of a command that names a shell.
func (j *judging) fed(values []value, redirs []*syntax.Redirect, s *state) {
	if !namesShell(values) {
		return
	}
	for _, r := range redirs {
		w := r.Hdoc
		if r.Op == syntax.WordHdoc {
			w = r.Word
		}
		if w == nil {
			continue
		}
		j.hit(protocol.Confirm, ruleRedirect, "a shell runs the text that is given to it", protocol.FactCode)
		if v := j.word(w, s); v.text != "" {
			j.nested(v.text, "the text given to a shell", s, withFacts)
		}
	}
}

// piped judges what echo or printf gives to a shell.
func (j *judging) piped(c *syntax.BinaryCmd, s *state) {
	from, ok1 := c.X.Cmd.(*syntax.CallExpr)
	to, ok2 := c.Y.Cmd.(*syntax.CallExpr)
	if !ok1 || !ok2 || len(from.Args) < 2 {
		return
	}
	if name := from.Args[0].Lit(); name != "echo" && name != "printf" {
		return
	}
	shell := slices.ContainsFunc(to.Args, func(w *syntax.Word) bool { return isShell(w.Lit()) })
	if !shell {
		return
	}
	var all []string
	for _, w := range from.Args[1:] {
		text := j.word(w, s).text
		j.nested(text, "the text piped to a shell", s, refusals)
		all = append(all, text)
	}
	j.nested(strings.Join(all, " "), "the text piped to a shell", s, withFacts)
}
