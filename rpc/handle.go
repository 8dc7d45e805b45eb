package rpc

import (
	"errors"
	"fmt"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/runner"
)

// handlers are all commands of the protocol.
func handlers() map[string]handler {
	return map[string]handler{
		"prompt":                        {own: (*Server).prompt, gives: "`disposition`: `started`, `queued` or `handled`"},
		"steer":                         {do: (*Server).steer, gives: "`disposition`: `queued`"},
		"follow_up":                     {do: (*Server).followUp, gives: "`disposition`: `queued`"},
		"abort":                         {own: (*Server).abort},
		"clear_queue":                   {do: (*Server).clearQueue, gives: "`steering`, `followUp`: the texts that were dropped"},
		"get_state":                     {do: (*Server).state, gives: "State"},
		"get_messages":                  {do: (*Server).getMessages, gives: "`messages`"},
		"set_model":                     {do: (*Server).setModel, gives: "Model"},
		"cycle_model":                   {do: (*Server).cycleModel, gives: "`model` (Model), `thinkingLevel`, `isScoped`; null where there is one model only"},
		"get_available_models":          {do: (*Server).availableModels, gives: "`models` (Model)"},
		"set_thinking_level":            {do: (*Server).setLevel},
		"cycle_thinking_level":          {do: (*Server).cycleLevel, gives: "`level`; null where the model does not think"},
		"get_available_thinking_levels": {do: (*Server).availableLevels, gives: "`levels`"},
		"set_steering_mode":             {do: (*Server).setSteeringMode},
		"set_follow_up_mode":            {do: (*Server).setFollowUpMode},
		"compact":                       {own: (*Server).compact, gives: "Compaction"},
		"set_auto_compaction":           {do: (*Server).setAutoCompaction},
		"set_auto_retry":                {do: (*Server).setAutoRetry},
		"abort_retry":                   {do: (*Server).abortRetry},
		"bash":                          {own: (*Server).bash, gives: "BashResult"},
		"abort_bash":                    {do: (*Server).endBash},
		"get_session_stats":             {do: (*Server).stats, gives: "Stats"},
		"export_html":                   {do: (*Server).export, beside: true, gives: "`path`"},
		"new_session":                   {do: (*Server).newSession, gives: "`cancelled`"},
		"switch_session":                {do: (*Server).switchSession, gives: "`cancelled`"},
		"fork":                          {do: (*Server).fork, gives: "`text`, `cancelled`"},
		"clone":                         {do: (*Server).clone, gives: "`cancelled`"},
		"get_fork_messages":             {do: (*Server).forkMessages, gives: "`messages`: `entryId`, `text`"},
		"get_entries":                   {do: (*Server).entries, gives: "`entries`, `leafId`, `hasMore`"},
		"get_tree":                      {do: (*Server).tree, gives: "`tree`: `entry`, `children`, `label`; `leafId`"},
		"get_last_assistant_text":       {do: (*Server).lastText, gives: "`text`; null where there is none"},
		"set_session_name":              {do: (*Server).setName},
		"get_commands":                  {do: (*Server).listCommands, gives: "`commands` (SlashCommand)"},
	}
}

// disposition says what became of a message.
type disposition struct {
	Disposition string `json:"disposition"` // started, queued or handled
}

// errBusy is what a prompt in the middle of a run is told.
var errBusy = errors.New("Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.") //nolint:staticcheck // pi's words

// input is what a command says to the model.
func (s *Server) input(c *command) (runner.Input, error) {
	in := runner.Input{Text: c.Message}
	if s.cfg.Commands != nil {
		var err error
		if in.Text, err = s.cfg.Commands.Expand(c.Message); err != nil {
			return in, err
		}
	}
	m, ok := s.cfg.Models.Current()
	for _, i := range c.Images {
		if ok && !takesImages(m) {
			return in, fmt.Errorf("the model %s takes no images", m.ID)
		}
		in.Images = append(in.Images, llm.Image{Data: i.Data, MIMEType: i.MIMEType})
	}
	return in, nil
}

func takesImages(m Model) bool {
	for _, kind := range m.Input {
		if kind == "image" {
			return true
		}
	}
	return false
}

// prompt sends its response before the run that it begins.
func (s *Server) prompt(c *command) {
	if s.plugin(c) {
		return
	}
	in, err := s.input(c)
	if err != nil {
		s.reply(c, nil, err)
		return
	}
	run, done, err := s.begin(&in)
	switch {
	case err == nil:
		s.reply(c, disposition{"started"}, nil)
		s.work.Go(func() { s.carryOut(run, done) })
	case !errors.Is(err, runner.ErrBusy):
		s.reply(c, nil, err)
	case c.StreamingBehavior == "steer":
		s.agent.Steer(in)
		s.reply(c, disposition{"queued"}, nil)
	case c.StreamingBehavior == "followUp":
		s.agent.FollowUp(in)
		s.reply(c, disposition{"queued"}, nil)
	default:
		s.reply(c, nil, errBusy)
	}
}

// begin accepts a prompt. A run that has told its end is waited for: the client
// may know of the end before this side does.
func (s *Server) begin(in *runner.Input) (*runner.Run, chan struct{}, error) {
	if s.tr.over() || s.ending() {
		s.await()
	}
	if s.cfg.NotReady != nil {
		if err := s.cfg.NotReady(); err != nil && s.agent.State() == runner.Idle {
			return nil, nil, err
		}
	}
	if s.agent.State() == runner.Idle {
		s.note(true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in.Before = s.notes
	run, err := s.agent.Begin(s.ctx, *in)
	if err != nil {
		in.Before = nil
		return nil, nil, err
	}
	s.notes, s.aborting = nil, false
	s.tr.begins()
	s.running = make(chan struct{})
	return run, s.running, nil
}

// carryOut runs an accepted prompt to its end.
func (s *Server) carryOut(run *runner.Run, done chan struct{}) {
	defer close(done)
	result := run.Do()
	s.mu.Lock()
	pending, b := s.pending, s.book
	s.pending = nil
	s.mu.Unlock()
	if len(pending) > 0 {
		if _, err := b.append(pending...); err != nil {
			s.cfg.Log(err.Error())
		}
	}
	s.tr.send(bare{"agent_settled"})
	s.suggest(result)
}

// await waits until no run is under way.
func (s *Server) await() {
	s.mu.Lock()
	running, idle := s.running, s.agent.Idle()
	s.mu.Unlock()
	<-running
	<-idle
}

func (s *Server) queue(c *command, put func(runner.Input)) (any, error) {
	if s.cfg.Commands != nil {
		if _, _, ok := s.cfg.Commands.Plugin(c.Message); ok {
			return nil, fmt.Errorf("Extension command %q cannot be queued. Use prompt() or execute the command when not streaming.", firstWord(c.Message)) //nolint:staticcheck // pi's words
		}
	}
	in, err := s.input(c)
	if err != nil {
		return nil, err
	}
	put(in)
	return disposition{"queued"}, nil
}

func (s *Server) steer(c *command) (any, error)    { return s.queue(c, s.agent.Steer) }
func (s *Server) followUp(c *command) (any, error) { return s.queue(c, s.agent.FollowUp) }

// abort ends the run at once; its response comes when that has ended.
func (s *Server) abort(c *command) {
	ended := s.halt()
	s.work.Go(func() {
		ended()
		s.reply(c, nil, nil)
	})
}

// halt ends what is under way, and gives what waits for its end.
func (s *Server) halt() (ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aborting = true
	running, idle := s.running, s.agent.Idle()
	s.agent.Abort()
	return func() {
		<-running
		<-idle // a summary is no run
	}
}

// ending tells whether the run that is under way was ended.
func (s *Server) ending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aborting
}

// stop ends what is under way and waits for its end.
func (s *Server) stop() { s.halt()() }

func (s *Server) clearQueue(*command) (any, error) {
	steering, followUps := s.agent.ClearQueue()
	return struct {
		Steering []string `json:"steering"`
		FollowUp []string `json:"followUp"`
	}{orEmpty(steering), orEmpty(followUps)}, nil
}
