package rpc

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// Model is a model as clients know it.
type Model struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	API           string   `json:"api"`
	Provider      string   `json:"provider"`
	BaseURL       string   `json:"baseUrl"`
	Reasoning     bool     `json:"reasoning"`
	Input         []string `json:"input"`
	Cost          Cost     `json:"cost"`
	ContextWindow int      `json:"contextWindow"` // tokens; 0 is unknown
	MaxTokens     int      `json:"maxTokens"`     // of one answer; 0 is the server's default
}

// Cost is in dollars; of a model, per million tokens.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// NewModel is a model that an entry of the settings names.
func NewModel(entry string, m llm.Model) Model {
	out := Model{
		ID: m.ID, Name: m.Name, API: m.API, Provider: entry, BaseURL: m.BaseURL, Reasoning: m.Reasoning, Input: m.Input,
		Cost:          Cost{m.Cost.Input, m.Cost.Output, m.Cost.CacheRead, m.Cost.CacheWrite},
		ContextWindow: m.ContextWindow, MaxTokens: m.MaxTokens,
	}
	if out.Name == "" {
		out.Name = m.ID
	}
	if out.Input == nil {
		out.Input = []string{"text"}
	}
	return out
}

// usage counts tokens as clients know them.
type usage struct {
	Input      int       `json:"input"`
	Output     int       `json:"output"`
	CacheRead  int       `json:"cacheRead"`
	CacheWrite int       `json:"cacheWrite"`
	Total      int       `json:"totalTokens"`
	Cost       usageCost `json:"cost"`
}

type usageCost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

func usageOf(u llm.Usage) usage {
	if u.Total == 0 {
		u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	return usage{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total, usageCost(u.Cost)}
}

// textBlock, imageBlock and toolCall are parts of a message's content.
type textBlock struct {
	Type string `json:"type"` // text
	Text string `json:"text"`
}

type imageBlock struct {
	Type     string `json:"type"` // image
	Data     []byte `json:"data"` // base64
	MIMEType string `json:"mimeType"`
}

type toolCall struct {
	Type      string         `json:"type"` // toolCall
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

type userMessage struct {
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"` // a text, or blocks
	Timestamp int64          `json:"timestamp"`
}

type toolResult struct {
	Role       string         `json:"role"` // toolResult
	ToolCallID string         `json:"toolCallId"`
	ToolName   string         `json:"toolName"`
	Content    []textBlock    `json:"content"`
	Details    jsontext.Value `json:"details"`
	IsError    bool           `json:"isError"`
	Timestamp  int64          `json:"timestamp"`
}

// bashMessage is a command of the client's own.
type bashMessage struct {
	Role           string  `json:"role"` // bashExecution
	Command        string  `json:"command"`
	Output         string  `json:"output"`
	ExitCode       *int    `json:"exitCode"`
	Cancelled      bool    `json:"cancelled"`
	Truncated      bool    `json:"truncated"`
	FullOutputPath *string `json:"fullOutputPath"`
	Timestamp      int64   `json:"timestamp"`
	Excluded       bool    `json:"excludeFromContext,omitzero"`
}

// told is how the model is told of the command.
func (m *bashMessage) told() string {
	var b strings.Builder
	b.WriteString("Ran `" + m.Command + "`\n")
	if m.Output != "" {
		fence := "```"
		for strings.Contains(m.Output, fence) {
			fence += "`"
		}
		b.WriteString(fence + "\n" + strings.TrimSuffix(m.Output, "\n") + "\n" + fence)
	} else {
		b.WriteString("(no output)")
	}
	switch {
	case m.Cancelled:
		b.WriteString("\n\n(command cancelled)")
	case m.ExitCode != nil && *m.ExitCode != 0:
		b.WriteString("\n\nCommand exited with code " + strconv.Itoa(*m.ExitCode))
	}
	if m.Truncated && m.FullOutputPath != nil {
		b.WriteString("\n\n[Output truncated. Full output: " + *m.FullOutputPath + "]")
	}
	return b.String()
}

// customMessage is what a plugin wrote that the client ran.
type customMessage struct {
	Role       string         `json:"role"` // custom
	CustomType string         `json:"customType"`
	Content    string         `json:"content"`
	Display    bool           `json:"display"`
	Details    jsontext.Value `json:"details,omitzero"`
	Timestamp  int64          `json:"timestamp"`
}

// summaryMessage stands for what was summed up.
type summaryMessage struct {
	Role         string `json:"role"` // compactionSummary
	Summary      string `json:"summary"`
	TokensBefore int    `json:"tokensBefore"`
	Timestamp    int64  `json:"timestamp"`
}

// encode writes a value that always can be: only text that is not UTF-8 cannot,
// which is mended.
func encode(v any) jsontext.Value {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return b
}

// userContent is what the person said, as blocks.
func userContent(text string, images []llm.Image) jsontext.Value {
	var blocks []any
	if text != "" || len(images) == 0 {
		blocks = append(blocks, textBlock{"text", text})
	}
	for _, i := range images {
		blocks = append(blocks, imageBlock{"image", i.Data, i.MIMEType})
	}
	return encode(blocks)
}

// toolName is what a tool is called in events.
func toolName(o *protocol.Observation) string {
	if o.Tool == "cmd" {
		return string(protocol.ToolExec)
	}
	return o.Tool
}

// failed tells whether a step did not do its work.
func failed(o *protocol.Observation) bool {
	if o.Outcome != protocol.Ran {
		return true
	}
	return o.ExitCode != nil && *o.ExitCode != 0
}

// resultText is what the model sees of a step.
func resultText(o *protocol.Observation) string { return string(encode(o)) }

// newToolResult is the message of what a step did.
func newToolResult(o *protocol.Observation, at int64) toolResult {
	return toolResult{
		Role: "toolResult", ToolCallID: o.ID, ToolName: toolName(o), Content: []textBlock{{"text", resultText(o)}},
		Details: encode(o), IsError: failed(o), Timestamp: at,
	}
}

// stepJSON writes a step as the model spells it.
func stepJSON(s *protocol.Step) jsontext.Value {
	type assignment struct {
		Path  string         `json:"path"`
		Value jsontext.Value `json:"value"`
	}
	switch s.Tool {
	case protocol.ToolPluginRun:
		return encode(struct {
			Tool        protocol.Tool     `json:"tool"`
			Plugin      string            `json:"plugin"`
			Args        []string          `json:"args"`
			Interactive bool              `json:"interactive"`
			Requires    protocol.Requires `json:"requires"`
		}{s.Tool, s.Plugin, orEmpty(s.Args), s.Interactive, s.Requires})
	case protocol.ToolJSONPatch:
		var set []assignment
		for _, a := range s.Set {
			set = append(set, assignment(a))
		}
		return encode(struct {
			Tool     protocol.Tool        `json:"tool"`
			Path     string               `json:"path"`
			Patch    []protocol.Operation `json:"patch,omitempty"`
			Set      []assignment         `json:"set,omitempty"`
			Unset    []string             `json:"unset,omitempty"`
			Requires protocol.Requires    `json:"requires"`
		}{s.Tool, s.Path, s.Patch, set, s.Unset, s.Requires})
	case protocol.ToolBashExec:
		return encode(struct {
			Tool    protocol.Tool `json:"tool"`
			Command string        `json:"command"`
			CWD     string        `json:"cwd,omitzero"`
			Timeout int           `json:"timeout_seconds,omitzero"`
		}{s.Tool, s.Command, s.CWD, s.TimeoutSeconds})
	case protocol.ToolDecide:
		return encode(struct {
			Tool  protocol.Tool  `json:"tool"`
			Task  string         `json:"task"`
			Items jsontext.Value `json:"items"`
		}{s.Tool, s.Task, s.Items})
	case protocol.ToolExec:
	}
	return encode(struct {
		Program  string            `json:"program"`
		Args     []string          `json:"args"`
		Requires protocol.Requires `json:"requires"`
	}{s.Program, orEmpty(s.Args), s.Requires})
}

// stepName is the name of the tool that a step is for.
func stepName(s *protocol.Step) string {
	if s.Tool == "" {
		return string(protocol.ToolExec)
	}
	return string(s.Tool)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// milliseconds of a time as sessions write it; 0 is none.
func milliseconds(stamp string) int64 {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}
