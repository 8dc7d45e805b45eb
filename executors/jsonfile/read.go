package jsonfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/atomicfile"
)

// Limits of a file.
const (
	MaxBytes = 4 << 20 // before and after a change
	MaxDepth = 128     // objects and arrays within each other
)

const byteOrderMark = "\ufeff"

// state is a file at one moment.
type state struct {
	text []byte
	info fs.FileInfo // nil where there is no file
}

// openFolder opens the folder of a file. It is nil where there is none.
func openFolder(path string) (*atomicfile.Dir, error) {
	folder := filepath.Dir(path)
	dir, err := atomicfile.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(path, "its folder cannot be opened", err)
	}
	return dir, nil
}

// readPath reads a file that need not be there.
func readPath(path string) (state, error) {
	dir, err := openFolder(path)
	if err != nil || dir == nil {
		return state{}, err
	}
	defer func() { _ = dir.Close() }()
	f, s, err := read(dir, path)
	if f != nil {
		_ = f.Close()
	}
	return s, err
}

// read reads a file of an open folder and leaves it open. The file is nil
// where there is none.
func read(dir *atomicfile.Dir, path string) (*os.File, state, error) {
	name := filepath.Base(path)
	before, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, state{}, nil
	}
	if err != nil {
		return nil, state{}, fileError(path, "it cannot be looked at", err)
	}
	// A pipe or a device is not opened; should one come in between, its
	// opening does not wait.
	if err := usable(path, before); err != nil {
		return nil, state{}, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, state{}, fileError(path, "it cannot be opened", err)
	}
	s, err := readOpen(f, path, before)
	if err != nil {
		_ = f.Close()
		return nil, state{}, err
	}
	return f, s, nil
}

func readOpen(f *os.File, path string, before fs.FileInfo) (state, error) {
	info, err := f.Stat()
	if err != nil {
		return state{}, fileError(path, "it cannot be looked at", err)
	}
	if !os.SameFile(before, info) {
		return state{}, changedError(path)
	}
	if err := usable(path, info); err != nil {
		return state{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return state{}, fileError(path, "it cannot be read", err)
	}
	if len(text) > MaxBytes {
		return state{}, tooLong(path)
	}
	return state{text, info}, nil
}

// usable says what keeps a file from being changed.
func usable(path string, info fs.FileInfo) error {
	got := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
	case mode.IsDir():
		got = "a folder"
	case mode&fs.ModeSymlink != 0:
		got = "a link"
	case mode&fs.ModeNamedPipe != 0:
		got = "a pipe"
	case mode&fs.ModeSocket != 0:
		got = "a socket"
	default:
		got = "a device"
	}
	switch {
	case got != "":
		return &Error{Kind: KindFile, Path: path, Message: "expected a file, got " + got}
	case linked(info):
		return &Error{Kind: KindFile, Path: path, Message: "expected a file with one name, got one with several (hard links)",
			Advice: "make a copy of it in its place; a change would part it from its other names"}
	case info.Size() > MaxBytes:
		return tooLong(path)
	}
	return nil
}

func tooLong(path string) *Error {
	return &Error{Kind: KindFile, Path: path, Message: fmt.Sprintf("expected at most %d bytes, got more", MaxBytes)}
}

func changedError(path string) *Error {
	return &Error{Kind: KindChanged, Path: path, Message: "the file has changed since the change was planned; nothing was written", Advice: "look at the new difference"}
}

// checkText says what keeps a text from being a settings file.
func checkText(path string, text []byte) error {
	bad := func(message string, err error) error {
		return &Error{Kind: KindFile, Path: path, Message: message, Err: err, Advice: "correct it by hand"}
	}
	body := bytes.TrimPrefix(text, []byte(byteOrderMark))
	start := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(text) > MaxBytes:
		return tooLong(path)
	case len(start) == 0:
		return bad("expected a JSON object, got an empty file", nil)
	case depth(body) > MaxDepth:
		return bad(fmt.Sprintf("expected at most %d levels of objects and arrays, got more", MaxDepth), nil)
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(body))
	err := d.SkipValue()
	if err == nil {
		if rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
			line, column := position(body, len(body)-len(rest))
			return bad(fmt.Sprintf("expected one JSON object, got more behind it at %d:%d", line, column), nil)
		}
	}
	if err != nil {
		line, column := position(body, int(d.InputOffset()))
		what := "it cannot be read"
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			line, column = position(body, int(syntax.ByteOffset))
			what = syntax.Err.Error()
			if errors.Is(err, jsontext.ErrDuplicateName) {
				what = "the key " + string(syntax.JSONPointer) + " a second time"
			}
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			what = "the end of the file in the middle of it"
		}
		return bad(fmt.Sprintf("expected JSON, got at %d:%d: %s", line, column, what), err)
	}
	if start[0] != '{' {
		return bad("expected a JSON object, got "+kindName(jsontext.Value(start).Kind()), nil)
	}
	return nil
}

// position gives the line and the column of a byte, from 1.
func position(text []byte, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// depth gives the deepest nesting of a text that may not be JSON.
func depth(text []byte) int {
	at, deepest, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			at++
			deepest = max(deepest, at)
		case c == '}' || c == ']':
			at--
		}
	}
	return deepest
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}
