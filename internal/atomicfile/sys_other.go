//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// Folders are not synced, owners are not copied, and an open file cannot be
// replaced, so that its lock is of no use.

func syncFolder(*os.File) {}

func chownLike(*os.File, fs.FileInfo) {}

func tryLock(*os.File) bool { return true }

func unlockFile(*os.File) {}
