//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreClosedPipes makes writing to a closed pipe an error instead of the end
// of the process. Programs that are started are not told to ignore it too.
func ignoreClosedPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
