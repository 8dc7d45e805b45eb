package executors

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// resumePause is between a stop and going on, so that a program that is
// stopped again and again does not take all of the machine.
const resumePause = 20 * time.Millisecond

// deviceName is the path of an open terminal.
func deviceName(f *os.File) string {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return ""
	}
	open, err1 := f.Stat()
	named, err2 := os.Stat(name)
	if err1 != nil || err2 != nil || !os.SameFile(open, named) {
		return ""
	}
	return name
}

// foreground puts a process group into the foreground. Who does that from the
// background is stopped, unless the thread does not take the signal.
func (t *terminal) foreground(group int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var block, before unix.Sigset_t
	block.Val[0] = 1 << (unix.SIGTTOU - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &block, &before) != nil {
		return
	}
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group)
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
}

// keepGoing continues a child whenever it is stopped. What it gives ends that,
// once the child has been waited for.
func (t *terminal) keepGoing(pid int) (end func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED, nil)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil {
				return // it has ended
			}
			timer := time.NewTimer(resumePause)
			select {
			case <-timer.C:
				t.resume(pid)
			case <-quit:
				timer.Stop()
				return
			}
		}
	}()
	return func() {
		close(quit)
		select {
		case <-done:
		case <-time.After(closeDelay): // it could not be killed
		}
	}
}
