//go:build unix

package executors

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A terminal is what is lent to a program, and how it was before.
type terminal struct {
	fd       int
	own      int    // this process's group
	controls bool   // it is the controlling terminal
	device   string // its name, where that is known; "" is none
	fds      [3]int
	flags    [3]int // of the streams; -1 is not known
}

// borrow looks at the console before it is lent.
func borrow(console Console) (*terminal, error) {
	t := &terminal{own: unix.Getpgrp()}
	for i, f := range []*os.File{console.In, console.Out, console.Err} {
		if f == nil {
			return nil, errors.New("there is no terminal for it")
		}
		t.fds[i] = int(f.Fd())
		if i < 2 && !term.IsTerminal(t.fds[i]) {
			return nil, fmt.Errorf("there is no terminal for it: %s is none", f.Name())
		}
		flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
		if err != nil {
			flags = -1
		}
		t.flags[i] = flags
	}
	t.fd = t.fds[0]
	t.device = deviceName(console.In)
	front, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	t.controls = err == nil
	if t.controls && front != t.own {
		return nil, errors.New("this process is not in the foreground of the terminal; bring it there (fg) and try again")
	}
	return t, nil
}

// lend makes the program the leader of a process group, which the terminal
// has in the foreground before the program begins.
func (g *group) lend(cmd *exec.Cmd, t *terminal) {
	g.inSession = true
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: t.controls, Ctty: t.fd}
}

// giveBack puts this process into the foreground, and the streams back to
// blocking or not: programs share that with whom they got them from.
func (t *terminal) giveBack() {
	if t.controls {
		t.foreground(t.own)
	}
	for i, flags := range t.flags {
		if flags >= 0 {
			_, _ = unix.FcntlInt(uintptr(t.fds[i]), unix.F_SETFL, flags)
		}
	}
}

// resume continues a program that was stopped. One that was stopped because it
// used the terminal from the background, as after starting a group of its own
// there, gets it back first.
func (t *terminal) resume(pid int) {
	if front, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP); t.controls && err == nil && front != pid {
		t.foreground(pid)
	}
	_ = unix.Kill(-pid, unix.SIGCONT)
}
