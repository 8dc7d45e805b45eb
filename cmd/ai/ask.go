package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// maxInput is how much of standard input is read.
const maxInput = 16 << 20

// ask carries out `ai QUESTION` and `ai -i`.
func (a *app) ask(ctx context.Context, cmd *cobra.Command, question string) error {
	if err := a.flags.session.check(cmd); err != nil {
		return usage(err, misused(cmd))
	}
	settings, err := a.load(cmd.Flags().Changed("max-steps"))
	if err != nil {
		return err
	}
	if a.flags.session.named() && strings.TrimSpace(question) == "" && a.isTerminal() {
		a.flags.interactive = true
	}
	input := runner.Input{Text: question}
	if !a.flags.interactive {
		if input, err = a.input(ctx, question); err != nil {
			return err
		}
		// Where a list of sessions is asked for, that is told of first.
		if strings.TrimSpace(input.Text) == "" && a.flags.session.resume != anySession {
			return noQuestion()
		}
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	face := a.face(terminal.Language(settings.Speak), cancel)
	defer face.Close()
	c, err := a.converse(ctx, settings, face)
	if err != nil {
		return err
	}
	if p := settings.Project; p != nil && !a.flags.showRequest {
		face.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: narrowed(settings.Speak, p.Path)})
	}
	for _, w := range settings.Warnings {
		face.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: w})
	}
	if err := a.keep(ctx, settings, face, c); err != nil {
		return err
	}
	if c.keeper != nil {
		defer c.keeper.finish()
	}
	if !a.flags.interactive && strings.TrimSpace(input.Text) == "" {
		return noQuestion()
	}
	if a.flags.showRequest {
		return a.show(c, input)
	}
	if a.flags.record != "" {
		file, err := os.OpenFile(a.flags.record, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return &failure{exitFile, err, ""}
		}
		defer file.Close()
		c.record = file
		c.use(c.model)
	}
	if a.flags.interactive {
		a.interact(ctx, face, c, settings, question)
		return nil
	}
	// More than its share of a request is cut (see contextmgr), and the model is
	// told; so is the person.
	if size := len(input.Text) + len(input.Context); size > settings.MaxRequestBytes*2/5 && !a.flags.quiet {
		text := "the input has %d bytes: only its beginning and its end reach the model (maxRequestBytes is %d)"
		if terminal.Language(settings.Speak) == terminal.Chinese {
			text = "输入共 %d 字节：只有开头和结尾会发给模型（maxRequestBytes 为 %d）"
		}
		face.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: fmt.Sprintf(text, size, settings.MaxRequestBytes)})
	}
	result := c.Prompt(ctx, input)
	switch err := face.Err(); {
	case errors.Is(err, terminal.ErrOutputClosed):
		// Nobody reads the answer any more: as it should be with `| head`.
	case err != nil:
		return &failure{exitFile, fmt.Errorf("the answer could not be written: %w", err), ""}
	default:
		a.code = codeOf(result)
	}
	return nil
}

func noQuestion() error {
	return usage(errors.New("no question is asked"), `ai "what changed here?", ai -i for a conversation, ai --help for more`)
}

// input is the question, with what is piped in beside it; or what is piped in
// where there is no question.
func (a *app) input(ctx context.Context, question string) (runner.Input, error) {
	piped, err := a.piped(ctx)
	switch {
	case ctx.Err() != nil:
		return runner.Input{}, &failure{exitInterrupted, errors.New("ended while reading standard input"), ""}
	case err != nil:
		return runner.Input{}, &failure{exitFile, fmt.Errorf("standard input: %w", err), ""}
	}
	if strings.TrimSpace(question) == "" {
		return runner.Input{Text: strings.TrimSpace(piped)}, nil
	}
	return runner.Input{Text: question, Context: piped}, nil
}

// stdinPatience is how long standard input may say nothing before the person is
// told what the program waits for.
const stdinPatience = 2 * time.Second

// piped reads standard input where it is a pipe or a file. Lines end with LF.
func (a *app) piped(ctx context.Context) (string, error) {
	text, err := a.pipedText(ctx)
	return strings.ReplaceAll(text, "\r\n", "\n"), err
}

// pipedText is standard input as it comes.
func (a *app) pipedText(ctx context.Context) (string, error) {
	info, err := a.stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 || info.IsDir() {
		return "", nil // a closed standard input is none
	}
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(a.stdin, maxInput+1))
		read <- result{text, err}
	}()
	silent := time.NewTimer(stdinPatience)
	defer silent.Stop()
	for {
		select {
		case r := <-read:
			if r.err == nil && len(r.text) > maxInput {
				r.err = fmt.Errorf("more than %d MiB; pipe a part of it, with head, tail or grep", maxInput>>20)
			}
			if r.err == nil && bytes.IndexByte(r.text, 0) >= 0 {
				r.err = errors.New("what comes is no text; pipe a text, or name the file in the question")
			}
			return string(r.text), r.err
		case <-silent.C:
			if !a.flags.json && !a.flags.quiet {
				fmt.Fprintln(a.stderr, "reading standard input until it ends; </dev/null if there is nothing to read")
			}
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// show prints what would be sent, and the size of its parts.
func (a *app) show(c *conversation, input runner.Input) error {
	c.window.Ask(input.Text, input.Context)
	window, err := c.window.Window()
	if err != nil {
		return err
	}
	body, err := c.model.provider.Request(c.model.target.Model, llm.Context{System: window.System, Messages: window.Messages}, c.model.call())
	if err != nil {
		return err
	}
	for _, p := range window.Parts {
		fmt.Fprintf(a.stderr, "%8d bytes  %s\n", p.Bytes, p.Name)
	}
	if format := c.model.call().Format; format != nil {
		fmt.Fprintf(a.stderr, "%8d bytes  answer schema\n", len(format.Schema))
	}
	fmt.Fprintf(a.stderr, "%8d bytes  in all, to %s\n", len(body), describeTarget(c.model.target))
	_, err = fmt.Fprintf(a.stdout, "%s\n", body)
	return err
}

func describeTarget(t config.Target) string {
	if t.Model.BaseURL == "" {
		return t.Entry
	}
	return fmt.Sprintf("%s/%s (%s)", t.Entry, t.Model.ID, t.Model.BaseURL)
}

// isTerminal tells whether a person sits at standard input.
func (a *app) isTerminal() bool { return term.IsTerminal(int(a.stdin.Fd())) }
