package session

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// version is that of the files that are written here. Older ones do not
// exist; newer ones are refused.
const version = 1

// A Header is what a session is about.
type Header struct {
	ID      string    // 16 hexadecimal digits; of a file without a header its name
	CWD     string    // the working directory; "" is not known
	Created time.Time // zero is not known
	Parent  string    // path of the session that it was taken from; "" is none
}

// form says whose file it is.
type form uint8

const (
	formOurs form = iota
	formFlat      // without a header: pai's
	formPi
)

// line writes the header out.
func (h Header) line() (Line, error) {
	d := Mark(TypeHeader).With("version", version).With("id", h.ID).With("cwd", h.CWD)
	if h.Parent != "" {
		d = d.With("parentSession", h.Parent)
	}
	return NewLine(d, h.Created)
}

// readHeader looks at the first line of a file.
func readHeader(f *file) (Header, form, error) {
	guess := headerOfName(f.path)
	first, err := newLineReader(io.NewSectionReader(f.f, 0, f.end)).next()
	if err == io.EOF { //nolint:errorlint // next gives it bare
		return guess, formOurs, nil // nothing was written yet
	}
	if err != nil {
		return guess, formFlat, err
	}
	if first.long {
		return guess, formFlat, nil
	}
	if h, ok := piHeader(first.text); ok {
		return h, formPi, nil
	}
	l, err := ParseLine(first.text)
	if err != nil && !first.ended && isOurName(f.path) {
		return guess, formOurs, nil // torn before it was whole
	}
	if err != nil || l.Role != "" || l.Type != TypeHeader {
		return guess, formFlat, nil //nolint:nilerr // a broken line is told of when all are read
	}
	n, err := strconv.ParseUint(string(l.Field("version")), 10, 31)
	if err != nil || n == 0 || n > version {
		return guess, formOurs, fmt.Errorf("%s: expected a session of version %d, there is version %s; use the program that wrote it, or a newer one",
			f.path, version, shorten(string(l.Field("version")), 40))
	}
	h := Header{ID: l.ID, CWD: l.FieldText("cwd"), Parent: l.FieldText("parentSession")}
	h.Created, _ = time.Parse(time.RFC3339, l.Timestamp) // zero where it says nothing
	if h.ID == "" {
		h.ID = guess.ID
	}
	return h, formOurs, nil
}

const (
	extension    = ".jsonl"
	nameTimeForm = "20060102T150405.000Z"
)

// fileName is the name of a session's file.
func (h Header) fileName() string {
	return h.Created.UTC().Format(nameTimeForm) + "_" + h.ID + extension
}

// headerOfName says what the name of a file tells.
func headerOfName(path string) Header {
	name := strings.TrimSuffix(filepath.Base(path), extension)
	if at, id, ok := strings.Cut(name, "_"); ok && id != "" {
		if created, err := time.Parse(nameTimeForm, at); err == nil {
			return Header{ID: id, Created: created}
		}
	}
	return Header{ID: name}
}

// isOurName reports whether a file has a name that fileName makes.
func isOurName(path string) bool {
	return filepath.Ext(path) == extension && !headerOfName(path).Created.IsZero()
}
