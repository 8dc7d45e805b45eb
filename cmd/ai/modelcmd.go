package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// modelCommand is `ai model`.
func (a *app) modelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Who can be asked: list, add and remove entries of default.json",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.modelListCommand(), a.modelConfigCommand(), a.modelDefaultCommand(), a.modelKeyCommand())
	return cmd
}

func (a *app) modelListCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "The entries of default.json, one a line; * is the default",
		Long: `list prints the configured entries: name, provider, models. With --all it also
prints the providers that can be asked and are not configured. With --json it
prints an array of {"name", "provider", "configured", "models"}.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.modelList(all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "also the providers that are not configured")
	return cmd
}

func (a *app) modelList(all bool) error {
	list, warnings, err := config.ListProviders(a.sources(false), all)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		a.tell(runner.NoticeWarning, w, nil)
	}
	if a.flags.json {
		return writeJSON(a.stdout, list)
	}
	names, providers := 0, 0
	for _, l := range list {
		names, providers = max(names, displaywidth.String(oneLine(l.Name))), max(providers, displaywidth.String(oneLine(l.Provider)))
	}
	var b strings.Builder
	for _, l := range list {
		mark := " "
		if l.Default {
			mark = "*"
		}
		line := mark + " " + padded(oneLine(l.Name), names) + "  " + padded(oneLine(l.Provider), providers)
		if all {
			state := "not configured"
			if l.Configured {
				state = "configured"
			}
			line += fmt.Sprintf("  %-14s", state)
		}
		b.WriteString(strings.TrimRight(line+"  "+oneLine(strings.Join(l.Models, ", ")), " ") + "\n")
	}
	if len(list) == 0 {
		a.tell(runner.NoticeInfo, "nothing is configured; `ai model config --add` or `ai init` changes that; --all shows who can be asked", nil)
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

// padded fills a text up to a width on the screen.
func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-displaywidth.String(s)))
}

// oneLine lets a text of a file do nothing to a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

func (a *app) modelConfigCommand() *cobra.Command {
	var add, remove bool
	var name string
	var set []string
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Add, replace or remove an entry of default.json",
		Long: `config --add writes an entry; one of the same name is replaced as a whole. A value
of --set that looks like JSON is JSON, dots in a key nest. A key (apiKey) is best
named where it is: env:NAME, cmd:PROGRAM ARGS, or keyring:NAME (see ai model key).`,
		Example: `  ai model config --add --name work --provider openai --set apiKey=env:WORK_KEY --set defaultModel=gpt-5.4-mini
  ai model config --add --name box --provider openai-compatible --set baseUrl=http://box:8000/v1 --set models='["a","b"]'
  ai model config --add --name me --provider openrouter --set apiKey='cmd:pass show openrouter'
  ai model config --delete --name box`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := exclude(cmd, [2]string{"add", "delete"}, [2]string{"delete", "set"}, [2]string{"delete", "provider"}); err != nil {
				return usage(err, misused(cmd))
			}
			for flag, key := range map[string]string{"base-url": "baseUrl", "model": "defaultModel"} {
				if cmd.Flags().Changed(flag) {
					return usage(fmt.Errorf("--%s is for one call", flag), "--set "+key+"=… writes it down")
				}
			}
			switch {
			case add:
				return a.modelAdd(cmd.Context(), name, set)
			case remove:
				return a.modelDelete(cmd.Context(), name)
			}
			return usage(errors.New("expected --add or --delete, got neither"), "ai model config --help")
		},
	}
	own := cmd.Flags()
	own.BoolVar(&add, "add", false, "add the entry, or replace the one of this name as a whole")
	own.BoolVar(&remove, "delete", false, "remove the entry")
	own.StringVar(&name, "name", "", "the entry's name")
	own.StringArrayVar(&set, "set", nil, "a `KEY=VALUE` of the entry; repeated")
	return cmd
}

func (a *app) modelAdd(ctx context.Context, name string, set []string) error {
	entry, err := config.DescribeEntry(name, a.flags.Provider, set)
	if err != nil {
		return err
	}
	path, _ := config.ProvidersPath(a.sources(false))
	replaced, err := entry.Write(ctx, path)
	if err != nil {
		return err
	}
	for _, w := range entry.Warnings {
		a.tell(runner.NoticeWarning, w, map[string]any{"name": name})
	}
	if entry.PlainKey {
		a.tell(runner.NoticeWarning, fmt.Sprintf("the key is stored as plain text in %s, which only you can read (0600); better are "+
			"--set apiKey=env:NAME, --set apiKey='cmd:PROGRAM ARGS', or `ai model key NAME` with --set apiKey=keyring:NAME", path),
			map[string]any{"name": name, "file": path})
	}
	did := "added"
	if replaced {
		did = "replaced"
	}
	a.tell(runner.NoticeInfo, fmt.Sprintf("%s: %s %s", path, name, did), map[string]any{"name": name, "file": path, "replaced": replaced})
	return nil
}

func (a *app) modelDelete(ctx context.Context, name string) error {
	path, _ := config.ProvidersPath(a.sources(false))
	wasDefault, err := config.DeleteProvider(ctx, path, name)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s: %s removed", path, name)
	if wasDefault {
		text += "; it was the default, and there is none now: `ai model default NAME` chooses one"
	}
	a.tell(runner.NoticeInfo, text, map[string]any{"name": name, "file": path, "wasDefault": wasDefault})
	return nil
}

func (a *app) modelDefaultCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "default NAME",
		Short: "Who is asked when nobody is named",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := config.ProvidersPath(a.sources(false))
			if err := config.SetDefaultProvider(cmd.Context(), path, args[0]); err != nil {
				return err
			}
			a.tell(runner.NoticeInfo, fmt.Sprintf("%s: %s is asked from now on", path, args[0]), map[string]any{"name": args[0], "file": path})
			return nil
		},
	}
}

func (a *app) modelKeyCommand() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "key NAME",
		Short: "Store a key in the system's keyring, for apiKey=keyring:NAME",
		Long: `key reads a key from the terminal, where it is not shown, or from standard input,
and stores it in the system's keyring under the service "ai".`,
		Example: "  ai model key work\n  pass show openai | ai model key work\n  ai model key --delete work",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.modelKey(cmd.Context(), args[0], remove)
		},
	}
	cmd.Flags().BoolVar(&remove, "delete", false, "remove the key from the keyring")
	return cmd
}

func (a *app) modelKey(ctx context.Context, name string, remove bool) error {
	// A key is not asked for where it cannot be stored.
	if err := config.KeyringAvailable(); err != nil {
		return err
	}
	if remove {
		if err := config.KeyringDelete(ctx, name); err != nil {
			return err
		}
		a.tell(runner.NoticeInfo, fmt.Sprintf("the keyring: %s removed", name), map[string]any{"name": name})
		return nil
	}
	key, err := a.readKey(ctx)
	if err != nil {
		return err
	}
	if err := config.KeyringSet(ctx, name, key); err != nil {
		return err
	}
	a.tell(runner.NoticeInfo, fmt.Sprintf("stored in the keyring; --set apiKey=keyring:%s uses it", name), map[string]any{"name": name})
	return nil
}

// readKey reads a key from the terminal without showing it, or from standard
// input.
func (a *app) readKey(ctx context.Context) (config.Secret, error) {
	if !a.isTerminal() {
		text, err := a.piped(ctx)
		if err != nil {
			return "", &failure{exitFile, fmt.Errorf("standard input: %w", err), ""}
		}
		return config.Secret(strings.TrimSpace(text)), nil
	}
	stop := a.leaveQuestions(ctx)
	defer stop()
	fmt.Fprint(a.stderr, "Key (it is not shown): ")
	text, err := term.ReadPassword(int(a.stdin.Fd()))
	fmt.Fprintln(a.stderr)
	if err != nil {
		return "", &failure{exitFile, fmt.Errorf("the terminal: %w", err), ""}
	}
	return config.Secret(strings.TrimSpace(string(text))), nil
}

// tell says something beside a result on standard error.
func (a *app) tell(kind runner.NoticeKind, text string, context map[string]any) {
	if a.flags.json {
		writeScripted(a.stderr, string(kind), text, context)
		return
	}
	face := a.face(terminal.English, nil)
	defer face.Close()
	face.Notify(runner.Notice{Kind: kind, Text: text})
}
