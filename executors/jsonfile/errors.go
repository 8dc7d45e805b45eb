package jsonfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/holic512/plugin-ai/schemas"
)

// Kind sorts why a file is not changed.
type Kind string

// The kinds.
const (
	KindPlace   Kind = "place"   // this file may not be changed
	KindFile    Kind = "file"    // the file cannot be used, read or written
	KindPatch   Kind = "patch"   // the patch does not apply
	KindValue   Kind = "value"   // a value is a masking mark
	KindSchema  Kind = "schema"  // the result would not follow the file's schema
	KindChanged Kind = "changed" // the file is not the one that was planned with
	KindBusy    Kind = "busy"    // another program keeps the file locked
	KindNothing Kind = "nothing" // there is no such change to take back
)

// An Error is why a file is not changed. Nothing was written then. It holds
// no value of the file.
type Error struct {
	Kind       Kind
	Path       string // of the file
	Message    string // what was expected and what was there
	Advice     string // what to do; may be ""
	Violations []schemas.Violation
	Err        error // the cause; may be nil
}

// Error gives the file, what is wrong, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Message)
	for _, v := range e.Violations {
		b.WriteString("; " + v.String())
	}
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

func patchError(format string, args ...any) *Error {
	return &Error{Kind: KindPatch, Message: fmt.Sprintf(format, args...), Advice: "look at the file and correct the patch"}
}

// fileError is a failure of the system.
func fileError(path, what string, err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	e := &Error{Kind: KindFile, Path: path, Message: what, Err: err, Advice: "look at the rights of the file and its folder"}
	// What failed last was done because of the first.
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		err = joined.Unwrap()[0]
	}
	if linked, ok := errors.AsType[*os.LinkError](err); ok {
		err = linked.Err
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	e.Message += ": " + err.Error()
	if isFull(err) {
		e.Advice = "make room on the disk"
	}
	return e
}
