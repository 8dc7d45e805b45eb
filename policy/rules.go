package policy

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/holic512/plugin-ai/protocol"
)

// words is a list written as one text with blanks: "-n --lines".
type words []string

// UnmarshalText splits the text at blanks.
func (w *words) UnmarshalText(text []byte) error {
	*w = strings.Fields(string(text))
	return nil
}

func (w words) has(s string) bool {
	for _, x := range w {
		if x == s {
			return true
		}
	}
	return false
}

// An effect is what a program, command, option or combination does to the
// judgement. The zero effect is none.
type effect struct {
	Level  protocol.Level  `json:"level,omitzero"`
	Facts  []protocol.Fact `json:"facts,omitzero"`
	Reason string          `json:"reason,omitzero"`
	Rule   string          `json:"rule,omitzero"` // default: made from the names
}

// kind says what a value or an operand means, and so how it is judged.
type kind string

const (
	kindNone     kind = ""         // takes no value
	kindPath     kind = "path"     // a file or folder that is read
	kindOut      kind = "out"      // a file or folder that is written
	kindRemove   kind = "remove"   // a file or folder that is removed
	kindPattern  kind = "pattern"  // an expression to search for
	kindName     kind = "name"     // a file name or glob to look for
	kindNumber   kind = "number"   // digits, perhaps signed, perhaps with a unit
	kindWord     kind = "word"     // any text that names no file
	kindDate     kind = "date"     // a date
	kindFormat   kind = "format"   // an output format
	kindRevision kind = "revision" // a git revision, path or revision:path
	kindLetters  kind = "letters"  // only letters of oneOf[0]
	kindAssign   kind = "assign"   // NAME=value; others leave it to the next operand
	kindSed      kind = "sed"      // a sed script
	kindAwk      kind = "awk"      // an awk program
	kindCommand  kind = "command"  // program and arguments, run here
	kindRemote   kind = "remote"   // program and arguments, run elsewhere
	kindExec     kind = "exec"     // as command, up to ";" or "+"
	kindShell    kind = "shell"    // shell text
	kindCode     kind = "code"     // a program in another language
)

// A value says what may stand at one place.
type value struct {
	Kind   kind     `json:"value,omitzero"`
	OneOf  []string `json:"oneOf,omitzero"`  // the only harmless ones
	Refuse []string `json:"refuse,omitzero"` // texts (identifiers: whole words) that make it L1
	Max    int64    `json:"max,omitzero"`    // of a number
}

// An option is one entry of a closed list. Where it has no effect every name
// of Names is harmless on its own.
type option struct {
	Names words `json:"names"`
	value
	Optional bool   `json:"optional,omitzero"` // the value is glued or absent
	Skip     int    `json:"skip,omitzero"`     // words before the value: 1 for --arg NAME VALUE
	Walks    string `json:"walks,omitzero"`    // paths are walked: "names" or "content"
	Moves    bool   `json:"moves,omitzero"`    // the value becomes the working directory
	effect
}

// An operand is an argument that is neither option nor option value.
type operand struct {
	value
	Many   bool  `json:"many,omitzero"`   // takes all that is left
	Unless words `json:"unless,omitzero"` // not there when one of these options is
}

// A raise lifts the level where everything it names is there.
type raise struct {
	All      []words `json:"all,omitzero"`      // one option of each
	None     words   `json:"none,omitzero"`     // none of these options
	Operands int     `json:"operands,omitzero"` // at least so many operands
	Fewer    int     `json:"fewer,omitzero"`    // fewer operands than that
	Operand  string  `json:"operand,omitzero"`  // an operand of this form, * standing for anything
	effect
}

// A harden says how a command is changed before it may run unasked.
type harden struct {
	Args []string `json:"args,omitzero"` // before its own arguments
	Env  []string `json:"env,omitzero"`  // KEY=value
}

// examples are command lines with the level they must have.
type examples struct {
	L0 []string `json:"L0,omitzero"`
	L1 []string `json:"L1,omitzero"`
	L2 []string `json:"L2,omitzero"`
}

// A command is what is known about a program or one of its sub-commands.
type command struct {
	effect
	Summary      string    `json:"summary,omitzero"` // what runs unasked, or what it does
	Style        string    `json:"style,omitzero"`   // how arguments are read: "" as GNU does, "words", "find", "single", "tar"
	OptionsFirst bool      `json:"optionsFirst,omitzero"`
	NoBundles    bool      `json:"noBundles,omitzero"`
	Digits       bool      `json:"digits,omitzero"` // -5 is a number
	Use          []string  `json:"use,omitzero"`    // groups of options
	Options      []option  `json:"options,omitzero"`
	Operands     []operand `json:"operands,omitzero"`
	Walks        string    `json:"walks,omitzero"`   // see option.Walks
	Default      string    `json:"default,omitzero"` // the path that is read where none is given
	Raise        []raise   `json:"raise,omitzero"`
	Harden       *harden   `json:"harden,omitzero"`
	Probe        string    `json:"probe,omitzero"`     // "git": look for settings that start programs
	TrapFiles    []string  `json:"trapFiles,omitzero"` // files here or above that make it start programs
	Examples     examples  `json:"examples,omitzero"`

	// Sub-commands by name ("list ls" for two). They are decoded when they
	// are asked for. Mixed says that a first operand may also be none of
	// them; Bare is the raise that counts
	// without operands.
	Commands map[string]jsontext.Value `json:"commands,omitzero"`
	Mixed    bool                      `json:"mixed,omitzero"`
	Bare     raise                     `json:"bare,omitzero"`
	Groups   map[string]jsontext.Value `json:"groups,omitzero"`

	id     string // "git.log"
	name   string // "git log"
	parent *command
	once   sync.Once
	origin string     // whose rules they are; "" is built in
	lists  [][]option // own options and those of the groups
	err    error
	subs   sync.Map // name → *command
}

// A ruleFile is one file under rules/.
type ruleFile struct {
	Schema   string                    `json:"$schema,omitzero"`
	Family   string                    `json:"family"`
	Listed   bool                      `json:"listed"`
	For      nameList                  `json:"for"`
	About    string                    `json:"about,omitzero"`
	Programs map[string]jsontext.Value `json:"programs,omitzero"`
	Paths    *placeLists               `json:"paths,omitzero"`
}

// decode reads data strictly: unknown members, double members and bad UTF-8
// are refused.
func decode(data []byte, into any) error {
	return json.Unmarshal(data, into, json.RejectUnknownMembers(true))
}

// newCommand decodes the rules of a program or sub-command.
func newCommand(data []byte, parent *command, name string) (*command, error) {
	return decodeCommand(jsontext.NewDecoder(bytes.NewBuffer(data)), parent, name)
}

func decodeCommand(d *jsontext.Decoder, parent *command, name string) (*command, error) {
	c := &command{parent: parent, id: name, name: name}
	if parent != nil {
		c.id, c.name = parent.id+"."+name, parent.name+" "+name
	}
	if err := json.UnmarshalDecode(d, c, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("rules of %s: %w", c.name, err)
	}
	return c, nil
}

// options gives the lists of options that count for the command.
func (c *command) options() [][]option {
	c.once.Do(func() {
		c.lists = [][]option{c.Options}
		for _, group := range c.Use {
			list, err := c.group(group)
			if err != nil {
				c.err = err
				continue
			}
			c.lists = append(c.lists, list)
		}
	})
	return c.lists
}

func (c *command) group(name string) ([]option, error) {
	for at := c; at != nil; at = at.parent {
		data, ok := at.Groups[name]
		if !ok {
			continue
		}
		var list []option
		if err := decode(data, &list); err != nil {
			return nil, fmt.Errorf("option group %s of %s: %w", name, at.name, err)
		}
		return list, nil
	}
	return nil, fmt.Errorf("rules of %s: there is no option group %q", c.name, name)
}

// command gives a sub-command, or nil where it is not known.
func (c *command) command(name string) (*command, error) {
	if sub, ok := c.subs.Load(name); ok {
		return sub.(*command), nil
	}
	for names, data := range c.Commands {
		if !hasWord(names, name) {
			continue
		}
		sub, err := newCommand(data, c, name)
		if err != nil {
			return nil, err
		}
		kept, _ := c.subs.LoadOrStore(name, sub)
		return kept.(*command), nil
	}
	return nil, nil
}

// A nameList is a list of program names parted by blanks; * at the end of one
// stands for any ending.
type nameList string

// names says whether name is on the list.
func (l nameList) names(name string) bool {
	return name != "" && hasWord(string(l), name)
}

// hasWord says whether word is one of the blank-separated words of list. A
// word of the list that ends in * stands for everything that begins so.
func hasWord(list, word string) bool {
	if strings.ContainsAny(word, " *") {
		return false
	}
	for from := 0; from < len(list); {
		i := strings.Index(list[from:], word)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(word)
		if (start == 0 || list[start-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
		from = start + 1
	}
	for star := strings.IndexByte(list, '*'); star >= 0; {
		stem := list[strings.LastIndexByte(list[:star], ' ')+1 : star]
		if stem != "" && strings.HasPrefix(word, stem) {
			return true
		}
		next := strings.IndexByte(list[star+1:], '*')
		if next < 0 {
			break
		}
		star += 1 + next
	}
	return false
}
