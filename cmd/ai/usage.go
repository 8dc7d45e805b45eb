package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// misused says how a command is used that was used wrongly.
func misused(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return "ai --help says how it is used; a question that begins with - goes after --"
	}
	use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
	if cmd.HasAvailableSubCommands() {
		use += " " + strings.Join(subcommands(cmd), "|")
	}
	return fmt.Sprintf("usage: %s; a question that begins with the word %s goes after --", use, topWord(cmd))
}

func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// topWord is the first word that led to a command.
func topWord(cmd *cobra.Command) string {
	for cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd.Name()
}

// badFlag leaves out of a flag's error which function of Go found it.
func badFlag(_ *cobra.Command, err error) error {
	if text, _, found := strings.Cut(err.Error(), ": strconv."); found {
		return errors.New(text)
	}
	return err
}

// exclude fails where two of the flags were set that exclude each other.
func exclude(cmd *cobra.Command, pairs ...[2]string) error {
	for _, p := range pairs {
		if cmd.Flags().Changed(p[0]) && cmd.Flags().Changed(p[1]) {
			return fmt.Errorf("--%s and --%s exclude each other", p[0], p[1])
		}
	}
	return nil
}

// helpCommand is `ai help`. A word that is no command is a mistake: it may
// well be a question.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 || found == nil {
				return usage(fmt.Errorf("there is no command %q", strings.Join(args, " ")), misused(cmd))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
