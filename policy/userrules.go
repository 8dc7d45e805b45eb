package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A UserRule is a person's own word on commands. It can only raise a level:
// the strictest rule counts, whoever it is from.
type UserRule struct {
	// Command is the beginning of a command line: a program, and words that
	// stand among its arguments in this order. "git push" is also
	// `git -C dir push origin`.
	Command string
	Level   protocol.Level // Confirm or Block
	Origin  string         // whose rule it is, such as the path of a file
}

// A Narrowing is a list of programs that some file allows no more than.
type Narrowing struct {
	Programs []string
	Origin   string
}

// userRule is a UserRule that was read.
type userRule struct {
	UserRule
	words []string
}

// readUserRules reads the commands of rules as [protocol.ParseCommand] does.
func readUserRules(rules []UserRule) ([]userRule, error) {
	var out []userRule
	for _, r := range rules {
		program, args, err := protocol.ParseCommand(r.Command)
		if err != nil {
			return nil, fmt.Errorf("%s: the rule %q: %w", r.Origin, r.Command, err)
		}
		out = append(out, userRule{r, append([]string{program}, args...)})
	}
	return out, nil
}

// users judges a command by the person's own rules.
func (j *judging) users(program string, args []string) {
	j.ownRules(program, args)
	for _, n := range j.e.opt.Narrowings {
		if !slices.Contains(n.Programs, program) {
			j.listed = false
			j.hit(protocol.Confirm, ruleUnlisted, fmt.Sprintf("%s is not in the allowedPrograms of %s", clip(program), n.Origin))
		}
	}
}

// ownRules judges a command by what is to be refused or asked for.
func (j *judging) ownRules(program string, args []string) {
	for _, r := range j.e.rules {
		if r.words[0] != program && r.words[0] != bareName(program) || !inOrder(r.words[1:], args) {
			continue
		}
		word := "asked for"
		if r.Level == protocol.Block {
			word = "refused"
		}
		j.hit(r.Level, "your rule", fmt.Sprintf("%q is %s by %s", r.Command, word, r.Origin))
	}
}

// inOrder says whether all words stand in args, in their order.
func inOrder(words, args []string) bool {
	for _, a := range args {
		if len(words) == 0 {
			break
		}
		if a == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// SecretPlaces are the secret places of this machine, whether or not they
// exist: absolute paths, in which case does not count and * stands for any
// text in one name. Secret file names, which may stand anywhere, are not
// among them.
func (e *Engine) SecretPlaces() []string { return e.places().absoluteTrees }

// GuardedPlaces are the places that nothing may change, in the same form: what
// this program is held by.
func (e *Engine) GuardedPlaces() []string { return e.places().absoluteGuarded }

// SecretName tells whether a file name alone tells of keys or credentials.
func (e *Engine) SecretName(name string) bool { return e.places().secretName(name) }

// absoluteTrees gives places as paths of one home folder.
func absoluteTrees(trees []string, home string) []string {
	var out []string
	for _, t := range trees {
		if rest, ok := strings.CutPrefix(t, "~"); ok {
			if home == "" {
				continue
			}
			t = home + rest
		}
		out = append(out, t)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
