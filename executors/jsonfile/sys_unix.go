//go:build unix

package jsonfile

import (
	"errors"
	"io/fs"
	"syscall"
)

// nonblock keeps the opening of a pipe from waiting.
const nonblock = syscall.O_NONBLOCK

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

// isFull tells that there was no room.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
