package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxEvent is the most bytes that the data of one event may have.
const MaxEvent = 16 << 20

// ErrTooLong is the error of an event of more than MaxEvent bytes.
var ErrTooLong = fmt.Errorf("a piece of it is longer than %d MiB", MaxEvent>>20)

// A Reader reads events. It is for one goroutine.
type Reader struct {
	r    *bufio.Reader
	line []byte // of a line that is longer than r's buffer
	data []byte
}

// NewReader makes a reader of r, which may be buffered already.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 16<<10)} }

// Next gives the data of the next event, good until the call after it. The end
// of the stream is io.EOF; data that is cut there is given if it is one JSON
// value, and lost otherwise.
func (s *Reader) Next() ([]byte, error) {
	s.data = s.data[:0]
	for {
		line, err := s.readLine()
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			if errors.Is(err, io.EOF) && s.whole() {
				return s.data, nil // the next call meets the end again
			}
			return nil, err
		}
		if len(line) == 0 {
			if len(s.data) > 0 {
				return s.data, nil
			}
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			if value, ok = bytes.CutPrefix(line, []byte("error:")); ok { // llama.cpp
				s.data = append(append(s.data[:0], `{"error":`...), bytes.TrimSpace(value)...)
				s.data = append(s.data, '}')
				return s.data, nil
			}
			continue // a comment, a field without meaning here, or noise
		}
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
		if len(s.data)+len(value) > MaxEvent {
			return nil, ErrTooLong
		}
		if len(s.data) > 0 {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		if !s.blankFollows() && s.whole() {
			return s.data, nil
		}
	}
}

// blankFollows tells whether the blank line that ends an event is here already.
func (s *Reader) blankFollows() bool {
	if s.r.Buffered() == 0 {
		return false
	}
	b, err := s.r.Peek(1)
	return err == nil && (b[0] == '\n' || b[0] == '\r')
}

// whole tells whether the data is complete without more lines.
func (s *Reader) whole() bool {
	if len(s.data) == 0 {
		return false
	}
	return IsDone(s.data) || jsontext.Value(s.data).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// readLine gives a line without its end. An error comes with what there was
// before it.
func (s *Reader) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		if err == nil && len(s.line) == 0 {
			return trimEnd(part), nil
		}
		if len(s.line)+len(part) > MaxEvent {
			return nil, ErrTooLong
		}
		s.line = append(s.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return trimEnd(s.line), err
		}
	}
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// IsDone tells whether the data is the mark that ends the streams of some
// servers.
func IsDone(data []byte) bool { return bytes.HasPrefix(data, []byte("[DONE]")) }
