package terminal

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// OpenTTY opens the console's input.
func OpenTTY() (*os.File, error) { return os.OpenFile("CONIN$", os.O_RDWR, 0) }

// enableEscapes tells whether a console understands escapes, and asks it to.
func enableEscapes(fd int) bool {
	var mode uint32
	h := windows.Handle(fd)
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

func catchBrokenPipe() (stop func()) { return func() {} }

// flushInput throws away what was typed and not read yet.
func flushInput(fd int) { _ = windows.FlushConsoleInputBuffer(windows.Handle(fd)) }

func foreground(int) bool { return true }

func takeBack(int) {}

// endSoftly ends a program: there is no softer way.
func endSoftly(p *os.Process) error { return p.Kill() }

// editors are looked for in this order.
func editors() []string { return []string{"notepad"} }

func stopSelf() {}

func resizeSignals() []os.Signal { return nil }

func leaveSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
