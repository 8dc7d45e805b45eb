//go:build !darwin && !(linux && (amd64 || arm64))

package sandbox

import (
	"os/exec"
	"runtime"
)

type platform struct{}

func (*Sandbox) prepare() {}

// Detect says that this machine has no sandbox.
func Detect() Support {
	return Support{Missing: "there is none for " + runtime.GOOS + "/" + runtime.GOARCH}
}

// Start refuses: there is no sandbox on this machine.
func (s *Sandbox) Start(*exec.Cmd, Profile) (*Step, error) {
	return nil, s.unsupported()
}
