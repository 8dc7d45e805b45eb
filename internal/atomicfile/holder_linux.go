package atomicfile

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holder finds who has a lock on a file in the kernel's list. "" is not
// known.
func holder(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	list, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	inode := ":" + strconv.FormatUint(stat.Ino, 10)
	for line := range strings.Lines(string(list)) {
		// 1: FLOCK ADVISORY WRITE 4711 00:2b:123456 0 EOF
		words := strings.Fields(line)
		if len(words) < 6 || words[1] == "->" || !strings.HasSuffix(words[5], inode) {
			continue
		}
		pid, err := strconv.Atoi(words[4])
		if err != nil || pid <= 0 {
			continue // of another process namespace
		}
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if len(name) == 0 {
			return fmt.Sprintf("process %d", pid)
		}
		return fmt.Sprintf("process %d (%s)", pid, strings.TrimSpace(string(name)))
	}
	return ""
}
