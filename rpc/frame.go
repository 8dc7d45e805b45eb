package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// MaxLine is the longest line that is taken, in bytes without its end.
const MaxLine = 32 << 20

// errLineTooLong says that a line was longer than [MaxLine]; it was skipped.
var errLineTooLong = errors.New("the line is longer than 32 MiB")

// lineReader parts a stream at LF, and at nothing else.
type lineReader struct {
	in  *bufio.Reader
	max int
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{bufio.NewReaderSize(in, 64<<10), limit}
}

// next gives a line without its end. The last one may have none. The error of
// a line that is too long is errLineTooLong, and reading can go on; others,
// such as io.EOF, are the end.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > r.max+2; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(line) > 0 || long) && errors.Is(err, io.EOF):
		case err != nil:
			return nil, err
		}
		if long {
			return nil, errLineTooLong
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) > r.max {
			return nil, errLineTooLong
		}
		return line, nil
	}
}

// lineWriter is the only one who writes to the client. A client that does not
// read holds up whoever writes; after the first failure nothing is written any
// more.
type lineWriter struct {
	failed func() // called once, when the client is gone

	mu    sync.Mutex
	out   io.Writer
	err   error
	spare []byte
}

// line writes one line, which make appends to the bytes that it is given.
func (w *lineWriter) line(build func([]byte) []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	line := append(build(w.spare[:0]), '\n')
	if w.spare = line; cap(line) > 1<<20 {
		w.spare = nil // a long line is rare, and its memory is not kept
	}
	if _, w.err = w.out.Write(line); w.err != nil {
		go w.failed()
	}
}
