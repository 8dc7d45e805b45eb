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
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/sandbox"
)

// policyCommand is `ai policy`.
func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "What may be done, and why",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var requires protocol.Requires
	var lines bool
	explain := &cobra.Command{
		Use:   "explain [flags] -- PROGRAM ARGS…",
		Short: "Judge a command without running it",
		Long: `explain judges one command and runs nothing. With --jsonl it reads one JSON
object a line from standard input, {"id","program","args","cwd","requires"}, and
writes one judgement a line.`,
		Example: "  ai policy explain -- git diff --ext-diff\n  ai policy explain --json -- rm -rf build\n  ai policy explain --jsonl < commands.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if lines {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if lines {
				return a.explainLines()
			}
			return a.explain(policy.Step{Program: args[0], Args: args[1:], CWD: a.dir, Requires: requires})
		},
	}
	explain.Flags().SetInterspersed(false)
	explain.Flags().BoolVar(&lines, "jsonl", false, "judge one JSON object a line of standard input")
	explain.Flags().BoolVar(&requires.Confirm, "confirm", false, "as if the model asked for a confirmation")
	explain.Flags().BoolVar(&requires.Elevated, "elevated", false, "as if the model asked for more rights")
	explain.Flags().BoolVar(&requires.Network, "network", false, "as if the model said that it uses the network")
	explain.Flags().BoolVar(&requires.Write, "write", false, "as if the model said that it writes")
	list := &cobra.Command{
		Use:   "list",
		Short: "The programs that are known, and what of them runs unasked",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.listPrograms() },
	}
	check := &cobra.Command{
		Use:   "check FILE",
		Short: "Check a rule file",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := readFile(args[0])
			if err != nil {
				return err
			}
			if err := policy.Check(text); err != nil {
				return usage(fmt.Errorf("%s: %w", args[0], err), "ai schema rule prints the schema of a rule file")
			}
			_, err = fmt.Fprintf(a.stdout, "%s is a valid rule file\n", args[0])
			return err
		},
	}
	cmd.AddCommand(explain, list, check, a.logCommand())
	return cmd
}

// walled tells whether steps run in a sandbox under these settings.
func walled(s *config.Settings) bool {
	return s.Sandbox != config.SandboxOff && sandbox.Detect().Enough()
}

// explanationOf gives a judgement as it is printed.
func (a *app) explanationOf(step policy.Step, j policy.Judgement, walled bool) explanation {
	profile := ""
	switch act := action(j); {
	case act == "refuse" || j.Path == "":
	case !walled:
		profile = "none: it is off, or this machine has none"
	default:
		profile = "none: the home folder itself cannot be opened behind a wall"
		if p, ok := runner.Profile(j, a.dir, a.home); ok {
			profile = p.String()
		}
	}
	return explanation{
		Profile: profile,
		Level:   j.Level, Action: action(j), Rules: notNil(j.Rules), Reasons: notNil(j.Reasons), Facts: notNil(j.Facts),
		Allowed: j.Listed, Program: step.Program, Path: j.Path, Args: notNil(j.Args), Env: notNil(j.Env), CWD: step.CWD,
	}
}

// explanation is what `ai policy explain --json` prints.
type explanation struct {
	Level   protocol.Level  `json:"level"`
	Action  string          `json:"action"` // run, ask or refuse
	Rules   []string        `json:"rules"`
	Reasons []string        `json:"reasons"`
	Facts   []protocol.Fact `json:"facts"`
	Allowed bool            `json:"allowed"` // the program is in allowedPrograms
	Program string          `json:"program"`
	Path    string          `json:"path"` // what would run; "" is not installed
	Args    []string        `json:"args"` // as they would run
	Env     []string        `json:"env"`
	CWD     string          `json:"cwd"`
	Profile string          `json:"profile"` // of the sandbox; "" where it would not run
}

func (a *app) explain(step policy.Step) error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	engine, err := a.engine(settings)
	if err != nil {
		return err
	}
	e := a.explanationOf(step, engine.Judge(step), walled(settings))
	if a.flags.json {
		return writeJSON(a.stdout, e)
	}
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, value)
		}
	}
	row("command", protocol.FormatCommand(step.Program, step.Args))
	row("level", fmt.Sprintf("%s: %s", e.Level, actionWords(e.Action)))
	row("rules", strings.Join(e.Rules, ", "))
	for i, reason := range e.Reasons {
		name := ""
		if i == 0 {
			name = "because"
		}
		fmt.Fprintf(&b, "%-9s %s\n", name, reason)
	}
	facts := make([]string, len(e.Facts))
	for i, f := range e.Facts {
		facts[i] = string(f)
	}
	row("facts", strings.Join(facts, ", "))
	switch {
	case !e.Allowed:
		row("program", "not in allowedPrograms; ai policy list shows what is")
	case e.Path == "":
		row("program", "not installed in the system's own folders")
	default:
		row("runs as", protocol.FormatCommand(e.Path, e.Args))
		row("with", strings.Join(e.Env, " "))
		row("sandbox", e.Profile)
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

func action(j policy.Judgement) string {
	switch {
	case !j.Listed || j.Level == protocol.Block:
		return "refuse"
	case j.Level == protocol.Confirm:
		return "ask"
	}
	return "run"
}

func actionWords(action string) string {
	switch action {
	case "run":
		return "runs by itself"
	case "ask":
		return "asks first"
	}
	return "refused"
}

func (a *app) listPrograms() error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	engine, err := a.engine(settings)
	if err != nil {
		return err
	}
	programs, err := engine.Programs()
	if err != nil {
		return err
	}
	if a.flags.json {
		type program struct {
			Name    string `json:"name"`
			Family  string `json:"family"`
			Summary string `json:"summary"`
			Allowed bool   `json:"allowed"`
		}
		out := []program{}
		for _, p := range programs {
			out = append(out, program{p.Name, p.Family, p.Summary, p.Allowed})
		}
		return writeJSON(a.stdout, out)
	}
	var b strings.Builder
	for _, p := range programs {
		mark := " "
		if !p.Allowed {
			mark = "-" // known, and not in allowedPrograms
		}
		fmt.Fprintf(&b, "%s %-14s %s\n", mark, p.Name, p.Summary)
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// writeJSON writes a value as JSON for people and programs.
func writeJSON(w io.Writer, value any) error {
	b, err := json.Marshal(value, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", b)
	return err
}
