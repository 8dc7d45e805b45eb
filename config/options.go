package config

// Options are the settings of ai.json. The schema "config" says what each is
// for and what it may be.
type Options struct {
	AllowedPrograms     []string            `json:"allowedPrograms"` // nil for null: those that the policy's rules allow
	AllowNetwork        bool                `json:"allowNetwork"`
	AllowWrite          bool                `json:"allowWrite"`
	AllowSudo           bool                `json:"allowSudo"`
	AllowShell          bool                `json:"allowShell"`    // scripts in `ai chat`
	Deny                []string            `json:"deny"`          // commands that are refused, as a person types their beginning
	Ask                 []string            `json:"ask"`           // commands that are asked for, in the same form
	SecretPaths         []string            `json:"secretPaths"`   // more places whose reading is asked for
	SafePlugins         map[string][]string `json:"safePlugins"`   // command lines that run unasked, by plugin alias
	EditablePaths       []string            `json:"editablePaths"` // more files that a settings change may be proposed for
	YesPaths            []string            `json:"yesPaths"`      // settings files that --yes is enough to change
	Sandbox             Sandbox             `json:"sandbox"`
	DefaultMode         Mode                `json:"defaultMode"`
	DefaultProfile      string              `json:"defaultProfile"` // "" is null: llm-base's own default
	MaxAutoStepsPerTurn int                 `json:"maxAutoStepsPerTurn"`
	MaxRepairs          int                 `json:"maxRepairs"`
	MaxTailBytes        int                 `json:"maxTailBytes"`
	MaxTailLines        int                 `json:"maxTailLines"`
	StepTimeoutSeconds  int                 `json:"stepTimeoutSeconds"`
	MaxRequestBytes     int                 `json:"maxRequestBytes"`
	MaxRecentMessages   int                 `json:"maxRecentMessages"`
	MaxRecentBytes      int                 `json:"maxRecentBytes"`
	MaxDigestBytes      int                 `json:"maxDigestBytes"`
	Compaction          Compaction          `json:"compaction"`
	SpoolLimitBytes     int64               `json:"spoolLimitBytes"`
	MaxRetries          int                 `json:"maxRetries"`
	Language            string              `json:"language"` // "en", "zh", or "" for null: the system's
	Decide              Decide              `json:"decide"`
	RPC                 RPC                 `json:"rpc"`
	Hooks               map[string]Hook     `json:"hooks"` // by what happens: session_before_switch, session_before_fork
}

// RPC are the settings of `ai --mode rpc`.
type RPC struct {
	AllowBash      bool `json:"allowBash"`
	ConfirmTimeout int  `json:"confirmTimeout"` // in seconds; 0 is none
}

// A Hook is a program of the person's that is asked before something happens.
type Hook struct {
	Program string   `json:"program"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout,omitzero"` // in seconds; 0 is 10
}

// Decide are the settings of `ai decide`, the page on which a person decides.
// A project's .aide/config.toml may say otherwise.
type Decide struct {
	Port    int    `json:"port"`    // the first that is tried, of ten
	Bind    string `json:"bind"`    // an IP address, or "localhost"
	URL     string `json:"url"`     // the link that is shown; "" is the page's own
	Timeout int    `json:"timeout"` // in seconds; 0 is none
	Token   bool   `json:"token"`   // the link holds a token also on this machine's own address
	Dir     string `json:"dir"`     // of questions and decisions, relative to the working folder
}

// Mode picks one of the two models of a profile.
type Mode string

// The modes.
const (
	Low  Mode = "low"
	High Mode = "high"
)

// Sandbox says what happens where the kernel cannot hold steps to what they
// may do.
type Sandbox string

// The sandbox settings.
const (
	SandboxAuto     Sandbox = "auto"     // used where there is one
	SandboxRequired Sandbox = "required" // nothing runs without it
	SandboxOff      Sandbox = "off"      // never used
)

// Compaction says what happens to messages that are older than a request shows.
type Compaction string

// The compaction settings.
const (
	CompactionAuto Compaction = "auto" // one more call of the model sums them up
	CompactionOff  Compaction = "off"  // they are left out, and the model is told
)

// Defaults are the options of a user who set nothing.
func Defaults() Options {
	return Options{
		AllowNetwork:        true,
		AllowWrite:          true,
		Deny:                []string{},
		Ask:                 []string{},
		SecretPaths:         []string{},
		SafePlugins:         map[string][]string{},
		EditablePaths:       []string{},
		YesPaths:            []string{},
		Sandbox:             SandboxAuto,
		DefaultMode:         Low,
		MaxAutoStepsPerTurn: 3,
		MaxRepairs:          2,
		MaxTailBytes:        8 << 10,
		MaxTailLines:        200,
		StepTimeoutSeconds:  120,
		MaxRequestBytes:     48 << 10,
		MaxRecentMessages:   10,
		MaxRecentBytes:      10_000,
		MaxDigestBytes:      2048,
		Compaction:          CompactionAuto,
		SpoolLimitBytes:     64 << 20,
		MaxRetries:          3,
		Decide:              Decide{Port: 3721, Bind: "127.0.0.1", Dir: ".aide/decisions"},
		RPC:                 RPC{AllowBash: true, ConfirmTimeout: 300},
		Hooks:               map[string]Hook{},
	}
}
