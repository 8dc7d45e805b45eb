package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"mvdan.cc/sh/v3/syntax"
)

// A builtinKind says how a builtin of bash is judged.
type builtinKind int

const (
	notBuiltin   builtinKind = iota
	kindPrinting             // prints its words: harmless, whatever they are
	kindCounting             // takes numbers at most
	kindTesting              // test and [
	kindSpecial              // has a function of its own
	kindOther                // asked for
)

// The builtins of bash 3 to 5, by how they are judged.
const (
	printingBuiltins = "echo printf true false :"
	countingBuiltins = "exit return break continue shift wait pwd"
	testingBuiltins  = "test ["
	specialBuiltins  = "cd set command builtin eval trap exec . source kill type"
	otherBuiltins    = "alias bg bind caller compgen complete compopt declare dirs disown enable export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly shopt suspend times typeset ulimit umask unalias unset"
)

// filters take what is given on their input for text and nothing else, or do
// not read it.
const filters = "cat head tail wc grep egrep fgrep rg sed gsed awk gawk mawk nawk sort uniq cut tr rev nl tac fold column paste join comm diff cmp od xxd hexdump hd strings fmt pr expand unexpand iconv base64 base32 jq tsort shuf factor numfmt md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum zcat ls date pwd uname whoami id basename dirname realpath readlink which stat seq sleep less more file"

// pathReaders read every operand as a file, in any order, and write nothing.
const pathReaders = "ls cat head tail wc stat file du nl md5sum sha1sum sha256sum sha512sum cksum"

func hasWord(list, word string) bool {
	for {
		next, rest, more := strings.Cut(list, " ")
		if next == word {
			return true
		}
		if !more {
			return false
		}
		list = rest
	}
}

func builtin(name string) builtinKind {
	switch {
	case hasWord(printingBuiltins, name):
		return kindPrinting
	case hasWord(countingBuiltins, name):
		return kindCounting
	case hasWord(testingBuiltins, name):
		return kindTesting
	case hasWord(specialBuiltins, name):
		return kindSpecial
	case hasWord(otherBuiltins, name):
		return kindOther
	}
	return notBuiltin
}

// readsPaths says whether all operands of a command are files that are read:
// a known reader, or grep whose pattern stands before them.
func readsPaths(name string, values []value) bool {
	if name != "grep" {
		return hasWord(pathReaders, name)
	}
	for _, v := range values[1:] {
		if v.paths {
			return false
		}
		if v.known && len(v.fields) == 1 && !strings.HasPrefix(v.fields[0], "-") {
			return true
		}
	}
	return false
}

// fields gives the fields of known words, and whether all are known.
func fields(values []value) ([]string, bool) {
	var all []string
	for _, v := range values {
		if !v.known || v.paths {
			return all, false
		}
		all = append(all, v.fields...)
	}
	return all, true
}

func (j *judging) builtin(name string, kind builtinKind, values []value, s *state) {
	args, known := fields(values[1:])
	switch kind {
	case kindPrinting:
		if name == "printf" && (len(values) < 2 || !values[1].known || values[1].paths || !plainFormat(values[1].fields[0])) {
			j.asks(name, "its format is not fixed, or sets a variable")
			j.opaqueRan(s)
		}
	case kindCounting:
		plain := known
		for _, a := range args {
			plain = plain && strings.Trim(a, "0123456789") == ""
		}
		if len(values) == 2 && !values[1].known && values[1].expanded && (name == "exit" || name == "return") {
			plain = true
		}
		if !plain {
			j.asks(name, "its words are not numbers")
		}
	case kindTesting:
		if !known || slices.ContainsFunc(args, func(a string) bool { return a == "-v" || a == "-R" }) {
			j.asks(name, "what it tests is known only when it runs")
		}
	case kindSpecial:
		j.special(name, args, known, values, s)
	default:
		j.asks(name, "it changes the shell itself or waits for input")
		j.opaqueRan(s)
	}
}

// plainFormat says whether a format of printf only prints: %n sets a variable.
func plainFormat(format string) bool {
	if strings.HasPrefix(format, "-") {
		return false
	}
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return true
		}
		rest = strings.TrimLeft(rest, "-+ #0123456789.*")
		if rest == "" || strings.IndexByte("%diouxXeEfFgGcsbq", rest[0]) < 0 {
			return false
		}
		format = rest[1:]
	}
}

func (j *judging) asks(name, why string) {
	j.hit(protocol.Confirm, ruleBuiltin, clip(name)+": "+why, protocol.FactCode)
}

func (j *judging) special(name string, args []string, known bool, values []value, s *state) {
	switch name {
	case "cd":
		j.cd(args, known, s)
	case "set":
		if !known || !plainSet(args) {
			j.asks(name, "only -e, -u and -o pipefail are known to be harmless")
			j.opaqueRan(s)
		}
	case "type":
		if !known {
			j.asks(name, "its words are not fixed")
		}
	case "command", "builtin":
		if known && len(args) > 0 && name == "command" && (args[0] == "-v" || args[0] == "-V") {
			return
		}
		j.asks(name, "it starts another command")
		rest := values[1:]
		for len(rest) > 0 && rest[0].known && strings.HasPrefix(rest[0].text, "-") {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			j.simple(rest, nil, s)
		}
	case "exec":
		j.asks(name, "the shell becomes another program, or its files change")
		rest := values[1:]
		for len(rest) > 0 && rest[0].known && strings.HasPrefix(rest[0].text, "-") {
			if rest[0].text == "-a" && len(rest) > 1 {
				rest = rest[1:]
			}
			rest = rest[1:]
		}
		if len(rest) > 0 {
			j.simple(rest, nil, s)
		}
	case "eval", "trap":
		j.asks(name, "it runs text")
		var all []string
		for _, v := range values[1:] {
			all = append(all, v.text)
			if name == "trap" {
				j.nested(v.text, "trap", s, withFacts)
			}
		}
		if name == "eval" {
			counts := withFacts
			if known {
				counts = allOfIt
			}
			j.nested(strings.Join(all, " "), "eval", s, counts)
		}
		j.opaqueRan(s)
	case "kill":
		j.asks(name, "it ends processes")
		r := j.engine.Judge(policy.Step{Program: name, Args: args, CWD: s.cwd})
		j.listed = j.listed && r.Listed
		j.add(name+" "+strings.Join(args, " "), r, false)
	default:
		j.asks(name, "it runs a file of commands")
		j.opaqueRan(s)
	}
}

// plainSet says whether the arguments of set only make a script stricter.
func plainSet(args []string) bool {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "pipefail" && i > 0 && strings.HasSuffix(args[i-1], "o"):
		case len(a) > 1 && a[0] == '-' && strings.Trim(a[1:len(a)-1], "eu") == "" && strings.Trim(a[len(a)-1:], "euo") == "":
			if a[len(a)-1] == 'o' && (i+1 >= len(args) || args[i+1] != "pipefail") {
				return false
			}
		default:
			return false
		}
	}
	return len(args) > 0
}

// cd changes the folder that the rest is judged in, where it is fixed, exists
// and lies in the folder that the script begins in.
func (j *judging) cd(args []string, known bool, s *state) {
	s.moves++
	if len(args) == 2 && args[0] == "--" {
		args = args[1:]
	}
	if !known || len(args) != 1 || args[0] == "" || args[0][0] == '-' || s.lost || turnsBack(args[0]) {
		j.hit(protocol.Confirm, ruleFolder, "cd: where it goes is known only when it runs", protocol.FactCode)
		s.lost = true
		return
	}
	to := args[0]
	if !filepath.IsAbs(to) {
		to = filepath.Join(s.cwd, to)
	}
	to = filepath.Clean(to)
	real, err := filepath.EvalSymlinks(to)
	if err != nil {
		j.hit(protocol.Confirm, ruleFolder, "cd "+clip(args[0])+": there is no such folder now", protocol.FactCode)
		s.cwd, s.lost = to, true
		return
	}
	from, err := filepath.EvalSymlinks(s.begin)
	if _, statErr := os.Stat(to + "/."); err != nil || statErr != nil {
		j.hit(protocol.Confirm, ruleFolder, "cd "+clip(args[0])+": it is not a folder that can be entered", protocol.FactCode)
		s.cwd, s.lost = to, true
		return
	}
	if real != from && !strings.HasPrefix(real, strings.TrimSuffix(from, "/")+"/") {
		j.hit(protocol.Confirm, ruleFolder, "cd "+clip(args[0])+": it works outside the folder that the script begins in")
	}
	s.cwd = to
}

// turnsBack says whether a path goes down and up again: whether bash can follow
// it depends on folders that are not in its result.
func turnsBack(path string) bool {
	down := filepath.IsAbs(path)
	for name := range strings.SplitSeq(path, "/") {
		if name == ".." && down {
			return true
		}
		down = down || name != ".." && name != "." && name != ""
	}
	return false
}

// assign judges NAME=value and remembers it where it is plain.
func (j *judging) assign(a *syntax.Assign, s *state) {
	v := j.value(a, s)
	if a.Name == nil || !plainAssign(a) || !plainName(a.Name.Value) {
		j.hit(protocol.Confirm, ruleVariable, "it sets "+clip(assignName(a))+", which may mean more than a value", protocol.FactCode)
		if a.Name != nil {
			delete(s.vars, a.Name.Value)
		}
		return
	}
	if v.known && !v.paths && len(v.fields) == 1 && !strings.Contains(v.text, "{") {
		s.vars[a.Name.Value] = v.fields[0]
		return
	}
	delete(s.vars, a.Name.Value)
}

// value is what is assigned; the commands inside are judged.
func (j *judging) value(a *syntax.Assign, s *state) value {
	if a.Index != nil {
		j.inner(a.Index, s)
	}
	if a.Array != nil {
		j.inner(a.Array, s)
	}
	if a.Value == nil {
		return value{known: a.Array == nil && !a.Naked, fields: []string{""}}
	}
	return j.word(a.Value, s)
}

func plainAssign(a *syntax.Assign) bool {
	return !a.Append && !a.Naked && a.Index == nil && a.Array == nil
}

func assignName(a *syntax.Assign) string {
	if a.Name == nil {
		return "a variable"
	}
	return a.Name.Value
}

// plainName says whether a variable is the script's own: bash and programs
// give a meaning to names in capitals, and to a few in small letters.
func plainName(name string) bool {
	if hasWord("DIR FILE FILES NAME N COUNT SRC OUT TOTAL ROOT PATTERN VERSION", name) {
		return true
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && strings.Trim(name, "_") != "" &&
		!strings.Contains(name, "proxy") && !strings.HasPrefix(name, "npm_") && !strings.HasPrefix(name, "auto_") && name != "histchars"
}

// harmlessVariable says whether a variable may be set for one command.
func harmlessVariable(name string) bool {
	return hasWord("LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME LANG TZ NO_COLOR COLUMNS", name)
}

// declare judges local, declare, export and their like.
func (j *judging) declare(c *syntax.DeclClause, s *state) {
	plain := c.Variant.Value == "declare"
	for _, a := range c.Args {
		if a.Naked && a.Name == nil || !plainAssign(a) {
			plain = false
			if a.Value != nil {
				j.inner(a.Value, s)
			}
		}
		j.assign(a, s)
	}
	if !plain || len(c.Args) == 0 {
		j.asks(c.Variant.Value, "it gives variables a meaning beyond this script")
		j.opaqueRan(s)
	}
}
