package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/audit"
	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
	"github.com/holic512/plugin-ai/llm/google"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/llm/openai"
	"github.com/holic512/plugin-ai/llm/replay"
	"github.com/holic512/plugin-ai/llm/responses"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/policy/shell"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/schemas"
	"github.com/holic512/plugin-ai/session/transcript"
	"github.com/holic512/plugin-ai/terminal"
)

// model is who is asked: a provider with all that one call to it needs.
type model struct {
	provider llm.Provider
	target   config.Target
	options  llm.Options
	dialect  schemas.Dialect
	plugins  *registry.Source // nil is none
	shell    bool             // scripts are offered
	decides  bool             // so is having the person decide
}

// Stream makes one call.
func (m *model) Stream(ctx context.Context, c llm.Context) iter.Seq[llm.Event] {
	return m.provider.Stream(ctx, m.target.Model, c, m.call())
}

// Summarize makes one call for a summary. Its form is named to every provider:
// one that enforces none can tell by it what is asked for.
func (m *model) Summarize(ctx context.Context, c llm.Context) iter.Seq[llm.Event] {
	options := m.options
	if wire, err := schemas.WireOf(m.dialect, "summary"); err == nil {
		options.Format = &llm.AnswerFormat{Name: "summary", Schema: wire}
	}
	return m.provider.Stream(ctx, m.target.Model, c, options)
}

// call gives the options of the next call. A provider that enforces a form is
// told the tools that can be asked for now.
func (m *model) call() llm.Options {
	options := m.options
	if m.dialect != schemas.OpenAIStrict || m.target.Model.API == "" {
		return options
	}
	tools := []string{string(protocol.ToolExec), string(protocol.ToolJSONPatch)}
	if m.plugins != nil {
		if installed, err := m.plugins.Current(); err == nil && len(installed.Plugins()) > 0 {
			tools = append(tools, string(protocol.ToolPluginRun))
		}
	}
	if m.decides {
		tools = append(tools, string(protocol.ToolDecide))
	}
	if m.shell {
		tools = append(tools, string(protocol.ToolBashExec))
	}
	if wire, err := schemas.Wire(m.dialect, tools...); err == nil {
		options.Format = &llm.AnswerFormat{Name: "reply", Schema: wire}
	}
	return options
}

// load reads the settings.
func (a *app) load(maxSteps bool) (*config.Settings, error) {
	src := a.sources(maxSteps)
	settings, err := config.Load(src)
	if err != nil {
		return nil, err
	}
	return settings, nil
}

func (a *app) sources(maxSteps bool) config.Sources {
	f := a.flags.Flags
	if maxSteps {
		f.MaxSteps = &a.flags.maxSteps
	}
	return config.Sources{Home: a.home, Getenv: a.getenv, WorkingDir: a.dir, Flags: f, Keys: a.keys}
}

// model opens who is asked.
func (a *app) model(ctx context.Context, s *config.Settings) (*model, error) {
	key := s.Target.APIKey
	if a.flags.replay == "" {
		err := s.Ready()
		// A program or the keyring is asked for a key only where it is sent.
		if err == nil && !a.flags.showRequest {
			key, err = s.Key(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	m := &model{target: s.Target, options: llm.Options{APIKey: string(key), Temperature: s.Target.Temperature, Level: llm.Level(s.Target.Level)}}
	switch {
	case a.flags.replay != "":
		file, err := os.Open(a.flags.replay)
		if err != nil {
			return nil, &failure{exitFile, err, "--replay takes a file that --record wrote"}
		}
		defer file.Close()
		if m.provider, err = replay.New(file); err != nil {
			return nil, &failure{exitFile, fmt.Errorf("%s: %w", a.flags.replay, err), ""}
		}
		m.dialect = schemas.OpenAIStrict // the canonical form is understood as well
	case s.Target.Model.API == offline.API:
		m.provider = offline.New(offline.Config{})
	case s.Target.Model.API == anthropic.API:
		m.provider = anthropic.New(anthropic.Config{
			Capabilities: openai.NewFileCapabilities(s.Dirs.Cache), UserAgent: "ai/" + versionText(),
			ResponseTimeout: s.Target.Timeout,
		})
		m.dialect = schemas.OpenAIStrict
	case s.Target.Model.API == google.API:
		m.provider = google.New(google.Config{
			Capabilities: openai.NewFileCapabilities(s.Dirs.Cache), UserAgent: "ai/" + versionText(),
			ResponseTimeout: s.Target.Timeout,
		})
		m.dialect = schemas.OpenAIStrict
	case s.Target.Model.API == responses.API || s.Target.Model.API == responses.AzureAPI:
		m.provider = responses.New(responses.Config{
			Azure:        s.Target.Model.API == responses.AzureAPI,
			Capabilities: openai.NewFileCapabilities(s.Dirs.Cache), UserAgent: "ai/" + versionText(),
			ResponseTimeout: s.Target.Timeout,
		})
		m.dialect = schemas.OpenAIStrict
	default:
		m.provider = openai.New(openai.Config{
			Capabilities: openai.NewFileCapabilities(s.Dirs.Cache), UserAgent: "ai/" + versionText(),
			ResponseTimeout: s.Target.Timeout,
		})
		m.dialect = schemas.OpenAIStrict
	}
	return m, nil
}

// ownParam tells whether a member of a request is the wire API's own, so that a
// person cannot set it as a parameter.
func ownParam(api, name string) bool {
	switch api {
	case anthropic.API:
		return anthropic.OwnParam(name)
	case google.API:
		return google.OwnParam(name)
	case responses.API, responses.AzureAPI:
		return responses.OwnParam(name)
	}
	return openai.OwnParam(name)
}

// conversation is a runner with all that it needs.
type conversation struct {
	*runner.Runner
	*tools
	model  *model
	masker *mask.Masker
	spent  llm.Usage // by all prompts
	window *contextmgr.Manager
	record io.Writer // calls of the model are written there; nil is nowhere

	keeper *keeper            // writes into the session; nil keeps none
	opener *opener            // of other sessions; nil where none is kept
	last   []transcript.Entry // the last turn of a session that goes on
}

// mask hides secrets in what leaves the program.
func (c *conversation) mask(text string) string {
	masked, _ := c.masker.String(text)
	return masked
}

// use changes who is asked.
func (c *conversation) use(m *model) {
	c.masker.Add(m.options.APIKey)
	if c.record != nil {
		m.provider = replay.NewRecorder(m.provider, c.record, c.mask)
	}
	if old := c.model; old != m {
		m.plugins, m.shell, m.decides = old.plugins, old.shell, old.decides
	}
	c.model = m
	c.SetModel(m, m.dialect)
	c.window.ForModel(m.target.Model.ContextWindow)
}

// converse builds a conversation from the settings.
func (a *app) converse(ctx context.Context, s *config.Settings, face *terminal.Face) (*conversation, error) {
	return a.build(s, face, face.Event, func() (*model, error) { return a.model(ctx, s) })
}

// own builds what carries out a person's own steps: no model is asked.
func (a *app) own(s *config.Settings, face *terminal.Face) (*conversation, error) {
	return a.build(s, face, func(runner.Event) {}, func() (*model, error) {
		return &model{provider: offline.New(offline.Config{})}, nil
	})
}

func (a *app) build(s *config.Settings, face *terminal.Face, events func(runner.Event), open func() (*model, error)) (*conversation, error) {
	w := wiring{asker: face.Asker(), terminal: face, events: events, open: open, masked: a.flags.json}
	if a.isTerminal() && !a.flags.json {
		w.decide = a.decider(s, func() runner.Asker { return w.asker }, true)
	}
	return a.wire(s, w)
}

// wiring is what a face of the program puts into a conversation.
type wiring struct {
	asker    runner.Asker
	terminal runner.Lender // nil is none
	events   func(runner.Event)
	masked   bool // events are for programs: no secrets in them
	open     func() (*model, error)
	// decide has the person decide; nil where there is none.
	decide func(context.Context, string, jsontext.Value) (jsontext.Value, error)
	adapt  func(*contextmgr.Config, *runner.Config) // may change what the settings say; nil does not
	grace  time.Duration                            // of a step that is to end; 0 is the usual one
}

func (a *app) wire(s *config.Settings, w wiring) (*conversation, error) {
	// Rules are read beside the model's set-up: both are waited for.
	built := make(chan error, 1)
	c := &conversation{}
	go func() {
		var err error
		c.tools, err = a.tools(s, w.grace)
		built <- err
	}()
	m, err := w.open()
	if err := <-built; err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	// The answer's schema is compiled while the server thinks; the forms of
	// secrets are read beside what follows.
	go func() { _, _ = schemas.Load("reply") }()
	m.plugins, m.shell, m.decides = c.plugins, a.shell, w.decide != nil
	c.model = m
	own, err := a.patterns(s)
	if err != nil {
		return nil, err
	}
	c.masker = mask.NewWith(own, m.options.APIKey)
	go func() { _ = c.mask("") }()
	keep := contextmgr.Config{
		MaxBytes: s.MaxRequestBytes, Facts: func() string { return a.facts(c.plugins, w.decide != nil) }, Mask: c.mask,
		MaxRecentMessages: s.MaxRecentMessages, MaxRecentBytes: s.MaxRecentBytes, MaxDigestBytes: s.MaxDigestBytes,
	}
	if w.masked {
		w.events = c.maskedEvents(w.events)
	}
	events := c.kept(c.audited(audit.Open(auditFile(s.Dirs), time.Now), w.asker, w.events))
	var script func(string, string, protocol.Requires) policy.Judgement
	if a.shell {
		script = func(script, cwd string, requires protocol.Requires) policy.Judgement {
			return shell.Judge(c.engine, script, cwd, requires)
		}
	}
	run := runner.Config{
		Model: m, Dialect: m.dialect, Judge: c.engine, Exec: c.exec, Asker: w.asker, Events: events,
		Sandbox: c.box, SandboxRequired: s.Sandbox == config.SandboxRequired,
		Plugins: c.plugins, PluginFolder: s.Dirs.Plugins(), PluginData: s.Dirs.PluginData(),
		Shell: script, Decide: w.decide, Files: c.files, YesIsEnough: a.yesIsEnough(s), Terminal: w.terminal,
		Dir: a.dir, Home: a.home, Chinese: s.Speak == "zh",
		MaxSteps: s.MaxAutoStepsPerTurn, MaxRepairs: s.MaxRepairs, MaxRetries: s.MaxRetries,
		AutoCompact: s.Compaction == config.CompactionAuto,
	}
	if w.adapt != nil {
		w.adapt(&keep, &run)
	}
	if c.window, err = contextmgr.New(keep); err != nil {
		return nil, usage(err, "ai config set maxRequestBytes 49152")
	}
	c.window.ForModel(m.target.Model.ContextWindow)
	run.Window = c.window
	c.Runner, err = runner.New(run)
	return c, err
}

// patterns reads the person's own forms of secrets; nil is none.
func (a *app) patterns(s *config.Settings) (*mask.Patterns, error) {
	path := filepath.Join(s.Dirs.Sloth, "ai", "mask.json")
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	own, err := mask.ParsePatterns(text, path)
	if err != nil {
		return nil, usage(err, "ai schema mask")
	}
	return own, nil
}

// facts is what the model should know of the place.
func (a *app) facts(plugins *registry.Source, decides bool) string {
	facts := fmt.Sprintf("Folder: %s\nhome: %s\nSystem: %s/%s\nDate: %s", a.dir, a.home, runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly))
	if installed, err := plugins.Current(); err == nil {
		if aliases := installed.Aliases(maxAliases); aliases != "" {
			facts += "\nPlugins: " + aliases
		}
	}
	if a.shell {
		facts += "\n" + shellFact
	}
	if decides {
		facts += "\n" + decideFact
	}
	return facts
}

// shellFact tells the model of scripts, where they are switched on.
const shellFact = `Also allowed here: {"tool":"bash_exec","command":"a bash script","cwd":null,"timeout_seconds":60}; every command in it is judged.`

// maxAliases is how many bytes of a request the names of plugins may take.
const maxAliases = 400
