package terminal

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// events writes one JSON object a line for every event, as docs/events.md
// says.
type events struct {
	out      *output
	exitCode func(runner.Result) int
	now      func() time.Time
	closed   bool // agent_end was written and no agent_start since
}

func newEvents(out *output, exitCode func(runner.Result) int) *events {
	if exitCode == nil {
		exitCode = func(runner.Result) int { return 0 }
	}
	return &events{out: out, exitCode: exitCode, now: time.Now}
}

// The shapes of the lines. Field order is the order on the line.
type (
	head struct {
		Type      runner.EventType `json:"type"`
		Timestamp int64            `json:"timestamp"`
	}
	messageStart struct {
		head
		Role llm.Role `json:"role"`
	}
	messageUpdate struct {
		head
		Role     llm.Role      `json:"role"`
		Kind     protocol.Kind `json:"kind,omitzero"`
		Delta    string        `json:"delta,omitzero"`
		Thinking string        `json:"thinking,omitzero"`
	}
	messageEnd struct {
		head
		Role       llm.Role             `json:"role"`
		Text       string               `json:"text,omitzero"`
		Reply      *replyShape          `json:"reply,omitzero"`
		Raw        string               `json:"raw,omitzero"`
		Notes      []string             `json:"notes,omitzero"`
		Violations []protocol.Violation `json:"violations,omitzero"`
		Error      *errorShape          `json:"error,omitzero"`
		Usage      llm.Usage            `json:"usage,omitzero"`
		Enforced   llm.Enforcement      `json:"enforced,omitzero"`
	}
	toolStart struct {
		head
		ID        string           `json:"id"`
		CWD       string           `json:"cwd,omitzero"`
		Step      *stepShape       `json:"step"`
		Judgement *judgementShape  `json:"judgement,omitzero"`
		DecidedBy protocol.Decider `json:"decidedBy,omitzero"`
		Path      string           `json:"path,omitzero"` // of the file that is changed
		Created   bool             `json:"created,omitzero"`
		Diff      string           `json:"diff,omitzero"`
	}
	toolUpdate struct {
		head
		ID     string `json:"id"`
		Stream string `json:"stream"`
		Text   string `json:"text"`
	}
	toolEnd struct {
		head
		ID          string                `json:"id"`
		Observation *protocol.Observation `json:"observation"`
	}
	retry struct {
		head
		Attempt     int         `json:"attempt"`
		MaxAttempts int         `json:"maxAttempts,omitzero"`
		DelayMs     int64       `json:"delayMs,omitzero"`
		Error       *errorShape `json:"error,omitzero"`
	}
	compactionStart struct {
		head
		Reason runner.CompactReason `json:"reason"`
	}
	compactionEnd struct {
		head
		Reason       runner.CompactReason `json:"reason"`
		Result       *protocol.Summary    `json:"result,omitzero"`
		Error        *errorShape          `json:"error,omitzero"`
		Folded       int                  `json:"folded"`
		Kept         int                  `json:"kept"`
		BytesBefore  int                  `json:"bytesBefore"`
		BytesAfter   int                  `json:"bytesAfter"`
		TokensBefore int                  `json:"tokensBefore"`
		TokensAfter  int                  `json:"tokensAfter"`
		WillRetry    bool                 `json:"willRetry"`
		Usage        llm.Usage            `json:"usage,omitzero"`
	}
	agentEnd struct {
		head
		End        string           `json:"end"`
		Reply      *replyShape      `json:"reply,omitzero"`
		Error      *errorShape      `json:"error,omitzero"`
		Steps      int              `json:"steps"`
		Ran        int              `json:"ran"`
		Refused    int              `json:"refused"`
		NeedPerson int              `json:"needPerson"`
		Declined   int              `json:"declined"`
		Usage      llm.Usage        `json:"usage"`
		Fallback   *runner.Fallback `json:"fallback,omitzero"`
		ExitCode   int              `json:"exitCode"`
	}
	failure struct {
		head
		Message string `json:"message"`
		Hint    string `json:"hint,omitzero"`
	}
	noticeLine struct {
		head
		Kind runner.NoticeKind `json:"kind"`
		Text string            `json:"text"`
	}
)

// The parts of lines.
type (
	replyShape struct {
		Type    protocol.Kind `json:"type"`
		Message string        `json:"message"`
		Data    any           `json:"data,omitzero"`
	}
	chatShape struct {
		Format      protocol.Format `json:"format"`
		Suggestions []string        `json:"suggestions,omitzero"`
	}
	cmdShape struct {
		CWD            string       `json:"cwd,omitzero"`
		Commands       []*stepShape `json:"commands"`
		ExpectedEffect string       `json:"expected_effect,omitzero"`
	}
	stepShape struct {
		Tool        protocol.Tool        `json:"tool"`
		Program     string               `json:"program,omitzero"`
		Plugin      string               `json:"plugin,omitzero"`
		Args        []string             `json:"args,omitzero"`
		Interactive bool                 `json:"interactive,omitzero"`
		Path        string               `json:"path,omitzero"`
		Patch       []protocol.Operation `json:"patch,omitzero"`
		Set         jsontext.Value       `json:"set,omitzero"`
		Unset       []string             `json:"unset,omitzero"`
		Command     string               `json:"command,omitzero"`
		CWD         string               `json:"cwd,omitzero"`
		Timeout     int                  `json:"timeout_seconds,omitzero"`
		Task        string               `json:"task,omitzero"`
		Items       jsontext.Value       `json:"items,omitzero"`
		Requires    protocol.Requires    `json:"requires"`
	}
	judgementShape struct {
		Level   protocol.Level  `json:"level"`
		Rules   []string        `json:"rules"`
		Reasons []string        `json:"reasons"`
		Facts   []protocol.Fact `json:"facts"`
		Listed  bool            `json:"listed"`
		Path    string          `json:"path,omitzero"`
		Args    []string        `json:"args"`
	}
	errorShape struct {
		Kind         llm.ErrorKind `json:"kind"`
		Code         string        `json:"code"` // llm-base's name for it
		Status       int           `json:"status,omitzero"`
		Message      string        `json:"message"`
		RetryAfterMs int64         `json:"retryAfterMs,omitzero"`
	}
)

// The types of lines that no event of a runner stands behind.
const (
	typeError  runner.EventType = "error"
	typeNotice runner.EventType = "notice"
)

func (e *events) event(ev runner.Event) {
	h := head{ev.Type, ev.Timestamp}
	if h.Timestamp == 0 {
		h.Timestamp = e.now().UnixMilli()
	}
	switch ev.Type {
	case runner.AgentStart:
		e.closed = false
		e.write(h)
	case runner.TurnStart, runner.TurnEnd:
		e.write(h)
	case runner.MessageStart:
		e.write(messageStart{h, ev.Role})
	case runner.MessageUpdate:
		e.write(messageUpdate{h, ev.Role, ev.Kind, ev.Delta, ev.Thinking})
	case runner.MessageEnd:
		e.write(messageEnd{
			head: h, Role: ev.Role, Text: ev.Text, Reply: shapeReply(ev.Reply), Raw: ev.Raw, Notes: ev.Notes,
			Violations: ev.Violations, Error: shapeError(ev.Error), Usage: ev.Usage, Enforced: ev.Enforced,
		})
	case runner.ToolExecutionStart:
		line := toolStart{
			head: h, ID: ev.ID, CWD: ev.CWD, Step: shapeStep(ev.Step), Judgement: shapeJudgement(ev.Judgement), DecidedBy: ev.Decision,
		}
		if c := ev.Change; c != nil {
			line.Path, line.Created, line.Diff = c.Path, c.Created, c.Unified()
		}
		e.write(line)
	case runner.ToolExecutionUpdate:
		if ev.Chunk != nil {
			name := "stdout"
			if ev.Chunk.Stderr {
				name = "stderr"
			}
			e.write(toolUpdate{h, ev.ID, name, ev.Chunk.Text})
		}
	case runner.ToolExecutionEnd:
		e.write(toolEnd{h, ev.ID, ev.Observation})
	case runner.AutoRetryStart, runner.AutoRetryEnd:
		e.write(retry{h, ev.Attempt, ev.MaxAttempts, ev.DelayMs, shapeError(ev.Error)})
	case runner.CompactionStart:
		e.write(compactionStart{h, ev.Compaction.Reason})
	case runner.CompactionEnd:
		c := ev.Compaction
		e.write(compactionEnd{
			head: h, Reason: c.Reason, Result: c.Summary, Error: shapeError(c.Error), Folded: c.Folded, Kept: c.Kept,
			BytesBefore: c.BytesBefore, BytesAfter: c.BytesAfter, TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter,
			WillRetry: c.WillRetry, Usage: c.Usage,
		})
	case runner.AgentEnd:
		e.end(h, ev.Result)
	default:
		e.write(h)
	}
}

func (e *events) end(h head, r *runner.Result) {
	if e.closed {
		return
	}
	e.closed = true
	if r == nil {
		r = &runner.Result{}
	}
	var reply *replyShape
	if r.Reply.Type != "" {
		reply = shapeReply(&r.Reply)
	}
	e.write(agentEnd{
		head: h, End: string(r.End), Reply: reply, Error: shapeError(r.Err), Steps: r.Steps, Ran: r.Ran,
		Refused: r.Refused, NeedPerson: r.NeedPerson, Declined: r.Declined, Usage: r.Usage,
		Fallback: r.Fallback, ExitCode: e.exitCode(*r),
	})
}

func (e *events) restarted() {}

func (e *events) fail(fact, hint string, code int) {
	now := e.now().UnixMilli()
	e.write(failure{head{typeError, now}, fact, hint})
	if !e.closed {
		e.closed = true
		e.write(agentEnd{head: head{runner.AgentEnd, now}, End: "failure", ExitCode: code})
	}
}

func (e *events) notice(n runner.Notice) {
	e.write(noticeLine{head{typeNotice, e.now().UnixMilli()}, n.Kind, n.Text})
}

func (e *events) close() {}

// write writes one line with one call.
func (e *events) write(line any) {
	text, err := json.Marshal(line, jsontext.AllowInvalidUTF8(true))
	if err != nil { // no shape can fail; say so rather than lose the line
		text, _ = json.Marshal(failure{head{typeError, e.now().UnixMilli()}, err.Error(), ""})
	}
	_, _ = e.out.Write(append(text, '\n'))
}

func shapeReply(r *protocol.Reply) *replyShape {
	if r == nil {
		return nil
	}
	out := &replyShape{Type: r.Type, Message: r.Message}
	switch {
	case r.Chat != nil:
		out.Data = chatShape{r.Chat.Format, r.Chat.Suggestions}
	case r.Cmd != nil:
		cmd := cmdShape{CWD: r.Cmd.CWD, ExpectedEffect: r.Cmd.ExpectedEffect}
		for i := range r.Cmd.Steps {
			cmd.Commands = append(cmd.Commands, shapeStep(&r.Cmd.Steps[i]))
		}
		out.Data = cmd
	}
	return out
}

func shapeStep(s *protocol.Step) *stepShape {
	if s == nil {
		return nil
	}
	out := &stepShape{
		Tool: s.Tool, Program: s.Program, Plugin: s.Plugin, Args: s.Args, Interactive: s.Interactive,
		Path: s.Path, Patch: slices.Clone(s.Patch), Unset: s.Unset, Requires: s.Requires,
		Command: s.Command, CWD: s.CWD, Timeout: s.TimeoutSeconds, Task: s.Task, Items: s.Items,
	}
	for i, o := range out.Patch {
		if o.Value != nil {
			out.Patch[i].Value = mask.Setting(o.Path, o.Value)
		}
	}
	if out.Tool == "" {
		out.Tool = protocol.ToolExec
	}
	if len(s.Set) > 0 {
		text := []byte{'{'}
		for i, a := range s.Set {
			if i > 0 {
				text = append(text, ',')
			}
			text, _ = jsontext.AppendQuote(text, a.Path)
			text = append(append(text, ':'), mask.Setting(a.Path, a.Value)...)
		}
		out.Set = append(text, '}')
	}
	return out
}

func shapeJudgement(j *policy.Judgement) *judgementShape {
	if j == nil {
		return nil
	}
	return &judgementShape{j.Level, j.Rules, j.Reasons, j.Facts, j.Listed, j.Path, j.Args}
}

func shapeError(err *llm.Error) *errorShape {
	if err == nil {
		return nil
	}
	return &errorShape{err.Kind, err.Kind.Code(), err.Status, err.Message, err.RetryAfter.Milliseconds()}
}
