package decide

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxInputBytes is the largest input that is read.
const MaxInputBytes = 4 << 20

// An Input is what a person is asked: checked, so that every rule of the
// document holds. The schema "decide_input" says what each field is.
type Input struct {
	Task   string `json:"task"`
	Source string `json:"source"`
	Items  []Item `json:"items"`

	raw jsontext.Value // as it was given, in one line, with its order of fields
}

// An Item is one question.
type Item struct {
	ID        int64     `json:"id"`
	Title     string    `json:"title"`
	Location  *Location `json:"location"` // nil is none
	Context   string    `json:"context"`
	Options   []Option  `json:"options"`
	Recommend string    `json:"recommend"` // the value of an option; "" is none
}

// A Location is a place in a file of the project, in lines from 1.
type Location struct {
	File  string `json:"file"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
}

// An Option is one answer that can be chosen.
type Option struct {
	Value string   `json:"value"`
	Label string   `json:"label"`
	Score *float64 `json:"score"` // from 0 to 100; nil is none
	Pros  []string `json:"pros"`
	Cons  []string `json:"cons"`
}

// JSON gives the input as it was given, in one line.
func (in *Input) JSON() jsontext.Value { return in.raw }

// A SyntaxError is that a text is no JSON.
type SyntaxError struct {
	Line, Column int              // of the mistake, from 1; the column in characters
	Kind         SyntaxKind       // what is wrong
	Path         jsontext.Pointer // where in the value it is
	Err          error            // what the decoder says
}

// A SyntaxKind sorts what can be wrong with JSON.
type SyntaxKind string

// The kinds.
const (
	SyntaxCut       SyntaxKind = "cut"       // it ends too early
	SyntaxDuplicate SyntaxKind = "duplicate" // a field stands there twice
	SyntaxUTF8      SyntaxKind = "utf8"      // a text is no UTF-8
	SyntaxTooLarge  SyntaxKind = "large"     // more than MaxInputBytes
	SyntaxNumber    SyntaxKind = "number"    // a number that no computer can hold
	SyntaxOther     SyntaxKind = "other"
)

// Error gives the place and what the decoder says.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap gives what the decoder says.
func (e *SyntaxError) Unwrap() error { return e.Err }

// ParseInput reads and checks the questions. The error is a [*SyntaxError] or
// an [*InvalidError], which names all that is wrong.
func ParseInput(text []byte) (*Input, error) {
	if len(text) > MaxInputBytes {
		return nil, &SyntaxError{1, 1, SyntaxTooLarge, "", fmt.Errorf("expected at most %d bytes, got %d", MaxInputBytes, len(text))}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, syntaxError(text, err)
	}
	if problems := checkInput(tree); len(problems) > 0 {
		return nil, &InvalidError{problems}
	}
	in := new(Input)
	if err := json.Unmarshal(text, in, json.WithUnmarshalers(json.UnmarshalFromFunc(wholeNumber))); err != nil {
		return nil, syntaxError(text, err) // what was checked can be read
	}
	raw, err := reformat(text)
	if err != nil {
		return nil, err
	}
	in.raw = raw
	return in, nil
}

// wholeNumber reads 1.0 and 1e2 as the whole numbers that they are.
func wholeNumber(d *jsontext.Decoder, n *int64) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	whole, err := token.Float()
	*n = int64(whole)
	return err
}

// reformat writes JSON anew, with the order of its fields and the spelling of
// its numbers: in one line, or indented as options say. Texts stand in it as
// they are, not escaped.
func reformat(text []byte, options ...jsontext.Options) (jsontext.Value, error) {
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, options...)
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
		if err != nil {
			return nil, err
		}
		if err := e.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

func syntaxError(text []byte, err error) *SyntaxError {
	e := &SyntaxError{Line: 1, Column: 1, Kind: SyntaxOther, Err: err}
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		e.Line, e.Column = position(text, syntax.ByteOffset)
		e.Path, e.Err = syntax.JSONPointer, syntax.Err
	case errors.As(err, &semantic):
		e.Line, e.Column = position(text, semantic.ByteOffset)
		e.Path, e.Kind = semantic.JSONPointer, SyntaxNumber
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Kind = SyntaxDuplicate
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Kind = SyntaxCut
	case !utf8.Valid(text):
		e.Kind = SyntaxUTF8
	}
	return e
}

// position gives the line and the column of a byte of a text, from 1.
func position(text []byte, offset int64) (line, column int) {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
