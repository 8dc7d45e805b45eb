package rpc

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
)

// maxPartial is how much output of a running step an update has: its end.
const maxPartial = 16 << 10

// translator turns the runner's events into pi's, and writes the messages into
// the book. One run of ours may be several of pi's: pi ends a run before it
// tries a failed call again.
type translator struct {
	out   *lineWriter
	delta bool // --rpc-events delta
	model func() Model
	mask  func(string) string
	warn  func(string) // the session could not be written
	now   func() time.Time

	mu      sync.Mutex
	book    *book
	failing bool // the last write into the book failed
	asked   []string
	turn    string // id of the line that the present turn of the conversation began with
	begun   bool   // there is such a turn

	running  bool // agent_start was told, and agent_end not yet
	ended    bool // the run's last agent_end was told
	messages []jsontext.Value
	turnOpen bool
	answer   jsontext.Value // the turn's message of the model
	stop     llm.StopReason // of it
	results  []jsontext.Value
	calls    []toolCall // of it, that have no result yet
	user     jsontext.Value
	userAt   int64
	grows    *stream
	timer    *time.Timer
	retryEnd *runner.Event // held until its place
	stepOut  map[string]*partial
	fresh    bool                 // there is an answer since the last summary
	usage    usage                // of the newest answer
	folded   *Compaction          // the newest summary
	step     func(string, string) // told of the step that runs: its id, "" at its end, and its words
}

// partial is the output of a running step.
type partial struct {
	name  string
	args  jsontext.Value
	words string // of the step
	text  string
}

// event takes one event of the runner.
func (t *translator) event(e runner.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grows != nil && e.Type != runner.MessageUpdate {
		t.grows.flush()
	}
	switch e.Type {
	case runner.AgentStart:
		t.messages, t.turnOpen, t.answer, t.retryEnd, t.ended, t.stop = nil, false, nil, nil, false, ""
		t.open()
	case runner.AgentEnd:
		t.agentEnd(e)
	case runner.TurnStart:
		t.openTurn()
	case runner.TurnEnd:
		if t.answer != nil {
			t.closeTurn()
		}
	case runner.MessageStart:
		if e.Role == llm.RoleUser {
			t.userAt = e.Timestamp
			t.user = encode(userMessage{"user", userContent(e.Input.Text, e.Input.Images), e.Timestamp})
			t.message("message_start", t.user)
			return
		}
		t.begin(e.Timestamp)
	case runner.MessageUpdate:
		if t.grows != nil {
			t.grow(e)
		}
	case runner.MessageEnd:
		if e.Role == llm.RoleUser {
			t.userEnd(e)
			return
		}
		t.finish(e)
	case runner.ToolExecutionStart:
		t.stepStart(e)
	case runner.ToolExecutionUpdate:
		t.stepUpdate(e)
	case runner.ToolExecutionEnd:
		t.stepEnd(e)
	case runner.QueueUpdate:
		t.send(queueUpdate{"queue_update", orEmpty(e.Steering), orEmpty(e.FollowUps)})
	case runner.AutoRetryStart:
		t.closeTurn()
		t.close(true)
		t.send(retryStart{"auto_retry_start", e.Attempt, e.MaxAttempts, e.DelayMs, e.Error.Message})
	case runner.AutoRetryEnd:
		t.retryEnd = &e
	case runner.CompactionStart:
		if e.Compaction.Reason == runner.CompactOverflow {
			t.closeTurn()
			t.close(true)
		}
		t.send(compactionStart{"compaction_start", e.Compaction.Reason})
	case runner.CompactionEnd:
		t.compacted(e.Compaction)
	}
}

func (t *translator) send(v any) {
	line := encode(v)
	t.out.line(func(dst []byte) []byte { return append(dst, line...) })
}

// message tells a message's beginning or end.
func (t *translator) message(typ string, m jsontext.Value) {
	t.out.line(func(dst []byte) []byte {
		dst = append(append(append(dst, `{"type":"`...), typ...), `","message":`...)
		return append(append(dst, m...), '}')
	})
}

// open begins a run of pi's.
func (t *translator) open() {
	if !t.running {
		t.running, t.messages = true, nil
		t.send(bare{"agent_start"})
	}
}

// close ends it.
func (t *translator) close(again bool) {
	if !t.running {
		return
	}
	t.running, t.ended = false, !again
	messages := t.messages
	t.messages = nil
	t.out.line(func(dst []byte) []byte {
		dst = append(dst, `{"type":"agent_end","messages":`...)
		dst = appendList(dst, messages)
		return append(append(append(dst, `,"willRetry":`...), strconv.FormatBool(again)...), '}')
	})
}

func appendList(dst []byte, list []jsontext.Value) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}

func (t *translator) openTurn() {
	if !t.turnOpen {
		t.turnOpen, t.answer, t.results, t.calls = true, nil, nil, nil
		t.send(bare{"turn_start"})
	}
}

// closeTurn ends a turn of pi's: one call of the model with its steps. Steps
// that were asked for and not begun get their results here.
func (t *translator) closeTurn() {
	if !t.turnOpen {
		return
	}
	t.skipCalls()
	t.turnOpen = false
	message, results := t.answer, t.results
	t.out.line(func(dst []byte) []byte {
		dst = append(append(dst, `{"type":"turn_end","message":`...), message...)
		dst = appendList(append(dst, `,"toolResults":`...), results)
		return append(dst, '}')
	})
}

// skipCalls gives results to the steps that were never begun, because the
// person ended the run at a question.
func (t *translator) skipCalls() {
	calls := t.calls
	t.calls = nil
	for _, c := range calls {
		o := protocol.Observation{Event: "tool_result", Tool: c.Name, ID: c.ID, Args: []string{}, Outcome: protocol.Skipped, Note: "it was not begun: nobody went on"}
		t.send(stepStart{"tool_execution_start", c.ID, c.Name, c.Arguments})
		t.result(o, t.now().UnixMilli())
	}
}

func (t *translator) userEnd(e runner.Event) {
	t.message("message_end", t.user)
	t.messages = append(t.messages, t.user)
	lines := t.keep(userDraft(t.mask(e.Input.Text), e.Input.Images, t.userAt))
	if e.Steered {
		return
	}
	if t.begun {
		t.asked = append(t.asked, t.turn)
	}
	t.begun, t.turn = true, ""
	if len(lines) > 0 {
		t.turn = lines[len(lines)-1].ID
	}
}

// keep writes lines into the book.
func (t *translator) keep(drafts ...session.Draft) []session.Line {
	lines, err := t.book.append(drafts...)
	if err != nil && !t.failing {
		t.warn("the session is not kept: " + err.Error())
	}
	t.failing = err != nil
	return lines
}

// begin begins a message of the model. A turn has one: a further one, after an
// answer that was not taken, is a turn of its own.
func (t *translator) begin(at int64) {
	if t.turnOpen && t.answer != nil {
		t.closeTurn()
	}
	t.open()
	t.openTurn()
	m := t.model()
	a := &assistant{api: m.API, provider: m.Provider, model: m.ID, stop: llm.StopEnd, at: at}
	t.grows = &stream{assistant: a, out: t.out, delta: t.delta, now: t.now}
	t.message("message_start", a.json())
}

func (t *translator) grow(e runner.Event) {
	kind, delta := "text", e.Delta
	if e.Thinking != "" {
		kind, delta = "thinking", e.Thinking
	}
	if delta == "" {
		return
	}
	t.grows.add(kind, delta)
	if n := len(t.grows.blocks); t.grows.blocks[n-1].pending != "" && t.grows.affordable() {
		// What waits is told also when nothing more comes.
		if t.timer == nil {
			t.timer = time.AfterFunc(updatePause, t.tick)
		} else {
			t.timer.Reset(updatePause)
		}
	}
}

func (t *translator) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grows != nil {
		t.grows.flush()
	}
}

// finish ends the message of the model.
func (t *translator) finish(e runner.Event) {
	s := t.grows
	if s == nil {
		return
	}
	t.grows = nil
	s.usage = usageOf(e.Usage)
	switch {
	case e.Reply != nil:
		t.replied(s, e)
	case e.Error != nil:
		s.endBlock()
		s.stop, s.failure = llm.StopError, e.Error.Message
		if e.Error.Kind == llm.ErrCancelled {
			s.stop, s.failure = llm.StopAborted, "Request was aborted"
		}
	default:
		if s.text() == "" && e.Raw != "" && !strings.HasPrefix(strings.TrimSpace(e.Raw), "{") {
			s.add("text", e.Raw)
		}
		s.endBlock()
		s.stop, s.failure = llm.StopError, "the answer broke the language"
		if len(e.Violations) > 0 {
			s.failure += ": " + e.Violations[0].String()
		}
	}
	t.ownMessage(s.assistant, e.Reply)
	if t.retryEnd != nil && t.retryEnd.Error == nil {
		t.endRetry()
	}
}

func (t *translator) endRetry() {
	end := retryEnd{Type: "auto_retry_end", Success: t.retryEnd.Error == nil, Attempt: t.retryEnd.Attempt}
	if !end.Success {
		end.FinalError = t.retryEnd.Error.Message
	}
	t.retryEnd = nil
	t.send(end)
}

// replied ends a message that is a reply: all of its words are told, and its
// steps are tool calls.
func (t *translator) replied(s *stream, e runner.Event) {
	r := e.Reply
	if said := s.text(); said != r.Message {
		if rest, ok := strings.CutPrefix(r.Message, said); ok {
			s.add("text", rest)
		} else { // the decoder saw more than one reading; what it took in the end counts
			s.endBlock()
			s.add("text", "\n"+r.Message)
		}
	}
	s.endBlock()
	t.fresh, t.usage = true, s.usage
	if e.Stop == llm.StopLength {
		s.stop = llm.StopLength
	}
	switch {
	case r.Cmd != nil:
		s.stop = llm.StopToolUse
		for i := range r.Cmd.Steps {
			step := &r.Cmd.Steps[i]
			c := toolCall{"toolCall", "", stepName(step), stepJSON(step)}
			if i < len(e.StepIDs) {
				c.ID = e.StepIDs[i]
			}
			t.calls = append(t.calls, c)
			s.call(c)
		}
	case r.Type == protocol.KindError:
		s.details = jsontext.Value(`{"kind":"error"}`)
	case r.Chat != nil && len(r.Chat.Suggestions) > 0:
		s.details = encode(struct {
			Kind        protocol.Kind `json:"kind"`
			Suggestions []string      `json:"suggestions"`
		}{r.Type, r.Chat.Suggestions})
	}
}

// ownMessage ends a message of the model and keeps it.
func (t *translator) ownMessage(a *assistant, reply *protocol.Reply) {
	t.answer, t.stop = a.json(), a.stop
	t.messages = append(t.messages, t.answer)
	t.message("message_end", t.answer)
	t.keep(assistantDraft(a, reply, t.mask))
}

// invented is a message of the model where none came: the run ended before.
func (t *translator) invented(stop llm.StopReason, failure string) {
	t.open()
	t.openTurn()
	m := t.model()
	a := &assistant{api: m.API, provider: m.Provider, model: m.ID, stop: stop, failure: failure, at: t.now().UnixMilli()}
	t.message("message_start", a.json())
	t.ownMessage(a, nil)
	t.closeTurn()
}

// agentEnd ends the run. What a client waits for comes in any case: a run that
// was ended has an aborted message, one that failed before its first call an
// error.
func (t *translator) agentEnd(e runner.Event) {
	if t.timer != nil {
		t.timer.Stop()
	}
	retrying := !t.running // the run ended while it waited, and pi's had ended before
	if !retrying {
		switch end := e.Result.End; {
		case end == runner.EndAborted && t.stop != llm.StopAborted:
			t.closeTurnWithAnswer()
			t.invented(llm.StopAborted, "Request was aborted")
		case t.turnOpen && t.answer == nil:
			failure := e.Result.Reply.Message
			t.invented(llm.StopError, failure)
		}
		t.closeTurn()
	}
	t.close(false)
	t.ended = true
	if t.retryEnd != nil {
		t.endRetry()
	}
	if t.begun {
		t.asked, t.begun = append(t.asked, t.turn), false
	}
}

func (t *translator) closeTurnWithAnswer() {
	if t.answer != nil {
		t.closeTurn()
	}
}

// over tells whether the newest run has told its end.
func (t *translator) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// begins tells that a run was accepted.
func (t *translator) begins() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = false
}

// use goes on with another book; asked are the ids of its turns.
func (t *translator) use(b *book, asked []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.book, t.asked, t.begun, t.turn, t.failing = b, asked, false, "", false
	t.fresh = false
}
