//go:build unix && !linux

package terminal

import "golang.org/x/sys/unix"

const (
	getAttributes = unix.TIOCGETA
	setAttributes = unix.TIOCSETA
)

func flushTerminal(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) } // 1: what is to be read
