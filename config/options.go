package config

// Options are the settings of ai.json. The schema "config" says what each is
// for and what it may be.
type Options struct {
	AllowedPrograms     []string `json:"allowedPrograms"` // nil for null: those that the policy's rules allow
	AllowNetwork        bool     `json:"allowNetwork"`
	AllowWrite          bool     `json:"allowWrite"`
	AllowSudo           bool     `json:"allowSudo"`
	DefaultMode         Mode     `json:"defaultMode"`
	DefaultProfile      string   `json:"defaultProfile"` // "" is null: llm-base's own default
	MaxAutoStepsPerTurn int      `json:"maxAutoStepsPerTurn"`
	MaxRepairs          int      `json:"maxRepairs"`
	MaxTailBytes        int      `json:"maxTailBytes"`
	MaxTailLines        int      `json:"maxTailLines"`
	StepTimeoutSeconds  int      `json:"stepTimeoutSeconds"`
	MaxRequestBytes     int      `json:"maxRequestBytes"`
	SpoolLimitBytes     int64    `json:"spoolLimitBytes"`
	MaxRetries          int      `json:"maxRetries"`
	Language            string   `json:"language"` // "en", "zh", or "" for null: the system's
}

// Mode picks one of the two models of a profile.
type Mode string

// The modes.
const (
	Low  Mode = "low"
	High Mode = "high"
)

// Defaults are the options of a user who set nothing.
func Defaults() Options {
	return Options{
		AllowNetwork:        true,
		AllowWrite:          true,
		DefaultMode:         Low,
		MaxAutoStepsPerTurn: 3,
		MaxRepairs:          2,
		MaxTailBytes:        8 << 10,
		MaxTailLines:        200,
		StepTimeoutSeconds:  120,
		MaxRequestBytes:     48 << 10,
		SpoolLimitBytes:     64 << 20,
		MaxRetries:          3,
	}
}
