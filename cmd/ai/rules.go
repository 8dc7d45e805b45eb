package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/holic512/plugin-ai/audit"
	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/sandbox"
)

// engine builds the policy that the settings, the person's own rule files and
// the project's file ask for.
func (a *app) engine(s *config.Settings) (*policy.Engine, error) {
	files, err := ruleFiles(filepath.Join(s.Dirs.Sloth, "ai", "rules"))
	if err != nil {
		return nil, err
	}
	providers, _ := config.ProvidersPath(a.sources(false))
	options := policy.Options{
		AllowedPrograms: s.AllowedPrograms, AllowWrite: s.AllowWrite, AllowNetwork: s.AllowNetwork, AllowSudo: s.AllowSudo,
		Home: a.home, Workspace: a.dir, SecretPaths: s.SecretPaths, RuleFiles: files,
		UserRules: userRules(s.Deny, s.Ask, s.Dirs.Settings()), SafePlugins: s.SafePlugins,
		Own: policy.OwnFiles{Settings: s.Dirs.Settings(), Held: []policy.HeldPlace{
			{Path: providers, Instead: "ai init"},
			{Path: filepath.Join(s.Dirs.Sloth, "ai", "rules")},
			{Path: s.Dirs.Registry(), Instead: "slothtool install"},
			{Path: auditFile(s.Dirs)},
		}},
	}
	if p := s.Project; p != nil {
		options.Own.Held = append(options.Own.Held, policy.HeldPlace{Path: p.Path})
		options.UserRules = append(options.UserRules, userRules(p.Deny, p.Ask, p.Path)...)
		if p.AllowedPrograms != nil {
			options.Narrowings = []policy.Narrowing{{Programs: p.AllowedPrograms, Origin: p.Path}}
		}
	}
	engine, err := policy.New(options)
	if err != nil {
		return nil, usage(err, "ai policy check FILE checks a rule file, ai config list shows the settings")
	}
	return engine, nil
}

// sandbox prepares the wall that steps run behind; nil is none.
func (a *app) sandbox(s *config.Settings, engine *policy.Engine) (*sandbox.Sandbox, error) {
	if s.Sandbox == config.SandboxOff {
		return nil, nil
	}
	box, err := sandbox.New(sandbox.Config{
		Secret: engine.SecretPlaces(), Guarded: engine.GuardedPlaces(), Home: a.home, SecretName: engine.SecretName,
	})
	if err != nil {
		return nil, usage(err, "ai config set sandbox off runs steps without it")
	}
	return box, nil
}

func userRules(deny, ask []string, origin string) []policy.UserRule {
	var rules []policy.UserRule
	for _, command := range deny {
		rules = append(rules, policy.UserRule{Command: command, Level: protocol.Block, Origin: origin})
	}
	for _, command := range ask {
		rules = append(rules, policy.UserRule{Command: command, Level: protocol.Confirm, Origin: origin})
	}
	return rules
}

// ruleFiles reads the person's own rule files, in the order of their names.
func ruleFiles(dir string) ([]policy.RuleFile, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &failure{exitFile, err, "the rules in it cannot be left out"}
	}
	var files []policy.RuleFile
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		text, err := readFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, policy.RuleFile{Origin: path, Data: text})
	}
	return files, nil
}

// auditFile is where the audit log is.
func auditFile(dirs config.Dirs) string { return filepath.Join(dirs.State, "audit.jsonl") }

// audited passes events on and writes what became of every step into the log.
// That it cannot be written is told once, and stops nothing.
func (c *conversation) audited(log *audit.Log, asker runner.Asker, events func(runner.Event)) func(runner.Event) {
	told := false
	return func(e runner.Event) {
		if e.Type == runner.AgentEnd {
			c.spent = c.spent.Add(e.Usage)
			c.tellHidden(asker)
		}
		if e.Type == runner.ToolExecutionEnd {
			err := log.Append(c.window.Mask(*e.Observation))
			if err != nil && !told {
				told = true
				asker.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: err.Error() + "; what runs is not written down"})
			}
		}
		events(e)
	}
}

// tellHidden tells how many secrets were hidden since the last time.
func (c *conversation) tellHidden(asker runner.Asker) {
	hidden := c.masker.Hidden()
	if hidden.Total() == 0 {
		return
	}
	text := fmt.Sprintf("secrets hidden: %s", hidden)
	if c.Chinese {
		text = fmt.Sprintf("已隐藏的机密：%s", hidden)
	}
	asker.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: text})
}
