package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// pluginsCommand is `ai plugins`.
func (a *app) pluginsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plugins",
		Short:   "The SlothTool plugins that the model may ask for",
		Example: "  ai plugins\n  ai plugins --json\n  ai plugins run loc ./src",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.listPlugins() },
	}
	run := &cobra.Command{
		Use:   "run ALIAS [ARGS…]",
		Short: "Run a plugin by hand, judged and walled in as the model's runs are",
		Long: `run starts a plugin as the model's plugin.run steps do: found in SlothTool's
registry, judged by the policy, behind the kernel sandbox. That you typed it is
the confirmation; what the policy refuses stays refused. The plugin has your
terminal, and its exit code is the command's own. With --json before ALIAS its
output is captured, and what the model would be told is printed.`,
		Example: "  ai plugins run loc ./src\n  ai plugins run --json todo list --json",
		Args:    cobra.MinimumNArgs(1),
	}
	bare := false
	run.RunE = func(cmd *cobra.Command, args []string) error {
		return a.runPlugin(cmd.Context(), args[0], args[1:], bare)
	}
	run.Flags().SetInterspersed(false)
	run.Flags().BoolVar(&bare, "no-sandbox", false, "without the sandbox (unless the settings require it)")
	cmd.AddCommand(run)
	return cmd
}

// pluginLine is what is told of a plugin.
type pluginLine struct {
	Alias       string `json:"alias"`
	Package     string `json:"package"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
	Interactive bool   `json:"interactive"`
	LastRunAt   string `json:"lastRunAt,omitempty"`
	Program     string `json:"program,omitempty"`
	Problem     string `json:"problem,omitempty"`
}

func (a *app) listPlugins() error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	installed, err := registry.Load(settings.Dirs.Registry())
	if err != nil {
		return &failure{exitFile, err, ""}
	}
	lines := []pluginLine{}
	for _, p := range installed.Plugins() {
		manifest := p.Manifest()
		line := pluginLine{
			Alias: p.Alias, Package: p.PackageName, Version: p.Version, Description: manifest.Description,
			Interactive: manifest.UI.TUI, LastRunAt: p.LastRunAt,
		}
		if line.Program, err = p.Program(settings.Dirs.Plugins()); err != nil {
			line.Problem = err.Error()
		} else if manifest.Problem != nil {
			line.Problem = manifest.Problem.Error()
		}
		lines = append(lines, line)
	}
	if a.flags.json {
		return writeJSON(a.stdout, lines)
	}
	if len(lines) == 0 {
		_, err := fmt.Fprintf(a.stdout, "no plugins are installed (%s)\n", settings.Dirs.Registry())
		return err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ALIAS\tPACKAGE\tVERSION\tSCREEN\tLAST RUN")
	for _, l := range lines {
		screen, last := "no", "never"
		if l.Interactive {
			screen = "yes"
		}
		if at, err := time.Parse(time.RFC3339, l.LastRunAt); err == nil {
			last = at.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", visible(l.Alias), visible(l.Package), visible(l.Version), screen, last)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := io.WriteString(a.stdout, b.String()); err != nil {
		return err
	}
	for _, l := range lines {
		if l.Problem != "" {
			fmt.Fprintln(a.stderr, visible(l.Problem))
		}
	}
	return nil
}

// runPlugin carries out `ai plugins run`.
func (a *app) runPlugin(ctx context.Context, alias string, args []string, bare bool) error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	face := a.face(terminal.Language(settings.Speak), nil)
	defer face.Close()
	c, err := a.own(settings, face)
	if err != nil {
		return err
	}
	var console *executors.Console
	screen := false
	if !a.flags.json {
		screen = a.isTerminal() && term.IsTerminal(int(a.stdout.Fd()))
		console = &executors.Console{In: a.stdin, Out: a.stdout, Err: a.stderr}
	}
	o := c.Run(ctx, runner.Own{
		Step:    protocol.Step{Tool: protocol.ToolPluginRun, Plugin: alias, Args: args},
		Console: console, Screen: screen, Bare: bare,
	})
	if a.flags.json {
		if err := writeJSON(a.stdout, o); err != nil {
			return err
		}
	}
	switch {
	case o.Outcome == protocol.Ran && o.ExitCode != nil:
		if walled := o.Verdict.Sandbox != "none"; *o.ExitCode != 0 && walled && !a.flags.json && !a.flags.quiet {
			fmt.Fprintln(a.stderr, "it ran behind the sandbox, which may be why; ai plugins run --no-sandbox runs it without")
		}
		a.code = exitCode(*o.ExitCode) // the plugin's own
		return nil
	case o.Outcome == protocol.Refused:
		return &failure{exitPerson, errors.New(o.Note), ""}
	case o.Outcome == protocol.Cancelled:
		return &failure{exitInterrupted, errors.New(o.Note), ""}
	}
	return &failure{exitLocal, errors.New(o.Note), ""}
}

// visible shows a name or path such that nothing in it hides.
func visible(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || r == unicode.ReplacementChar }) {
		return protocol.FormatCommand(s, nil)
	}
	return s
}
