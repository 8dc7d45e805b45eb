package executors

import (
	"os"
	"os/exec"
	"syscall"
)

// A group is only the program itself: on this system its children are not
// ended with it, and there is no request to end, only the end by force.
type group struct {
	cmd *exec.Cmd
	pid int
	env []string
}

func (g *group) prepare(cmd *exec.Cmd) {
	g.cmd = cmd
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func (g *group) terminate() { _ = g.cmd.Process.Kill() }

func (g *group) kill() { _ = g.cmd.Process.Kill() }

func (g *group) clean() (ended, left int) { return 0, 0 }

func signalName(*os.ProcessState) string { return "" }
