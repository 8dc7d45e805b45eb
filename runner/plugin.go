package runner

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
)

// pluginProgram is what runs plugins.
const pluginProgram = "node"

// pluginTool carries out plugin.run steps: an installed SlothTool plugin with
// its arguments.
type pluginTool struct {
	screen string // why it opens the plugin's own screen; "" is that it does not
	plugin registry.Plugin
	judged fs.FileInfo // the plugin's program, as it was judged
}

func (p *pluginTool) judge(t *turn, s *stepRun) {
	s.judgement = policy.Judgement{Level: protocol.Confirm, Rules: []string{"plugin.run"}, Listed: true}
	installed, err := t.Plugins.Current()
	if err != nil {
		s.cannot = &cannot{protocol.NotStarted, err.Error()}
		return
	}
	plugin, ok := installed.Lookup(s.step.Plugin)
	if !ok {
		s.cannot = &cannot{protocol.NotStarted, fmt.Sprintf("no plugin is called %q; installed: %s; `slothtool list` shows them",
			s.step.Plugin, cmp.Or(installed.Aliases(400), "none"))}
		return
	}
	program, err := plugin.Program(t.PluginFolder)
	if err != nil {
		s.cannot = &cannot{protocol.NotStarted, err.Error()}
		return
	}
	p.plugin = plugin
	if p.judged, err = os.Stat(program); err != nil {
		s.cannot = &cannot{protocol.NotStarted, err.Error()}
		return
	}
	manifest := plugin.Manifest()
	p.screen = manifest.UI.Opens(s.step.Args)
	if p.screen == "" && s.step.Interactive {
		p.screen = "the model asks for the terminal on its behalf"
	}
	s.judgement = t.Judge.JudgePlugin(policy.PluginStep{
		Alias: plugin.Alias, Args: s.step.Args, CWD: s.dir, Requires: s.step.Requires,
		Bin: program, Screen: p.screen, Declared: manifest.Declared,
	})
	switch {
	case s.judgement.Path == "" && s.judgement.Level != protocol.Block:
		s.cannot = &cannot{protocol.NotStarted, reasonOf(s.judgement, "not installed")}
	case p.screen != "" && !t.screen && (t.Terminal == nil || t.own) && s.judgement.Level != protocol.Block && s.judgement.Listed:
		s.cannot = &cannot{protocol.Refused, p.screen + ", and there is no terminal to give it; give it arguments for a plain command"}
	}
}

func (p *pluginTool) question(t *turn, s *stepRun, q *Confirmation) {
	q.Bare = t.bare(s)
	q.Screen = p.screen != ""
	q.Person = q.Screen
}

// edit lets the person change the plugin's arguments, behind its alias.
func (p *pluginTool) edit(ctx context.Context, t *turn, s *stepRun) bool {
	line := protocol.FormatCommand(s.step.Plugin, s.step.Args)
	for {
		changed, err := t.Asker.Edit(ctx, "Change the command", line)
		if err != nil || changed == "" {
			return false
		}
		alias, args, err := protocol.ParseCommand(changed)
		if err != nil {
			t.Asker.Notify(Notice{Kind: NoticeError, Text: err.Error()})
			line = changed
			continue
		}
		// What the person typed is what is meant: a screen opens only where
		// the words say so.
		s.step.Plugin, s.step.Args, s.step.Interactive = alias, args, false
		return true
	}
}

// unchanged tells whether the program is still the one that was judged.
func (p *pluginTool) unchanged(t *turn, s *stepRun) bool {
	program, err := p.plugin.Program(t.PluginFolder)
	if err != nil || len(s.judgement.Args) == 0 || program != s.judgement.Args[0] {
		return false
	}
	now, err := os.Stat(program)
	return err == nil && os.SameFile(now, p.judged) && now.Size() == p.judged.Size() && now.ModTime().Equal(p.judged.ModTime())
}

func (p *pluginTool) run(ctx context.Context, t *turn, s *stepRun) bool {
	if !p.unchanged(t, s) {
		s.observe(protocol.NotStarted, "the plugin's program was changed after it was judged; ask again")
		return true
	}
	if t.PluginData != "" && s.judgement.Level != protocol.Safe {
		// Plugins make their files there, and the wall lets nobody make the
		// folder. Without it the plugin says what it misses.
		_ = os.MkdirAll(t.PluginData, 0o755)
	}
	command, ok := t.command(s, pluginProgram, s.step.Plugin)
	if !ok {
		return true
	}
	if p.screen == "" && t.console == nil {
		t.execute(ctx, s, command)
		return true
	}
	if t.bareRun {
		command.Sandbox = nil
	}
	switch {
	case t.screen:
		t.observeResult(s, t.Exec.RunInteractive(ctx, command, *t.console))
		return true
	case t.console != nil:
		t.observeResult(s, t.Exec.RunAttached(ctx, command, *t.console))
		return true
	}
	for {
		var result executors.Result
		if err := t.Terminal.Lend(func(console executors.Console) { result = t.Exec.RunInteractive(ctx, command, console) }); err != nil {
			t.result.NeedPerson++
			t.refuse(s, p.screen+": "+err.Error())
			return true
		}
		if !mayBeTheWall(command, result) || !t.unwall(ctx, s, &command, *result.ExitCode) {
			t.observeResult(s, result)
			return true
		}
	}
}

// reasonOf gives the reason of a rule, or all of them where it was not hit.
func reasonOf(j policy.Judgement, rule string) string {
	if i := slices.Index(j.Rules, rule); i >= 0 && i < len(j.Reasons) {
		return j.Reasons[i]
	}
	return reasons(j)
}

// mayBeTheWall tells whether the wall may be why a screen failed. What it
// refused is not known: nothing that a screen writes is read.
func mayBeTheWall(command executors.Command, result executors.Result) bool {
	return command.Sandbox != nil && result.ExitCode != nil && *result.ExitCode != 0
}

// unwall asks whether a screen that failed may be opened again without the
// wall.
func (t *turn) unwall(ctx context.Context, s *stepRun, command *executors.Command, code int) bool {
	if t.SandboxRequired || ctx.Err() != nil {
		return false
	}
	j := s.judgement
	j.Level = protocol.Confirm
	j.Rules = []string{"sandbox"}
	j.Reasons = []string{fmt.Sprintf("it ended with exit code %d, and the sandbox may be why; run it again without?", code)}
	choice, err := t.Asker.Confirm(ctx, Confirmation{
		ID: s.id, Step: s.step, CWD: s.dir, Judgement: j, Bare: true, Again: true, Screen: true, Person: true,
		Message: s.reply.Message, ExpectedEffect: s.reply.Cmd.ExpectedEffect,
	})
	if err != nil || ctx.Err() != nil || choice != Yes {
		return false
	}
	s.decidedBy = t.decider()
	command.Sandbox = nil
	return true
}

func (p *pluginTool) failed(o protocol.Observation) bool { return exitedBadly(o) }
