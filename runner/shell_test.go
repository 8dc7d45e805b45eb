package runner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// script asks for a shell script.
func shellScript(command string) answer {
	return say(`{"type":"cmd","message":"m","data":{"commands":[{"tool":"bash_exec","command":"` + command + `","timeout_seconds":7}]}}`)
}

// TestShellIsOff asks for a script where the person has not switched it on: it
// is no part of the language then.
func TestShellIsOff(t *testing.T) {
	t.Parallel()
	s := newStage(t, shellScript("ls"), say(chat("no")))
	s.Prompt(t.Context(), runner.Input{Text: "run"})
	if len(s.exec.ran) > 0 || !strings.Contains(s.model.told(), "invalid_answer") {
		t.Errorf("ran %v; told %s", s.exec.ran, s.model.told())
	}
}

func TestShellRunsWhatWasJudged(t *testing.T) {
	t.Parallel()
	s := newStage(t, shellScript("ls | wc"), shellScript("rm x"), say(chat("done")))
	s.Shell = func(script, cwd string, _ protocol.Requires) policy.Judgement {
		j := policy.Judgement{Listed: true, Path: "/bin/bash", Args: []string{"-c", script}, CWD: cwd}
		if strings.HasPrefix(script, "rm") {
			j.Level, j.Reasons = protocol.Confirm, []string{"it removes"}
		}
		return j
	}
	s.asker.choices = []runner.Choice{runner.Edit, runner.Yes}
	s.asker.edits = []string{"rm y"}
	s.Prompt(t.Context(), runner.Input{Text: "run"})
	if len(s.exec.ran) != 2 || s.exec.ran[0] != "/bin/bash -c ls | wc" || s.exec.ran[1] != "/bin/bash -c rm y" {
		t.Fatalf("ran %q", s.exec.ran)
	}
	if o := s.last(); o.Tool != "bash_exec" || *o.Program != "bash" || len(o.Args) != 2 || o.Args[1] != "rm y" || *o.ExitCode != 0 {
		t.Errorf("told: %+v", o)
	}
	if s.exec.timeouts[1] != 7*time.Second {
		t.Errorf("the time limits are %v", s.exec.timeouts)
	}
}
