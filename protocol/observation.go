package protocol

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Level is a risk level (plugin-ai document, section 11.1). A higher one is
// more dangerous.
type Level int

// The risk levels.
const (
	Safe    Level = iota // L0: runs by itself
	Confirm              // L1: a person is asked
	Block                // L2: refused
)

// String gives "L0", "L1" or "L2".
func (l Level) String() string { return fmt.Sprintf("L%d", int(l)) }

// MarshalText gives the same text as String.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads "L0", "L1" or "L2".
func (l *Level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "L0":
		*l = Safe
	case "L1":
		*l = Confirm
	case "L2":
		*l = Block
	default:
		return fmt.Errorf("risk level %q is not L0, L1 or L2", text)
	}
	return nil
}

// Fact is something that a step does or may do, found by the policy.
type Fact string

// The facts.
const (
	FactWrite       Fact = "write"       // changes files
	FactNetwork     Fact = "network"     // uses the network
	FactElevated    Fact = "elevated"    // asks for more rights
	FactDestructive Fact = "destructive" // cannot be undone
	FactSecrets     Fact = "secrets"     // reads keys or credentials
	FactUnbounded   Fact = "unbounded"   // may never end or be endless
	FactCode        Fact = "code"        // runs other code
)

// Outcome says what became of a step.
type Outcome string

// The outcomes. Only the first three had a process.
const (
	Ran        Outcome = "ran"         // ended by itself, whatever its exit code
	TimedOut   Outcome = "timed_out"   // ended by the time limit
	Cancelled  Outcome = "cancelled"   // ended because the turn was cancelled
	NotStarted Outcome = "not_started" // could not be started
	Refused    Outcome = "refused"     // by the policy, or nobody could be asked
	Declined   Outcome = "declined"    // by the person
	Skipped    Outcome = "skipped"     // an earlier step did not succeed
)

// Decider says who decided about a step.
type Decider string

// The deciders.
const (
	DecidedByPolicy  Decider = "policy"  // the level alone decided
	DecidedByUser    Decider = "user"    // a person was asked
	DecidedBySession Decider = "session" // a person allowed this exact step before
	DecidedByFlag    Decider = "flag"    // --yes on the command line
	DecidedByNobody  Decider = "nobody"  // a person was needed and none was there
)

// A Verdict explains what was decided about a step, to the model as to the
// person (plugin-ai document, sections 11.3 and 14 step 3).
type Verdict struct {
	Level     Level    `json:"level"`
	Rules     []string `json:"rules"`   // the rules hit, such as "write=true" or "git.commit"
	Reasons   []string `json:"reasons"` // the same in words
	Facts     []Fact   `json:"facts"`
	DecidedBy Decider  `json:"decidedBy"`
	Sandbox   string   `json:"sandbox"` // what the kernel enforced; "none" where nothing
}

// An Observation is what the model is told about a step (plugin-ai document,
// section 10.2). It is made from what really happened and from nothing else.
type Observation struct {
	Event      string   `json:"_event"` // always "tool_result"
	Tool       string   `json:"tool"`   // "cmd" for exec, else the tool's name
	ID         string   `json:"id"`     // unique in the session: cmd_001, cmd_002 …
	CWD        string   `json:"cwd"`
	Program    *string  `json:"program"` // null where the tool has none
	Args       []string `json:"args"`
	ExitCode   *int     `json:"exitCode"` // null when nothing ran or it was killed
	DurationMs int64    `json:"durationMs"`
	StdoutTail string   `json:"stdoutTail"`
	StderrTail string   `json:"stderrTail"`
	Truncated  bool     `json:"truncated"` // true exactly when a tail left something out
	Outcome    Outcome  `json:"outcome"`
	Note       string   `json:"note,omitzero"`       // why it did not run or was ended
	OutputFile string   `json:"outputFile,omitzero"` // the whole output, where tails left something out
	Parsed     *Parsed  `json:"parsed,omitzero"`
	Verdict    *Verdict `json:"verdict,omitzero"`
}

// ParsedKind names what the program understood of an output.
type ParsedKind string

// The kinds of parsed output.
const (
	ParsedSearchMatches ParsedKind = "search_matches" // items: Match
	ParsedFileList      ParsedKind = "file_list"      // items: File
	ParsedFileSnippet   ParsedKind = "file_snippet"   // items: Snippet
	ParsedGitStatus     ParsedKind = "git_status"     // items: GitChange
	ParsedGitLog        ParsedKind = "git_log"        // items: Commit
	ParsedGitDiff       ParsedKind = "git_diff"       // items: FileDiff
	ParsedJSON          ParsedKind = "json"           // one item: the value
	ParsedPluginOutput  ParsedKind = "plugin_output"  // items: the JSON that a plugin wrote, if it did
	ParsedConfigDiff    ParsedKind = "config_diff"    // items: ConfigDiff
)

// Parsed is the output of a step as structure (plugin-ai document, section
// 10.5). Items are capped; Total is the true count.
type Parsed struct {
	Kind  ParsedKind       `json:"kind"`
	Total int              `json:"total"`
	Items []jsontext.Value `json:"items"`
}

// ConfigDiff is what a config.json_patch step did to a file.
type ConfigDiff struct {
	Path       string      `json:"path"`
	Created    bool        `json:"created"`          // the file was not there before
	Operations []Operation `json:"operations"`       // set and unset written as operations, without their values
	Omitted    int         `json:"omitted,omitzero"` // operations that are not told
	Diff       string      `json:"diff"`             // unified, three lines of context, secrets masked
	Backup     string      `json:"backup,omitzero"`  // what ai undo takes it back with; "" where nothing was written
}

// Continue is the message that follows the observations of a reply (plugin-ai
// document, section 10.3), byte for byte.
const Continue = `{"_event":"continue"}`
