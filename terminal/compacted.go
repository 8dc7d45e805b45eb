package terminal

import (
	"fmt"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/runner"
)

// compacted tells what became of summing up the older part of a conversation.
// Where it went well by itself, nobody has to know.
func (p *people) compacted(c *runner.Compaction) {
	byHand := c.Reason == runner.CompactManual
	if !p.face.cfg.Quiet || byHand {
		switch {
		case c.Error != nil && c.Error.Kind == llm.ErrCancelled:
			p.line(0, "", 0, p.t.Cancelled)
		case c.Error != nil:
			why := p.why(c.Error)
			if c.Error.Kind == llm.ErrMalformed {
				why = p.t.BadSummary
			}
			p.line(0, p.t.NoteLabel+":", yellow, fmt.Sprintf(p.t.NotCompacted, why))
		case byHand || p.face.cfg.Verbose && c.Summary != nil:
			p.line(0, "", 0, fmt.Sprintf(p.t.Compacted, c.Folded, c.TokensBefore, c.TokensAfter))
		}
		if c.WillRetry {
			p.line(0, "", 0, p.t.TooLong)
		}
	}
	if byHand {
		p.spin.stop()
		return
	}
	p.wait(p.t.Thinking)
}
