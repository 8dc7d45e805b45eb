//go:build unix && !linux

package executors

import (
	"os/exec"
	"syscall"
)

// A group is the process group of a step. A process that leaves it is not
// found again on this system.
type group struct {
	pid       int
	env       []string
	inSession bool // it is in this process's session
}

func (g *group) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func (g *group) terminate() {
	_ = syscall.Kill(-g.pid, syscall.SIGTERM)
	_ = syscall.Kill(-g.pid, syscall.SIGCONT) // a stopped process could not obey
}

func (g *group) kill() { _ = syscall.Kill(-g.pid, syscall.SIGKILL) }

// clean ends what remains of the group. It cannot count.
func (g *group) clean() (ended, left int) {
	g.kill()
	return 0, 0
}
