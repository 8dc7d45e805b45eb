package executors

import (
	"bytes"
	"path"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A File is an item of [protocol.ParsedFileList].
type File struct {
	Path  string `json:"path"`
	Size  *int64 `json:"size,omitzero"`  // bytes, where the output tells
	Type  string `json:"type,omitzero"`  // file, dir, link, fifo, socket, device; "" is not told
	Count int    `json:"count,omitzero"` // matching lines, for a search that counts
}

// nameParser reads one path per line, or per NUL byte.
func nameParser(l *items, nul bool, none int) *records {
	p := lines(protocol.ParsedFileList, func(line []byte) bool {
		if len(line) == 0 {
			return false
		}
		if l.wants() {
			l.add(File{Path: clean(line)})
		}
		return true
	})
	if nul {
		p.sep = 0
	}
	p.none = none
	return p
}

func findParser(args []string, l *items) *records {
	nul, plain := false, false
	for _, a := range args {
		switch a {
		case "-print0":
			nul = true
		case "-print":
			plain = true
		case "-printf", "-ls", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fls", "-fprintf", "-delete", "-quit":
			return nil
		}
	}
	if nul && plain {
		return nil
	}
	return nameParser(l, nul, 0)
}

func fdParser(args []string, l *items) *records {
	a := readArguments(args, "dtseExXcjSogC", "--max-depth", "--type", "--extension", "--exclude", "--size", "--color", "--threads", "--owner", "--base-directory")
	if a.has("-x", "-X", "--exec", "--exec-batch", "-l", "--list-details", "--format", "-q", "--quiet") {
		return nil
	}
	return nameParser(l, a.has("-0", "--print0"), 1)
}

// lsParser reads the lines of ls: names, or with -l also types and sizes.
func lsParser(args []string, l *items) *records {
	a := readArguments(args, "IwT", "--ignore", "--hide", "--width", "--tabsize", "--sort", "--time", "--time-style", "--block-size", "--indicator-style", "--quoting-style", "--format")
	if a.has("-C", "-x", "-m", "-i", "-s", "-b", "-Q", "-q", "-Z", "-D", "--format", "--inode", "--size", "--escape", "--quote-name",
		"--quoting-style", "--context", "--dired", "--zero", "--block-size", "--author", "--full-time", "--help", "--version") {
		return nil
	}
	long := a.has("-l", "-o", "-g", "-n", "--numeric-uid-gid")
	columns := 4 // type and rights, links, owner, group
	if a.has("-o", "-G", "--no-group") {
		columns--
	}
	if a.has("-g") {
		columns--
	}
	marked := a.has("-F", "--classify", "-p", "--file-type", "--indicator-style")
	headed := (len(a.operands) > 1 || a.has("-R", "--recursive")) && !a.has("-d", "--directory")
	dir, blank := "", true
	return lines(protocol.ParsedFileList, func(line []byte) bool {
		if headed {
			if len(line) == 0 {
				blank = true
				return true
			}
			if name, ok := bytes.CutSuffix(line, []byte(":")); ok && blank {
				dir, blank = clean(name), false
				return true
			}
			blank = false
		}
		if len(line) == 0 {
			return false
		}
		if !long {
			if l.wants() {
				f := File{}
				f.setName(line, dir, marked)
				l.add(f)
			}
			return true
		}
		if rest, ok := bytes.CutPrefix(line, []byte("total ")); ok && !bytes.Contains(rest, []byte(" ")) {
			return true
		}
		f, name, fit := longEntry(line, columns)
		if !fit {
			return false
		}
		if l.wants() {
			f.setName(name, dir, marked)
			l.add(f)
		}
		return true
	})
}

// setName takes a name as ls shows it.
func (f *File) setName(name []byte, dir string, marked bool) {
	if f.Type == "link" {
		name, _, _ = bytes.Cut(name, []byte(" -> "))
	}
	if marked && len(name) > 1 {
		kind := map[byte]string{'/': "dir", '@': "link", '*': "file", '|': "fifo", '=': "socket"}[name[len(name)-1]]
		if kind != "" && (f.Type == "" || f.Type == kind) {
			f.Type = kind
			name = name[:len(name)-1]
		}
	}
	f.Path = clean(name)
	if dir != "" {
		f.Path = path.Join(dir, f.Path)
		if strings.HasPrefix(dir, "./") {
			f.Path = "./" + f.Path
		}
	}
}

// longEntry reads a line of ls -l up to its name.
func longEntry(line []byte, columns int) (f File, name []byte, fit bool) {
	kind := map[byte]string{'-': "file", 'd': "dir", 'l': "link", 'p': "fifo", 's': "socket", 'b': "device", 'c': "device"}[line[0]]
	if kind == "" || len(line) < 10 {
		return f, nil, false
	}
	f.Type = kind
	rest := line
	for range columns {
		_, rest = cutWord(rest)
	}
	size, rest := cutWord(rest)
	if bytes.HasSuffix(size, []byte(",")) { // a device has two numbers
		_, rest = cutWord(rest)
	} else if n, err := strconv.ParseInt(string(size), 10, 64); err == nil && n >= 0 {
		f.Size = &n
	} else if len(size) == 0 || size[0] != '?' && (size[0] < '0' || size[0] > '9') {
		return f, nil, false
	}
	word, rest := cutWord(rest) // "Nov", "11月" or "2026-11-21"
	_, rest = cutWord(rest)
	if len(word) != len("2026-11-21") || word[4] != '-' {
		_, rest = cutWord(rest)
	}
	if len(rest) < 2 || rest[0] != ' ' {
		return f, nil, false
	}
	return f, rest[1:], true // a name may begin with blanks
}

// cutWord takes a word and the blanks before it.
func cutWord(b []byte) (word, rest []byte) {
	b = bytes.TrimLeft(b, " ")
	i := bytes.IndexByte(b, ' ')
	if i < 0 {
		return b, nil
	}
	return b[:i], b[i:]
}
