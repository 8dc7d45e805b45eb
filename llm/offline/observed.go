package offline

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/protocol"
)

// ran tells whether a step had a process that came to its own end or to the
// time limit, so that its output is worth reading.
func ran(o *protocol.Observation) bool {
	return o != nil && (o.Outcome == protocol.Ran || o.Outcome == protocol.TimedOut)
}

// succeeded tells whether a step ended with exit code 0.
func succeeded(o *protocol.Observation) bool {
	return ran(o) && o.ExitCode != nil && *o.ExitCode == 0
}

// exit gives the exit code, or -1.
func exit(o *protocol.Observation) int {
	if o == nil || o.ExitCode == nil {
		return -1
	}
	return *o.ExitCode
}

// program gives the name of the program, "" where the step had none.
func program(o *protocol.Observation) string {
	if o == nil || o.Program == nil {
		return ""
	}
	return *o.Program
}

// firstArg gives the first argument, or "". What is not known of a step is
// left out of its observation.
func firstArg(o *protocol.Observation) string {
	if o == nil || len(o.Args) == 0 {
		return ""
	}
	return o.Args[0]
}

// subCommand gives the word that says what a program is to do: the first
// argument, for git the first one that belongs to no option before it.
func subCommand(o *protocol.Observation) string {
	if program(o) != "git" {
		return firstArg(o)
	}
	for i := 0; i < len(o.Args); i++ {
		switch a := o.Args[i]; {
		case a == "-c" || a == "-C":
			i++
		case !strings.HasPrefix(a, "-"):
			return a
		}
	}
	return ""
}

// lastArg gives the last argument, or "".
func lastArg(o *protocol.Observation) string {
	if o == nil || len(o.Args) == 0 {
		return ""
	}
	return o.Args[len(o.Args)-1]
}

// stuck gives the answer where nothing of the last round ran.
func (t *turn) stuck() (protocol.Reply, bool) {
	if slices.ContainsFunc(t.rounds[len(t.rounds)-1], func(o protocol.Observation) bool { return ran(&o) }) {
		return protocol.Reply{}, false
	}
	return say(paragraphs(t.lang.nothingRan(), t.notes()), t.lang.helpQuestions()...), true
}

// notes tells the steps that did not run as they should, and why. It is part
// of every answer that has such steps.
func (t *turn) notes() string {
	var items []string
	for _, o := range t.all() {
		if o.Outcome != protocol.Ran && o.Outcome != protocol.Skipped {
			items = append(items, t.lang.notRun(&o))
		}
	}
	return t.lang.bullets(items, 8)
}

// failed is the answer where a command ran and failed.
func (t *turn) failed(o *protocol.Observation) protocol.Reply {
	if o == nil {
		return say(paragraphs(t.lang.nothingRan(), t.notes()), t.lang.helpQuestions()...)
	}
	detail := strings.TrimSpace(o.StderrTail)
	if detail == "" {
		detail = strings.TrimSpace(o.StdoutTail)
	}
	var quoted string
	if detail != "" {
		quoted = block("", firstLines(strings.Split(detail, "\n"), 15))
	}
	return say(paragraphs(t.lang.commandFailed(line(o), exit(o), detail != ""), quoted, t.notes()), t.lang.helpQuestions()...)
}

// lines gives the lines of an output that were kept. Where the front was cut
// off, the first of them may be half a line, and is left out.
func lines(o *protocol.Observation) []string {
	if o == nil || o.StdoutTail == "" {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(o.StdoutTail, "\r\n", "\n"), "\n"), "\n")
	if o.Truncated && len(all) > 1 {
		all = all[1:]
	}
	return all
}

func firstLines(list []string, n int) []string { return list[:min(n, len(list))] }

// A match is a line that was found by a search.
type match struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// matches gives what a search found: from the parsed items, else from lines
// of the form file:line:text. The total is at least their number.
func matches(o *protocol.Observation) (found []match, total int) {
	if o == nil {
		return nil, 0
	}
	if o.Parsed != nil && o.Parsed.Kind == protocol.ParsedSearchMatches {
		for _, item := range o.Parsed.Items {
			var m match
			if json.Unmarshal(item, &m) == nil && m.File != "" {
				found = append(found, m)
			}
		}
		if len(found) > 0 || o.Parsed.Total == 0 {
			return found, max(o.Parsed.Total, len(found))
		}
	}
	for _, l := range lines(o) {
		file, rest, ok := strings.Cut(l, ":")
		number, text, ok2 := strings.Cut(rest, ":")
		n, err := strconv.Atoi(number)
		if ok && ok2 && err == nil {
			found = append(found, match{File: file, Line: n, Text: text})
		}
	}
	return found, len(found)
}

// fileList gives the paths that find or git ls-files printed, sorted, and how
// many there were in truth; exact is false where that is not known.
func fileList(o *protocol.Observation) (paths []string, total int, exact bool) {
	if o == nil {
		return nil, 0, false
	}
	paths = whole(o, lines(o))
	total, exact = len(paths), !o.Truncated
	if o.Truncated && o.Parsed != nil && o.Parsed.Kind == protocol.ParsedFileList {
		total, exact = max(o.Parsed.Total, total), true
		// The items are the first paths, the tail is the last ones.
		for _, item := range o.Parsed.Items {
			var f struct {
				Path string `json:"path"`
				File string `json:"file"`
				Name string `json:"name"`
			}
			if json.Unmarshal(item, &f) == nil {
				paths = append(paths, cmpOr(f.Path, f.File, f.Name))
			}
		}
	}
	for i, p := range paths {
		paths[i] = strings.TrimPrefix(p, "./")
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return p == "" })
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths, max(total, len(paths)), exact
}

// whole puts the paths that find printed together again: with a line feed in
// a name, what follows it stands in a line that does not begin as every path
// does, with the folder that was searched.
func whole(o *protocol.Observation, printed []string) []string {
	if program(o) != "find" {
		return slices.Clone(printed)
	}
	root := strings.TrimSuffix(firstArg(o), "/") + "/"
	var paths []string
	for _, l := range printed {
		switch n := len(paths); {
		case strings.HasPrefix(l, root) || root == "/":
			paths = append(paths, l)
		case n > 0:
			paths[n-1] += "\n" + l
		}
	}
	return paths
}

func cmpOr(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// safePath gives a path that no program takes for an option or a pattern of
// its own.
func safePath(p string) string {
	if strings.HasPrefix(p, "-") || strings.HasPrefix(p, ":") {
		return "./" + p
	}
	return p
}

// argument tells whether a text from an output can stand in a command: it is
// a plain name, without what would make it another thing.
func argument(p string) bool {
	return p != "" && len(p) < 1024 && visible(p) == p && !strings.Contains(p, "\n") && path.Clean(p) != "."
}
