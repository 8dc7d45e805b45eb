package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/rpc"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// rpcFlags are the flags of `ai --mode rpc`, as clients of pi pass them.
type rpcFlags struct {
	mode       string
	sessionDir string
	name       string
	events     string
	dialogs    string
}

func (f *rpcFlags) add(cmd *cobra.Command) {
	own := cmd.Flags()
	own.StringVar(&f.sessionDir, "session-dir", "", "with --mode rpc: keep sessions in this `FOLDER`")
	own.StringVar(&f.name, "name", "", "with --mode rpc: the session's name")
	own.StringVar(&f.events, "rpc-events", "full", "with --mode rpc: full, or delta without the message so far")
	own.StringVar(&f.dialogs, "rpc-dialogs", "plain", "with --mode rpc: plain, or full to be asked what to do instead")
}

// check tells what is wrong with the flags; rpc is whether they are used.
func (f *rpcFlags) check(cmd *cobra.Command, rpc bool) error {
	if f.mode != "" && f.mode != "rpc" {
		return fmt.Errorf("--mode: expected rpc, got %q", f.mode)
	}
	if !rpc {
		for _, name := range []string{"session-dir", "name", "rpc-events", "rpc-dialogs"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s needs --mode rpc", name)
			}
		}
	}
	if f.events != "full" && f.events != "delta" {
		return fmt.Errorf("--rpc-events: expected full or delta, got %q", f.events)
	}
	if f.dialogs != "plain" && f.dialogs != "full" {
		return fmt.Errorf("--rpc-dialogs: expected plain or full, got %q", f.dialogs)
	}
	return nil
}

func (a *app) rpcCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rpc",
		Short: "Let another program drive a conversation: JSON lines on standard input and output",
		Long: `rpc speaks pi's RPC protocol: commands come as JSON lines on standard input,
responses and events go as JSON lines to standard output. It is the same as
ai --mode rpc. docs/rpc.md describes the protocol.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.rpc(cmd.Context(), cmd, nil) },
	}
	own := cmd.Flags()
	own.StringVar(&a.flags.session.file, "session", "", "keep the conversation in this `FILE`, and go on with what is in it")
	own.BoolVar(&a.flags.session.none, "no-session", false, "keep no session")
	own.IntVar(&a.flags.maxSteps, "max-steps", 0, "automatic steps before it asks (0: before each)")
	a.flags.rpc.add(cmd)
	return cmd
}

// rpcGrace is how long a step has to end itself when its run is ended: the
// client waits for it.
const rpcGrace = 300 * time.Millisecond

// rpc carries out `ai --mode rpc`.
func (a *app) rpc(ctx context.Context, cmd *cobra.Command, args []string) error {
	f := &a.flags.rpc
	if len(args) > 0 {
		return usage(fmt.Errorf("--mode rpc takes no question, got %q", args[0]), "the question is the message of a prompt command")
	}
	if err := errors.Join(f.check(cmd, true), exclude(cmd, [2]string{"session", "no-session"})); err != nil {
		return usage(err, misused(cmd))
	}
	settings, err := a.load(cmd.Flags().Changed("max-steps"))
	if err != nil {
		return err
	}
	if err := settings.Ready(); err != nil && !missesKey(err) {
		return err
	}
	log := func(text string) { fmt.Fprintln(a.stderr, "ai: "+text) }
	for _, w := range settings.Warnings {
		log(w)
	}
	p := &rpcModels{app: a, settings: settings}
	p.hide([]string{string(settings.Target.APIKey)})
	kept, store, err := a.rpcSession(ctx, settings, p.mask)
	if err != nil {
		return err
	}
	cfg := rpc.Config{
		In: a.stdin, Out: a.stdout, Log: log, Models: p, Session: kept, ComeBack: a.flags.Model == "" && a.flags.Provider == "", Dir: a.dir, Level: settings.Target.Level,
		NotReady: p.notReady, Mask: p.mask, Hooks: a.rpcHooks(settings),
		DialogTimeout: time.Duration(settings.RPC.ConfirmTimeout) * time.Second, FullDialogs: f.dialogs == "full", DeltaOnly: f.events == "delta",
	}
	if store != nil {
		cfg.Sessions = store
	}
	if settings.RPC.AllowBash {
		cfg.Shell = a.rpcShell(settings)
	}
	var server *rpc.Server
	cfg.Commands = a.rpcSlash(settings, func() runner.Asker { return server.UI() })
	server = rpc.New(cfg)
	c, err := a.wire(settings, wiring{
		asker: server.UI(), events: server.Event,
		decide: a.decider(settings, func() runner.Asker { return server.UI() }, false),
		open:   func() (*model, error) { return p.first(ctx) },
		adapt: func(_ *contextmgr.Config, r *runner.Config) {
			r.SteerAfter = runner.SteerAfterTurn
		},
		grace: rpcGrace,
	})
	if err != nil {
		return err
	}
	agent := runner.NewAgent(c.Runner)
	p.conversation, p.agent = c, agent
	if f.name != "" && kept != nil {
		if err := kept.SetName(ctx, p.mask(f.name)); err != nil {
			return &failure{exitFile, err, ""}
		}
	}
	return server.Serve(ctx, rpc.Parts{Agent: agent, Window: c.window, Numbered: c.Numbered, AutoCompact: settings.Compaction == config.CompactionAuto})
}

// missesKey tells whether all that is missing is a key.
func missesKey(err error) bool {
	var e *config.Error
	return errors.As(err, &e) && e.Kind == config.ErrCredentials
}

// rpcShell runs the client's own command lines: with all of the environment,
// no wall and no time limit, as in a terminal.
func (a *app) rpcShell(s *config.Settings) rpc.Shell {
	exec, err := executors.NewExec(executors.ExecConfig{
		MaxTailBytes: 50 << 10, MaxTailLines: 2000, Timeout: 1<<63 - 1, Grace: rpcGrace, Env: os.Environ(),
		SpoolDir: filepath.Join(s.Dirs.Cache, "output"), SpoolLimit: s.SpoolLimitBytes,
	})
	if err != nil {
		return nil
	}
	return func(ctx context.Context, command string) executors.Result {
		// Both streams are one, as in a terminal.
		return exec.Run(ctx, executors.Command{
			Name: "sh", Path: "/bin/sh", Dir: a.dir,
			Args: []string{"-c", `exec bash -c "$1" 2>&1`, "sh", command},
		}, nil)
	}
}

// rpcSession opens the session to begin with, and what opens others; both are
// nil where none is kept.
func (a *app) rpcSession(ctx context.Context, s *config.Settings, hide func(string) string) (*session.Session, *rpcSessions, error) {
	f := &a.flags.session
	if f.none {
		return nil, nil, nil
	}
	dir := filepath.Join(s.Dirs.State, "sessions")
	if d := a.flags.rpc.sessionDir; d != "" {
		if !filepath.IsAbs(d) {
			d = filepath.Join(a.dir, d)
		}
		dir = d
	}
	own := &rpcSessions{
		store: session.NewStore(session.Config{Dir: dir}), foreign: session.NewStore(session.Config{Dir: dir, Mask: hide}),
		app: a, settings: s, mask: hide,
	}
	var kept *session.Session
	var err error
	if f.file == "" {
		kept, err = own.store.Create(a.dir, "")
	} else {
		if path, failed := filepath.Abs(f.file); failed == nil && filepath.Ext(path) == ".jsonl" {
			made, failed := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if failed == nil {
				made.Close()
			}
			f.file = path
		}
		kept, err = own.Open(ctx, f.file)
	}
	if err != nil {
		return nil, nil, &failure{exitFile, err, ""}
	}
	return kept, own, nil
}

// rpcSessions opens sessions for a client.
type rpcSessions struct {
	store, foreign *session.Store
	app            *app
	settings       *config.Settings
	mask           func(string) string
}

func (r *rpcSessions) Create(parent string) (*session.Session, error) {
	return r.store.Create(r.app.dir, parent)
}

// Open opens a session; one that cannot be written, as pi's, is copied.
func (r *rpcSessions) Open(ctx context.Context, path string) (*session.Session, error) {
	s, err := r.store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	// A file that is none of a session's is not to be written to.
	if problems := s.Problems(); len(problems) > 0 && s.Counts() == (session.Counts{}) {
		return nil, errors.Join(fmt.Errorf("it is no session: %s", problems[0]), s.Close())
	}
	if !s.ReadOnly() {
		return s, nil
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	from, err := r.foreign.View(ctx, path)
	if err != nil {
		return nil, err
	}
	leaf, err := from.Leaf()
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	fresh, err := from.Clone(ctx, leaf)
	return fresh, errors.Join(err, from.Close())
}

func (r *rpcSessions) Export(ctx context.Context, s *session.Session, w io.Writer) error {
	e := r.app.exporter(r.settings, r.mask)
	t, err := transcript.Read(ctx, s, e.mask)
	if err != nil {
		return err
	}
	return writeHTML(w, t, e.chinese)
}

// noModel is who is asked where nobody can be; no prompt is taken then.
func noModel(t config.Target) *model {
	return &model{provider: offline.New(offline.Config{}), target: t}
}

// masker hides the keys that are known.
func masker(secrets []string) *mask.Masker { return mask.New(secrets...) }
