package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// interact carries out `ai -i`. A question on the command line is the first
// input.
func (a *app) interact(ctx context.Context, face *terminal.Face, c *conversation, s *config.Settings, question string) {
	a.releaseSignals() // the loop has its own: Ctrl-C ends the turn, not the program
	if strings.TrimSpace(question) != "" {
		c.Prompt(ctx, runner.Input{Text: question})
	}
	a.code = exitCode(face.Interactive(ctx, c, terminal.Conversation{
		HistoryFile: filepath.Join(s.Dirs.State, "history"),
		Mask:        c.mask,
		Policy:      func() string { return policySummary(s) },
		Models:      &models{app: a, conversation: c, settings: s},
	}))
}

// policySummary is what /policy shows.
func policySummary(s *config.Settings) string {
	var b strings.Builder
	fmt.Fprintf(&b, "L0 runs by itself, L1 asks, L2 is refused.\n")
	fmt.Fprintf(&b, "writing: %s; network: %s\n", askedOrRefused(s.AllowWrite), askedOrRefused(s.AllowNetwork))
	if s.AllowedPrograms != nil {
		fmt.Fprintf(&b, "allowedPrograms: %s\n", strings.Join(s.AllowedPrograms, " "))
	}
	fmt.Fprintf(&b, "automatic steps before it asks: %d\n", s.MaxAutoStepsPerTurn)
	fmt.Fprintf(&b, "ai policy list shows the programs, ai policy explain -- COMMAND one judgement.\n")
	return b.String()
}

func askedOrRefused(allowed bool) string {
	if allowed {
		return "asked for"
	}
	return "refused"
}

// models lets the person change who is asked.
type models struct {
	app          *app
	conversation *conversation
	settings     *config.Settings
}

// Current says who is asked.
func (m *models) Current() string { return describeTarget(m.conversation.model.target) }

// Names are the models that the settings know.
func (m *models) Names() []string {
	var names []string
	for _, e := range m.settings.Providers.Entries {
		names = append(names, e.Name)
		for _, id := range e.Models {
			names = append(names, e.Name+"/"+id)
		}
	}
	if !slices.Contains(names, config.Offline) {
		names = append(names, config.Offline)
	}
	return names
}

// Use changes who is asked. A name that the settings know is an entry, any
// other a model in the forms of --model.
func (m *models) Use(name string) error {
	src := m.app.sources(false)
	src.Flags.Model, src.Flags.Provider = name, ""
	if name == config.Offline || name == config.OpenAI || name == config.LLMBase {
		src.Flags.Model, src.Flags.Provider, src.Flags.BaseURL = "", name, ""
	}
	settings, err := config.Load(src)
	if err != nil {
		return err
	}
	next, err := m.app.model(settings)
	if err != nil {
		return err
	}
	m.conversation.use(next)
	return nil
}
