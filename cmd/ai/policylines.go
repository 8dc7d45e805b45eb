package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/audit"
	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// maxStepLine bounds a line that `ai policy explain --jsonl` reads, in bytes.
const maxStepLine = 16 << 20

// explainLines judges one step a line of standard input.
func (a *app) explainLines() error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	engine, err := a.engine(settings)
	if err != nil {
		return err
	}
	behind := walled(settings)
	out := bufio.NewWriter(a.stdout)
	lines := bufio.NewScanner(a.stdin)
	lines.Buffer(nil, maxStepLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := a.explainLine(out, engine, lines.Bytes(), behind); err != nil {
			return errors.Join(usage(fmt.Errorf("line %d: %w", n, err), `a line is {"id","program","args","cwd","requires"}`), out.Flush())
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}

func (a *app) explainLine(out io.Writer, engine *policy.Engine, line []byte, walled bool) error {
	var in struct {
		ID       jsontext.Value    `json:"id"`
		Program  string            `json:"program"`
		Args     []string          `json:"args"`
		CWD      string            `json:"cwd"`
		Requires protocol.Requires `json:"requires"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return err
	}
	switch {
	case in.CWD == "":
		in.CWD = a.dir
	case !filepath.IsAbs(in.CWD):
		return fmt.Errorf("/cwd: expected an absolute path, got %q", in.CWD)
	}
	step := policy.Step{Program: in.Program, Args: in.Args, CWD: in.CWD, Requires: in.Requires}
	text, err := json.Marshal(struct {
		ID          jsontext.Value `json:"id,omitzero"`
		explanation `json:",inline"`
	}{in.ID, a.explanationOf(step, engine.Judge(step), walled)})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return err
}

// logCommand is `ai policy log`.
func (a *app) logCommand() *cobra.Command {
	var verify bool
	var newest int
	cmd := &cobra.Command{
		Use:   "log",
		Short: "What was judged, by which rule, who decided, and what came of it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			path := auditFile(config.FindDirs(a.home, a.getenv))
			if verify {
				return a.verifyLog(path)
			}
			return a.showLog(path, newest)
		},
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "check that no line was changed, put in or taken out")
	cmd.Flags().IntVarP(&newest, "lines", "n", 20, "how many of the newest (0: all)")
	return cmd
}

func (a *app) verifyLog(path string) error {
	n, err := audit.Verify(path)
	var broken *audit.BrokenError
	switch {
	case errors.As(err, &broken):
		return &failure{exitLocal, fmt.Errorf("%s: %w", path, err), "what stands before that line is as it was written"}
	case err != nil:
		return &failure{exitFile, err, ""}
	}
	_, err = fmt.Fprintf(a.stdout, "%d entries, and the chain is whole: %s\n", n, path)
	return err
}

func (a *app) showLog(path string, newest int) error {
	entries, err := audit.Read(path, newest)
	if err != nil {
		return &failure{exitFile, err, ""}
	}
	var b strings.Builder
	for _, e := range entries {
		if a.flags.json {
			line, err := json.Marshal(e)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s\n", line)
			continue
		}
		what := string(e.Outcome)
		if e.ExitCode != nil {
			what = fmt.Sprintf("exit %d", *e.ExitCode)
		}
		name := e.Program
		if name == "" {
			name = e.Tool
		}
		rules := ""
		if len(e.Rules) > 0 {
			rules = "  [" + strings.Join(e.Rules, ", ") + "]"
		}
		command := protocol.FormatCommand(name, e.Args)
		if e.Path != "" {
			command += " " + protocol.FormatCommand(e.Path, nil) + ": " + visible(strings.Join(e.Changed, ", "))
		}
		fmt.Fprintf(&b, "%s  %s  %-7s %-8s %s%s\n", shortTime(e.Time), e.Level, e.DecidedBy, what, command, rules)
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

// shortTime leaves the fraction of a second out.
func shortTime(s string) string {
	if i := strings.IndexByte(s, '.'); i > 0 {
		return s[:i] + "Z"
	}
	return s
}
