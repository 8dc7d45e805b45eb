//go:build unix

package terminal

import (
	"context"
	"os"
)

// wait waits for data or for the end of ctx. No data is lost where ctx ends
// first: it stays in the file.
func (in *input) wait(ctx context.Context) ([]byte, error) {
	if in.fd < 0 {
		return in.fromReader(ctx)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	stop := context.AfterFunc(ctx, func() { w.Close() })
	defer func() {
		if stop() {
			w.Close()
		}
	}()
	if err := waitReadable(in.fd, r); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := make([]byte, 4096)
	n, err := readFD(in.fd, p)
	return p[:n], err
}
