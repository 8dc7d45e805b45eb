//go:build !unix

package policy

import (
	"os"
	"path/filepath"
)

func defaultSearchPath() []string {
	root := os.Getenv("SystemRoot")
	files := os.Getenv("ProgramFiles")
	if root == "" || files == "" {
		return nil
	}
	return []string{
		filepath.Join(files, "Git", "cmd"),
		filepath.Join(files, "Git", "usr", "bin"),
		filepath.Join(files, "nodejs"),
		filepath.Join(root, "System32"),
	}
}

func programEndings() []string { return []string{".exe"} }

func runnable(os.FileInfo) bool { return true }

// worldWritable cannot be told from a mode here.
func worldWritable(os.FileInfo) bool { return false }
