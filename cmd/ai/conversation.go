package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/holic512/plugin-ai/audit"
	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/llm/openai"
	"github.com/holic512/plugin-ai/llm/replay"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/sandbox"
	"github.com/holic512/plugin-ai/schemas"
)

// model is who is asked: a provider with all that one call to it needs.
type model struct {
	provider llm.Provider
	target   config.Target
	options  llm.Options
	dialect  schemas.Dialect
}

// Stream makes one call.
func (m *model) Stream(ctx context.Context, c llm.Context) iter.Seq[llm.Event] {
	return m.provider.Stream(ctx, m.target.Model, c, m.options)
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
	return config.Sources{Home: a.home, Getenv: a.getenv, WorkingDir: a.dir, Flags: f}
}

// model opens who is asked.
func (a *app) model(s *config.Settings) (*model, error) {
	if a.flags.replay == "" {
		if err := s.Ready(); err != nil {
			return nil, err
		}
	}
	m := &model{target: s.Target, options: llm.Options{APIKey: string(s.Target.APIKey), Temperature: s.Target.Temperature}}
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
	default:
		m.provider = openai.New(openai.Config{
			Capabilities: openai.NewFileCapabilities(s.Dirs.Cache), UserAgent: "ai/" + versionText(),
			ResponseTimeout: s.Target.Timeout,
		})
		m.dialect = schemas.OpenAIStrict
		wire, err := schemas.Wire(m.dialect, string(protocol.ToolExec))
		if err != nil {
			return nil, err
		}
		m.options.Format = &llm.AnswerFormat{Name: "reply", Schema: wire}
	}
	return m, nil
}

// conversation is a runner with all that it needs.
type conversation struct {
	*runner.Runner
	model   *model
	engine  *policy.Engine
	secrets []string // that the program itself knows
	masker  *mask.Masker
	window  *contextmgr.Manager
	record  io.Writer // calls of the model are written there; nil is nowhere
}

// mask hides secrets in what leaves the program.
func (c *conversation) mask(text string) string {
	masked, _ := c.masker.String(text)
	return masked
}

// use changes who is asked.
func (c *conversation) use(m *model) {
	c.secrets = append(c.secrets, m.options.APIKey)
	c.masker = mask.New(c.secrets...)
	if c.record != nil {
		m.provider = replay.NewRecorder(m.provider, c.record, c.mask)
	}
	c.model = m
	c.SetModel(m, m.dialect)
}

// converse builds a conversation from the settings.
func (a *app) converse(s *config.Settings, asker runner.Asker, events func(runner.Event)) (*conversation, error) {
	// Rules are read beside the model's set-up: both are waited for.
	rules := make(chan error, 1)
	c := &conversation{}
	var box *sandbox.Sandbox
	go func() {
		var err error
		if c.engine, err = a.engine(s); err == nil {
			box, err = a.sandbox(s, c.engine)
		}
		rules <- err
	}()
	m, err := a.model(s)
	if err := <-rules; err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	// The answer's schema is compiled while the server thinks.
	go func() { _, _ = schemas.Load("reply") }()
	c.model, c.secrets = m, []string{m.options.APIKey}
	c.masker = mask.New(c.secrets...)
	if c.window, err = contextmgr.New(contextmgr.Config{
		MaxBytes: s.MaxRequestBytes, Facts: a.facts(), Mask: c.mask,
	}); err != nil {
		return nil, usage(err, "ai config set maxRequestBytes 49152")
	}
	events = c.audited(audit.Open(auditFile(s.Dirs), time.Now), asker, events)
	exec, err := executors.NewExec(executors.ExecConfig{
		MaxTailBytes: s.MaxTailBytes, MaxTailLines: s.MaxTailLines,
		Timeout:  time.Duration(s.StepTimeoutSeconds) * time.Second,
		SpoolDir: filepath.Join(s.Dirs.Cache, "output"), SpoolLimit: s.SpoolLimitBytes, Sandbox: box,
	})
	if err != nil {
		return nil, err
	}
	c.Runner, err = runner.New(runner.Config{
		Model: m, Dialect: m.dialect, Judge: c.engine, Exec: exec, Asker: asker, Window: c.window, Events: events,
		Sandbox: box, SandboxRequired: s.Sandbox == config.SandboxRequired,
		Dir: a.dir, Home: a.home, Chinese: s.Speak == "zh",
		MaxSteps: s.MaxAutoStepsPerTurn, MaxRepairs: s.MaxRepairs, MaxRetries: s.MaxRetries,
	})
	return c, err
}

// facts is what the model should know of the place.
func (a *app) facts() string {
	return fmt.Sprintf("Folder: %s\nhome: %s\nSystem: %s/%s\nDate: %s", a.dir, a.home, runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly))
}
