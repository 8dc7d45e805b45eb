//go:build unix

package policy

import (
	"os"
	"runtime"
)

func defaultSearchPath() []string {
	path := []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}
	if runtime.GOOS == "darwin" {
		return append([]string{"/opt/homebrew/bin"}, path...)
	}
	return path
}

func programEndings() []string { return []string{""} }

func runnable(info os.FileInfo) bool { return info.Mode()&0o111 != 0 }

func worldWritable(info os.FileInfo) bool { return info.Mode()&0o002 != 0 }
