//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limit lowers the limits of a process. None is ever raised. running is how
// many processes there are already.
func limit(pid int, l Limits, running int) error {
	for _, r := range []struct {
		name  string
		which int
		value uint64
	}{
		{"core files", unix.RLIMIT_CORE, 0},
		{"CPU time", unix.RLIMIT_CPU, uint64(max(1, l.CPU.Seconds()))},
		{"memory", unix.RLIMIT_DATA, uint64(l.Memory)},
		{"file size", unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{"open files", unix.RLIMIT_NOFILE, uint64(l.Files)},
		{"processes", unix.RLIMIT_NPROC, uint64(running + l.Processes)},
	} {
		var old unix.Rlimit
		if err := unix.Prlimit(pid, r.which, nil, &old); err != nil {
			return &Failure{"limiting " + r.name, err}
		}
		lower := unix.Rlimit{Cur: min(old.Cur, r.value), Max: min(old.Max, r.value)}
		if lower == old {
			continue
		}
		if err := unix.Prlimit(pid, r.which, &lower, nil); err != nil && !errors.Is(err, unix.ESRCH) {
			return &Failure{"limiting " + r.name, err}
		}
	}
	return nil
}

// running is how many processes and threads there are on the machine: at least
// as many as the user has, which cannot be had as cheaply.
func running() int {
	data, err := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 1/80 11206
	if err != nil {
		return 0
	}
	fields := bytes.Fields(data)
	if len(fields) < 4 {
		return 0
	}
	_, total, _ := bytes.Cut(fields[3], []byte{'/'})
	n, err := strconv.Atoi(string(total))
	if err != nil {
		return 0
	}
	return n
}

// keptCapabilities are those of root that concern its files, its processes and
// ports. The others reach around the wall.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_FOWNER |
	1<<unix.CAP_FSETID | 1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_NET_BIND_SERVICE

// dropPrivileges takes from what the calling thread starts the privileges that
// no step needs.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return &Failure{"dropping privileges", err}
	}
	if os.Geteuid() != 0 {
		return nil
	}
	for c := range uintptr(64) {
		if keptCapabilities>>c&1 == 1 {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // the kernel has no more of them
		}
		if err != nil {
			return &Failure{"dropping privileges", err}
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return &Failure{"dropping privileges", err}
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &data[0]); err != nil {
		return &Failure{"dropping privileges", err}
	}
	return nil
}
