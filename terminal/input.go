package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// An input reads a stream in a way that can be given up. It is used by one
// goroutine at a time.
type input struct {
	r        io.Reader
	fd       int // -1: not a file
	terminal bool
	ahead    []byte // read and not asked for yet
	err      error  // of the last read, told when ahead is used up

	chunks  chan chunk // of a reader that cannot be waited for
	pending bool
}

type chunk struct {
	data []byte
	err  error
}

func newInput(r io.Reader) *input {
	in := &input{r: r, fd: -1}
	if f, ok := r.(*os.File); ok && f != nil {
		in.fd = int(f.Fd())
		in.terminal = term.IsTerminal(in.fd)
	}
	return in
}

// read gives what can be read next, at least one byte, or why nothing can.
func (in *input) read(ctx context.Context) ([]byte, error) {
	if len(in.ahead) > 0 {
		data := in.ahead
		in.ahead = nil
		return data, nil
	}
	if in.err != nil {
		return nil, in.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := in.wait(ctx)
	if err != nil && ctx.Err() != nil {
		return data, ctx.Err()
	}
	if !in.terminal { // an end of file that was typed is not for ever
		in.err = err
	}
	if len(data) > 0 {
		return data, nil
	}
	return nil, err
}

// readLine gives the next line without its end. The last line may lack one.
func (in *input) readLine(ctx context.Context) (string, error) {
	var line []byte
	for {
		data, err := in.read(ctx)
		if err != nil {
			if len(line) > 0 && errors.Is(err, io.EOF) {
				break
			}
			return "", err
		}
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line = append(line, data[:i]...)
			in.ahead = data[i+1:]
			break
		}
		line = append(line, data...)
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}

// discard throws away what was typed before now. What comes from a pipe
// stays: it was not typed.
func (in *input) discard() {
	if !in.terminal {
		return
	}
	in.ahead = nil
	select {
	case <-in.chunks:
		in.pending = false
	default:
	}
	flushInput(in.fd)
}

// fromReader waits for a reader that cannot be given up: a read that nobody
// waits for any more gives its data to the next one who does.
func (in *input) fromReader(ctx context.Context) ([]byte, error) {
	if in.chunks == nil {
		in.chunks = make(chan chunk, 1)
	}
	if !in.pending {
		in.pending = true
		go func() {
			p := make([]byte, 4096)
			n, err := in.r.Read(p)
			in.chunks <- chunk{p[:n], err}
		}()
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case c := <-in.chunks:
		in.pending = false
		return c.data, c.err
	}
}
