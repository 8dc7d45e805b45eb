package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/decide"
)

// decideCommand is `ai decide`. Its texts, and what goes to which stream, are
// those of the decide document; it knows the exit codes 0 and 1 only, and those
// of signals.
func (a *app) decideCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "decide {submit,result}",
		Short: "Let a person decide open questions on a web page",
		Long: `decide submit takes open questions as JSON, shows them on a page on this
machine and waits until a person has decided. decide result prints the
decisions as JSON. The questions and all decisions are kept in the project, in
.aide/decisions. "ai schema decide_input" says what the JSON may hold.`,
		Example: `  ai decide submit '{"task":"…","source":"task.md","items":[…]}'
  ai decide submit questions.json
  ai decide result`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.decideFace().Usage()
				return nil
			}
			a.decideFace().Misused(args[0])
			a.code = exitUsage
			return nil
		},
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "submit JSON", Short: "Hand over questions, show the page, wait for the decisions", Args: cobra.ArbitraryArgs,
			Long: `submit takes the questions as JSON text, from a file, or with - from standard
input.`,
			RunE: func(cmd *cobra.Command, args []string) error {
				a.decideSubmit(cmd.Context(), args)
				return nil
			},
		},
		&cobra.Command{
			Use: "result", Short: "Print the decisions on the last questions as JSON", Args: cobra.ArbitraryArgs,
			RunE: func(_ *cobra.Command, args []string) error {
				a.decideResult(args)
				return nil
			},
		},
	)
	return cmd
}

func (a *app) decideSubmit(ctx context.Context, args []string) {
	face := a.decideFace()
	a.code = exitUsage
	if len(args) != 1 {
		face.Misused("submit")
		return
	}
	settings, err := a.decideSettings()
	if err != nil {
		face.Fail(err)
		return
	}
	if ok, interrupted := face.Submit(ctx, settings, args[0]); interrupted {
		a.code = exitInterrupted
	} else if ok {
		a.code = exitOK
	}
}

func (a *app) decideResult(args []string) {
	face := a.decideFace()
	a.code = exitUsage
	if len(args) > 0 {
		face.Misused("result")
		return
	}
	settings, err := a.decideSettings()
	if err != nil {
		face.Fail(err)
		return
	}
	if face.Result(settings) {
		a.code = exitOK
	}
}

// decideFace speaks the document's Chinese, and English only where a variable
// asks for it.
func (a *app) decideFace() decide.Face {
	language, _ := config.Language(a.getenv, "zh", config.FromDefault)
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(os.Args[0])), ".exe")
	if name != "aide" {
		name = "ai"
	}
	return decide.Face{Out: a.stdout, Err: a.stderr, In: a.stdin, Language: decide.Language(language),
		Program: name + " decide", Project: a.dir, Now: time.Now}
}

func (a *app) decideSettings() (decide.Settings, error) {
	s, err := a.load(false)
	if err != nil {
		return decide.Settings{}, err
	}
	d := s.Decide
	return decide.Settings{Port: d.Port, Bind: d.Bind, URL: d.URL, Token: d.Token, Dir: d.Dir,
		Timeout: time.Duration(d.Timeout) * time.Second}, nil
}
