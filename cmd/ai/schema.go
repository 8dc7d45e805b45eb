package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/schemas"
)

// schemaCommand is `ai schema`.
func (a *app) schemaCommand() *cobra.Command {
	var wire bool
	cmd := &cobra.Command{
		Use:     "schema [NAME]",
		Short:   "The JSON Schemas of the language and of the settings",
		Example: "  ai schema\n  ai schema reply\n  ai schema reply --wire",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(a.stdout, strings.Join(schemas.Names(), "\n"))
				return err
			}
			text, err := schemas.Source(args[0])
			if err != nil {
				return usage(err, "")
			}
			if wire {
				if args[0] != "reply" {
					return usage(fmt.Errorf("only reply has a wire form, %s has none", args[0]), "")
				}
				if text, err = schemas.Wire(schemas.OpenAIStrict); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(a.stdout, "%s\n", strings.TrimRight(string(text), "\n"))
			return err
		},
	}
	cmd.Flags().BoolVar(&wire, "wire", false, "the form that is sent to providers with strict structured output")
	return cmd
}

func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &failure{exitFile, err, ""}
	}
	return text, nil
}
