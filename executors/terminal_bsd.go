//go:build unix && !linux

package executors

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// deviceName is not needed where no wall asks for it.
func deviceName(*os.File) string { return "" }

// foreground puts a process group into the foreground. Who does that from the
// background is stopped, unless it ignores the signal.
func (t *terminal) foreground(group int) {
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group)
}

// keepGoing continues a child whenever it is stopped. The signal does not say
// what happened to it; to be continued changes nothing for one that runs.
func (t *terminal) keepGoing(pid int) (end func()) {
	changed, quit, done := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(changed, unix.SIGCHLD)
	go func() {
		defer close(done)
		for {
			select {
			case <-changed:
				_ = unix.Kill(-pid, unix.SIGCONT)
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(changed)
		close(quit)
		<-done
	}
}
