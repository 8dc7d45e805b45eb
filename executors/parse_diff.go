package executors

import (
	"bytes"
	"strconv"

	"github.com/holic512/plugin-ai/protocol"
)

// A FileDiff is an item of [protocol.ParsedGitDiff].
type FileDiff struct {
	Path    string `json:"path"`
	From    string `json:"from,omitzero"`    // the old name
	Added   *int   `json:"added,omitzero"`   // lines, where the output tells
	Deleted *int   `json:"deleted,omitzero"` // lines, where the output tells
	Status  string `json:"status,omitzero"`  // git's letter (M, A, D, R, C, T, U), or "binary"
}

func diffParser(args []string, l *items) *records {
	a := readArguments(args, "SGOlU", "--unified", "--diff-filter", "--inter-hunk-context", "--diff-algorithm", "--output")
	forms := 0
	for _, form := range [][]string{{"--stat"}, {"--name-only"}, {"--name-status"}, {"--numstat"}, {"-p", "-u", "--patch"}} {
		if a.has(form...) {
			forms++
		}
	}
	if forms > 1 || a.has("--raw", "--shortstat", "--dirstat", "--summary", "--compact-summary", "--word-diff", "--word-diff-regex", "--color-words",
		"--patch-with-stat", "--patch-with-raw", "--check", "--output", "-s", "--no-patch", "--quiet", "--line-prefix", "--exit-code-only") {
		return nil
	}
	nul := a.has("-z")
	p := &records{kind: protocol.ParsedGitDiff, sep: '\n', none: 1}
	if nul && forms == 1 && !a.has("--stat", "-p", "-u", "--patch") {
		p.sep = 0
	}
	d := &diff{out: l, nul: nul}
	switch {
	case a.has("--name-only"):
		return gitNameParser(protocol.ParsedGitDiff, nul, 1, func(name string) { l.add(FileDiff{Path: name}) }, l)
	case a.has("--name-status"):
		p.record, p.last = d.nameStatus, d.settled
	case a.has("--numstat"):
		p.record, p.last = d.numstat, d.settled
	case a.has("--stat"):
		p.record = d.stat
	default:
		p.record, p.last = d.unified, func() bool {
			d.flush()
			return true
		}
	}
	return p
}

// diff reads the forms of git diff.
type diff struct {
	out   *items
	nul   bool
	file  *FileDiff // that is being read
	names int       // records with a name that are still to come for it
	hunk  bool      // lines are content
	done  bool      // the summary of --stat came
}

func (d *diff) flush() {
	if d.file != nil && d.out.wants() {
		d.out.add(*d.file)
	}
	d.file = nil
}

func (d *diff) settled() bool { return d.names == 0 }

// moreNames takes the names that stand in records of their own.
func (d *diff) moreNames(rec []byte) bool {
	if len(rec) == 0 {
		return false
	}
	if d.names--; d.names == 1 {
		d.file.From = clean(rec)
		return true
	}
	d.file.Path = clean(rec)
	d.flush()
	return true
}

func (d *diff) nameStatus(line []byte) bool {
	if d.names > 0 {
		return d.moreNames(line)
	}
	state, rest, tabbed := bytes.Cut(line, []byte("\t"))
	if len(state) == 0 || bytes.IndexByte([]byte("MADRCTUXB"), state[0]) < 0 || len(bytes.Trim(state[1:], "0123456789")) > 0 || tabbed == d.nul {
		return false
	}
	d.file = &FileDiff{Status: string(state[:1])}
	moved := state[0] == 'R' || state[0] == 'C'
	if d.nul {
		d.names = 1
		if moved {
			d.names = 2
		}
		return true
	}
	if moved {
		from, to, ok := bytes.Cut(rest, []byte("\t"))
		if !ok {
			return false
		}
		d.file.From, rest = unquoteName(from), to
	}
	d.file.Path = unquoteName(rest)
	d.flush()
	return true
}

func (d *diff) numstat(line []byte) bool {
	if d.names > 0 {
		return d.moreNames(line)
	}
	parts := bytes.SplitN(line, []byte("\t"), 3)
	if len(parts) != 3 {
		return false
	}
	d.file = &FileDiff{}
	if string(parts[0]) == "-" && string(parts[1]) == "-" {
		d.file.Status = "binary"
	} else {
		added, err1 := strconv.Atoi(string(parts[0]))
		deleted, err2 := strconv.Atoi(string(parts[1]))
		if err1 != nil || err2 != nil {
			return false
		}
		d.file.Added, d.file.Deleted = &added, &deleted
	}
	if d.nul && len(parts[2]) == 0 {
		d.names = 2
		return true
	}
	if d.nul {
		d.file.Path = clean(parts[2])
	} else {
		d.file.Path = unquoteName(parts[2])
	}
	d.flush()
	return true
}

// stat reads " path | 12 ++++--". The signs are scaled down in wide changes;
// only where they are not do they tell the numbers.
func (d *diff) stat(line []byte) bool {
	i := bytes.LastIndex(line, []byte(" | "))
	if i < 0 {
		if d.done || !bytes.Contains(line, []byte(" changed")) {
			return false
		}
		d.done = true
		return true
	}
	if len(line) == 0 || line[0] != ' ' || d.done {
		return false
	}
	f := FileDiff{Path: unquoteName(bytes.TrimSpace(line[:i]))}
	count, signs, _ := bytes.Cut(bytes.TrimSpace(line[i+3:]), []byte(" "))
	switch n, err := strconv.Atoi(string(count)); {
	case string(count) == "Bin":
		f.Status = "binary"
	case err != nil:
		return false
	default:
		added, deleted := bytes.Count(signs, []byte("+")), bytes.Count(signs, []byte("-"))
		if added+deleted != len(signs) {
			return false
		}
		if added+deleted == n {
			f.Added, f.Deleted = &added, &deleted
		}
	}
	if d.out.wants() {
		d.out.add(f)
	}
	return true
}

func (d *diff) unified(line []byte) bool {
	switch {
	case bytes.HasPrefix(line, []byte("diff --git ")):
		d.flush()
		d.begin("M", headerName(line[len("diff --git "):]))
		return true
	case bytes.HasPrefix(line, []byte("diff --cc ")), bytes.HasPrefix(line, []byte("diff --combined ")):
		d.flush()
		_, name, _ := bytes.Cut(line[len("diff -"):], []byte(" "))
		d.begin("U", unquoteName(name))
		d.file.Added, d.file.Deleted = nil, nil // two columns of signs say something else
		return true
	case bytes.HasPrefix(line, []byte("* Unmerged path ")):
		d.flush()
		d.file = &FileDiff{Path: unquoteName(line[len("* Unmerged path "):]), Status: "U"}
		d.flush()
		return true
	case d.file == nil:
		return false
	case d.hunk:
		return d.content(line)
	}
	for _, h := range [...]struct {
		prefix string
		take   func(rest []byte)
	}{
		{"@@", func([]byte) { d.hunk = true }},
		{"new file mode ", func([]byte) { d.status("A") }},
		{"deleted file mode ", func([]byte) { d.status("D") }},
		{"rename from ", func(b []byte) { d.status("R"); d.file.From = unquoteName(b) }},
		{"copy from ", func(b []byte) { d.status("C"); d.file.From = unquoteName(b) }},
		{"rename to ", func(b []byte) { d.file.Path = unquoteName(b) }},
		{"copy to ", func(b []byte) { d.file.Path = unquoteName(b) }},
		{"Binary files ", func([]byte) { d.binary() }},
		{"GIT binary patch", func([]byte) { d.binary() }},
	} {
		if rest, ok := bytes.CutPrefix(line, []byte(h.prefix)); ok {
			h.take(rest)
			break
		}
	}
	return true
}

func (d *diff) begin(state, name string) {
	d.file = &FileDiff{Path: name, Status: state, Added: new(int), Deleted: new(int)}
	d.hunk = false
}

func (d *diff) status(s string) {
	if d.file.Status == "M" {
		d.file.Status = s
	}
}

func (d *diff) binary() {
	d.file.Added, d.file.Deleted = nil, nil
	d.status("binary")
}

// content is a line of a hunk.
func (d *diff) content(line []byte) bool {
	if len(line) == 0 || d.file.Added == nil {
		return true
	}
	switch line[0] {
	case '+':
		*d.file.Added++
	case '-':
		*d.file.Deleted++
	case ' ', '\\', '@':
	default:
		return false
	}
	return true
}

// headerName is the name in "a/NAME b/NAME", where the two names are the same;
// a renamed file has lines of its own for its names.
func headerName(b []byte) string {
	if first, rest, ok := cutQuoted(b); ok {
		if second, _, ok := cutQuoted(bytes.TrimPrefix(rest, []byte(" "))); ok {
			first = second
		}
		return clean(withoutPrefix(first))
	}
	half := len(b) / 2
	if len(b)%2 == 1 && b[half] == ' ' {
		first, second := b[:half], b[half+1:]
		if bytes.Equal(first, second) { // --no-prefix
			return clean(first)
		}
		if bytes.Equal(withoutPrefix(first), withoutPrefix(second)) {
			return clean(withoutPrefix(second))
		}
	}
	if i := bytes.LastIndex(b, []byte(" b/")); i >= 0 {
		return clean(b[i+3:])
	}
	return clean(b)
}

func withoutPrefix(name []byte) []byte {
	if len(name) > 2 && name[1] == '/' {
		return name[2:]
	}
	return name
}
