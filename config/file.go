package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/schemas"
)

// maxFileBytes is the largest settings file that is read.
const maxFileBytes = 4 << 20

// readFile reads a settings file. A file that is not there is nil without an
// error; a byte order mark is left out.
func readFile(path string) ([]byte, error) {
	text, err := readRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(path)
			return nil, &Error{Kind: ErrFile, File: path, Message: fmt.Sprintf("it is a link to %s, which is not there", target),
				Advice: "make the file there, or remove the link", Err: err}
		}
		return nil, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, &Error{Kind: ErrFile, File: path, Message: "it may not be read", Advice: "give yourself the right to read it", Err: err}
	case err != nil:
		var own *Error
		if errors.As(err, &own) {
			return nil, err
		}
		return nil, &Error{Kind: ErrFile, File: path, Message: "it cannot be read: " + cause(err), Err: err}
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

func readRegular(path string) ([]byte, error) {
	// A pipe or a device would be waited for when it is opened.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Kind: ErrFile, File: path, Message: "expected a file, got " + kindOf(info.Mode()), Advice: "move it away"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		return nil, &Error{Kind: ErrFile, File: path, Message: fmt.Sprintf("expected at most %d bytes, got more", maxFileBytes), Advice: "move it away"}
	}
	return text, err
}

func kindOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "a folder"
	}
	return "a pipe or device"
}

// cause is the reason of a file error without the path, which is said before.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// parse reads the text of a settings file into what a schema checks.
func parse(path string, text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &Error{Kind: ErrFile, File: path, Line: 1, Column: 1, Message: "expected a JSON object, got an empty file",
			Advice: "write {} into it, or remove it"}
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, syntaxError(path, text, err)
	}
	return value, nil
}

// syntaxError says where a text stops being JSON.
func syntaxError(path string, text []byte, err error) *Error {
	e := &Error{Kind: ErrFile, File: path, Advice: "correct it by hand, or move it away", Err: err}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		e.Message = "expected JSON: " + err.Error()
		return e
	}
	e.Line, e.Column = position(text, syntax.ByteOffset)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Violations = []schemas.Violation{{Path: string(syntax.JSONPointer), Expected: "every key once", Actual: "it a second time"}}
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = "expected JSON, got the end of the file in the middle of it"
	default:
		e.Message = "expected JSON: " + syntax.Err.Error()
	}
	return e
}

// position gives the line and the column of a byte of a text, from 1.
func position(text []byte, offset int64) (line, column int) {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// check holds a parsed file against a schema. A key that the schema does not
// know is named together with the one that was probably meant.
func check(kind ErrorKind, path, schema string, value any) error {
	s, err := schemas.Load(schema)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	found := s.Check(value)
	if len(found) == 0 {
		return nil
	}
	for i, v := range found {
		if known, ok := strings.CutPrefix(v.Expected, "no such field; known are: "); ok {
			name := v.Path[strings.LastIndexByte(v.Path, '/')+1:]
			if near, ok := nearest(name, strings.Split(known, ", ")); ok {
				found[i].Expected = "a key that there is, such as " + near
			} else {
				found[i].Expected = "one of the keys " + known
			}
		}
	}
	advice := "correct it by hand"
	if schema == "config" {
		advice += ", or with `ai config`"
	}
	return &Error{Kind: kind, File: path, Violations: found, Advice: advice}
}

// decode reads checked text into a Go value.
func decode(kind ErrorKind, path string, text []byte, into any) error {
	err := json.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		expected, actual := "a value of another form", semantic.JSONKind.String()
		if semantic.GoType != nil {
			expected = expectedWords(semantic.GoType.Kind().String())
		}
		if semantic.JSONKind == '0' {
			actual = string(semantic.JSONValue)
		}
		e := &Error{Kind: kind, File: path, Err: err, Advice: "correct it by hand",
			Violations: []schemas.Violation{{Path: string(semantic.JSONPointer), Expected: expected, Actual: actual}}}
		if semantic.Err != nil && semantic.JSONKind != '0' {
			e.Violations[0].Expected = semantic.Err.Error()
		}
		return e
	}
	return syntaxError(path, text, err)
}

func expectedWords(goKind string) string {
	switch {
	case strings.HasPrefix(goKind, "int"):
		return "an integer without a fraction or exponent"
	case strings.HasPrefix(goKind, "float"):
		return "a number"
	case goKind == "slice":
		return "an array"
	case goKind == "map", goKind == "struct":
		return "an object"
	case goKind == "bool":
		return "a boolean"
	}
	return "a " + goKind
}
