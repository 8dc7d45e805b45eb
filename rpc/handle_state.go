package rpc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
)

// State is what get_state gives.
type State struct {
	Model                 *Model           `json:"model"`
	ThinkingLevel         string           `json:"thinkingLevel"`
	IsStreaming           bool             `json:"isStreaming"`
	IsCompacting          bool             `json:"isCompacting"`
	SteeringMode          runner.QueueMode `json:"steeringMode"`
	FollowUpMode          runner.QueueMode `json:"followUpMode"`
	SessionFile           string           `json:"sessionFile,omitzero"`
	SessionID             string           `json:"sessionId"`
	SessionName           string           `json:"sessionName,omitzero"`
	AutoCompactionEnabled bool             `json:"autoCompactionEnabled"`
	MessageCount          int              `json:"messageCount"`
	PendingMessageCount   int              `json:"pendingMessageCount"`
}

func (s *Server) state(*command) (any, error) {
	b := s.present()
	steering, followUps := s.agent.Queued()
	st := State{
		IsStreaming: s.streaming(), IsCompacting: s.agent.State() == runner.Compacting,
		SessionFile: b.file(), SessionID: b.identity(), SessionName: b.title(),
		MessageCount: b.messages(), PendingMessageCount: len(steering) + len(followUps),
	}
	st.SteeringMode, st.FollowUpMode = s.agent.QueueModes()
	if m, ok := s.cfg.Models.Current(); ok {
		st.Model, st.ThinkingLevel = &m, s.thinking(m)
	} else {
		st.ThinkingLevel = "off"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.MessageCount += len(s.pending)
	st.AutoCompactionEnabled = s.autoComp
	return st, nil
}

// streaming tells whether a run is under way that has not told its end.
func (s *Server) streaming() bool {
	return s.agent.State() == runner.Streaming && !s.tr.over()
}

func (s *Server) setModel(c *command) (any, error) {
	m, err := s.cfg.Models.Use(s.ctx, c.Provider, c.ModelID)
	if errors.Is(err, ErrNoModel) {
		return nil, fmt.Errorf("Model not found: %s/%s", c.Provider, c.ModelID)
	}
	if err != nil {
		return nil, err
	}
	s.modelChanged(m)
	return m, nil
}

// modelChanged lets another model think as it can, and notes it.
func (s *Server) modelChanged(m Model) {
	s.cfg.Models.Think(s.thinking(m))
	s.note(false)
}

// note writes down who is asked and how hard they think. A session begins to
// say so with its first prompt.
func (s *Server) note(first bool) {
	m, _ := s.cfg.Models.Current()
	if err := s.present().asks(m, s.thinking(m), first); err != nil {
		s.cfg.Log(err.Error())
	}
}

func (s *Server) cycleModel(*command) (any, error) {
	list := s.cfg.Models.Available()
	if len(list) < 2 {
		return jsonNull, nil
	}
	now, _ := s.cfg.Models.Current()
	at := slices.IndexFunc(list, func(m Model) bool { return m.Provider == now.Provider && m.ID == now.ID })
	next := list[(at+1)%len(list)]
	m, err := s.cfg.Models.Use(s.ctx, next.Provider, next.ID)
	if err != nil {
		return nil, err
	}
	s.modelChanged(m)
	return struct {
		Model         Model  `json:"model"`
		ThinkingLevel string `json:"thinkingLevel"`
		IsScoped      bool   `json:"isScoped"`
	}{m, s.thinking(m), false}, nil
}

func (s *Server) availableModels(*command) (any, error) {
	return struct {
		Models []Model `json:"models"`
	}{orEmpty(s.cfg.Models.Available())}, nil
}

// levels are the levels of thinking, from the least.
func levels() []string { return []string{"off", "minimal", "low", "medium", "high", "xhigh"} }

// levelsOf are those that a model has.
func levelsOf(m Model) []string {
	switch {
	case !m.Reasoning:
		return levels()[:1]
	case !ThinksHarder(m.ID):
		return levels()[:5]
	}
	return levels()
}

// thinking is the level that holds for a model: the nearest that it has, not
// above the one that was asked for.
func (s *Server) thinking(m Model) string {
	s.mu.Lock()
	asked := s.level
	s.mu.Unlock()
	if asked == "" {
		asked = "medium"
	}
	have := levelsOf(m)
	return have[min(slices.Index(levels(), asked), len(have)-1)]
}

func (s *Server) setLevel(c *command) (any, error) {
	s.changeLevel(c.Level)
	return nil, nil
}

// changeLevel sets the level, and tells and notes it where it is another one.
func (s *Server) changeLevel(level string) string {
	m, _ := s.cfg.Models.Current()
	before := s.thinking(m)
	s.mu.Lock()
	s.level = level
	s.mu.Unlock()
	after := s.thinking(m)
	if after != before {
		s.cfg.Models.Think(after)
		s.note(false)
		s.tr.send(levelChanged{"thinking_level_changed", after})
	}
	return after
}

func (s *Server) cycleLevel(*command) (any, error) {
	m, ok := s.cfg.Models.Current()
	have := levelsOf(m)
	if !ok || len(have) < 2 {
		return jsonNull, nil
	}
	next := have[(slices.Index(have, s.thinking(m))+1)%len(have)]
	return struct {
		Level string `json:"level"`
	}{s.changeLevel(next)}, nil
}

func (s *Server) availableLevels(*command) (any, error) {
	m, _ := s.cfg.Models.Current()
	return struct {
		Levels []string `json:"levels"`
	}{levelsOf(m)}, nil
}

func (s *Server) setSteeringMode(c *command) (any, error) {
	s.agent.SetQueueModes(c.Mode, "")
	return nil, nil
}

func (s *Server) setFollowUpMode(c *command) (any, error) {
	s.agent.SetQueueModes("", c.Mode)
	return nil, nil
}

func (s *Server) setAutoCompaction(c *command) (any, error) {
	s.mu.Lock()
	s.autoComp = c.Enabled
	s.mu.Unlock()
	s.agent.SetAutoCompact(c.Enabled)
	return nil, nil
}

func (s *Server) setAutoRetry(c *command) (any, error) {
	s.agent.SetAutoRetry(c.Enabled)
	return nil, nil
}

func (s *Server) abortRetry(*command) (any, error) {
	s.agent.AbortRetry()
	return nil, nil
}

// Stats is what get_session_stats gives.
type Stats struct {
	SessionFile       string        `json:"sessionFile,omitzero"`
	SessionID         string        `json:"sessionId"`
	UserMessages      int           `json:"userMessages"`
	AssistantMessages int           `json:"assistantMessages"`
	ToolCalls         int           `json:"toolCalls"`
	ToolResults       int           `json:"toolResults"`
	TotalMessages     int           `json:"totalMessages"`
	Tokens            Tokens        `json:"tokens"`
	Cost              float64       `json:"cost"`
	ContextUsage      *ContextUsage `json:"contextUsage,omitzero"`
}

// Tokens are those that the model counted.
type Tokens struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Total      int `json:"total"`
}

// ContextUsage says how full the model's window is.
type ContextUsage struct {
	Tokens        *int     `json:"tokens"`
	ContextWindow int      `json:"contextWindow"`
	Percent       *float64 `json:"percent"`
}

func (s *Server) stats(*command) (any, error) {
	b := s.present()
	st := Stats{SessionFile: b.file(), SessionID: b.identity()}
	lines, err := b.context()
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		v, ok := messageOf(l)
		if !ok {
			continue
		}
		var m struct {
			Role    string `json:"role"`
			Usage   usage  `json:"usage"`
			Content any    `json:"content"`
		}
		if err := json.Unmarshal(v, &m); err != nil {
			return nil, err
		}
		st.TotalMessages++
		switch m.Role {
		case "user":
			st.UserMessages++
		case "toolResult":
			st.ToolResults++
		case "assistant":
			st.AssistantMessages++
			st.add(m.Usage)
			blocks, _ := m.Content.([]any)
			for _, b := range blocks {
				if o, ok := b.(map[string]any); ok && o["type"] == "toolCall" {
					st.ToolCalls++
				}
			}
		}
	}
	st.Tokens.Total = st.Tokens.Input + st.Tokens.Output + st.Tokens.CacheRead + st.Tokens.CacheWrite
	if m, ok := s.cfg.Models.Current(); ok && m.ContextWindow > 0 {
		st.ContextUsage = &ContextUsage{ContextWindow: m.ContextWindow}
		if n, ok := s.tr.filled(); ok {
			percent := float64(n) * 100 / float64(m.ContextWindow)
			st.ContextUsage.Tokens, st.ContextUsage.Percent = &n, &percent
		}
	}
	return st, nil
}

func (st *Stats) add(u usage) {
	st.Tokens.Input += u.Input
	st.Tokens.Output += u.Output
	st.Tokens.CacheRead += u.CacheRead
	st.Tokens.CacheWrite += u.CacheWrite
	st.Cost += u.Cost.Total
}

// filled is how many tokens the newest answer's request and answer had; not ok
// where a summary came since.
func (t *translator) filled() (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.usage
	return u.Input + u.Output + u.CacheRead + u.CacheWrite, t.fresh
}

// compact ends the run that is under way, and sums up.
func (s *Server) compact(c *command) {
	s.stop()
	do, err := s.agent.BeginCompact(s.ctx, c.CustomInstructions)
	if err != nil {
		s.reply(c, nil, err)
		return
	}
	s.work.Go(func() {
		result, err := do()
		switch {
		case errors.Is(err, runner.ErrNothingToCompact):
			err = s.nothingToCompact()
			s.tr.send(compactionStart{"compaction_start", runner.CompactManual})
			s.tr.send(compactionEnd{Type: "compaction_end", Reason: runner.CompactManual, ErrorMessage: err.Error()})
		case result.Error != nil && result.Error.Kind == llm.ErrCancelled:
			err = errors.New("Compaction cancelled")
		}
		s.reply(c, s.tr.newest(), err)
	})
}

// nothingToCompact says why, in pi's words.
func (s *Server) nothingToCompact() error {
	if lines, err := s.present().context(); err == nil && len(lines) > 0 && lines[0].Type == session.TypeCompaction {
		return errors.New("Already compacted") //nolint:staticcheck // pi's words
	}
	return errors.New("Nothing to compact (session too small)") //nolint:staticcheck // pi's words
}
