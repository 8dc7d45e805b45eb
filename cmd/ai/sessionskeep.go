package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// A keeper writes a conversation into a session: each turn when it has ended,
// with one append. What cannot be written waits in memory and is tried again
// with the next turn; the person is told once, and again when it is over.
type keeper struct {
	mask        func(string) string
	observation func(protocol.Observation) protocol.Observation // masks
	model       func() (provider, id string)                    // who is asked
	tell        func(runner.Notice)
	text        *sessionTexts
	next        func() (*session.Session, error) // the session after Forget

	mu      sync.Mutex
	session *session.Session
	turn    *turnRecord   // under way; nil between turns
	waiting []*turnRecord // not written yet, oldest first
	failing bool          // the last append failed, and the person knows
	asked   string        // the model that the session names last
	// window are the questions of the turns that the model is told in full,
	// oldest first, without the one under way.
	window []*question
}

// question is the first line of a turn; its id is known once it is written.
type question struct{ id string }

// turnRecord is what one append writes.
type turnRecord struct {
	lines    []record
	question *question       // nil: no turn, but a summary between turns
	partial  strings.Builder // of an answer that is arriving
	answered bool
}

// record is a line, and what of it is known only when it is written.
type record struct {
	session.Draft
	opens bool      // it is the turn's question
	keeps *question // its id is the line's firstKeptEntryId
}

func (t *turnRecord) add(d session.Draft) { t.lines = append(t.lines, now(d)) }

// now is a line of this moment, whenever it is written.
func now(d session.Draft) record {
	d.Time = time.Now()
	return record{Draft: d}
}

// begin opens a turn.
func (k *keeper) begin(in runner.Input) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turn = &turnRecord{question: &question{}}
	if provider, id := k.model(); provider+"/"+id != k.asked {
		k.asked = provider + "/" + id
		k.turn.add(transcript.Model(provider, id))
	}
	line := now(transcript.Question(k.mask(in.Text), k.mask(in.Context)))
	line.opens = true
	k.turn.lines = append(k.turn.lines, line)
}

// event takes what belongs into the session.
func (k *keeper) event(e runner.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e.Type == runner.CompactionEnd {
		k.compacted(e.Compaction)
		return
	}
	t := k.turn
	if t == nil {
		return
	}
	switch e.Type {
	case runner.MessageStart:
		if e.Role == llm.RoleAssistant {
			t.partial.Reset()
		}
	case runner.MessageUpdate:
		t.partial.WriteString(e.Delta)
	case runner.MessageEnd:
		if e.Role != llm.RoleAssistant || e.Reply == nil {
			return
		}
		t.partial.Reset()
		t.answered = e.Reply.Type != protocol.KindCmd
		t.add(transcript.Reply(*e.Reply, k.mask))
	case runner.ToolExecutionEnd:
		d, err := transcript.Result(k.observation(*e.Observation))
		if err != nil {
			k.tell(runner.Notice{Kind: runner.NoticeWarning, Text: err.Error()})
			return
		}
		t.add(d)
	default:
	}
}

// kept passes events on, and lets the keeper see them.
func (c *conversation) kept(events func(runner.Event)) func(runner.Event) {
	return func(e runner.Event) {
		if c.keeper != nil {
			c.keeper.event(e)
		}
		events(e)
	}
}

// compacted writes a summary down: at once, or with the turn under way.
func (k *keeper) compacted(c *runner.Compaction) {
	if c == nil || c.Summary == nil || c.Kept < 1 || c.Kept > len(k.window) {
		return
	}
	k.window = append([]*question(nil), k.window[len(k.window)-c.Kept:]...)
	line := now(transcript.Compaction(*c.Summary, c.TokensBefore, k.mask))
	line.keeps = k.window[0]
	if k.turn != nil {
		k.turn.lines = append(k.turn.lines, line)
		return
	}
	k.waiting = append(k.waiting, &turnRecord{lines: []record{line}})
	k.flush()
}

// end closes the turn and writes it.
func (k *keeper) end(r runner.Result) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.close(string(r.End), r.Reply.Message)
}

func (k *keeper) close(end, why string) {
	t := k.turn
	if t == nil {
		return
	}
	if !t.answered {
		t.add(transcript.Unanswered(end, k.mask(why), k.mask(t.partial.String())))
	}
	k.turn = nil
	k.window = append(k.window, t.question)
	k.waiting = append(k.waiting, t)
	k.flush()
}

// flush writes what waits. A turn that was cancelled is written too, so no
// context ends it.
func (k *keeper) flush() {
	for len(k.waiting) > 0 {
		if err := k.write(k.waiting[0]); err != nil {
			if !k.failing {
				k.failing = true
				k.tell(runner.Notice{Kind: runner.NoticeWarning, Text: fmt.Sprintf(k.text.NotKept, err)})
			}
			return
		}
		k.waiting = k.waiting[1:]
	}
	if k.failing {
		k.failing = false
		k.tell(runner.Notice{Kind: runner.NoticeInfo, Text: k.text.KeptAgain})
	}
}

func (k *keeper) write(t *turnRecord) error {
	if k.session == nil {
		return errors.New(k.text.NoFile)
	}
	var drafts []session.Draft
	opens := -1
	for _, r := range t.lines {
		if r.Role == "" && k.session.Flat() {
			continue // a file of pai has messages only
		}
		if r.opens {
			opens = len(drafts)
		}
		if r.keeps != nil {
			r.Draft = r.With("firstKeptEntryId", r.keeps.id)
		}
		drafts = append(drafts, r.Draft)
	}
	if len(drafts) == 0 {
		return nil
	}
	lines, err := k.session.Append(context.Background(), drafts...)
	if err == nil && opens >= 0 {
		t.question.id = lines[opens].ID
	}
	return err
}

// forget begins another session, as /clear forgets the conversation.
func (k *keeper) forget() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.leave()
	fresh, failed := k.next()
	k.take(fresh, nil)
	return errors.Join(err, failed)
}

// use goes on with another session, of whose turns the model is told those
// that begin with these entries. What was not written to the one before is
// lost, and the person is told.
func (k *keeper) use(s *session.Session, window []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.leave()
	k.take(s, window)
	return err
}

func (k *keeper) take(s *session.Session, window []string) {
	k.session, k.turn, k.failing = s, nil, false
	k.at(window)
}

// at takes note of where the conversation is now, in its session.
func (k *keeper) at(window []string) {
	k.window, k.asked = nil, ""
	for _, id := range window {
		k.window = append(k.window, &question{id})
	}
	if k.session == nil {
		return
	}
	if l, ok, err := k.session.Latest(session.TypeModel); err == nil && ok {
		k.asked = transcript.Parse(l).Model
	}
}

// leave writes what is there, and closes the session.
func (k *keeper) leave() error {
	if k.session == nil {
		return nil
	}
	k.close(string(runner.EndAborted), k.text.Ended)
	k.flush()
	if n := len(k.waiting); n > 0 {
		k.tell(runner.Notice{Kind: runner.NoticeWarning, Text: fmt.Sprintf(k.text.Lost, n, k.session.Path())})
		k.waiting = nil
	}
	err := k.session.Close()
	k.session = nil
	return err
}

// finish ends the keeping.
func (k *keeper) finish() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.leave(); err != nil {
		k.tell(runner.Notice{Kind: runner.NoticeWarning, Text: err.Error()})
	}
}

// Prompt carries one input through the loop, and keeps it.
func (c *conversation) Prompt(ctx context.Context, in runner.Input) runner.Result {
	if c.keeper == nil {
		return c.Runner.Prompt(ctx, in)
	}
	c.keeper.begin(in)
	r := c.Runner.Prompt(ctx, in)
	c.keeper.end(r)
	return r
}

// Forget drops the conversation; what was said stays in its session, and the
// next turn begins another.
func (c *conversation) Forget() {
	c.Runner.Forget()
	if c.keeper == nil {
		return
	}
	err := c.keeper.forget()
	var instruction session.Line
	if s := c.keeper.session; s != nil { // the same file goes on with its instruction
		var failed error
		instruction, _, failed = transcript.Instruction(s)
		err = errors.Join(err, failed)
	}
	c.window.Instruct(instruction.Text())
	if err != nil {
		c.keeper.tell(runner.Notice{Kind: runner.NoticeWarning, Text: err.Error()})
	}
}
