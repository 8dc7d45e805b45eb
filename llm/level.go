package llm

// A Level is how hard a model is to think before it answers.
type Level string

// The levels, from none to the most.
const (
	LevelOff     Level = "off"
	LevelMinimal Level = "minimal"
	LevelLow     Level = "low"
	LevelMedium  Level = "medium"
	LevelHigh    Level = "high"
	LevelXHigh   Level = "xhigh"
)

// Budget is how many tokens a model may think, for wire APIs that count them;
// 0 for LevelOff, and for what is no level.
func (l Level) Budget() int {
	switch l {
	case LevelMinimal:
		return 1024
	case LevelLow:
		return 2048
	case LevelMedium:
		return 8192
	case LevelHigh, LevelXHigh:
		return 16384
	default:
		return 0
	}
}
