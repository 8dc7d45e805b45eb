package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// CompactReason says why older messages are folded into a summary.
type CompactReason string

// The reasons.
const (
	CompactThreshold CompactReason = "threshold" // there are more of them than a request shows
	CompactOverflow  CompactReason = "overflow"  // the model refused a request as too long
	CompactManual    CompactReason = "manual"    // the person asked for it
)

// A Compaction says what became of folding older messages into a summary. At
// compaction_start only Reason is set.
type Compaction struct {
	Reason CompactReason
	// Summary is the new one, which replaced the one before, as it is kept:
	// masked and bounded. Nil where there is none.
	Summary *protocol.Summary
	Error   *llm.Error // why there is none; nothing was lost by it
	Folded  int        // prompts that the summary replaced
	Kept    int        // newest prompts that are still there in full
	// What requests show of the history; with CompactOverflow of the whole
	// request. Tokens are estimated.
	BytesBefore, BytesAfter   int
	TokensBefore, TokensAfter int
	WillRetry                 bool // the refused request is sent again, smaller
	Usage                     llm.Usage
}

// ErrNothingToCompact is that all of the conversation is too new to be folded.
var ErrNothingToCompact = errors.New("there is nothing to sum up yet: the last question and its answer stay as they are")

const (
	// summaryTime bounds one call for a summary.
	summaryTime = 2 * time.Minute
	// maxPause is the most prompts that pass before a summary that failed again
	// and again is asked for once more.
	maxPause = 16
)

// backoff of summaries: how often they failed in a row, and how many prompts
// pass before the next is asked for.
type pause struct{ failures, prompts int }

// failed makes the pause longer: none after the first failure, then 1, 2, 4 …
// prompts, so that a model that never gives a summary costs little.
func (p *pause) failed() {
	p.prompts = min(1<<p.failures>>1, maxPause)
	p.failures = min(p.failures+1, 10)
}

// over tells whether a summary may be asked for, and counts a prompt where not.
func (p *pause) over() bool {
	if p.prompts > 0 {
		p.prompts--
		return false
	}
	return true
}

// SetAutoCompact turns compaction by itself on or off. Off, older messages
// leave the requests and nothing takes their place.
func (r *Runner) SetAutoCompact(on bool) { r.AutoCompact = on }

// Compact folds all but the last prompt into the summary, as the person asked.
// focus is what to keep above all; "" is nothing. It must not be called while
// a prompt is under way. Where it fails or ctx ends the conversation is as it
// was, but for parts that were folded before: a very long history takes
// several calls of the model.
func (r *Runner) Compact(ctx context.Context, focus string) (Compaction, error) {
	t := &turn{Runner: r}
	return t.foldAll(ctx, focus)
}

func (t *turn) foldAll(ctx context.Context, focus string) (Compaction, error) {
	c := Compaction{Reason: CompactManual}
	c.BytesBefore, c.TokensBefore = t.Window.Size()
	if _, ok := t.Window.Compaction(focus, true); !ok {
		return c, ErrNothingToCompact
	}
	t.startCompaction(c.Reason)
	for t.fold(ctx, &c, focus, true) {
	}
	c.BytesAfter, c.TokensAfter = t.Window.Size()
	t.endCompaction(c)
	if c.Error != nil {
		return c, c.Error
	}
	return c, nil
}

// compactIfDue folds before the prompt's first call. A prompt that is never
// asked costs no summary, and one that is has the room for it.
func (t *turn) compactIfDue(ctx context.Context) {
	if !t.AutoCompact || !t.Window.Due() || !t.pause.over() {
		return
	}
	c := Compaction{Reason: CompactThreshold}
	c.BytesBefore, c.TokensBefore = t.Window.Size()
	t.startCompaction(c.Reason)
	t.fold(ctx, &c, "", false)
	c.BytesAfter, c.TokensAfter = t.Window.Size()
	t.endCompaction(c)
}

// overflow makes the next request smaller, because one of that many bytes was
// refused as too long: by a summary where there may be one, else by a lower
// ceiling. It tells whether it is smaller. first is true for the first refusal
// of a call.
func (t *turn) overflow(ctx context.Context, refused contextmgr.Window, first bool) bool {
	c := Compaction{Reason: CompactOverflow, BytesBefore: refused.Bytes, TokensBefore: t.Window.Usage().Tokens}
	t.startCompaction(c.Reason)
	if first && t.AutoCompact {
		t.fold(ctx, &c, "", true)
	}
	next, err := t.Window.Window()
	if err == nil && next.Bytes >= refused.Bytes && ctx.Err() == nil && t.Window.Lower(refused.Bytes) {
		next, err = t.Window.Window()
	}
	c.WillRetry = err == nil && next.Bytes < refused.Bytes && ctx.Err() == nil
	if err == nil {
		c.BytesAfter, c.TokensAfter = next.Bytes, next.EstimateTokens()
	}
	t.endCompaction(c)
	return c.WillRetry
}

// fold asks for one summary and puts it in the place of the oldest turns. It
// is false where that failed, or where nothing was left to fold.
func (t *turn) fold(ctx context.Context, c *Compaction, focus string, all bool) bool {
	plan, ok := t.Window.Compaction(focus, all)
	if !ok {
		return false
	}
	summary, failure := t.summarize(ctx, plan.Request, &c.Usage)
	if failure == nil {
		if err := t.Window.Fold(plan, summary); err != nil {
			failure = &llm.Error{Kind: llm.ErrMalformed, Message: err.Error(), Err: err}
		}
	}
	if failure != nil {
		c.Error = failure
		if ctx.Err() == nil {
			t.pause.failed()
		}
		return false
	}
	t.pause = pause{}
	kept := t.Window.Summary()
	c.Summary, c.Kept = &kept, plan.Kept
	c.Folded += plan.Turns
	return true
}

// summarize makes the call. Whatever is not a whole summary is a failure.
func (t *turn) summarize(ctx context.Context, request llm.Context, usage *llm.Usage) (protocol.Summary, *llm.Error) {
	if ctx.Err() != nil {
		return protocol.Summary{}, &llm.Error{Kind: llm.ErrCancelled, Message: "cancelled", Err: context.Cause(ctx)}
	}
	limited, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	var text strings.Builder
	var final *llm.Message
	for ev := range t.Model.Summarize(limited, request) {
		switch ev.Type {
		case llm.EventTextDelta:
			text.WriteString(ev.Delta)
		case llm.EventDone, llm.EventError:
			final = ev.Message
		}
		if text.Len() > protocol.MaxSummaryBytes {
			break
		}
	}
	if final != nil {
		*usage = usage.Add(final.Usage)
		t.result.Usage = t.result.Usage.Add(final.Usage)
	}
	switch {
	case ctx.Err() != nil:
		return protocol.Summary{}, &llm.Error{Kind: llm.ErrCancelled, Message: "cancelled", Err: context.Cause(ctx)}
	case limited.Err() != nil:
		return protocol.Summary{}, &llm.Error{Kind: llm.ErrTimeout, Message: fmt.Sprintf("the summary took longer than %s", summaryTime)}
	case final == nil:
		return protocol.Summary{}, &llm.Error{Kind: llm.ErrMalformed, Message: "the summary is too long or has no end"}
	case final.Err != nil:
		return protocol.Summary{}, final.Err
	}
	summary, err := protocol.DecodeSummary([]byte(text.String()), protocol.Options{Finish: finish(final), Damaged: final.Damaged, Dialect: t.Dialect})
	if err != nil {
		return protocol.Summary{}, &llm.Error{Kind: llm.ErrMalformed, Message: t.Window.MaskText(err.Error()), Err: err}
	}
	return summary, nil
}

func (t *turn) startCompaction(reason CompactReason) {
	t.emit(Event{Type: CompactionStart, Compaction: &Compaction{Reason: reason}})
}

func (t *turn) endCompaction(c Compaction) {
	t.emit(Event{Type: CompactionEnd, Compaction: &c, Error: c.Error, Usage: c.Usage})
}
