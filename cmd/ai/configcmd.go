package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// configCommand is `ai config`.
func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "What may be done and how: read and change ai.json",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "All settings, their values, and where these came from", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return a.configList() },
		},
		&cobra.Command{
			Use: "get KEY", Short: "The value of a setting", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return a.configGet(args[0]) },
		},
		&cobra.Command{
			Use: "set KEY VALUE", Short: "Change a setting; VALUE is JSON or plain text", Args: cobra.ExactArgs(2),
			Example: "  ai config set maxAutoStepsPerTurn 5\n  ai config set language zh\n  ai config set allowedPrograms '[\"ls\",\"git\"]'",
			RunE: func(cmd *cobra.Command, args []string) error {
				if err := checkCommands(args[0], args[1]); err != nil {
					return usage(fmt.Errorf("%s: %w", args[0], err), "nothing was changed")
				}
				return a.store().Set(cmd.Context(), args[0], args[1])
			},
		},
		&cobra.Command{
			Use: "unset KEY", Short: "Go back to the default of a setting", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				removed, err := a.store().Unset(cmd.Context(), args[0])
				if err == nil && !removed {
					fmt.Fprintf(a.stderr, "%s was not set\n", args[0])
				}
				return err
			},
		},
		&cobra.Command{
			Use: "path", Short: "Where the settings file is", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := fmt.Fprintln(a.stdout, a.store().Path())
				return err
			},
		},
	)
	return cmd
}

// checkCommands reads the command lines of a setting as the policy will. What is
// no JSON of that form is left to the settings to refuse.
func checkCommands(key, value string) error {
	var options policy.Options
	var lines []string
	switch key {
	case "deny", "ask":
		if err := json.Unmarshal([]byte(value), &lines); err != nil {
			lines = nil
		}
		for _, line := range lines {
			options.UserRules = append(options.UserRules, policy.UserRule{Command: line, Level: protocol.Block, Origin: "VALUE"})
		}
	case "safePlugins":
		if err := json.Unmarshal([]byte(value), &options.SafePlugins); err != nil {
			options.SafePlugins = nil
		}
	default:
		return nil
	}
	_, err := policy.New(options)
	return err
}

func (a *app) store() *config.Store {
	return config.NewStore(config.FindDirs(a.home, a.getenv).Settings())
}

func (a *app) configList() error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	items, err := settings.List()
	if err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.stdout, items)
	}
	var b strings.Builder
	for _, i := range items {
		value := plain(i.Value)
		if i.Value.Kind() == 'n' {
			value = "not set"
		}
		fmt.Fprintf(&b, "%-20s %s  (%s)\n", i.Key, value, i.Origin)
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

func (a *app) configGet(key string) error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	item, err := settings.Get(key)
	if err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.stdout, item)
	}
	_, err = fmt.Fprintln(a.stdout, plain(item.Value))
	return err
}

// plain shows a value as a person types it: a string without its quotes.
func plain(v jsontext.Value) string {
	if v.Kind() == '"' {
		if s, err := jsontext.AppendUnquote(nil, v); err == nil {
			return string(s)
		}
	}
	return string(v)
}
