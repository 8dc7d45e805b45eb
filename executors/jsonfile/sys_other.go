//go:build !unix

package jsonfile

import "io/fs"

const nonblock = 0

// linked is not told by a look at a file here.
func linked(fs.FileInfo) bool { return false }

func isFull(error) bool { return false }
