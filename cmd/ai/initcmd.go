package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"unicode"

	"github.com/AlecAivazis/survey/v2"
	surveyterminal "github.com/AlecAivazis/survey/v2/terminal"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/terminal"
)

// setup is what `ai init` finds out.
type setup struct {
	name, baseURL, model, keyEnv string
}

// initCommand is `ai init`.
func (a *app) initCommand() *cobra.Command {
	var s setup
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Say who is asked: a few questions, written to default.json",
		Long: `init asks which server answers, at which address, with which model, and which
environment variable holds the key, and writes that to default.json. The key
itself is not written. With --name, nothing is asked: the flags say it all.`,
		Example: "  ai init\n  ai init --name local --base-url http://127.0.0.1:11434/v1 --model llama3.2",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.baseURL, s.model = a.flags.BaseURL, a.flags.Model
			if s.name == "" {
				stop := a.leaveQuestions(cmd.Context())
				err := a.askSetup(&s)
				stop()
				if err != nil {
					return err
				}
			}
			return a.writeSetup(cmd, s)
		},
	}
	cmd.Flags().StringVar(&s.name, "name", "", "the entry's name; asks nothing")
	cmd.Flags().StringVar(&s.keyEnv, "key-env", "", "the environment variable that holds the key")
	return cmd
}

// openAIKey is the variable that OpenAI's own tools read.
const openAIKey = "OPENAI_API_KEY"

// presets are the servers that most people mean.
func presets() []setup {
	var list []setup
	for _, p := range config.KnownProviders() {
		if p.BaseURL == "" {
			continue
		}
		s := setup{name: p.Name, baseURL: p.BaseURL, keyEnv: p.KeyEnv}
		if len(p.Models) > 0 {
			s.model = p.Models[0]
		}
		list = append(list, s)
	}
	return append(list, setup{name: "other", keyEnv: openAIKey})
}

// leaveQuestions ends the process at a signal while questions are asked: they
// read the terminal and cannot be called back. The terminal is put right first.
func (a *app) leaveQuestions(ctx context.Context) (stop func() bool) {
	tty, err := terminal.OpenTTY()
	if err != nil {
		tty = a.stdin
	}
	state, err := term.GetState(int(tty.Fd()))
	return context.AfterFunc(ctx, func() {
		fmt.Fprint(a.stderr, showCursor+"\r\n")
		// A question that is just being opened must not change the terminal
		// after it was put right.
		if tty != a.stdin {
			a.stdin.Close()
		}
		if err == nil {
			_ = term.Restore(int(tty.Fd()), state)
		}
		var cause signalError
		errors.As(context.Cause(ctx), &cause)
		os.Exit(int(cause.code))
	})
}

// showCursor undoes what a list of choices does to the terminal.
const showCursor = "\x1b[?25h"

// noKey is the answer for a server that needs no key.
const noKey = "none"

func (a *app) askSetup(s *setup) error {
	if !a.isTerminal() {
		return usage(errors.New("ai init asks questions, and standard input is no terminal"),
			"ai init --name NAME --base-url URL --model ID [--key-env VARIABLE] asks nothing")
	}
	stdio := survey.WithStdio(a.stdin, a.stderr, a.stderr)
	list := presets()
	labels := make([]string, len(list))
	for i, p := range list {
		labels[i] = p.name
		if p.baseURL != "" {
			labels[i] += "  " + p.baseURL
		}
	}
	var chosen int
	if err := survey.AskOne(&survey.Select{Message: "Which server answers?", Options: labels, PageSize: len(labels)}, &chosen, stdio); err != nil {
		return answered(err)
	}
	*s = list[chosen]
	if s.name == "other" {
		s.name = ""
	}
	if s.keyEnv == "" {
		s.keyEnv = noKey
	}
	for _, q := range []struct {
		message, help string
		value         *string
		check         func(string) error
	}{
		{"Name of the entry", "a short name for --provider", &s.name, isName},
		{"Address", "ends in /v1 with most servers", &s.baseURL, isAddress},
		{"Model", "as the server knows it", &s.model, notEmpty},
		{"Environment variable with the key (none: no key is needed)", "only its name is written down", &s.keyEnv, isVariable},
	} {
		err := survey.AskOne(&survey.Input{Message: q.message, Help: q.help, Default: *q.value}, q.value, stdio,
			survey.WithValidator(func(v any) error { text, _ := v.(string); return q.check(strings.TrimSpace(text)) }))
		if err != nil {
			return answered(err)
		}
		*q.value = strings.TrimSpace(*q.value)
	}
	if s.keyEnv == noKey {
		s.keyEnv = ""
	}
	return nil
}

// answered translates what a prompt returns when nobody answers it.
func answered(err error) error {
	if errors.Is(err, surveyterminal.InterruptErr) || errors.Is(err, io.EOF) {
		return &failure{exitInterrupted, errors.New("nothing was written"), ""}
	}
	return err
}

func notEmpty(s string) error {
	if s == "" {
		return errors.New("it cannot be empty")
	}
	return nil
}

// isName checks the name of an entry. It stands before a / in --model.
func isName(s string) error {
	if s == config.Offline || s == config.LLMBase {
		return fmt.Errorf("%q is built in: choose another name", s)
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r == '/' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return fmt.Errorf("%q is not a name: expected a word without blanks and /", s)
	}
	return nil
}

func isAddress(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is not an address such as http://127.0.0.1:11434/v1", s)
	}
	return nil
}

func isVariable(s string) error {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return fmt.Errorf("%q is not the name of an environment variable", s)
		}
	}
	return nil
}

// writeSetup checks what was said and writes it down.
func (a *app) writeSetup(cmd *cobra.Command, s setup) error {
	if s.baseURL == "" {
		s.baseURL = config.DefaultBaseURL
		for _, p := range config.KnownProviders() {
			if p.Name == s.name && p.BaseURL != "" {
				s.baseURL = p.BaseURL
			}
		}
		if p, ok := config.KnownProviderAt(s.baseURL); ok && s.keyEnv == "" {
			s.keyEnv = p.KeyEnv
		}
	}
	for _, err := range []error{isName(s.name), isAddress(s.baseURL), isVariable(s.keyEnv)} {
		if err != nil {
			return usage(err, "")
		}
	}
	if s.model == "" {
		return usage(errors.New("no model is named"), "--model ID, as the server knows it")
	}
	path, _ := config.ProvidersPath(a.sources(false))
	entry := config.Entry{
		Name: s.name, BaseURL: s.baseURL,
		Models: []string{s.model}, DefaultModel: s.model, APIKey: config.KeyRef{Env: s.keyEnv},
	}
	if p, ok := config.KnownProviderAt(s.baseURL); ok {
		entry.API, entry.Reasoning = p.API, p.Reasoning
	}
	if err := config.WriteProvider(cmd.Context(), path, entry, true); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "Written to %s: %s is asked from now on.\n", path, s.name)
	if s.keyEnv != "" && a.getenv(s.keyEnv) == "" {
		fmt.Fprintf(a.stderr, "%s is not set yet: export %s=… before you ask.\n", s.keyEnv, s.keyEnv)
	}
	fmt.Fprintf(a.stderr, "ai doctor checks it.\n")
	return nil
}
