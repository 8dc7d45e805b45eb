//go:build unix

package jsonfile

import (
	"errors"
	"io/fs"
	"syscall"
)

// nonblock keeps the opening of a pipe from waiting.
const nonblock = syscall.O_NONBLOCK

// linked tells that a file has more than one name.
func linked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// isFull tells that there was no room.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
