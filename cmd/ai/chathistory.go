package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// pipedHead stands between an input and what was piped in beside it, in a
// session file as in a request.
const pipedHead = "\n\n--- standard input ---\n"

// text is the input as a session file keeps it.
func (r *chatRequest) text() string {
	if r.context == "" {
		return r.input
	}
	return r.input + pipedHead + r.context
}

// lineContent is what a message of a session file says.
type lineContent struct {
	text    string
	images  []imageRef
	unknown []string // types of blocks that are neither
}

// contentOf reads the forms of a content: a text, a block, several of them.
// An object that is no block is text as well: tools of other programs write
// such.
func contentOf(l session.Line) lineContent {
	var c lineContent
	var texts []string
	add := func(v jsontext.Value) {
		var block struct {
			Type  string         `json:"type"`
			Text  string         `json:"text"`
			Image jsontext.Value `json:"image_url"`
		}
		switch {
		case v.Kind() == '"':
			var text string
			if json.Unmarshal(v, &text) == nil {
				texts = append(texts, text)
			}
		case v.Kind() != '{' || json.Unmarshal(v, &block) != nil || block.Type == "":
			texts = append(texts, string(v))
		case block.Type == "text":
			texts = append(texts, block.Text)
		case block.Type == "image_url":
			c.images = append(c.images, imageRef{l.Number, imageAddress(block.Image)})
		default:
			c.unknown = append(c.unknown, block.Type)
		}
	}
	if l.Content.Kind() == '[' {
		var blocks []jsontext.Value
		if json.Unmarshal(l.Content, &blocks) == nil {
			for _, b := range blocks {
				add(b)
			}
		}
	} else {
		add(l.Content)
	}
	c.text = strings.Join(texts, "\n")
	return c
}

// notSent says that a block of a message does not reach the model.
func (s *chatSession) notSent(l session.Line, kind string) string {
	return fmt.Sprintf("%s: line %d: a content of the type %q is not sent", s.path, l.Number, kind)
}

// imageAddress reads {"url": …}, and the bare address that some write.
func imageAddress(v jsontext.Value) string {
	var object struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(v, &object) == nil {
		return object.URL
	}
	var bare string
	_ = json.Unmarshal(v, &bare) // "" is refused where it is read
	return bare
}

// restore puts the session's earlier messages into the window, and gives the
// images of the input.
func (c *chatRun) restore(talk *conversation) ([]llm.Image, error) {
	images, err := c.images(talk)
	if err != nil || c.session == nil {
		return images, err
	}
	warn := func(l session.Line, text string) {
		c.report.warn(fmt.Sprintf("%s: line %d: %s", c.session.path, l.Number, text))
	}
	// Old pictures go along, the newest first, as far as there is room.
	room := imageRoom{left: maxImages - len(images), bytes: maxImageBytes - sizeOf(images)}
	lines := c.session.history()
	entries := make([]contextmgr.Entry, 0, len(lines))
	steps := 0
	for _, l := range slices.Backward(lines) {
		content := contentOf(l)
		for _, kind := range content.unknown {
			c.report.warn(c.session.notSent(l, kind))
		}
		switch l.Role {
		case session.User:
			e := contextmgr.Entry{Question: content.text}
			for _, ref := range content.images {
				image, err := room.take(c, talk, ref)
				if err != nil {
					warn(l, "an earlier image is not sent: "+err.Error())
					e.Question = strings.TrimPrefix(e.Question+"\n(with an image, left out)", "\n")
					continue
				}
				e.Images = append(e.Images, image)
			}
			if blank(e.Question) && e.Images == nil {
				e.Question = "(nothing)"
			}
			entries = append(entries, e)
		case session.Assistant:
			reply := replyOf(l, content.text)
			entries = append(entries, contextmgr.Entry{Reply: &reply})
		case session.Tool:
			o := observationOf(l, content.text)
			n := 0
			if _, err := fmt.Sscanf(o.ID, "cmd_%d", &n); err == nil {
				steps = max(steps, n)
			}
			entries = append(entries, contextmgr.Entry{Observation: &o})
		case session.System:
			warn(l, "a system message that is not the first is not sent")
		}
	}
	slices.Reverse(entries)
	talk.window.Restore(c.session.summary, entries)
	talk.Numbered(steps)
	return images, nil
}

// replyOf reads what a model said. One that called tools was not the end of
// its turn.
func replyOf(l session.Line, text string) protocol.Reply {
	r := protocol.Reply{Type: protocol.KindChat, Message: text}
	calls := l.Field("tool_calls")
	if calls.Kind() == '[' && len(calls) > len("[]") || l.FieldText("kind") == string(protocol.KindCmd) {
		r.Type = protocol.KindCmd
	}
	return r
}

// observationOf reads what a tool did: what this program wrote, or the text of
// another one's.
func observationOf(l session.Line, text string) protocol.Observation {
	var o protocol.Observation
	if json.Unmarshal([]byte(text), &o) == nil && o.Event == "tool_result" && o.ID != "" {
		if o.Args == nil {
			o.Args = []string{}
		}
		return o
	}
	tool := l.FieldText("name")
	if tool == "" {
		tool = "tool"
	}
	return protocol.Observation{
		Event: "tool_result", Tool: tool, ID: l.FieldText("tool_call_id"), Args: []string{}, StdoutTail: text, Outcome: protocol.Ran,
	}
}

// chatTurn is what happened in the call, as the session file is told.
type chatTurn struct {
	asked    time.Time
	observed func(protocol.Observation) protocol.Observation // masks
	replies  []turnReply
}

type turnReply struct {
	at    time.Time
	reply protocol.Reply
	steps []turnStep
}

type turnStep struct {
	at          time.Time
	id          string
	step        protocol.Step
	observation protocol.Observation
}

func (t *chatTurn) reply(r protocol.Reply) {
	t.replies = append(t.replies, turnReply{at: time.Now(), reply: r})
}

func (t *chatTurn) step(id string, step protocol.Step, o protocol.Observation) {
	if n := len(t.replies); n > 0 {
		t.replies[n-1].steps = append(t.replies[n-1].steps, turnStep{time.Now(), id, step, t.observed(o)})
	}
}

// toolCall is how other programs write that a model called a tool.
type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON
	} `json:"function"`
}

// drafts are the lines of the turn after the user's: what the model said and
// what its steps did, in pai's own fields.
func (t *chatTurn) drafts(mask func(string) string) ([]session.Draft, error) {
	var drafts []session.Draft
	for _, r := range t.replies {
		d := session.Message(session.Assistant, mask(valid(r.reply.Message)))
		d.Time = r.at
		var calls []toolCall
		for _, s := range r.steps {
			arguments, err := json.Marshal(stepArguments(s.step, mask), json.Deterministic(true))
			if err != nil {
				return nil, err
			}
			call := toolCall{ID: s.id, Type: "function"}
			call.Function.Name, call.Function.Arguments = toolName(s.step), string(arguments)
			calls = append(calls, call)
		}
		if calls != nil {
			d = d.With("tool_calls", calls)
		}
		drafts = append(drafts, d)
		for _, s := range r.steps {
			d, err := transcript.Result(s.observation)
			if err != nil {
				return nil, err
			}
			d.Time = s.at
			drafts = append(drafts, d.With("tool_call_id", s.id).With("name", toolName(s.step)))
		}
	}
	return drafts, nil
}

func toolName(s protocol.Step) string {
	if s.Tool == "" {
		return string(protocol.ToolExec)
	}
	return string(s.Tool)
}

// stepArguments is a step as the arguments of a call, in short: what a change
// writes into a file is not repeated.
func stepArguments(s protocol.Step, mask func(string) string) map[string]any {
	masked := make([]string, len(s.Args))
	for i, arg := range s.Args {
		masked[i] = mask(valid(arg))
	}
	switch s.Tool {
	case protocol.ToolPluginRun:
		return map[string]any{"plugin": s.Plugin, "args": masked}
	case protocol.ToolJSONPatch:
		return map[string]any{"path": mask(valid(s.Path))}
	case protocol.ToolBashExec:
		m := map[string]any{"command": mask(valid(s.Command))}
		if s.CWD != "" {
			m["cwd"] = mask(valid(s.CWD))
		}
		if s.TimeoutSeconds > 0 {
			m["timeout_seconds"] = s.TimeoutSeconds
		}
		return m
	default:
		return map[string]any{"program": mask(valid(s.Program)), "args": masked}
	}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
