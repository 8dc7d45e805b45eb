package terminal

import "golang.org/x/sys/unix"

const (
	getAttributes = unix.TCGETS
	setAttributes = unix.TCSETS
)

func flushTerminal(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
