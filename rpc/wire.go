package rpc

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/runner"
)

// The shapes of events. docs/rpc.md is made from them.

type bare struct {
	Type string `json:"type"`
}

type queueUpdate struct {
	Type     string   `json:"type"`
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

type retryStart struct {
	Type         string `json:"type"`
	Attempt      int    `json:"attempt"`
	MaxAttempts  int    `json:"maxAttempts"`
	DelayMs      int64  `json:"delayMs"`
	ErrorMessage string `json:"errorMessage"`
}

type retryEnd struct {
	Type       string `json:"type"`
	Success    bool   `json:"success"`
	Attempt    int    `json:"attempt"`
	FinalError string `json:"finalError,omitzero"`
}

type stepStart struct {
	Type       string         `json:"type"`
	ToolCallID string         `json:"toolCallId"`
	ToolName   string         `json:"toolName"`
	Args       jsontext.Value `json:"args"`
}

type stepUpdate struct {
	Type          string         `json:"type"`
	ToolCallID    string         `json:"toolCallId"`
	ToolName      string         `json:"toolName"`
	Args          jsontext.Value `json:"args"`
	PartialResult stepResult     `json:"partialResult"`
}

type stepEnd struct {
	Type       string     `json:"type"`
	ToolCallID string     `json:"toolCallId"`
	ToolName   string     `json:"toolName"`
	Result     stepResult `json:"result"`
	IsError    bool       `json:"isError"`
}

type stepResult struct {
	Content []textBlock    `json:"content"`
	Details jsontext.Value `json:"details"`
}

type compactionStart struct {
	Type   string               `json:"type"`
	Reason runner.CompactReason `json:"reason"`
}

type compactionEnd struct {
	Type         string               `json:"type"`
	Reason       runner.CompactReason `json:"reason"`
	Result       *Compaction          `json:"result"`
	Aborted      bool                 `json:"aborted"`
	WillRetry    bool                 `json:"willRetry"`
	ErrorMessage string               `json:"errorMessage,omitzero"`
}

// Compaction is a summary that took the place of older messages.
type Compaction struct {
	Summary          string            `json:"summary"`
	FirstKeptEntryID string            `json:"firstKeptEntryId"`
	TokensBefore     int               `json:"tokensBefore"`
	Details          compactionDetails `json:"details"`
}

type compactionDetails struct {
	KeyFacts  []string `json:"keyFacts"`
	OpenTasks []string `json:"openTasks"`
}

type nameChanged struct {
	Type string `json:"type"` // session_info_changed
	Name string `json:"name"`
}

type levelChanged struct {
	Type  string `json:"type"` // thinking_level_changed
	Level string `json:"level"`
}

type extensionError struct {
	Type          string `json:"type"` // extension_error
	ExtensionPath string `json:"extensionPath"`
	Event         string `json:"event"`
	Error         string `json:"error"`
}
