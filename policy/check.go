package policy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/holic512/plugin-ai/protocol"
)

// Check says what is wrong with a rule file; nil where nothing is. Everything
// in it is decoded, and every example in it is judged.
func Check(data []byte) error {
	var file ruleFile
	if err := decode(data, &file); err != nil {
		return fmt.Errorf("rule file: %w", err)
	}
	if file.Family == "" {
		return fmt.Errorf(`rule file: expected a name in "family"`)
	}
	if _, err := readHead(bytes.NewReader(data)); err != nil {
		return fmt.Errorf("rule file %s: %w", file.Family, err)
	}
	names := slices.Sorted(programNames(file.Programs))
	listed := slices.Sorted(strings.FieldsSeq(string(file.For)))
	if !slices.Equal(names, listed) {
		return fmt.Errorf(`rule file %s: "for" must name the programs: expected %q, found %q`, file.Family, strings.Join(names, " "), strings.Join(listed, " "))
	}
	engine, err := newEngine(Options{
		Home: "/home/you", Workspace: "/home/you/work", AllowWrite: true, AllowNetwork: true,
		RuleFiles: []RuleFile{{Data: data}}, AllowedPrograms: names, SearchPath: []string{}, Files: noFiles{},
	})
	if err != nil {
		return err
	}
	k := &checking{engine: engine}
	for names, data := range file.Programs {
		k.command(data, nil, names)
	}
	if len(k.wrong) > 0 {
		return fmt.Errorf("rule file %s: %w", file.Family, errors.Join(k.wrong...))
	}
	return nil
}

func programNames(programs map[string]jsontext.Value) func(func(string) bool) {
	return func(yield func(string) bool) {
		for names := range programs {
			for name := range strings.FieldsSeq(names) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// checking collects what is wrong with a rule file.
type checking struct {
	engine *Engine
	wrong  []error
}

func (k *checking) report(err error) {
	if err != nil {
		k.wrong = append(k.wrong, err)
	}
}

// command checks a program or sub-command and everything below it.
func (k *checking) command(data []byte, parent *command, names string) {
	c, err := newCommand(data, parent, strings.Fields(names + " ?")[0])
	if err != nil {
		k.report(err)
		return
	}
	if parent == nil && (c.Summary == "" || len(c.Examples.L0)+len(c.Examples.L1)+len(c.Examples.L2) == 0) {
		k.report(fmt.Errorf("rules of %s: expected a summary and at least one example", c.name))
	}
	if !slices.Contains([]string{"", "words", "find", "single", "tar"}, c.Style) {
		k.report(fmt.Errorf("rules of %s: unknown style %q", c.name, c.Style))
	}
	for _, list := range c.options() {
		for i := range list {
			k.report(list[i].check(c.name))
		}
	}
	k.report(c.err)
	for i := range c.Operands {
		k.report(c.Operands[i].check(c.name))
	}
	for _, e := range append([]effect{c.effect, c.Bare.effect}, raises(c)...) {
		k.report(e.check(c.name))
	}
	for level, list := range [][]string{c.Examples.L0, c.Examples.L1, c.Examples.L2} {
		for _, line := range list {
			k.report(k.example(line, protocol.Level(level)))
		}
	}
	for names, data := range c.Commands {
		k.command(data, c, names)
	}
}

func raises(c *command) []effect {
	var all []effect
	for i := range c.Raise {
		all = append(all, c.Raise[i].effect)
	}
	return all
}

// example judges an example line: words parted by blanks, with '…' around
// words that hold some.
func (k *checking) example(line string, want protocol.Level) error {
	argv, err := exampleWords(line)
	if err != nil {
		return err
	}
	got := k.engine.Judge(Step{Program: argv[0], Args: argv[1:], CWD: "/home/you/work"})
	if got.Level != want {
		return fmt.Errorf("example %q: expected %v, judged %v: %s", line, want, got.Level, strings.Join(got.Reasons, "; "))
	}
	return nil
}

func exampleWords(line string) ([]string, error) {
	var argv []string
	var word []byte
	inWord, quoted := false, false
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line) || line[i] == ' ' && !quoted:
			if inWord {
				argv = append(argv, string(word))
			}
			word, inWord = nil, false
		case line[i] == '\'':
			quoted, inWord = !quoted, true
		default:
			word, inWord = append(word, line[i]), true
		}
	}
	if len(argv) == 0 || quoted {
		return nil, fmt.Errorf("example %q: expected a command line", line)
	}
	return argv, nil
}

func (o *option) check(owner string) error {
	if len(o.Names) == 0 {
		return fmt.Errorf("rules of %s: an option without names", owner)
	}
	for _, name := range o.Names {
		if !strings.HasPrefix(name, "-") {
			return fmt.Errorf("rules of %s: option %q does not begin with a dash", owner, name)
		}
	}
	if !slices.Contains([]string{"", "names", "content"}, o.Walks) {
		return fmt.Errorf("rules of %s: option %s walks %q", owner, o.Names[0], o.Walks)
	}
	if err := o.value.check(owner); err != nil {
		return err
	}
	return o.effect.check(owner)
}

func (v *value) check(owner string) error {
	switch v.Kind {
	case kindNone, kindPath, kindOut, kindRemove, kindPattern, kindName, kindNumber, kindWord, kindDate, kindFormat,
		kindRevision, kindAssign, kindSed, kindAwk, kindCommand, kindRemote, kindExec, kindShell, kindCode:
		return nil
	case kindLetters:
		if len(v.OneOf) == 1 {
			return nil
		}
		return fmt.Errorf("rules of %s: letters need one text of them in oneOf", owner)
	}
	return fmt.Errorf("rules of %s: unknown value kind %q", owner, v.Kind)
}

func (e *effect) check(owner string) error {
	for _, fact := range e.Facts {
		switch fact {
		case protocol.FactWrite, protocol.FactNetwork, protocol.FactElevated, protocol.FactDestructive,
			protocol.FactSecrets, protocol.FactUnbounded, protocol.FactCode:
		default:
			return fmt.Errorf("rules of %s: unknown fact %q", owner, fact)
		}
	}
	if (e.Level > protocol.Safe || len(e.Facts) > 0) && (e.Reason == "" || e.Level == protocol.Safe) {
		return fmt.Errorf("rules of %s: what raises the level needs level and reason", owner)
	}
	return nil
}
