package runner

import (
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// EventType names what happened.
type EventType string

// The events of one prompt, always well nested: agent_start; for every call
// of the model turn_start, the messages, the steps and turn_end; agent_end
// exactly once.
const (
	AgentStart EventType = "agent_start"
	AgentEnd   EventType = "agent_end" // End, Result fields
	TurnStart  EventType = "turn_start"
	TurnEnd    EventType = "turn_end"

	MessageStart  EventType = "message_start"  // Role, Input
	MessageUpdate EventType = "message_update" // Role, Kind, Delta or Thinking
	MessageEnd    EventType = "message_end"    // Role, Input or Reply or Violations or Error

	ToolExecutionStart  EventType = "tool_execution_start"  // ID, Step, Judgement, Change
	ToolExecutionUpdate EventType = "tool_execution_update" // ID, Chunk
	ToolExecutionEnd    EventType = "tool_execution_end"    // ID, Observation

	AutoRetryStart EventType = "auto_retry_start" // Attempt, MaxAttempts, DelayMs, Error
	AutoRetryEnd   EventType = "auto_retry_end"   // Attempt, Error where it failed

	CompactionStart EventType = "compaction_start" // Compaction.Reason
	CompactionEnd   EventType = "compaction_end"   // Compaction, Error where there is no summary, Usage

	// QueueUpdate tells what of the person's words waits. It may come at any
	// place, also between prompts.
	QueueUpdate EventType = "queue_update" // Steering, FollowUps
)

// An Event is one thing that happened in a prompt. Only the fields named at
// its type are set.
type Event struct {
	Type      EventType
	Timestamp int64 // Unix milliseconds

	Role       llm.Role      // user or assistant
	Kind       protocol.Kind // of the answer that is arriving, once it is known
	Delta      string        // more of the answer's message, already decoded
	Thinking   string        // more of what the model thinks
	Text       string        // message_end of the user: what was asked
	Input      *Input        // message_start and message_end of the user
	Steered    bool          // of the user: said while a turn was under way
	Reply      *protocol.Reply
	StepIDs    []string             // message_end of a cmd: the ids that its steps get
	Stop       llm.StopReason       // message_end with a reply: why the answer ended
	Raw        string               // the answer as it came, where it broke the language
	Notes      []string             // what was peeled off or ignored
	Violations []protocol.Violation // why the answer is refused; it is asked for again
	Usage      llm.Usage            // of this message; of the whole prompt at agent_end
	Enforced   llm.Enforcement      // how the server enforced the answer's form

	ID          string // of the step: cmd_001
	Step        *protocol.Step
	CWD         string
	Judgement   *policy.Judgement
	Change      *FileChange      // tool_execution_start of config.json_patch: what it would do
	Decision    protocol.Decider // who let the step run
	Chunk       *executors.Chunk
	Observation *protocol.Observation

	Attempt     int // of a retry, from 1
	MaxAttempts int
	DelayMs     int64
	Error       *llm.Error

	Steering, FollowUps []string // what waits, oldest first

	Compaction *Compaction // of older messages into a summary

	Result *Result // agent_end
}

// End says why a prompt ended.
type End string

// The ends of a prompt.
const (
	EndChat      End = "chat"       // the answer is there
	EndError     End = "error"      // the model said that it cannot go on
	EndInvalid   End = "invalid"    // the model's answers broke the language to the last
	EndStepLimit End = "step_limit" // the step limit was reached and nobody went on
	EndAborted   End = "aborted"    // the caller's context ended
	EndProvider  End = "provider"   // the model could not be asked
)

// A Result says how a prompt ended.
type Result struct {
	End     End
	Reply   protocol.Reply // what the person is told; made by the runner for all but EndChat and EndError
	Err     *llm.Error     // EndProvider
	Steps   int            // automatic steps carried out
	Ran     int            // steps with a process
	Refused int            // refused by the policy or for want of somebody to ask
	// NeedPerson counts those of Refused that a person could have allowed.
	NeedPerson int
	Declined   int // by the person
	Usage      llm.Usage
	Fallback   *Fallback // EndInvalid
}

// Fallback is the data of the error that ends a turn whose answers broke the
// language (plugin-ai document, section 2).
type Fallback struct {
	Result   string `json:"result"` // the raw answer
	Fallback bool   `json:"_fallback"`
	Reason   string `json:"_reason"`
}
