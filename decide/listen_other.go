//go:build !windows

package decide

import (
	"errors"
	"syscall"
)

// isTaken tells whether a port could not be had because it is taken.
func isTaken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
