package main

import (
	"slices"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// maskedEvents hides secrets in events that programs read. Pieces of an answer
// pass one by one: what is parted among them is whole, and hidden, at its end.
func (c *conversation) maskedEvents(events func(runner.Event)) func(runner.Event) {
	return func(e runner.Event) {
		e.Delta, e.Thinking, e.Text, e.Raw = c.mask(e.Delta), c.mask(e.Thinking), c.mask(e.Text), c.mask(e.Raw)
		if e.Reply != nil {
			reply := c.maskedReply(*e.Reply)
			e.Reply = &reply
		}
		if e.Result != nil {
			result := *e.Result
			result.Reply = c.maskedReply(result.Reply)
			if result.Fallback != nil {
				fallback := *result.Fallback
				fallback.Result = c.mask(fallback.Result)
				result.Fallback = &fallback
			}
			e.Result = &result
		}
		if e.Step != nil {
			step := c.maskedStep(*e.Step)
			e.Step = &step
		}
		if e.Judgement != nil {
			judgement := *e.Judgement
			judgement.Args = c.maskedAll(judgement.Args)
			e.Judgement = &judgement
		}
		if e.Chunk != nil {
			chunk := *e.Chunk
			chunk.Text = c.mask(chunk.Text)
			e.Chunk = &chunk
		}
		if len(e.Violations) > 0 {
			e.Violations = slices.Clone(e.Violations)
			for i := range e.Violations {
				e.Violations[i].Actual = c.mask(e.Violations[i].Actual)
			}
		}
		events(e)
	}
}

func (c *conversation) maskedReply(r protocol.Reply) protocol.Reply {
	r.Message = c.mask(r.Message)
	if r.Chat != nil {
		chat := *r.Chat
		chat.Suggestions = c.maskedAll(chat.Suggestions)
		r.Chat = &chat
	}
	if r.Cmd != nil {
		cmd := *r.Cmd
		cmd.Steps = slices.Clone(cmd.Steps)
		for i, step := range cmd.Steps {
			cmd.Steps[i] = c.maskedStep(step)
		}
		r.Cmd = &cmd
	}
	return r
}

func (c *conversation) maskedStep(s protocol.Step) protocol.Step {
	s.Args, s.Command = c.maskedAll(s.Args), c.mask(s.Command)
	return s
}

func (c *conversation) maskedAll(texts []string) []string {
	masked := slices.Clone(texts)
	for i, text := range masked {
		masked[i] = c.mask(text)
	}
	return masked
}
