package policy

import (
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// nested judges what a program starts and adds the hits of at least that
// level. It can only raise the judgement.
func (j *judging) nested(judge func(*judging), least protocol.Level) {
	if j.depth >= maxDepth {
		j.hit(protocol.Block, "nested too deep", "starts programs that start programs, too deep to follow", protocol.FactCode)
		return
	}
	if *j.tries >= maxTries {
		j.hit(protocol.Confirm, "nested too deep", "starts more programs than can be judged", protocol.FactCode)
		return
	}
	*j.tries++
	n := &judging{e: j.e, cwd: j.cwd, depth: j.depth + 1, tries: j.tries, listed: true}
	judge(n)
	if n.level() < least {
		return
	}
	for _, h := range n.hits {
		if h.level >= least {
			j.hit(h.level, h.rule, h.reason)
		}
	}
	j.hit(protocol.Safe, "", "", n.facts...)
	j.listed = j.listed && n.listed
}

// start judges a program with arguments that is started on this machine: the
// allow-list counts for it as well.
func (j *judging) start(argv []string) {
	if len(argv) == 0 {
		return
	}
	known := false
	j.nested(func(n *judging) {
		known = n.named(argv[0], argv[1:])
		if !n.e.allows(argv[0]) {
			n.listed = false
			n.hit(protocol.Confirm, ruleUnlisted, clip(argv[0])+" is not in allowedPrograms")
		}
	}, protocol.Safe)
	if !known {
		j.shifted(argv)
	}
}

// shifted looks at every word where an option outside the list may have taken
// the words before it: is one of them the start of something refused?
func (j *judging) shifted(argv []string) {
	for i := 1; i < min(len(argv), 12); i++ {
		j.nested(func(n *judging) { n.startElsewhere(argv[i:]) }, protocol.Block)
	}
}

// startElsewhere judges a program that is started on another machine or in a
// container, or may be.
func (j *judging) startElsewhere(argv []string) {
	for len(argv) > 0 && (strings.HasPrefix(argv[0], "-") || assignment(argv[0])) {
		argv = argv[1:]
	}
	if len(argv) > 0 {
		j.named(argv[0], argv[1:])
	}
}

// named judges a program in any spelling: with its path, in another case, with
// the ending of Windows. It says whether the program is known.
func (j *judging) named(program string, args []string) bool {
	j.users(program, args)
	if j.program(program, args) {
		return true
	}
	known := false
	if bare := bareName(program); bare != program {
		j.nested(func(n *judging) { known = n.program(bare, args) }, protocol.Confirm)
		if known {
			j.hit(protocol.Confirm, "program name", clip(program)+" is not the bare name "+clip(bare), protocol.FactCode)
			return true
		}
	}
	j.hit(protocol.Confirm, "unknown program", "nothing is known about "+clip(program), protocol.FactCode)
	return false
}

// bareName gives the name that a spelling of a program may stand for.
func bareName(program string) string {
	if i := strings.LastIndexAny(program, `/\`); i >= 0 {
		program = program[i+1:]
	}
	program = strings.ToLower(strings.TrimSpace(program))
	return strings.TrimSuffix(program, ".exe")
}

// shell judges text that a shell runs: a refusal in it counts, and what its
// commands do is what the step does.
func (j *judging) shell(text string) { j.commands(text, true) }

// commands judges each simple command of shell text as far as it can be told
// without running it. It only ever raises. What the commands do counts where
// the text does run, and not where it only may.
func (j *judging) commands(text string, runs bool) {
	if len(text) > 1<<16 {
		text = text[:1<<16]
	}
	if strings.Contains(text, ":|:") {
		j.hit(protocol.Block, "fork bomb", "starts itself without end", protocol.FactDestructive, protocol.FactUnbounded)
	}
	for _, argv := range simpleCommands(text) {
		var facts []protocol.Fact
		j.nested(func(n *judging) {
			n.named(argv[0], argv[1:])
			for i := range len(argv) - 1 {
				if argv[i] == ">" {
					n.writePath(argv[i+1])
				}
			}
			facts = n.facts
		}, protocol.Block)
		if runs {
			j.hit(protocol.Safe, "", "", facts...)
		}
		if *j.tries >= maxTries {
			return
		}
	}
}

// simpleCommands parts shell text into words at everything that can part
// commands. Quotes are taken off; their content is read as text of its own too.
func simpleCommands(text string) [][]string {
	var all [][]string
	var argv []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			argv = append(argv, word.String())
		}
		word.Reset()
		inWord = false
	}
	endCommand := func() {
		endWord()
		argv = slices.Clone(argv)
		for len(argv) > 0 && (assignment(argv[0]) || hasWord(shellWords, argv[0])) {
			argv = argv[1:]
		}
		if len(argv) > 0 {
			all = append(all, argv)
		}
		argv = nil
	}
	for i := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case ' ', '\t':
			endWord()
		case '>':
			endWord()
			argv = append(argv, ">")
		case ';', '|', '&', '\n', '\r', '(', ')', '`':
			endCommand()
		case '\\':
			if i+1 < len(text) {
				i++
				if text[i] != '\n' {
					word.WriteByte(text[i])
					inWord = true
				}
			}
		case '\'', '"':
			end := i + 1
			for end < len(text) && text[end] != b {
				if b == '"' && text[end] == '\\' {
					end++
				}
				end++
			}
			quoted := text[min(i+1, len(text)):min(end, len(text))]
			word.WriteString(quoted)
			inWord = true
			if strings.ContainsAny(quoted, "`$") && b == '"' {
				all = append(all, simpleCommands(strings.ReplaceAll(quoted, "$(", ";"))...)
			}
			i = end
		case '$':
			if i+1 < len(text) && text[i+1] == '(' {
				continue
			}
			word.WriteByte(b)
			inWord = true
		default:
			word.WriteByte(b)
			inWord = true
		}
	}
	endCommand()
	return all
}

// shellWords come before a command without being one.
const shellWords = "if then else elif while until do ! { } trap coproc"

// code looks for commands in the text constants of a program in any language:
// os.system("sudo id"), ["rm", "-rf", "/"].
func (j *judging) code(text string) {
	if _, set, ok := strings.Cut(text, "="); ok {
		j.commands(strings.TrimPrefix(set, "!"), false) // alias.x=!sudo id
	}
	literals := textConstants(text)
	for i, s := range literals {
		j.commands(s, false)
		if i+1 < len(literals) && !strings.ContainsAny(s, " ;|&") {
			argv := literals[i:]
			j.nested(func(n *judging) { n.named(argv[0], argv[1:]) }, protocol.Block)
		}
	}
}

// textConstants gives what stands between quotes, at most 16 of them.
func textConstants(text string) []string {
	var all []string
	for len(all) < 16 {
		start := strings.IndexAny(text, "'\"`")
		if start < 0 {
			break
		}
		mark := text[start]
		text = text[start+1:]
		end := strings.IndexByte(text, mark)
		if end < 0 {
			break
		}
		if end > 0 {
			all = append(all, text[:end])
		}
		text = text[end+1:]
	}
	return all
}
