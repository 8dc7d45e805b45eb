package main

import (
	"errors"
	"io/fs"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/runner"
)

// exitCode is what the process ends with. The table is in docs/exit-codes.md.
type exitCode int

const (
	exitOK          exitCode = 0
	exitUsage       exitCode = 1   // a wrong argument or setting
	exitLocal       exitCode = 2   // a failure here, or the model said that it cannot go on
	exitProvider    exitCode = 3   // the model could not be asked, or did not keep to the language
	exitFile        exitCode = 4   // a file could not be read or written
	exitPerson      exitCode = 5   // something needs a person: a confirmation, a refusal, the step limit
	exitHangup      exitCode = 129 // SIGHUP
	exitInterrupted exitCode = 130 // SIGINT, or the turn was ended
	exitTerminated  exitCode = 143 // SIGTERM
)

// exitCodes is the table, for the documentation.
func exitCodes() []struct {
	code    exitCode
	meaning string
} {
	return []struct {
		code    exitCode
		meaning string
	}{
		{exitOK, "The answer is there, and nothing was refused or declined."},
		{exitUsage, "A wrong argument or setting; nothing was done."},
		{exitLocal, "A failure on this side, or the model said that it cannot go on."},
		{exitProvider, "The model could not be asked, or its answers broke the language to the last."},
		{exitFile, "A file could not be read or written."},
		{exitPerson, "Stopped for a person: a step was refused or declined, needs a confirmation, or the step limit was reached."},
		{exitHangup, "Ended by SIGHUP."},
		{exitInterrupted, "Interrupted (SIGINT, Ctrl-C)."},
		{exitTerminated, "Ended by SIGTERM."},
	}
}

// codeOf gives the exit code of a prompt. A turn in which something was
// refused or declined is told apart from one that did all it was to do.
func codeOf(r runner.Result) exitCode {
	switch r.End {
	case runner.EndChat:
		if r.Refused > 0 || r.Declined > 0 {
			return exitPerson
		}
		return exitOK
	case runner.EndError:
		return exitLocal
	case runner.EndStepLimit:
		return exitPerson
	case runner.EndAborted:
		return exitInterrupted
	case runner.EndProvider:
		var file *fs.PathError // --record could not be written
		if r.Err != nil && errors.As(r.Err, &file) {
			return exitFile
		}
		return exitProvider
	case runner.EndInvalid:
		return exitProvider
	}
	return exitLocal
}

// failure is an error with the exit code and the advice that go with it.
type failure struct {
	code   exitCode
	err    error
	advice string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usage(err error, advice string) error { return &failure{exitUsage, err, advice} }

// codeOfError gives the exit code of an error that is no prompt's.
func codeOfError(err error) (code exitCode, advice string) {
	var f *failure
	if errors.As(err, &f) {
		return f.code, f.advice
	}
	var c *config.Error
	if errors.As(err, &c) {
		if c.Kind == config.ErrFile {
			return exitFile, ""
		}
		return exitUsage, ""
	}
	return exitLocal, ""
}
