package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/terminal"
)

// interact carries out `ai -i`. A question on the command line is the first
// input.
func (a *app) interact(ctx context.Context, face *terminal.Face, c *conversation, s *config.Settings, question string) {
	a.releaseSignals() // the loop has its own: Ctrl-C ends the turn, not the program
	commands := contextCommands(face, c, terminal.Language(s.Speak))
	if c.keeper != nil {
		c.greet(c.opener)
		commands = append(commands, c.sessionCommands(a.exporter(s, c.mask))...)
	}
	a.code = exitCode(face.Interactive(ctx, c, terminal.Conversation{
		First:       question,
		HistoryFile: filepath.Join(s.Dirs.State, "history"),
		Mask:        c.mask,
		Policy:      func() string { return policySummary(s) },
		Models:      &models{app: a, conversation: c, settings: s, open: func(s *config.Settings) (*model, error) { return a.model(ctx, s) }},
		Commands:    commands,
		Status:      func() string { return c.status(terminal.Language(s.Speak)) },
	}))
}

// policySummary is what /policy shows.
func policySummary(s *config.Settings) string {
	t := struct{ levels, classes, asked, refused, programs, steps, more string }{
		"L0 runs by itself, L1 asks, L2 is refused.", "Writing: %s; network: %s.", "asks", "refused",
		"allowedPrograms: %s", "Automatic steps before it asks: %d.",
		"ai policy list shows the programs, ai policy explain -- COMMAND one judgement.",
	}
	if terminal.Language(s.Speak) == terminal.Chinese {
		t.levels, t.classes, t.asked, t.refused = "L0 直接运行，L1 先询问，L2 拒绝。", "写入：%s；网络：%s。", "先询问", "拒绝"
		t.steps, t.more = "自动执行 %d 步后询问。", "ai policy list 列出程序，ai policy explain -- 命令 说明一次判断。"
	}
	word := func(allowed bool) string {
		if allowed {
			return t.asked
		}
		return t.refused
	}
	lines := []string{t.levels, fmt.Sprintf(t.classes, word(s.AllowWrite), word(s.AllowNetwork))}
	if s.AllowedPrograms != nil {
		lines = append(lines, fmt.Sprintf(t.programs, strings.Join(s.AllowedPrograms, " ")))
	}
	if s.Project != nil {
		lines = append(lines, narrowed(s.Speak, s.Project.Path))
	}
	lines = append(lines, fmt.Sprintf(t.steps, s.MaxAutoStepsPerTurn), t.more)
	return strings.Join(lines, "\n")
}

// models lets the person change who is asked.
type models struct {
	app          *app
	conversation *conversation
	settings     *config.Settings
	open         func(*config.Settings) (*model, error)
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
	// The one that the session began with can be chosen again.
	for _, name := range []string{m.settings.Target.Entry, config.Offline} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
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
	next, err := m.open(settings)
	if err != nil {
		return err
	}
	m.conversation.use(next)
	return nil
}

// narrowed says that a project's own file holds.
func narrowed(speak, path string) string {
	if terminal.Language(speak) == terminal.Chinese {
		return "项目设置 " + path + " 收紧了允许的范围"
	}
	return "the project's settings narrow what may be done: " + path
}
