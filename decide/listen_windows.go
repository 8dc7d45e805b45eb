package decide

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isTaken tells whether a port could not be had because it is taken. Windows
// refuses one that another program has for itself as if a right were missing.
func isTaken(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
