package executors

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/term"
)

// RunInteractive runs a command that gets the terminal for itself: its streams
// are the console's, and until it ends it is the one that keys such as Ctrl-C
// reach. It has no time limit; where ctx ends it is ended as in [Exec.Run].
// Nothing of what it shows is kept, so the result has no tails, no Parsed and
// no Violation. Its environment is [ExecConfig.ConsoleEnv].
//
// There is no job control: a program that is stopped, by Ctrl-Z or otherwise,
// is continued. Processes that it leaves behind are ended. At the end this
// process is in the foreground again and the streams block or not as before;
// the terminal's modes are the caller's to restore.
//
// A console whose input or output is no terminal is refused, and so is one
// that another program has in the foreground. On Windows only the program
// itself is ended, and keys reach this process as well.
func (e *Exec) RunInteractive(ctx context.Context, c Command, console Console) Result {
	start := time.Now()
	if ctx.Err() != nil {
		return notStarted(start, "cancelled before it was started")
	}
	if why := refusal(c); why != "" {
		return notStarted(start, why)
	}
	t, err := borrow(console)
	if err != nil {
		return notStarted(start, "could not be started: "+err.Error())
	}
	defer t.giveBack()
	return e.attach(ctx, c, console, t)
}

// RunAttached runs a command with the streams of a console that is no
// terminal, such as pipes and files: what it writes goes there unchanged, and
// none of it is kept. Where the input is a terminal, it has none. The rest is
// as for [Exec.RunInteractive].
func (e *Exec) RunAttached(ctx context.Context, c Command, console Console) Result {
	start := time.Now()
	if ctx.Err() != nil {
		return notStarted(start, "cancelled before it was started")
	}
	if why := refusal(c); why != "" {
		return notStarted(start, why)
	}
	if console.In != nil && term.IsTerminal(int(console.In.Fd())) {
		console.In = nil
	}
	return e.attach(ctx, c, console, nil)
}

// attach runs a command with streams of its own, and with the terminal t if
// there is one.
func (e *Exec) attach(ctx context.Context, c Command, console Console, t *terminal) Result {
	start := time.Now()
	p := &process{exited: make(chan error, 1), drained: make(chan struct{})}
	close(p.drained)
	p.group = e.host.newGroup()
	p.cmd = &exec.Cmd{
		Path:   c.Path,
		Args:   append([]string{c.Name}, c.Args...),
		Dir:    c.Dir,
		Env:    append(append(e.cfg.ConsoleEnv[:len(e.cfg.ConsoleEnv):len(e.cfg.ConsoleEnv)], c.Env...), p.group.env...),
		Stdout: console.Out,
		Stderr: console.Err,
	}
	if console.In != nil {
		p.cmd.Stdin = console.In
	}
	if t != nil {
		p.group.lend(p.cmd, t)
	} else {
		p.group.prepare(p.cmd)
	}
	profile := c.Sandbox
	if profile != nil && t != nil {
		with := *profile
		with.Terminal = t.device
		profile = &with
	}
	if err := p.launch(e.cfg.Sandbox, profile); err != nil {
		p.group.forget()
		return notStarted(start, "could not be started: "+startProblem(c, err))
	}
	p.group.started(p.cmd.Process.Pid)
	continued := func() {}
	if t != nil {
		continued = t.keepGoing(p.cmd.Process.Pid)
	}
	go func() { p.exited <- p.cmd.Wait() }()
	outcome, notes := p.wait(ctx, 0, e.cfg.Grace)
	continued()
	r := Result{Outcome: outcome, Duration: time.Since(start)}
	notes = append(notes, p.exitCode(&r)...)
	notes = append(notes, p.leaveSandbox(&r, e.cfg.Sandbox, c)...)
	r.Note = strings.Join(notes, "; ")
	return r
}
