//go:build unix

package executors

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName names the signal that ended a process; "" where none did.
func signalName(s *os.ProcessState) string {
	if s == nil {
		return ""
	}
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	if name := unix.SignalName(status.Signal()); name != "" {
		return name
	}
	return status.Signal().String()
}
