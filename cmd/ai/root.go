package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// version is stamped by a release build; others say what Go knows.
var version string

// flags are the flags of all commands.
type flags struct {
	config.Flags
	maxSteps    int
	interactive bool
	yes         bool
	json        bool
	verbose     bool
	quiet       bool
	color       bool
	noColor     bool
	showRequest bool
	record      string
	replay      string
	session     sessionFlags
	rpc         rpcFlags
}

// app is one run of the program.
type app struct {
	process
	flags flags
	home  string
	dir   string // the working folder
	keys  *config.KeyCache
	code  exitCode
	shell bool // the person has switched shell scripts on
	// running is true once the arguments were understood.
	running bool
	// codeOf gives the exit code of a prompt, as events tell it.
	codeOf func(runner.Result) int
	// shown is the face that was made last; nil is none yet.
	shown atomic.Pointer[terminal.Face]
	// releaseSignals gives the signals that end the process to somebody else.
	releaseSignals func()
}

// run does what the arguments say and gives the exit code.
func (p process) run(ctx context.Context) exitCode {
	a := &app{process: p, keys: config.NewKeyCache()}
	ctx, a.releaseSignals = signals(ctx, a.othersSignal)
	a.codeOf = func(r runner.Result) int {
		if code, ok := bySignal(ctx); ok && r.End == runner.EndAborted {
			return int(code)
		}
		return int(codeOf(r))
	}
	defer a.releaseSignals()
	ignoreClosedPipes()
	root := a.command()
	root.SetArgs(joinResume(root, p.args))
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	if err := a.place(); err != nil {
		return a.fail(err)
	}
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		if !a.running {
			err = usage(err, misused(cmd))
		}
		a.code = a.failIn(cmd, err)
	}
	if code, ok := bySignal(ctx); ok {
		return code
	}
	return a.code
}

// bySignal gives the exit code of the signal that ended the context, if one
// did.
func bySignal(ctx context.Context) (exitCode, bool) {
	var cause signalError
	ok := errors.As(context.Cause(ctx), &cause)
	return cause.code, ok
}

// place finds out where the process is.
func (a *app) place() error {
	var err error
	if a.dir, err = os.Getwd(); err != nil {
		return &failure{exitLocal, fmt.Errorf("the working folder is not there: %w", err), "change into another folder"}
	}
	// Settings are never taken from where the process happens to be.
	a.home = a.getenv("HOME")
	if a.home == "" {
		if a.home, err = os.UserHomeDir(); err != nil {
			if u, err := user.Current(); err == nil {
				a.home = u.HomeDir
			}
		}
	}
	if !filepath.IsAbs(a.home) {
		return usage(fmt.Errorf("HOME: expected the home folder's absolute path, got %q", a.home), "export HOME=/home/you")
	}
	a.home = filepath.Clean(a.home)
	return nil
}

// fail tells an error to whoever reads standard error.
func (a *app) fail(err error) exitCode {
	code, advice := codeOfError(err)
	face := a.face(languageOf(err), nil)
	defer face.Close()
	face.Fail(withoutSecrets(err.Error()), advice, int(code))
	return code
}

// withoutSecrets hides what looks like a key in a text that is made outside of a
// conversation.
func withoutSecrets(text string) string {
	masked, _ := mask.New().String(text)
	return masked
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ code exitCode }

func (e signalError) Error() string { return fmt.Sprintf("ended by a signal (%d)", e.code) }

// signals ends the context at the first SIGINT, SIGTERM or SIGHUP, and the
// process at the second, until it is released. Those that others says are meant
// for somebody else do neither.
func signals(ctx context.Context, others func(os.Signal) bool) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	got := make(chan os.Signal, 4)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		ended := false
		for {
			select {
			case s := <-got:
				if others(s) {
					continue
				}
				code := codeOfSignal(s)
				if ended {
					os.Exit(int(code))
				}
				ended = true
				cancel(signalError{code})
			case <-done:
				return
			}
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(got)
		close(done)
	})
}

// othersSignal tells whether a signal is meant for a program that has the
// terminal: an editor, or a plugin's own screen.
func (a *app) othersSignal(s os.Signal) bool {
	face := a.shown.Load()
	return s == os.Interrupt && face != nil && face.Lent()
}

func codeOfSignal(s os.Signal) exitCode {
	switch s {
	case syscall.SIGTERM:
		return exitTerminated
	case syscall.SIGHUP:
		return exitHangup
	}
	return exitInterrupted
}

// command builds the command line.
func (a *app) command() *cobra.Command {
	f := &a.flags
	root := &cobra.Command{
		Use:   "ai [flags] QUESTION…",
		Short: "Ask a model that may only answer in strict JSON, and run what it is allowed to",
		Long: `ai asks a language model. The model answers in a small JSON language; every
command that it asks for is judged: reading runs by itself, other things are
asked for, dangerous ones are refused. The answer goes to standard output,
everything else to standard error.

A first word that is the name of a command below is that command; after -- it
is the question. Text that is piped in is added to the question, or is the
question where there is none.`,
		Example: `  ai "what changed in this repository?"
  git log --oneline | ai "summarise this"
  ai -i
  ai policy explain -- git push --force`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionText(),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := exclude(cmd, [2]string{"color", "no-color"}, [2]string{"verbose", "quiet"}, [2]string{"record", "replay"}); err != nil {
				return err
			}
			a.running = true
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.rpc.mode == "rpc" {
				return a.rpc(cmd.Context(), cmd, args)
			}
			if err := f.rpc.check(cmd, false); err != nil {
				return usage(err, misused(cmd))
			}
			return a.ask(cmd.Context(), cmd, strings.Join(args, " "))
		},
	}
	root.SetVersionTemplate("ai {{.Version}}\n")
	root.SetFlagErrorFunc(badFlag)
	root.SetHelpCommand(helpCommand())
	all := root.PersistentFlags()
	all.StringVar(&f.Config, "config", "", "the file that says who is asked (default.json)")
	all.StringVar(&f.Provider, "provider", "", "who is asked: an entry of that file, openai, or offline")
	all.StringVar(&f.BaseURL, "base-url", "", "the address of an OpenAI-compatible server")
	all.StringVar(&f.Model, "model", "", "the model: an entry, entry/model, provider/id or id")
	all.StringVar(&f.Profile, "profile", "", "the profile of llm-base.json")
	all.BoolVar(&f.High, "high", false, "the stronger model of the two that a profile names")
	all.BoolVar(&f.json, "json", false, "events as JSON lines on standard error; a command prints its result as JSON")
	all.BoolVarP(&f.verbose, "verbose", "v", false, "tell more: notes, reasons, output of commands")
	all.BoolVarP(&f.quiet, "quiet", "q", false, "tell only errors, refusals and questions")
	all.BoolVar(&f.color, "color", false, "colours, whatever the output is")
	all.BoolVar(&f.noColor, "no-color", false, "no colours")

	root.AddCommand(a.chatCommand())
	own := root.Flags()
	own.BoolVarP(&f.interactive, "interactive", "i", false, "a conversation: one line after another")
	own.IntVar(&f.maxSteps, "max-steps", 0, "automatic steps before it asks (0: before each)")
	own.BoolVarP(&f.yes, "yes", "y", false, "allow what would be asked for; never what is refused")
	own.BoolVar(&f.showRequest, "show-request", false, "print what would be sent, with the size of each part, and send nothing")
	own.StringVar(&f.record, "record", "", "write all calls of the model to this `FILE`, secrets masked")
	own.StringVar(&f.replay, "replay", "", "answer from a `FILE` that --record wrote")
	own.StringVar(&f.rpc.mode, "mode", "", "rpc: another program drives the conversation, by JSON lines")
	f.session.add(root)
	f.rpc.add(root)

	root.AddCommand(a.decideCommand(), a.rpcCommand())
	root.AddCommand(a.policyCommand(), a.schemaCommand(), a.configCommand(), a.initCommand(), a.doctorCommand(),
		a.pluginsCommand(), a.undoCommand(), a.modelCommand(), a.sessionsCommand())
	return root
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// colorMode is what the flags say about colours.
func (a *app) colorMode() terminal.ColorMode {
	switch {
	case a.flags.color:
		return terminal.ColorAlways
	case a.flags.noColor:
		return terminal.ColorNever
	}
	return terminal.ColorAuto
}

// face opens the face to the person.
func (a *app) face(language terminal.Language, closed func()) *terminal.Face {
	face := terminal.New(terminal.Config{
		Streams: terminal.Streams{In: a.stdin, Out: a.stdout, Err: a.stderr, TTY: terminal.OpenTTY},
		Getenv:  a.getenv, Language: language, Color: a.colorMode(),
		Verbose: a.flags.verbose, Quiet: a.flags.quiet, JSON: a.flags.json, Yes: a.flags.yes,
		ExitCode: a.codeOf, OnOutputClosed: closed,
	})
	a.shown.Store(face)
	return face
}
