//go:build unix

package terminal

import "golang.org/x/sys/unix"

func hideTyping(fd int) {
	if t, err := unix.IoctlGetTermios(fd, getAttributes); err == nil {
		t.Lflag &^= unix.ECHO
		_ = unix.IoctlSetTermios(fd, setAttributes, t)
	}
}
