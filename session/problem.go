package session

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// What may be wrong with a file as a whole.
var (
	// ErrLocked says that another process writes to the file.
	ErrLocked = errors.New("another process has it open for writing")
	// ErrChanged says that a program that does not lock changed, replaced or
	// removed the file after it was opened. Nothing was written.
	ErrChanged = errors.New("another program changed it after it was opened")
	// ErrReadOnly says that the session was opened for reading, or is pi's.
	ErrReadOnly = errors.New("it is open for reading only")
	// ErrNotRegular says that the path is a folder, a pipe or a device.
	ErrNotRegular = errors.New("it is not a regular file")
	// ErrNoSession says that no session has that id.
	ErrNoSession = errors.New("there is no such session")
	// ErrNoID says that no branch can begin after an entry, as it has no id that
	// the next one could name. Only the newest one needs none.
	ErrNoID = errors.New("the entry has no id, so that only the line below it can follow it")
	// ErrNoEntry says that the session has no entry of that id.
	ErrNoEntry = errors.New("there is no such entry")
)

// A ProblemKind says what sort of damage there is.
type ProblemKind string

// The kinds of problems.
const (
	Broken    ProblemKind = "broken"    // a line that is no entry; it is left where it is
	TooLong   ProblemKind = "too long"  // a line above MaxLine; it is left where it is
	Torn      ProblemKind = "torn"      // an unfinished last line
	NoParent  ProblemKind = "no parent" // an entry whose parent is not before it; it follows the line before it
	Duplicate ProblemKind = "duplicate" // an entry with an id that an earlier one has
)

// A Problem is a place in a file that cannot be taken as it is.
type Problem struct {
	Kind   ProblemKind
	Path   string
	Line   int   // from 1; 0 is not known
	Offset int64 // of the line's first byte in the file
	What   string
	Kept   string // Torn: the file that the cut bytes are in; "" where they were not cut
}

// String gives the place and what is wrong, in one line.
func (p Problem) String() string {
	line := fmt.Sprintf("line %d", p.Line)
	if p.Line == 0 {
		line = "last line"
	}
	s := fmt.Sprintf("%s: %s (byte %d): %s", p.Path, line, p.Offset, p.What)
	if p.Kept != "" {
		s += "; it was cut off and is kept in " + p.Kept
	}
	return s
}

// maxProblems is how many problems of one file are told one by one.
const maxProblems = 1000

// problems collects what is wrong with a file, in bounded memory.
type problems struct {
	list []Problem
	all  int
}

func (p *problems) add(one Problem) {
	p.all++
	switch {
	case len(p.list) < maxProblems:
		p.list = append(p.list, one)
	case len(p.list) == maxProblems:
		p.list = append(p.list, one)
		fallthrough
	default:
		last := &p.list[maxProblems]
		last.What = fmt.Sprintf("and %d more lines from here on that cannot be taken as they are", p.all-maxProblems)
	}
}

// lineError puts what a JSON decoder says into the words of a line.
func lineError(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return fmt.Errorf("expected one JSON object: %w", err)
	}
	at := fmt.Sprintf("at its byte %d", syntax.ByteOffset)
	if syntax.JSONPointer != "" {
		at += fmt.Sprintf(", in %q", string(syntax.JSONPointer))
	}
	return fmt.Errorf("expected one JSON object: %w %s", syntax.Err, at)
}
