package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// read gives the text of a regular file of at most limit bytes, without a byte
// order mark, and which file it was. A pipe or a device is never opened: that
// could wait for ever.
func read(path string, limit int) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("expected a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("expected at most %d bytes, got more", limit)
	}
	if err != nil {
		return nil, nil, err
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), info, nil
}
