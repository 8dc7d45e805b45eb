//go:build unix

package terminal

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// OpenTTY opens the terminal that the process belongs to.
func OpenTTY() (*os.File, error) {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/dev/tty", Err: err}
	}
	return os.NewFile(uintptr(fd), "/dev/tty"), nil
}

// enableEscapes tells whether a terminal understands escapes.
func enableEscapes(int) bool { return true }

func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }

// catchBrokenPipe turns a write to a closed pipe into an error, where it
// would end the process. The children keep the default.
func catchBrokenPipe() (stop func()) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGPIPE)
	return func() { signal.Stop(ch) }
}

// flushInput throws away what was typed and not read yet.
func flushInput(fd int) { flushTerminal(fd) }

// foreground tells whether the process may read the terminal without being
// stopped for it.
func foreground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// takeBack makes the process group of this process the one in front again,
// where a program that ended had put itself there.
func takeBack(fd int) {
	if foreground(fd) {
		return
	}
	signal.Ignore(syscall.SIGTTOU) // it would stop who asks from the background
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp())
	signal.Reset(syscall.SIGTTOU)
}

// endSoftly asks a program to end.
func endSoftly(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// editors are looked for in this order.
func editors() []string { return []string{"vi", "nano"} }

// waitReadable waits until fd can be read or stop can.
func waitReadable(fd int, stop *os.File) error {
	stopFD := int(stop.Fd())
	for {
		var set unix.FdSet
		set.Zero()
		set.Set(fd)
		set.Set(stopFD)
		_, err := unix.Select(max(fd, stopFD)+1, &set, nil, nil, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err
	}
}

func readFD(fd int, p []byte) (int, error) {
	for {
		n, err := unix.Read(fd, p)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// stopSelf stops the process group as Ctrl-Z would, and comes back when it
// goes on. Where nothing can stop it (no shell is there to take over) it
// comes back soon.
func stopSelf() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-goesOn:
	case <-time.After(300 * time.Millisecond):
	}
}

// resizeSignals are sent when the window changes its size.
func resizeSignals() []os.Signal { return []os.Signal{syscall.SIGWINCH} }

// leaveSignals end the loop; the exit code is 128 and the number.
func leaveSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }
