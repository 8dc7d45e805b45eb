package rpc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxText is the most of a template or a skill that is read, in bytes.
const maxText = 1 << 20

// Texts are the prompt templates and skills of a person and of a project:
// prompts/NAME.md and skills/NAME/SKILL.md in their folders. A project's stand
// before a person's of the same name.
type Texts struct {
	User, Project string // folders; "" is none
}

// text is a template or a skill.
type text struct {
	SlashCommand
	body string
}

// List names the templates, then the skills, sorted.
func (t Texts) List() []SlashCommand {
	var list []SlashCommand
	for _, kind := range []string{"prompt", "skill"} {
		seen := map[string]bool{}
		from := len(list)
		for _, place := range t.places() {
			for _, name := range place.names(kind) {
				if found, err := place.read(kind, name); err == nil && !seen[name] {
					seen[name] = true
					list = append(list, found.SlashCommand)
				}
			}
		}
		slices.SortFunc(list[from:], func(a, b SlashCommand) int { return strings.Compare(a.Name, b.Name) })
	}
	return list
}

// Expand gives the text that /NAME and /skill:NAME stand for. Other text stays
// as it is.
func (t Texts) Expand(said string) (string, error) {
	if !strings.HasPrefix(said, "/") {
		return said, nil
	}
	name, rest := said[1:], ""
	if i := strings.IndexFunc(name, unicode.IsSpace); i >= 0 {
		name, rest = name[:i], strings.TrimSpace(name[i:])
	}
	kind := "prompt"
	if skill, ok := strings.CutPrefix(name, "skill:"); ok {
		kind, name = "skill", skill
	}
	if !plainName(name) {
		return said, nil
	}
	for _, place := range t.places() {
		found, err := place.read(kind, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", err
		case kind == "skill":
			return skillText(found, rest), nil
		}
		return substitute(found.body, argsOf(rest)), nil
	}
	return said, nil
}

// skillText is how the model is told of a skill.
func skillText(t text, args string) string {
	told := fmt.Sprintf("<skill name=%q location=%q>\nPaths in it are relative to %s.\n\n%s\n</skill>",
		strings.TrimPrefix(t.Name, "skill:"), t.Path, filepath.Dir(t.Path), strings.TrimSpace(t.body))
	if args != "" {
		told += "\n\n" + args
	}
	return told
}

// place is one of the two folders.
type place struct{ dir, location string }

func (t Texts) places() []place {
	var list []place
	for _, p := range []place{{t.Project, "project"}, {t.User, "user"}} {
		if p.dir != "" {
			list = append(list, p)
		}
	}
	return list
}

func (p place) names(kind string) []string {
	folder := filepath.Join(p.dir, kind+"s")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // there are none
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if kind == "prompt" {
			var ok bool
			if name, ok = strings.CutSuffix(name, ".md"); !ok {
				continue
			}
		}
		if plainName(name) {
			names = append(names, name)
		}
	}
	return names
}

func (p place) read(kind, name string) (text, error) {
	path := filepath.Join(p.dir, "prompts", name+".md")
	called := name
	if kind == "skill" {
		path, called = filepath.Join(p.dir, "skills", name, "SKILL.md"), "skill:"+name
	}
	info, err := os.Stat(path)
	if err != nil {
		return text{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxText {
		return text{}, fmt.Errorf("%s: expected a file of at most %d bytes", path, maxText)
	}
	bytes, err := os.ReadFile(path)
	if err != nil {
		return text{}, err
	}
	description, body := frontMatter(strings.ToValidUTF8(string(bytes), "\ufffd"))
	if description == "" {
		line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
		if runes := []rune(strings.TrimLeft(line, "# ")); len(runes) > 60 {
			line = string(runes[:60]) + "…"
		}
		description = strings.TrimLeft(line, "# ")
	}
	return text{SlashCommand{Name: called, Description: description, Source: kind, Location: p.location, Path: path}, body}, nil
}

// plainName tells whether a name is a file's and no path.
func plainName(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || r == filepath.Separator || !unicode.IsGraphic(r) || unicode.IsSpace(r)
	})
}

// frontMatter parts the lines between two --- from the text below.
func frontMatter(s string) (description, body string) {
	s = strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n")
	head, ok := strings.CutPrefix(s, "---\n")
	if !ok {
		return "", s
	}
	head, body, ok = strings.Cut(head, "\n---\n")
	if !ok {
		return "", s
	}
	for line := range strings.Lines(head) {
		if value, ok := strings.CutPrefix(line, "description:"); ok {
			description = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return description, body
}

// argsOf parts what follows a template's name; quotes keep words together.
func argsOf(s string) []string {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case unicode.IsSpace(r):
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// substitute puts arguments into a template: $1 … are single ones, $@ and
// $ARGUMENTS all, ${@:N} those from the N-th on, ${@:N:L} at most L of these.
// What an argument says is not looked at again.
func substitute(body string, args []string) string {
	all := strings.Join(args, " ")
	var b strings.Builder
	for i := 0; i < len(body); {
		rest := body[i:]
		switch {
		case rest[0] != '$':
			b.WriteByte(rest[0])
			i++
			continue
		case strings.HasPrefix(rest, "$@"):
			b.WriteString(all)
			i += 2
			continue
		case strings.HasPrefix(rest, "$ARGUMENTS"):
			b.WriteString(all)
			i += len("$ARGUMENTS")
			continue
		case strings.HasPrefix(rest, "${@:"):
			if end := strings.IndexByte(rest, '}'); end > 0 {
				if part, ok := slice(args, rest[4:end]); ok {
					b.WriteString(part)
					i += end + 1
					continue
				}
			}
		}
		digits := 1
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if n, err := strconv.Atoi(rest[1:digits]); err == nil && n > 0 {
			if n <= len(args) {
				b.WriteString(args[n-1])
			}
			i += digits
			continue
		}
		b.WriteByte('$')
		i++
	}
	return b.String()
}

// slice gives arguments from a place on, as N or N:L says.
func slice(args []string, spec string) (string, bool) {
	first, length, limited := strings.Cut(spec, ":")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 {
		return "", false
	}
	args = args[min(max(n-1, 0), len(args)):]
	if limited {
		l, err := strconv.Atoi(length)
		if err != nil || l < 0 {
			return "", false
		}
		args = args[:min(l, len(args))]
	}
	return strings.Join(args, " "), true
}
