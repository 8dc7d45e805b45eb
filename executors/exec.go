package executors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

const (
	drainDelay = 200 * time.Millisecond // for output that comes after a program's end
	closeDelay = time.Second            // for what must end once all is killed
)

// ExecConfig are the limits of an [Exec]. A zero value stands for the default
// that is named.
type ExecConfig struct {
	MaxTailBytes int           // of a stream's text; 8192, from 256 to 1 MiB
	MaxTailLines int           // of a stream's text; 200
	Timeout      time.Duration // of a step; 120 s
	Grace        time.Duration // from the request to end (TERM) to the end by force (KILL); 2 s
	SpoolDir     string        // for the whole output of steps whose tails leave something out; "" keeps none
	SpoolLimit   int64         // bytes of a step's spools together; 64 MiB
	KeepSpools   int           // how many steps' spools stay in SpoolDir; 20
	Env          []string      // KEY=value; nil is ScrubbedEnv of this process's environment
	ConsoleEnv   []string      // KEY=value, of steps that get the terminal; nil is ConsoleEnv of this process's environment
	ParsedItems  int           // the most items of a parsed output; 50
	ParsedBytes  int           // the most bytes of all items together, as JSON; 6 KiB

	Sandbox *sandbox.Sandbox // for commands that have a profile; nil starts none of them
}

// An Exec runs programs. It may run several at a time.
type Exec struct {
	cfg  ExecConfig
	host *host
}

// NewExec gives an Exec with these limits; an error names the setting that
// cannot be. On Linux it makes this process the one that adopts orphans, so
// that what a step leaves behind can be found.
func NewExec(cfg ExecConfig) (*Exec, error) {
	for _, s := range []struct {
		name     string
		value    int64
		min, max int64
	}{
		{"MaxTailBytes", int64(orDefault(&cfg.MaxTailBytes, 8192)), 256, 1 << 20},
		{"MaxTailLines", int64(orDefault(&cfg.MaxTailLines, 200)), 1, 1 << 20},
		{"Timeout", int64(orDefault(&cfg.Timeout, 120*time.Second)), 1, 1<<63 - 1},
		{"Grace", int64(orDefault(&cfg.Grace, 2*time.Second)), 1, 1<<63 - 1},
		{"SpoolLimit", orDefault(&cfg.SpoolLimit, 64<<20), 1, 1<<63 - 1},
		{"KeepSpools", int64(orDefault(&cfg.KeepSpools, 20)), 1, 1 << 30},
		{"ParsedItems", int64(orDefault(&cfg.ParsedItems, 50)), 1, 1 << 20},
		{"ParsedBytes", int64(orDefault(&cfg.ParsedBytes, 6<<10)), 1, 1 << 20},
	} {
		if s.value < s.min || s.value > s.max {
			return nil, fmt.Errorf("executors: %s is %d, expected %d to %d", s.name, s.value, s.min, s.max)
		}
	}
	if cfg.Env == nil {
		cfg.Env = ScrubbedEnv(os.Environ())
	}
	if cfg.ConsoleEnv == nil {
		cfg.ConsoleEnv = ConsoleEnv(os.Environ())
	}
	return &Exec{cfg: cfg, host: newHost(append(cfg.Env[:len(cfg.Env):len(cfg.Env)], cfg.ConsoleEnv...))}, nil
}

func orDefault[T comparable](value *T, def T) T {
	var zero T
	if *value == zero {
		*value = def
	}
	return *value
}

// Run runs a command to its end and tells what happened. It never fails in
// another way than through the result.
//
// The program's end is the step's end: output that its children still write
// is taken for a moment, then they are ended. Where ctx ends or the time
// limit is reached, all processes of the step are asked to end and, after the
// grace, killed. Run returns when they are gone.
//
// output, which may be nil, gets text while it comes, at most one chunk of a
// stream per 50 ms and 8 KiB; of more, the middle is left out. It is called
// from another goroutine, one call at a time, and no call begins after Run
// has returned. A slow one does not slow the program; it can hold up the end
// of Run by one second.
func (e *Exec) Run(ctx context.Context, c Command, output func(Chunk)) Result {
	start := time.Now()
	if ctx.Err() != nil {
		return notStarted(start, "cancelled before it was started")
	}
	if why := refusal(c); why != "" {
		return notStarted(start, why)
	}
	p, err := e.start(c, output)
	if err != nil {
		return notStarted(start, "could not be started: "+startProblem(c, err))
	}
	outcome, notes := p.wait(ctx, cmp.Or(c.Timeout, e.cfg.Timeout), e.cfg.Grace)
	r := Result{Outcome: outcome, Duration: time.Since(start)}
	notes = append(notes, p.exitCode(&r)...)
	p.live.close()
	notes = append(notes, p.fill(&r, e.cfg)...)
	notes = append(notes, p.leaveSandbox(&r, e.cfg.Sandbox, c)...)
	r.Note = strings.Join(notes, "; ")
	return r
}

func notStarted(start time.Time, why string) Result {
	return Result{Outcome: protocol.NotStarted, Note: why, Stderr: why, Duration: time.Since(start)}
}

// A process is a step that runs.
type process struct {
	cmd      *exec.Cmd
	group    *group
	sandbox  *sandbox.Step // nil where there is none
	streams  [2]*capture   // stdout, stderr
	parser   parser
	plugin   bool // it is a plugin's
	live     *live
	exited   chan error    // the program's own end
	gone     bool          // it ended and was waited for
	drained  chan struct{} // closed when both streams have ended
	complete bool          // all output came
}

func (e *Exec) start(c Command, output func(Chunk)) (*process, error) {
	p := &process{exited: make(chan error, 1), drained: make(chan struct{})}
	p.group = e.host.newGroup()
	p.cmd = &exec.Cmd{
		Path: c.Path,
		Args: append([]string{c.Name}, c.Args...),
		Dir:  c.Dir,
		Env:  append(append(e.cfg.Env[:len(e.cfg.Env):len(e.cfg.Env)], c.Env...), p.group.env...),
	}
	p.group.prepare(p.cmd)
	spools := newSpools(e.cfg.SpoolDir, e.cfg.SpoolLimit, e.cfg.KeepSpools)
	var ends [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeAll(ends)
			return nil, err
		}
		ends[i] = w
		p.streams[i] = &capture{
			index: i,
			file:  r,
			ring:  ring{window: max(minWindow, 4*e.cfg.MaxTailBytes)},
			spool: spool{spools: spools, ending: name},
		}
	}
	p.cmd.Stdout, p.cmd.Stderr = ends[0], ends[1]
	if err := p.launch(e.cfg.Sandbox, c.Sandbox); err != nil {
		p.closeAll(ends)
		p.group.forget()
		return nil, err
	}
	for _, w := range ends {
		_ = w.Close()
	}
	p.group.started(p.cmd.Process.Pid)
	p.parser, p.plugin = newParser(c, e.cfg.ParsedItems, e.cfg.ParsedBytes), c.Plugin != ""
	p.live = newLive(output)
	p.streams[0].parser = p.parser
	var readers sync.WaitGroup
	for _, s := range p.streams {
		s.live = p.live
		readers.Go(s.run)
	}
	go func() {
		readers.Wait()
		close(p.drained)
	}()
	go func() { p.exited <- p.cmd.Wait() }()
	return p, nil
}

func (p *process) closeAll(ends [2]*os.File) {
	for i, s := range p.streams {
		if s != nil {
			_ = s.file.Close()
			_ = ends[i].Close()
		}
	}
}

// wait sees the step to its end and says how it ended. A timeout of 0 is none.
func (p *process) wait(ctx context.Context, timeout, grace time.Duration) (protocol.Outcome, []string) {
	var limit <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		limit = timer.C
	}
	outcome, notes := protocol.Ran, []string(nil)
	drain := drainDelay
	select {
	case <-p.exited:
		p.gone = true
	case <-ctx.Done():
		outcome, notes = protocol.Cancelled, append(notes, cancelNote(ctx))
	case <-limit:
		outcome, notes = protocol.TimedOut, append(notes, "ended by the time limit of "+timeout.String())
	}
	if outcome != protocol.Ran {
		asked := time.Now()
		p.group.terminate()
		if !p.exitsWithin(grace) {
			p.group.kill()
			if p.exitsWithin(closeDelay) {
				notes = append(notes, "it did not end when asked and was killed")
			} else {
				notes = append(notes, "it could not be killed and may still run")
			}
		}
		drain = max(0, grace-time.Since(asked))
	} else if s := signalName(p.cmd.ProcessState); s != "" {
		notes = append(notes, "ended by signal "+s)
	}
	p.complete = p.drainsWithin(ctx, drain, outcome == protocol.Ran)
	ended, left := p.group.clean()
	if outcome == protocol.Ran && ended > 0 {
		notes = append(notes, fmt.Sprintf("processes that it left behind were ended: %d", ended))
	}
	if left > 0 {
		notes = append(notes, fmt.Sprintf("processes that could not be ended: %d", left))
	}
	if !p.complete && !p.drainsWithin(context.Background(), drainDelay, false) {
		for _, s := range p.streams {
			s.interrupt()
		}
		p.drainsWithin(context.Background(), closeDelay, false)
	}
	return outcome, notes
}

func (p *process) exitsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		p.gone = true
		return true
	case <-timer.C:
		return false
	}
}

// drainsWithin waits for the end of both streams, not longer than d and, where
// heed is set, than ctx.
func (p *process) drainsWithin(ctx context.Context, d time.Duration, heed bool) bool {
	select {
	case <-p.drained:
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	var cancelled <-chan struct{}
	if heed {
		cancelled = ctx.Done()
	}
	select {
	case <-p.drained:
		return true
	case <-timer.C:
	case <-cancelled:
	}
	return false
}

func cancelNote(ctx context.Context) string {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) || cause == nil {
		return "cancelled"
	}
	return "cancelled: " + cause.Error()
}

// exitCode puts the exit code into the result, where there is one.
func (p *process) exitCode(r *Result) (notes []string) {
	switch state := p.cmd.ProcessState; {
	case !p.gone:
	case state == nil:
		return []string{"its exit code is not known: another part of this program waited for it"}
	case state.Exited():
		code := state.ExitCode()
		r.ExitCode = &code
	}
	return nil
}

// fill puts the output into the result; notes tell what went wrong with files.
func (p *process) fill(r *Result, cfg ExecConfig) (notes []string) {
	texts := [2]*string{&r.Stdout, &r.Stderr}
	for i, s := range p.streams {
		text, cut, file, note := s.finish(cfg.MaxTailLines, cfg.MaxTailBytes)
		*texts[i] = text
		r.Truncated = r.Truncated || cut
		if note != "" {
			notes = append(notes, note)
		}
		switch {
		case file == "":
		case r.OutputFile == "":
			r.OutputFile = file
		default:
			notes = append(notes, "the whole stderr is in "+file)
		}
	}
	if p.parser != nil && r.Outcome == protocol.Ran && r.ExitCode != nil && p.complete {
		r.Parsed = p.parser.end(*r.ExitCode)
	} else if p.plugin && r.Outcome == protocol.Ran && r.ExitCode != nil {
		r.Parsed = noPluginOutput() // not all of it came
	}
	return notes
}
