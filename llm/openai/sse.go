package openai

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxEvent is the most bytes that one event may have, or an answer that is one
// document.
const maxEvent = 16 << 20

var errEventTooLong = fmt.Errorf("a piece of it is longer than %d MiB", maxEvent>>20)

// sse reads server-sent events whose data is JSON. The SDK's reader is not
// used because it gives an event only at the blank line behind it: it loses
// the last one of a server that leaves that line out, and joins the events of
// one that never sends it. Here an event is also over where its data is one
// JSON value and nothing behind it has arrived yet or more data follows.
type sse struct {
	r    *bufio.Reader
	line []byte // of a line that is longer than r's buffer
	data []byte
}

func newSSE(r io.Reader) *sse { return &sse{r: bufio.NewReaderSize(r, 16<<10)} }

// next gives the data of the next event, good until the call after it. The end
// of the stream is io.EOF; data that is cut there is given if it is one JSON
// value, and lost otherwise.
func (s *sse) next() ([]byte, error) {
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
		if len(s.data)+len(value) > maxEvent {
			return nil, errEventTooLong
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
func (s *sse) blankFollows() bool {
	if s.r.Buffered() == 0 {
		return false
	}
	b, err := s.r.Peek(1)
	return err == nil && (b[0] == '\n' || b[0] == '\r')
}

// whole tells whether the data is complete without more lines.
func (s *sse) whole() bool {
	if len(s.data) == 0 {
		return false
	}
	return isDone(s.data) || jsontext.Value(s.data).IsValid(lenient())
}

// readLine gives a line without its end. An error comes with what there was
// before it.
func (s *sse) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		if err == nil && len(s.line) == 0 {
			return trimEnd(part), nil
		}
		if len(s.line)+len(part) > maxEvent {
			return nil, errEventTooLong
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

func isDone(data []byte) bool { return bytes.HasPrefix(data, []byte("[DONE]")) }
