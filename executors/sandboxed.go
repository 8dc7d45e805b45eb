package executors

import (
	"errors"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// launch starts the program, behind its wall where it has one.
func (p *process) launch(s *sandbox.Sandbox, profile *sandbox.Profile) (err error) {
	switch {
	case profile == nil:
		return p.cmd.Start()
	case s == nil:
		return &sandbox.Failure{What: "starting", Err: errors.New("none was set up")}
	}
	p.sandbox, err = s.Start(p.cmd, *profile)
	return err
}

// leaveSandbox removes what the step had there and tells what was enforced.
func (p *process) leaveSandbox(r *Result, s *sandbox.Sandbox, c Command) (notes []string) {
	if p.sandbox == nil {
		return nil
	}
	r.Sandbox = p.sandbox.Enforced
	if err := p.sandbox.Close(); err != nil {
		notes = append(notes, "its folder for temporary files is still there: "+err.Error())
	}
	if r.Outcome == protocol.Ran {
		if r.Violation = s.Explain(*c.Sandbox, c.Dir, r.ExitCode, r.Stderr); r.Violation != nil {
			notes = append(notes, r.Violation.String())
		}
	}
	return notes
}
