package rpc

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session/transcript"
)

func (t *translator) stepStart(e runner.Event) {
	p := &partial{name: stepName(e.Step), args: stepJSON(e.Step), words: words(e.Step)}
	t.stepOut[e.ID] = p
	t.send(stepStart{"tool_execution_start", e.ID, p.name, p.args})
	t.step(e.ID, p.words)
}

// words is a step in one line.
func words(s *protocol.Step) string {
	switch s.Tool {
	case protocol.ToolPluginRun:
		return protocol.FormatCommand(s.Plugin, s.Args)
	case protocol.ToolJSONPatch:
		return s.Path
	case protocol.ToolBashExec:
		return s.Command
	case protocol.ToolDecide:
		return s.Task
	case protocol.ToolExec:
	}
	return protocol.FormatCommand(s.Program, s.Args)
}

func (t *translator) stepUpdate(e runner.Event) {
	p := t.stepOut[e.ID]
	if p == nil || e.Chunk == nil {
		return
	}
	if p.text += e.Chunk.Text; len(p.text) > maxPartial {
		p.text = strings.ToValidUTF8(p.text[len(p.text)-maxPartial:], "")
	}
	t.send(stepUpdate{"tool_execution_update", e.ID, p.name, p.args, stepResult{[]textBlock{{"text", t.mask(p.text)}}, jsontext.Value(`{"truncation":null,"fullOutputPath":null}`)}})
}

func (t *translator) stepEnd(e runner.Event) {
	t.step("", "")
	p := t.stepOut[e.ID]
	delete(t.stepOut, e.ID)
	for i, c := range t.calls {
		if c.ID == e.ID {
			t.calls = append(t.calls[:i:i], t.calls[i+1:]...)
			break
		}
	}
	t.result(*e.Observation, e.Timestamp)
	if o := e.Observation; o.Outcome == protocol.Refused {
		t.warn("refused: " + p.words + ": " + o.Note)
	}
}

// result tells the end of a step and its message.
func (t *translator) result(o protocol.Observation, at int64) {
	m := newToolResult(&o, at)
	t.send(stepEnd{"tool_execution_end", m.ToolCallID, m.ToolName, stepResult{m.Content, m.Details}, m.IsError})
	line := encode(m)
	t.results, t.messages = append(t.results, line), append(t.messages, line)
	t.message("message_start", line)
	t.message("message_end", line)
	d, err := transcript.Result(o)
	if err != nil {
		t.warn(err.Error())
		return
	}
	d.Time = time.UnixMilli(at)
	t.keep(d)
}

func (t *translator) compacted(c *runner.Compaction) {
	end := compactionEnd{Type: "compaction_end", Reason: c.Reason, WillRetry: c.WillRetry}
	if c.Error != nil {
		end.Aborted = c.Error.Kind == llm.ErrCancelled
		if !end.Aborted {
			end.ErrorMessage = c.Error.Message
		}
	}
	if c.Summary != nil {
		end.Result = t.foldedTo(c)
	}
	t.send(end)
}

// foldedTo writes a summary into the book and gives it as a client knows it.
func (t *translator) foldedTo(c *runner.Compaction) *Compaction {
	out := &Compaction{
		Summary: contextmgr.Readable(*c.Summary), TokensBefore: c.TokensBefore,
		Details: compactionDetails{orEmpty(c.Summary.KeyFacts), orEmpty(c.Summary.OpenTasks)},
	}
	if n := len(t.asked); c.Kept > 0 && c.Kept <= n {
		t.asked = append([]string(nil), t.asked[n-c.Kept:]...)
		out.FirstKeptEntryID = t.asked[0]
	}
	d := transcript.Compaction(*c.Summary, c.TokensBefore, t.mask)
	if out.FirstKeptEntryID != "" {
		d = d.With("firstKeptEntryId", out.FirstKeptEntryID)
	}
	t.keep(d)
	t.fresh, t.folded = false, out
	return out
}

// newest is the newest summary.
func (t *translator) newest() *Compaction {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.folded
}
