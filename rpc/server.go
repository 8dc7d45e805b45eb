package rpc

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
)

// Models are the models that a client may choose from.
type Models interface {
	// Current is who is asked; it is not ok where nobody can be.
	Current() (Model, bool)
	// Available are those that are set up, in their order.
	Available() []Model
	// Use asks another from the next call on.
	Use(ctx context.Context, provider, id string) (Model, error)
	// Think lets the model think at a level from the next call on.
	Think(level string)
}

// ErrNoModel says that no model of that name is set up.
var ErrNoModel = errors.New("no such model")

// Sessions opens the files that conversations are kept in.
type Sessions interface {
	// Create begins a session; parent is the path of the one before it, or "".
	Create(parent string) (*session.Session, error)
	// Open opens one to go on with. A session that cannot be written is copied.
	Open(ctx context.Context, path string) (*session.Session, error)
	// Export writes a session as an HTML page.
	Export(ctx context.Context, s *session.Session, w io.Writer) error
}

// A Shell runs a command line of the client's own to its end.
type Shell func(ctx context.Context, command string) executors.Result

// Config is what a [Server] works with.
type Config struct {
	In  io.Reader
	Out io.Writer
	// Log takes what is meant for people who look for a fault.
	Log func(string)

	Models   Models
	Sessions Sessions // nil keeps conversations in memory only
	Session  *session.Session
	ComeBack bool   // the session's own model and level are used
	Shell    Shell  // nil refuses the command bash
	Dir      string // the working folder
	Level    string // the level of thinking to begin with; "" is medium
	// NotReady tells why no prompt can be taken; nil is that one can.
	NotReady func() error
	Mask     func(string) string // hides secrets in what is kept
	// Commands are what may follow a slash; nil is nothing.
	Commands Commands
	// Hooks asks the person's programs whether a session may be left; nil
	// always may be.
	Hooks Hooks

	DialogTimeout time.Duration // 0 is none
	FullDialogs   bool          // a no to a step is followed by what to do instead
	DeltaOnly     bool          // updates have the delta only
	Now           func() time.Time
}

// Hooks are programs of the person's that are asked before a session is left.
type Hooks func(ctx context.Context, event string, data map[string]any) (cancel bool, path string, err error)

// A Server drives one agent for one client.
type Server struct {
	cfg      Config
	out      *lineWriter
	ui       *UI
	tr       *translator
	commands *commands
	table    map[string]handler
	agent    *runner.Agent
	window   *contextmgr.Manager
	numbered func(int)

	ctx    context.Context // of Serve, for what goes on beside it
	cancel context.CancelFunc
	work   sync.WaitGroup // what goes on beside the reader

	mu        sync.Mutex
	book      *book
	running   chan struct{} // closed when no run is under way
	aborting  bool          // the run that is under way was ended
	level     string
	autoComp  bool
	notes     []string // what the next prompt tells the model first
	pending   []session.Draft
	bashes    map[int]context.CancelFunc
	bashCount int
}

// New makes a server. Its Event and UI go into the runner; then Serve begins.
func New(cfg Config) *Server {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	if cfg.Mask == nil {
		cfg.Mask = func(s string) string { return s }
	}
	s := &Server{cfg: cfg, level: cfg.Level, bashes: map[int]context.CancelFunc{}, autoComp: true}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.running = make(chan struct{})
	close(s.running)
	s.out = &lineWriter{out: cfg.Out, failed: s.cancel}
	s.ui = newUI(s.out, cfg.DialogTimeout, cfg.FullDialogs)
	s.tr = &translator{
		out: s.out, delta: cfg.DeltaOnly, mask: cfg.Mask, now: cfg.Now, stepOut: map[string]*partial{},
		model: func() Model { m, _ := cfg.Models.Current(); return m },
		warn:  func(text string) { s.ui.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: text}) },
		step:  func(_, text string) { s.ui.status(text) },
	}
	s.table = handlers()
	names := make([]string, 0, len(s.table))
	for name := range s.table {
		names = append(names, name)
	}
	s.commands = newCommands(names)
	return s
}

// UI is what the runner asks.
func (s *Server) UI() *UI { return s.ui }

// Event takes the runner's events.
func (s *Server) Event(e runner.Event) { s.tr.event(e) }

// Parts are what a server drives.
type Parts struct {
	Agent    *runner.Agent
	Window   *contextmgr.Manager // of the same runner
	Numbered func(steps int)     // of the same runner
	// AutoCompact is whether older messages are summed up by itself.
	AutoCompact bool
}

// endTime is how long the end of the input waits for what is under way.
const endTime = 5 * time.Second

// Serve reads commands until the input ends, ctx ends or the client is gone.
// Then it ends what is under way. The error is why the input could not be read.
func (s *Server) Serve(ctx context.Context, parts Parts) error {
	s.agent, s.window, s.numbered, s.autoComp = parts.Agent, parts.Window, parts.Numbered, parts.AutoCompact
	s.ui.say = func(text string) { s.agent.Steer(runner.Input{Text: text}) }
	first := newMemory("")
	if s.cfg.Session != nil {
		first = newBook(s.cfg.Session)
	}
	if err := s.take(first); err != nil {
		return err
	}
	if s.cfg.ComeBack && s.cfg.Session != nil {
		s.comeBack(s.cfg.Session)
	}
	if m, ok := s.cfg.Models.Current(); ok {
		s.cfg.Models.Think(s.thinking(m))
	}
	stop := context.AfterFunc(ctx, s.cancel)
	defer stop()
	over, failure := make(chan struct{}), make(chan error, 1)
	s.work.Go(func() { failure <- s.read(over) })
	var err error
	select {
	case err = <-failure:
	case <-s.ctx.Done():
	case <-over:
		// What was read is still carried out, unless the client reads nothing.
		timer := time.NewTimer(endTime)
		defer timer.Stop()
		select {
		case err = <-failure:
		case <-s.ctx.Done():
		case <-timer.C:
		}
	}
	limit := endTime
	if ctx.Err() != nil {
		limit = 700 * time.Millisecond // the process is to end within a second
	}
	s.finish(limit)
	return err
}

// read carries commands out as they come. over is closed at the end of the
// input, which may be before all of it was carried out.
func (s *Server) read(over chan<- struct{}) error {
	type input struct {
		line []byte
		err  error
	}
	lines := make(chan input)
	go func() {
		defer close(lines)
		in := newLineReader(s.cfg.In, MaxLine)
		for {
			line, err := in.next()
			if err != nil && !errors.Is(err, errLineTooLong) {
				close(over)
			}
			select {
			case lines <- input{line, err}:
			case <-s.ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errLineTooLong) {
				return
			}
		}
	}()
	for {
		select {
		case <-s.ctx.Done():
			return nil
		case in, ok := <-lines:
			switch {
			case !ok || errors.Is(in.err, io.EOF):
				return nil
			case errors.Is(in.err, errLineTooLong):
				s.refuse(&commandError{nil, "parse", "Failed to parse command: " + in.err.Error()})
			case in.err != nil:
				return in.err
			default:
				s.command(in.line)
			}
		}
	}
}

// finish ends everything, and waits for it no longer than limit.
func (s *Server) finish(limit time.Duration) {
	s.ui.close()
	s.abortBash()
	s.agent.Abort()
	s.cancel()
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.book.close(); err != nil {
			s.cfg.Log(err.Error())
		}
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// A handler carries out one command. It gives the response's data, nil for
// none.
type handler struct {
	do func(s *Server, c *command) (any, error)
	// beside runs it beside the reader, because it may take long.
	beside bool
	// own tells that it sends its response itself.
	own func(s *Server, c *command)
	// gives is the response's data, for the documentation; "" is none.
	gives string
}

// command carries one line out.
func (s *Server) command(line []byte) {
	c, err := s.commands.parse(line)
	var bad *commandError
	if errors.As(err, &bad) {
		s.refuse(bad)
		return
	}
	if c.Type == "extension_ui_response" {
		s.ui.answer(c.Name, c.raw)
		return
	}
	h := s.table[c.Type]
	switch {
	case h.own != nil:
		h.own(s, c)
	case h.beside:
		s.work.Go(func() { s.respond(c, h) })
	default:
		s.respond(c, h)
	}
}

func (s *Server) respond(c *command, h handler) {
	data, err := h.do(s, c)
	s.reply(c, data, err)
}

// reply sends the response to a command.
func (s *Server) reply(c *command, data any, err error) {
	if err != nil {
		s.refuse(&commandError{c.ID, c.Type, err.Error()})
		return
	}
	var value jsontext.Value
	switch d := data.(type) {
	case nil:
	case jsontext.Value:
		value = d
	default:
		value = encode(d)
	}
	s.out.line(func(dst []byte) []byte {
		dst = append(responseHead(dst, c.ID, c.Type), `,"success":true`...)
		if value != nil {
			dst = append(append(dst, `,"data":`...), value...)
		}
		return append(dst, '}')
	})
}

func (s *Server) refuse(e *commandError) {
	s.out.line(func(dst []byte) []byte {
		dst = append(responseHead(dst, e.id, e.command), `,"success":false,"error":`...)
		return append(append(dst, encode(e.text)...), '}')
	})
}

func responseHead(dst []byte, id jsontext.Value, name string) []byte {
	dst = append(dst, '{')
	if id != nil {
		dst = append(append(append(dst, `"id":`...), id...), ',')
	}
	dst = append(dst, `"type":"response","command":`...)
	return append(dst, encode(name)...)
}

// take goes on with a book, which takes the place of the present one.
func (s *Server) take(b *book) error {
	lines, err := b.context()
	if err != nil {
		return err
	}
	r := restore(lines)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent.Change(func(*runner.Runner) { s.window.Restore(r.summary, r.entries) })
	s.numbered(r.steps)
	s.book, s.notes, s.pending = b, nil, nil
	s.tr.use(b, r.asked)
	return nil
}

// present is the book that is in use.
func (s *Server) present() *book {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book
}

// Commands are what a client may call by a slash.
type Commands interface {
	// List names them all.
	List() []SlashCommand
	// Expand gives the text that a template or skill stands for; text that is
	// none stays as it is.
	Expand(text string) (string, error)
	// Plugin finds the step that text asks for; it is not ok where the text
	// names no plugin.
	Plugin(text string) (step protocol.Step, path string, ok bool)
	// Run carries such a step out.
	Run(ctx context.Context, step protocol.Step) protocol.Observation
}

// SlashCommand is what may follow a slash in a prompt.
type SlashCommand struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Source      string `json:"source"`            // extension, prompt or skill
	Location    string `json:"location,omitzero"` // user or project; not of extensions
	Path        string `json:"path,omitzero"`
}
