package decide

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Limits of what is shown of a file.
const (
	sourceAround = 3       // lines before and after
	sourceLines  = 400     // in all
	sourceRunes  = 2000    // of one line
	sourceBytes  = 8 << 20 // that are read until the last line is found
)

// excerpt is what is shown of a file.
type excerpt struct {
	File  string   `json:"file"`
	Start int64    `json:"start"` // the lines that are meant
	End   int64    `json:"end"`
	First int64    `json:"first"` // the number of the first line below
	Lines []string `json:"lines"`
	More  bool     `json:"more"` // not all lines that are meant are here
	Error string   `json:"error,omitzero"`
}

// Why nothing is shown of a file; the page has words for each.
const (
	sourceOutside = "outside"
	sourceMissing = "missing"
	sourceBinary  = "binary"
	sourceShort   = "short" // it has fewer lines
	sourceLarge   = "large"
	sourceFailed  = "failed"
)

// source reads the lines of a place. Only files in the project are read, also
// where links lead elsewhere.
func source(project string, at Location) excerpt {
	out := excerpt{File: at.File, Start: max(at.Start, 1), End: max(at.End, at.Start, 1), Lines: []string{}}
	f, why := openInside(project, at.File)
	if why != "" {
		out.Error = why
		return out
	}
	defer func() { _ = f.Close() }()
	if err := out.read(f); err != nil {
		out.Error = sourceFailed
		if errors.Is(err, errBinary) {
			out.Error = sourceBinary
		} else if errors.Is(err, errLarge) {
			out.Error = sourceLarge
		}
		out.Lines = []string{}
	}
	if out.Error == "" && out.First+int64(len(out.Lines)) <= out.Start {
		out.Error, out.Lines = sourceShort, []string{}
	}
	return out
}

// openInside opens a file of the project. The root makes sure that nothing
// leads out of it, also where a link is changed meanwhile.
func openInside(project, name string) (_ *os.File, why string) {
	if strings.ContainsRune(name, 0) {
		return nil, sourceMissing
	}
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return nil, sourceFailed
	}
	path := filepath.FromSlash(name)
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(project, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		} else if path, err = filepath.Rel(real, path); err != nil {
			return nil, sourceOutside
		}
	}
	if !filepath.IsLocal(filepath.Clean(path)) {
		return nil, sourceOutside
	}
	target, err := filepath.EvalSymlinks(filepath.Join(real, path))
	if err != nil {
		return nil, sourceMissing
	}
	rel, err := filepath.Rel(real, target)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, sourceOutside
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, sourceFailed
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular():
		return nil, sourceMissing
	case err != nil:
		return nil, sourceFailed
	}
	f, err := root.Open(rel)
	if err != nil {
		return nil, sourceFailed
	}
	return f, ""
}

var (
	errBinary = errors.New("no text")
	errLarge  = errors.New("too large")
)

// read takes the lines that are meant, and some around them.
func (x *excerpt) read(f io.Reader) error {
	x.First = max(1, x.Start-sourceAround)
	last := x.End + sourceAround
	if last-x.First >= sourceLines {
		last = x.First + sourceLines - 1
		x.More = last < x.End
	}
	limited := &io.LimitedReader{R: f, N: sourceBytes}
	r := bufio.NewReader(limited)
	for n := int64(1); n <= last; n++ {
		line, err := r.ReadBytes('\n')
		if bytes.IndexByte(line, 0) >= 0 {
			return errBinary
		}
		if limited.N <= 0 && err != nil {
			return errLarge
		}
		if n >= x.First && (err == nil || len(line) > 0) {
			x.Lines = append(x.Lines, shortLine(line, n == 1))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func shortLine(line []byte, first bool) string {
	if first {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	s := strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\ufffd")
	n := 0
	for i := range s {
		if n == sourceRunes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
