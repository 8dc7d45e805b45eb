package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// tool applies a profile and becomes the program.
const tool = "/usr/bin/sandbox-exec"

type platform struct{}

func (*Sandbox) prepare() {}

// Detect looks for the system's tool.
func Detect() Support {
	if _, err := os.Stat(tool); err != nil {
		return Support{Missing: tool + " is not there"}
	}
	return Support{Seatbelt: true, Gaps: []string{"memory and processes are not limited"}}
}

// Start starts a command behind the wall. The command is as for
// [exec.Cmd.Start]; it gets TMPDIR, and its path is also its first argument.
// It is waited for with [exec.Cmd.Wait] and then closed with [Step.Close].
//
// Where the wall cannot be entered the error is a [*Failure], or wraps
// [ErrUnsupported].
func (s *Sandbox) Start(cmd *exec.Cmd, p Profile) (*Step, error) {
	if !s.Support().Enough() {
		return nil, s.unsupported()
	}
	scratch, err := os.MkdirTemp(s.cfg.ScratchDir, scratchPrefix+"*")
	if err == nil {
		scratch, err = filepath.EvalSymlinks(scratch) // the system knows real paths
	}
	if err != nil {
		return nil, &Failure{"making the scratch folder", err}
	}
	step := &Step{Enforced: s.enforced(p), Scratch: scratch}
	writable := p
	writable.Writable = nil
	for _, path := range p.Writable {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			writable.Writable = append(writable.Writable, real)
		}
	}
	var args []string
	if len(cmd.Args) > 0 {
		args = cmd.Args[1:]
	}
	cmd.Args = append([]string{tool, "-p", s.seatbelt(writable, scratch), cmd.Path}, args...)
	cmd.Path = tool
	env := cmd.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(env[:len(env):len(env)], "TMPDIR="+scratch)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, step.Close())
	}
	return step, nil
}
