package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// chatReport tells what happens in a call: the answer and words for people
// through a face, events where they are asked for, the log, and the turn for
// the session file. Everything that leaves through it is masked.
type chatReport struct {
	face     *terminal.Face
	events   io.Writer // nil: standard error is for people
	stream   bool
	mask     func(string) string
	turn     *chatTurn
	log      *chatLog // nil is none
	exitCode func(runner.Result) int
	closing  func() // writes the closing event; nil is none

	mu     sync.Mutex
	answer maskedStream // of the message that is arriving
	early  string       // of it, before its kind was known
	told   bool         // chunks of it, as events
}

// The types of events, besides "error".
const (
	eventStart    = "start"
	eventChunk    = "chunk"       // message: more of the answer
	eventProgress = "progress"    // message: why commands are asked for
	eventCall     = "tool_call"   // message: the command
	eventResult   = "tool_result" // message: what became of it
	eventRetry    = "retry"
	eventWarning  = "warning"
	eventInfo     = "info"
	eventComplete = "complete"
	eventError    = "error"
)

// tell writes an event where events are asked for, and a line of the log.
func (r *chatReport) tell(kind, message string, context map[string]any) {
	message = r.mask(valid(message))
	if r.events != nil {
		writeScripted(r.events, kind, message, context)
	}
	if r.log != nil && kind != eventChunk {
		r.log.event(kind, message)
	}
}

// notice tells something beside the answer.
func (r *chatReport) notice(n runner.Notice) {
	kind := eventInfo
	if n.Kind != runner.NoticeInfo {
		kind = eventWarning
	}
	r.tell(kind, n.Text, nil)
	n.Text = r.mask(n.Text)
	r.face.Notify(n)
}

func (r *chatReport) warn(text string) {
	r.notice(runner.Notice{Kind: runner.NoticeWarning, Text: text})
}

// start tells that the model is about to be asked.
func (r *chatReport) start(c *chatRun) {
	t := c.settings.Target
	r.tell(eventStart, "asking "+t.Entry+"/"+t.Model.ID, map[string]any{
		"provider": t.Entry, "model": t.Model.ID, "stream": r.stream, "maxSteps": c.flags.maxSteps, "shell": c.shell,
	})
}

// end notes how the call ended. The event that says so is written by close:
// what comes between can still fail, and there is one closing event only.
func (r *chatReport) end(result runner.Result, code exitCode) {
	context := map[string]any{
		"exitCode": int(code), "end": string(result.End), "steps": result.Steps, "ran": result.Ran,
		"refused": result.Refused, "needPerson": result.NeedPerson, "usage": result.Usage,
	}
	if r.log != nil {
		r.log.finish(result, code, r.mask)
	}
	kind, message := eventComplete, "done"
	if code != exitOK {
		kind, message = eventError, result.Reply.Message
		if e := result.Err; e != nil {
			context["kind"], context["code"] = string(e.Kind), e.Kind.Code()
			if e.Status != 0 {
				context["status"] = e.Status
			}
		}
		if result.End == runner.EndStepLimit {
			message = "the step limit was reached before an answer"
			context["hint"] = "--max_steps allows more"
		}
		if f := result.Fallback; f != nil {
			context["raw"] = r.mask(valid(f.Result))
		}
	}
	message = r.mask(valid(message))
	if r.log != nil {
		r.log.event(kind, message)
	}
	if r.events != nil {
		r.closing = func() { writeScripted(r.events, kind, message, context) }
	}
}

// close writes the closing event.
func (r *chatReport) close() {
	if r.closing != nil {
		r.closing()
	}
}

// event takes an event of the runner. Only tool_execution_update may come
// from another goroutine.
func (r *chatReport) event(ev runner.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ev, ok := r.masked(ev); ok {
		r.scripted(ev)
		r.face.Event(ev)
	}
}

// masked gives an event whose texts are masked. An answer that is not to be
// streamed is shown when it is whole.
func (r *chatReport) masked(ev runner.Event) (_ runner.Event, ok bool) {
	switch ev.Type {
	case runner.MessageStart:
		r.answer, r.early, r.told = maskedStream{mask: r.mask}, "", false
	case runner.MessageUpdate:
		if ev.Delta != "" && !r.stream {
			return ev, false
		}
		whole := ev.Delta
		ev.Delta, ev.Thinking = r.answer.add(ev.Delta), r.mask(ev.Thinking)
		return ev, ev.Delta != "" || whole == ""
	case runner.MessageEnd:
		ev.Text, ev.Raw = r.mask(ev.Text), r.mask(ev.Raw)
		ev.Reply = r.maskedReply(ev.Reply)
		ev.Error = r.maskedError(ev.Error)
	case runner.ToolExecutionStart, runner.ToolExecutionEnd:
		if ev.Step != nil {
			step := maskedStep(*ev.Step, r.mask)
			ev.Step = &step
		}
		if ev.Judgement != nil {
			j := *ev.Judgement
			j.Reasons, j.Args = maskedAll(j.Reasons, r.mask), maskedAll(j.Args, r.mask)
			ev.Judgement = &j
		}
		if ev.Observation != nil {
			o := r.turn.observed(*ev.Observation)
			if o.Verdict != nil {
				v := *o.Verdict
				v.Reasons = maskedAll(v.Reasons, r.mask)
				o.Verdict = &v
			}
			ev.Observation = &o
		}
	case runner.ToolExecutionUpdate:
		if ev.Chunk != nil {
			chunk := *ev.Chunk
			chunk.Text = r.mask(chunk.Text)
			ev.Chunk = &chunk
		}
	case runner.AutoRetryStart, runner.AutoRetryEnd:
		ev.Error = r.maskedError(ev.Error)
	case runner.AgentEnd:
		if ev.Result != nil {
			result := *ev.Result
			if reply := r.maskedReply(&result.Reply); reply != nil {
				result.Reply = *reply
			}
			result.Err = r.maskedError(result.Err)
			ev.Result = &result
		}
	default:
	}
	return ev, true
}

func (r *chatReport) maskedReply(reply *protocol.Reply) *protocol.Reply {
	if reply == nil {
		return nil
	}
	masked := *reply
	masked.Message = r.mask(masked.Message)
	return &masked
}

func (r *chatReport) maskedError(e *llm.Error) *llm.Error {
	if e == nil {
		return nil
	}
	masked := *e
	masked.Message = r.mask(masked.Message)
	return &masked
}

func maskedAll(texts []string, mask func(string) string) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = mask(s)
	}
	return out
}

func maskedStep(s protocol.Step, mask func(string) string) protocol.Step {
	s.Program, s.Args = mask(s.Program), maskedAll(s.Args, mask)
	s.Command, s.CWD, s.Path, s.Plugin = mask(s.Command), mask(s.CWD), mask(s.Path), mask(s.Plugin)
	return s
}

// scripted tells a masked event in the words of pai, and notes what the
// session and the log keep.
func (r *chatReport) scripted(ev runner.Event) {
	switch ev.Type {
	case runner.MessageUpdate:
		r.chunk(ev.Kind, ev.Delta)
	case runner.MessageEnd:
		r.messageEnd(ev)
	case runner.ToolExecutionStart:
		if ev.Step == nil {
			return
		}
		context := map[string]any{"id": ev.ID, "tool": toolName(*ev.Step), "arguments": stepArguments(*ev.Step, r.mask), "cwd": r.mask(ev.CWD)}
		if j := ev.Judgement; j != nil {
			context["level"], context["facts"], context["rules"] = j.Level.String(), texts(j.Facts), texts(j.Rules)
		}
		r.tell(eventCall, stepWords(*ev.Step), context)
	case runner.ToolExecutionEnd:
		if ev.Step == nil || ev.Observation == nil {
			return
		}
		r.turn.step(ev.ID, *ev.Step, *ev.Observation)
		context := map[string]any{"id": ev.ID}
		if text, err := json.Marshal(ev.Observation); err == nil {
			context["observation"] = jsontext.Value(text)
		}
		r.tell(eventResult, outcomeWords(*ev.Observation), context)
	case runner.AutoRetryStart:
		r.tell(eventRetry, ev.Error.Message, r.voided(map[string]any{
			"attempt": ev.Attempt, "maxAttempts": ev.MaxAttempts, "delayMs": ev.DelayMs, "kind": string(ev.Error.Kind),
		}))
	case runner.CompactionEnd:
		if c := ev.Compaction; c.Reason == runner.CompactOverflow && c.WillRetry {
			r.tell(eventRetry, "the request was too long for the model: it is sent again with less of the conversation", r.voided(map[string]any{"bytesBefore": c.BytesBefore, "bytesAfter": c.BytesAfter}))
		}
	default:
	}
}

// chunk tells more of an answer that arrives.
func (r *chatReport) chunk(kind protocol.Kind, delta string) {
	switch {
	case delta == "" || r.events == nil:
	case kind == protocol.KindChat:
		r.tell(eventChunk, r.early+delta, nil)
		r.early, r.told = "", true
	case kind == "":
		r.early += delta
	}
}

// voided adds to the context of an event after which the model is asked once
// more, that the chunks that were told are no part of the answer.
func (r *chatReport) voided(context map[string]any) map[string]any {
	if r.told {
		context["void"] = true
		r.told = false
	}
	return context
}

func (r *chatReport) messageEnd(ev runner.Event) {
	switch {
	case ev.Role != llm.RoleAssistant:
	case len(ev.Violations) > 0:
		list := make([]string, len(ev.Violations))
		for i, v := range ev.Violations {
			list[i] = r.mask(v.String())
		}
		r.tell(eventWarning, "the answer was not in the agreed form", r.voided(map[string]any{"violations": list}))
	case ev.Error != nil || ev.Reply == nil:
	case ev.Reply.Type == protocol.KindChat:
		if rest, ok := strings.CutPrefix(ev.Reply.Message, r.answer.shown); ok && r.stream {
			r.chunk(protocol.KindChat, rest)
		}
		r.turn.reply(*ev.Reply)
	case ev.Reply.Type == protocol.KindCmd:
		if !blank(ev.Reply.Message) {
			r.tell(eventProgress, ev.Reply.Message, nil)
		}
		r.turn.reply(*ev.Reply)
	}
}

// stepWords is a step in one line.
func stepWords(s protocol.Step) string {
	switch s.Tool {
	case protocol.ToolPluginRun:
		return "plugin " + protocol.FormatCommand(s.Plugin, s.Args)
	case protocol.ToolJSONPatch:
		return "edit " + s.Path
	case protocol.ToolBashExec:
		return "bash: " + s.Command
	default:
		return protocol.FormatCommand(s.Program, s.Args)
	}
}

// outcomeWords is what became of a step, in one line.
func outcomeWords(o protocol.Observation) string {
	words := strings.ReplaceAll(string(o.Outcome), "_", " ")
	if o.ExitCode != nil {
		words = fmt.Sprintf("exit code %d", *o.ExitCode)
	}
	if o.DurationMs > 0 {
		words += ", " + (time.Duration(o.DurationMs) * time.Millisecond).String()
	}
	if o.Note != "" {
		words += ": " + o.Note
	}
	return words
}

// texts makes a list of strings, which JSON writes as [] where it is empty.
func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
