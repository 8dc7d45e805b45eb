package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// chatSteps is how many automatic steps one `ai chat` takes: nobody is there
// to ask for more.
const chatSteps = 20

// chatFlags are the flags of `ai chat`.
type chatFlags struct {
	params, paramsFile           string
	instruction, instructionFile string
	input, inputFile             string
	session                      string
	noAppend, stream, noStdin    bool
	log                          string
	maxSteps                     int
	approve                      []string
	shell                        bool
}

// chatCommand is `ai chat`, the face for scripts that were written for pai.
func (a *app) chatCommand() *cobra.Command {
	f := &chatFlags{}
	cmd := &cobra.Command{
		Use:   "chat [prompt]",
		Short: "One answer for a script: session files, parameters, events, a log",
		Long: `chat asks the model once. Standard output is the model's message and nothing
else; with --json standard error is one event a line:
{"type","message","context","timestamp"}. Text that is piped in is added to the
prompt, or is the prompt where there is none. Nobody is ever asked: what reads
runs by itself, other steps only as far as --approve allows them. What runs
other code needs code and write, because code can change files.

Every flag can be written with - in place of _ as well.`,
		Example: `  git diff | ai chat "write a commit message"
  ai chat --session_file talk.jsonl --system_instruction_text "Be brief." "hi"
  ai chat --json --stream --log_file turn.md --approve write "fix the typo in README.md"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			prompt := strings.Join(args, " ")
			if err := checkChatFlags(cmd, prompt); err != nil {
				return a.spoken(err, nil)
			}
			if prompt != "" {
				f.input = prompt
			}
			return a.chat(cmd.Context(), f)
		},
	}
	own := cmd.Flags()
	own.StringVar(&f.params, "model_params", "", "members of the request as a `JSON` object, such as {\"temperature\":0.1}")
	own.StringVar(&f.paramsFile, "model_params_file", "", "the same from a `FILE`; --model_params stands above it, key by key")
	own.StringVar(&f.instruction, "system_instruction_text", "", "what the model is told to be or to do")
	own.StringVar(&f.instructionFile, "system_instruction_file", "", "the same from a `FILE`")
	own.StringVar(&f.input, "user_input_text", "", "the prompt")
	own.StringVar(&f.inputFile, "user_input_file", "", "the prompt from a `FILE`")
	own.StringVar(&f.session, "session_file", "", "go on with the conversation in this `FILE`, one JSON message a line")
	own.BoolVar(&f.noAppend, "no-append", false, "leave the session file as it is")
	own.BoolVar(&f.stream, "stream", false, "write the answer while it arrives")
	own.StringVar(&f.log, "log_file", "", "add what happens in this call to a Markdown `FILE`")
	own.StringArrayVar(&a.flags.Set, "set", nil, "a `KEY=VALUE` of the entry for this call, such as apiKey=env:NAME; repeated")
	own.BoolVar(&f.noStdin, "no-stdin", false, "do not read standard input")
	own.IntVar(&f.maxSteps, "max_steps", chatSteps, "automatic steps before it ends")
	own.StringSliceVar(&f.approve, "approve", nil, "let steps run that need a confirmation, as far as all that they do is of these `CLASSES`: "+strings.Join(classNames(), ",")+"; code needs write too")
	own.BoolVar(&f.shell, "allow_shell", false, "let the model ask for bash scripts, every command of which is judged")
	own.SetNormalizeFunc(chatFlagName)
	return cmd
}

// checkChatFlags refuses flags that exclude each other or say nothing.
func checkChatFlags(cmd *cobra.Command, prompt string) error {
	if err := givenEmpty(cmd); err != nil {
		return err
	}
	if err := chatExclude(cmd, "system_instruction_text", "system_instruction_file"); err != nil {
		return err
	}
	if err := chatExclude(cmd, "user_input_text", "user_input_file"); err != nil {
		return err
	}
	for _, name := range []string{"user_input_text", "user_input_file"} {
		if prompt != "" && cmd.Flags().Changed(name) {
			return chatMisused(cmd, fmt.Errorf("a prompt and --%s exclude each other", name), fmt.Sprintf("提问与 --%s 不能同时使用", name))
		}
	}
	return nil
}

// givenEmpty refuses flags that were given and say nothing: a call that was to
// have a session, a log or parameters is not made without.
func givenEmpty(cmd *cobra.Command) error {
	for _, name := range []string{"session_file", "log_file", "model_params", "model_params_file", "system_instruction_file", "user_input_file"} {
		if f := cmd.Flags().Lookup(name); f.Changed && blank(f.Value.String()) {
			what, words := "the name of a file", "文件名"
			if name == "model_params" {
				what, words = "a JSON object", "JSON 对象"
			}
			return usage(chinese(fmt.Errorf("--%s: expected %s, got nothing", name, what),
				fmt.Sprintf("--%s：应为%s，实际为空", name, words), "去掉该参数；或者检查 shell 变量是否未设置"),
				"leave the flag out; or is a variable of the shell not set?")
		}
	}
	return nil
}

// chatFlagName gives the name of a flag for the other ways to write it: - and
// _, and the short names that pai takes.
func chatFlagName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "session":
		name = "session_file"
	case "system":
		name = "system_instruction_text"
	case "system-file", "system_file":
		name = "system_instruction_file"
	case "input-file", "input_file":
		name = "user_input_file"
	case "log":
		name = "log_file"
	case "no_append", "no_stdin", "no_color", "base_url":
		name = strings.ReplaceAll(name, "_", "-")
	case "model-params", "model-params-file", "system-instruction-text", "system-instruction-file", "user-input-text",
		"user-input-file", "session-file", "log-file", "max-steps", "allow-shell":
		name = strings.ReplaceAll(name, "-", "_")
	}
	return pflag.NormalizedName(name)
}

// chatRun is one call of `ai chat`.
type chatRun struct {
	*app
	flags    *chatFlags
	granted  grants
	log      *chatLog // nil is none
	settings *config.Settings
	request  chatRequest
	session  *chatSession // nil is none
	turn     chatTurn
	report   *chatReport
}

// chat carries out `ai chat`.
func (a *app) chat(ctx context.Context, f *chatFlags) error {
	c := &chatRun{app: a, flags: f}
	if err := c.logged(ctx); err != nil {
		return masked(a.spoken(err, c.settings))
	}
	c.report.close()
	return nil
}

// logged does what is asked. With a log the log is written whatever happens.
func (c *chatRun) logged(ctx context.Context) (err error) {
	f := c.flags
	if c.granted, err = parseGrants(f.approve); err != nil {
		return usage(err, "")
	}
	if f.log == "" {
		return c.do(ctx)
	}
	if f.session != "" && oneFile(f.session, f.log) {
		return usage(chinese(fmt.Errorf("--session_file and --log_file are one file: %s", f.log),
			"--session_file 与 --log_file 是同一个文件："+f.log, "请各用一个文件"), "each needs a file of its own")
	}
	if c.log, err = openChatLog(f.log); err != nil {
		return err
	}
	err = c.do(ctx)
	return errors.Join(err, c.log.write(c, err))
}

// maskedError is an error whose words went through a masker: what is wrong
// with a file is told with a part of the file.
type maskedError struct {
	error
	words string
}

func masked(err error) error {
	if err == nil {
		return nil
	}
	return &maskedError{err, maskUnknown(err.Error())}
}

func (e *maskedError) Error() string { return e.words }
func (e *maskedError) Unwrap() error { return e.error }

// maskUnknown hides what looks like a secret, before the keys of the call are
// known.
func maskUnknown(s string) string {
	s, _ = mask.New().String(s)
	return s
}

// do reads what is asked, asks, and writes the session. Its order is that of
// its costs: everything that can go wrong here comes before the model is
// called.
func (c *chatRun) do(ctx context.Context) (err error) {
	f := c.flags
	c.app.flags.maxSteps = f.maxSteps
	if c.settings, err = c.load(true); err != nil {
		return err
	}
	if err := c.read(ctx); err != nil {
		return err
	}
	if f.session != "" {
		if c.session, err = openChatSession(f.session, !f.noAppend); err != nil {
			return err
		}
		defer c.session.close()
	}
	if err := c.resolve(); err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.report = c.newReport(cancel)
	defer c.report.face.Close()
	c.shell = f.shell || c.settings.AllowShell
	talk, err := c.wire(c.settings, wiring{
		asker: chatAsker{c.granted, c.report.notice}, events: c.report.event,
		open: func() (*model, error) { return c.model(ctx) },
		adapt: func(keep *contextmgr.Config, run *runner.Config) {
			keep.Instruction = c.request.instruction
			// As much of the session as there is room for, and no call to sum
			// up the rest.
			keep.MaxRecentMessages = allMessages
			keep.MaxMessageBytes = c.settings.MaxRequestBytes / 4
			run.AutoCompact = false
		},
	})
	if err != nil {
		return err
	}
	c.report.mask, c.turn.observed = talk.mask, talk.window.Mask
	images, err := c.restore(talk)
	if err != nil {
		return err
	}
	c.report.start(c)
	c.turn.asked = time.Now()
	result := talk.Prompt(ctx, runner.Input{Text: c.request.input, Context: c.request.context, Images: images})
	return c.end(ctx, talk, result)
}

// allMessages is more messages than a request has room for.
const allMessages = 1 << 30

// model opens who is asked, in the way that the flags say.
func (c *chatRun) model(ctx context.Context) (*model, error) {
	m, err := c.app.model(ctx, c.settings)
	if err != nil {
		return nil, err
	}
	m.options.Whole = !c.flags.stream
	m.options.Params = c.request.params
	return m, nil
}

// end makes of a result the exit code, and writes the session after an answer.
func (c *chatRun) end(ctx context.Context, talk *conversation, result runner.Result) error {
	code := exitCode(c.codeOf(result))
	if result.End == runner.EndChat {
		code = exitOK // what was refused on the way is the model's to tell
	}
	err := c.report.face.Err()
	closed := errors.Is(err, terminal.ErrOutputClosed)
	if err != nil && !closed {
		return &failure{exitFile, chinese(fmt.Errorf("the answer could not be written: %w", err), "无法写出回答："+err.Error(), ""), ""}
	}
	if result.End == runner.EndChat && c.session != nil {
		// The answer is paid for: a signal now does not lose it.
		if err := c.session.write(context.WithoutCancel(ctx), &c.request, &c.turn, talk.mask); err != nil {
			return err
		}
	}
	if closed {
		code = exitOK // nobody reads the answer any more, as with `| head`
	}
	c.code = code
	c.report.end(result, code)
	return nil
}

// newReport makes what tells of the call: words for people, or events.
func (c *chatRun) newReport(closed func()) *chatReport {
	r := &chatReport{stream: c.flags.stream, turn: &c.turn, log: c.log, exitCode: c.codeOf}
	r.mask = maskUnknown
	streams := terminal.Streams{Out: c.stdout, Err: c.stderr}
	if c.app.flags.json {
		// The face writes the answer; the events are not its own.
		streams.Err, r.events = io.Discard, c.stderr
	}
	allowed := "nobody is asked here: --approve allows such steps, with what they do among its classes " + strings.Join(classNames(), ",")
	if c.settings.Speak == "zh" {
		allowed = "此处不会询问任何人：用 --approve 加上该步骤的类别即可允许（" + strings.Join(classNames(), ",") + "）"
	}
	r.face = terminal.New(terminal.Config{
		Streams: streams, Getenv: c.getenv, Language: terminal.Language(c.settings.Speak), Color: c.colorMode(),
		Verbose: c.app.flags.verbose, Quiet: c.app.flags.quiet, JSON: c.app.flags.json,
		ExitCode: c.codeOf, OnOutputClosed: closed, Allowed: allowed,
	})
	c.shown.Store(r.face)
	for _, w := range c.settings.Warnings {
		r.warn(w)
	}
	if p := c.settings.Project; p != nil {
		r.notice(runner.Notice{Kind: runner.NoticeInfo, Text: narrowed(c.settings.Speak, p.Path)})
	}
	for _, w := range c.request.warnings {
		r.warn(w)
	}
	if c.session != nil {
		for _, w := range c.session.warnings {
			r.warn(w)
		}
	}
	return r
}
