package policy

import (
	"io/fs"
	"os"
)

// noFiles is a file system in which nothing exists: a judgement of words alone.
type noFiles struct{}

func (noFiles) RealPath(string) (string, error) { return "", fs.ErrNotExist }

func (noFiles) Stat(string) (os.FileInfo, error) { return nil, fs.ErrNotExist }

func (noFiles) ReadFile(string) ([]byte, error) { return nil, fs.ErrNotExist }
