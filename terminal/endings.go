package terminal

import (
	"fmt"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// end tells how a prompt ended, where the answer does not.
func (p *people) end(r *runner.Result) {
	switch r.End {
	case runner.EndInvalid:
		fact := r.Reply.Message
		if fact == "" {
			fact = p.t.EndInvalid
		}
		p.fact(p.t.ErrorLabel, red, fact, p.t.HintInvalidAnswer)
		if r.Fallback != nil {
			p.line(2, "|", dim, clean(beginning(r.Fallback.Result, p.face.cfg.Verbose)))
		}
	case runner.EndAborted:
		if p.face.out.err != nil {
			break // that is why, and the caller of the program tells it or knows
		}
		text := p.t.EndAborted
		if p.face.conversation {
			text = p.t.EndAbortedTurn
		}
		p.line(0, "", 0, text)
	case runner.EndProvider:
		fact := p.t.EndProvider
		if r.Err != nil && r.Err.Message != "" {
			fact = r.Err.Message + " (" + r.Err.Kind.Code() + ")"
		}
		p.fact(p.t.ErrorLabel, red, fact, p.hint(r.Err))
	case runner.EndError:
		if p.face.shown == nil || p.face.shown.Type != protocol.KindError {
			p.fact(p.t.ErrorLabel, red, r.Reply.Message, "")
		}
	case runner.EndChat, runner.EndStepLimit:
	}
	if r.Refused > 0 {
		p.line(0, p.t.WarningLabel+":", yellow, fmt.Sprintf(p.t.SumRefused, r.Refused))
	}
	if r.Declined > 0 {
		p.line(0, p.t.WarningLabel+":", yellow, fmt.Sprintf(p.t.SumDeclined, r.Declined))
	}
}

// shownRaw is how many characters of an answer that broke the language are
// shown, unless more is asked for.
const shownRaw = 2000

// beginning gives the text that is shown of such an answer.
func beginning(raw string, all bool) string {
	n := 0
	for i := range raw {
		if n++; n > shownRaw && !all {
			return raw[:i] + "…"
		}
	}
	return raw
}

// why says in a few words why a call failed.
func (p *people) why(err *llm.Error) string {
	if err == nil {
		return p.t.BadEnd
	}
	switch err.Kind {
	case llm.ErrOverloaded:
		return p.t.Overloaded
	case llm.ErrRateLimit:
		return p.t.RateLimited
	case llm.ErrNetwork:
		return p.t.NetworkBroke
	case llm.ErrTimeout:
		return p.t.TimedOutServer
	case llm.ErrIncomplete, llm.ErrMalformed:
		return p.t.BadEnd
	default:
		return cleanLine(err.Message)
	}
}

// hint says what a person can do about a failed call.
func (p *people) hint(err *llm.Error) string {
	if err == nil {
		return ""
	}
	switch err.Kind {
	case llm.ErrAuthentication:
		return p.t.HintAuth
	case llm.ErrRateLimit:
		return p.t.HintRate
	case llm.ErrQuota:
		return p.t.HintQuota
	case llm.ErrNetwork, llm.ErrIncomplete, llm.ErrMalformed:
		return p.t.HintNetwork
	case llm.ErrContextLength:
		return p.t.HintContext
	case llm.ErrNotFound:
		return p.t.HintNotFound
	case llm.ErrInvalid:
		if err.Status != 0 { // else no server said it
			return p.t.HintInvalid
		}
	case llm.ErrOverloaded:
		return p.t.HintOverload
	case llm.ErrTimeout:
		return p.t.HintTimeout
	case llm.ErrRefusal, llm.ErrContentFilter:
		return p.t.HintRefusal
	case llm.ErrCancelled:
	}
	return ""
}
