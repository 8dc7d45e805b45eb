package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
)

// BashResult is what the command bash gives.
type BashResult struct {
	Output         string `json:"output"`
	ExitCode       *int   `json:"exitCode,omitzero"` // absent where a signal ended it
	Cancelled      bool   `json:"cancelled"`
	Truncated      bool   `json:"truncated"`
	FullOutputPath string `json:"fullOutputPath,omitzero"`
}

// bash runs a command beside whatever is under way. It can be ended as soon as
// it was read.
func (s *Server) bash(c *command) {
	if s.cfg.Shell == nil {
		s.reply(c, nil, errors.New("bash is switched off (rpc.allowBash)"))
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.bashCount++
	n := s.bashCount
	s.bashes[n] = cancel
	s.mu.Unlock()
	s.work.Go(func() {
		defer cancel()
		result := s.cfg.Shell(ctx, c.Command)
		s.mu.Lock()
		delete(s.bashes, n)
		s.mu.Unlock()
		data, err := s.ran(c, result, ctx.Err() != nil)
		s.reply(c, data, err)
	})
}

// ran keeps what a command of the client's did, and gives it.
func (s *Server) ran(c *command, result executors.Result, ended bool) (*BashResult, error) {
	r := BashResult{
		Output: result.Stdout, ExitCode: result.ExitCode, Cancelled: result.Outcome == protocol.Cancelled || ended,
		Truncated: result.Truncated, FullOutputPath: result.OutputFile,
	}
	if r.Cancelled {
		r.ExitCode = nil
	} else if result.Outcome == protocol.NotStarted {
		return nil, errors.New(result.Note)
	}
	m := bashMessage{
		Role: "bashExecution", Command: c.Command, Output: r.Output, ExitCode: r.ExitCode, Cancelled: r.Cancelled,
		Truncated: r.Truncated, Timestamp: s.cfg.Now().UnixMilli(), Excluded: c.ExcludeFromContext,
	}
	if r.FullOutputPath != "" {
		m.FullOutputPath = &r.FullOutputPath
	}
	told := m.told()
	if m.Excluded {
		told = ""
	}
	s.store(bashDraft(m, s.cfg.Mask), told)
	return &r, nil
}

// store keeps what the client did itself: at once, or at the end of the run
// that is under way, so that a turn's messages stay together. The next prompt
// tells the model, where there is something to tell.
func (s *Server) store(d session.Draft, told string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if told != "" {
		s.notes = append(s.notes, told)
	}
	select {
	case <-s.running:
	default:
		s.pending = append(s.pending, d)
		return
	}
	if _, err := s.book.append(d); err != nil {
		s.cfg.Log(err.Error())
	}
}

// abortBash ends all commands of the client's that run.
func (s *Server) abortBash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.bashes {
		cancel()
	}
}

func (s *Server) endBash(*command) (any, error) {
	s.abortBash()
	return nil, nil
}

func (s *Server) listCommands(*command) (any, error) {
	var list []SlashCommand
	if s.cfg.Commands != nil {
		list = s.cfg.Commands.List()
	}
	return struct {
		Commands []SlashCommand `json:"commands"`
	}{orEmpty(list)}, nil
}

// plugin runs the plugin that a prompt names, beside whatever is under way. It
// tells whether there is one.
func (s *Server) plugin(c *command) bool {
	if s.cfg.Commands == nil {
		return false
	}
	step, path, ok := s.cfg.Commands.Plugin(c.Message)
	if !ok {
		return false
	}
	s.reply(c, disposition{"handled"}, nil)
	s.work.Go(func() {
		o := s.cfg.Commands.Run(s.ctx, step)
		if failed(&o) {
			s.tr.send(extensionError{"extension_error", path, "command", whyFailed(&o)})
		}
		text := o.StdoutTail
		if o.StderrTail != "" {
			text = strings.TrimSpace(text + "\n" + o.StderrTail)
		}
		if text == "" {
			text = whyFailed(&o)
		}
		m := customMessage{Role: "custom", CustomType: "plugin:" + step.Plugin, Content: text, Display: true, Timestamp: s.cfg.Now().UnixMilli()}
		line := encode(m)
		s.tr.message("message_start", line)
		s.tr.message("message_end", line)
		s.store(customDraft(m, s.cfg.Mask), "Ran the plugin /"+step.Plugin+":\n"+text)
	})
	return true
}

func whyFailed(o *protocol.Observation) string {
	switch {
	case o.Note != "":
		return o.Note
	case o.ExitCode != nil && *o.ExitCode != 0:
		return fmt.Sprintf("it exited with %d: %s", *o.ExitCode, strings.TrimSpace(o.StderrTail))
	}
	return "(no output)"
}

// suggest offers what the model suggested, once the run is over. It waits for
// nothing: a client that does not answer is not held up.
func (s *Server) suggest(r runner.Result) {
	if r.End != runner.EndChat && r.End != runner.EndStepLimit || r.Reply.Chat == nil || len(r.Reply.Chat.Suggestions) == 0 || !s.ui.full {
		return
	}
	options := r.Reply.Chat.Suggestions
	s.work.Go(func() {
		n, err := s.ui.Select(s.ctx, "What next?", options)
		if err == nil {
			s.ui.tell(uiRequest{Method: "set_editor_text", Text: options[n]})
		}
	})
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// ThinksHarder tells whether a model has the level xhigh.
func ThinksHarder(id string) bool { return strings.Contains(id, "codex-max") }
