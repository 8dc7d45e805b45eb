package runner

import (
	"fmt"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// shownSteps is how many steps a progress text names.
const shownSteps = 8

// progress says what was done in this turn so far, asks whether to go on, and
// says what would come next.
func (t *turn) progress(next protocol.Reply) (done, question, answer string) {
	var list []string
	for _, o := range t.ran[max(0, len(t.ran)-shownSteps):] {
		what := string(o.Outcome)
		if o.ExitCode != nil {
			what = fmt.Sprintf("exit %d", *o.ExitCode)
		}
		program := o.Tool
		if o.Program != nil {
			program = *o.Program
		}
		list = append(list, fmt.Sprintf("%s (%s)", protocol.FormatCommand(program, o.Args), what))
	}
	steps := strings.Join(list, "; ")
	if t.Chinese {
		done = "还没有执行任何命令。"
		if len(list) > 0 {
			done = fmt.Sprintf("目前已执行 %d 步：%s。", len(t.ran), steps)
		}
		return done, "要继续吗？", fmt.Sprintf("下一步是：%s。要继续吗？", plan(next))
	}
	done = "Nothing has been run yet."
	if len(list) > 0 {
		done = fmt.Sprintf("Steps so far (%d): %s.", len(t.ran), steps)
	}
	return done, "Go on?", fmt.Sprintf("Next would be: %s. Shall I go on?", plan(next))
}

// plan says what a reply asks for.
func plan(reply protocol.Reply) string {
	var next []string
	for _, s := range reply.Cmd.Steps {
		if s.Tool != protocol.ToolExec {
			next = append(next, string(s.Tool))
			continue
		}
		next = append(next, protocol.FormatCommand(s.Program, s.Args))
	}
	return strings.Join(next, "; ")
}
