package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/terminal"
)

func (a *app) sessionsRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rm ID…",
		Short: "Remove sessions",
		Long: `rm removes sessions for good, with what is kept beside them; at a terminal it asks
first. A session that another process writes to stays.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sessionsRemove(cmd.Context(), args) },
	}
	cmd.Flags().BoolVarP(&a.flags.yes, "yes", "y", false, "without a question")
	return cmd
}

func (a *app) sessionsRemove(ctx context.Context, refs []string) error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	t := textsOfSessions(terminal.Language(settings.Speak))
	store := a.sessions(settings)
	// All are looked for before one is removed.
	var lines []sessionLine
	seen := map[string]bool{}
	hide := a.exporter(settings, nil).mask
	for _, ref := range refs {
		view, err := store.View(ctx, ref)
		if err != nil {
			return sessionFailure(err, t, ref)
		}
		info := session.Info{Header: view.Header(), Path: view.Path(), Name: view.Name(), Messages: view.Counts().Messages()}
		if err := view.Close(); err != nil {
			return &failure{exitFile, err, ""}
		}
		if !seen[info.Path] {
			seen[info.Path] = true
			lines = append(lines, describeSession(info, hide))
		}
	}
	if err := a.sureToRemove(ctx, settings.Speak, lines); err != nil {
		return err
	}
	gone := []sessionLine{}
	for _, l := range lines {
		if err := store.Remove(ctx, l.Path); err != nil {
			return sessionFailure(err, t, l.ID)
		}
		gone = append(gone, l)
		if !a.flags.json {
			a.tell(runner.NoticeInfo, "removed: "+l.Path, nil)
		}
	}
	if a.flags.json {
		return writeJSON(a.stdout, gone)
	}
	return nil
}

// sureToRemove asks the person. Where nobody can be asked it is a no.
func (a *app) sureToRemove(ctx context.Context, speak string, lines []sessionLine) error {
	if a.flags.yes {
		return nil
	}
	question, answers := "Remove these sessions for good: %s", []string{"no", "yes, remove"}
	if terminal.Language(speak) == terminal.Chinese {
		question, answers = "永久删除这些会话：%s", []string{"否", "是，删除"}
	}
	var names []string
	for _, l := range lines {
		name := l.ID
		if l.Name != "" {
			name += " (" + l.Name + ")"
		}
		names = append(names, name)
	}
	face := a.face(terminal.Language(speak), nil)
	defer face.Close()
	n, err := face.Pick(ctx, fmt.Sprintf(question, strings.Join(names, ", ")), answers, 0)
	switch {
	case errors.Is(err, runner.ErrNobody):
		return &failure{exitPerson, errors.New("nobody can be asked here, and nothing was removed"), "ai sessions rm --yes removes without a question"}
	case err == nil && n == 1:
		return nil
	case err == nil || errors.Is(err, terminal.ErrNothingPicked):
		return &failure{exitPerson, errors.New("nothing was removed"), ""}
	}
	return err
}

func (a *app) sessionsPruneCommand() *cobra.Command {
	var older, size string
	var rule session.Rule
	var here bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old sessions",
		Long: `prune removes the sessions to which one of the rules applies, in all folders, and
prints them. --dry-run only prints them. What another process writes to stays.`,
		Example: "  ai sessions prune --older-than 30d --dry-run\n  ai sessions prune --keep 200 --max-size 100MB",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if older != "" {
				if rule.OlderThan, err = parseAge(older); err != nil {
					return usage(fmt.Errorf("--older-than: %w", err), misused(cmd))
				}
			}
			if size != "" {
				if rule.MaxBytes, err = parseSize(size); err != nil {
					return usage(fmt.Errorf("--max-size: %w", err), misused(cmd))
				}
			}
			if cmd.Flags().Changed("keep") && rule.Keep < 1 {
				return usage(fmt.Errorf("--keep: expected 1 or more, got %d", rule.Keep), "ai sessions rm removes single ones")
			}
			if older == "" && size == "" && rule.Keep == 0 {
				return usage(errors.New("no rule is given"), "ai sessions prune --older-than 30d, --keep 100, --max-size 100MB")
			}
			return a.sessionsPrune(cmd.Context(), a.folder(!here), rule)
		},
	}
	cmd.Flags().StringVar(&older, "older-than", "", "those not written to for so long: 12h, 30d, 8w")
	cmd.Flags().IntVar(&rule.Keep, "keep", 0, "all but the newest so many")
	cmd.Flags().StringVar(&size, "max-size", "", "the oldest, until all together have no more: 500kB, 100MB, 1GB")
	cmd.Flags().BoolVar(&rule.DryRun, "dry-run", false, "remove none, print which")
	cmd.Flags().BoolVar(&here, "here", false, "only of this folder")
	return cmd
}

func (a *app) sessionsPrune(ctx context.Context, folder string, rule session.Rule) error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	gone, err := a.sessions(settings).Prune(ctx, folder, rule)
	lines := []sessionLine{}
	for _, info := range gone {
		lines = append(lines, describeSession(info, a.exporter(settings, nil).mask))
	}
	var printed error
	if a.flags.json {
		printed = writeJSON(a.stdout, lines)
	} else {
		printed = a.printSessions(settings, lines, true)
		did := "removed: %d"
		if rule.DryRun {
			did = "would be removed: %d"
		}
		a.tell(runner.NoticeInfo, fmt.Sprintf(did, len(lines)), nil)
	}
	if err != nil {
		return &failure{exitFile, errors.Join(err, printed), ""}
	}
	return printed
}

// parseAge reads a time span with one unit: h, d or w.
func parseAge(s string) (time.Duration, error) {
	n, unit := cutNumber(s)
	hours := map[string]float64{"h": 1, "d": 24, "w": 7 * 24}[unit]
	if !(n > 0) || hours == 0 || n*hours > math.MaxInt64/float64(time.Hour) {
		return 0, fmt.Errorf("expected a time such as 12h, 30d or 8w, got %q", s)
	}
	return time.Duration(n * hours * float64(time.Hour)), nil
}

// parseSize reads a number of bytes with or without a unit.
func parseSize(s string) (int64, error) {
	n, unit := cutNumber(s)
	bytes, ok := map[string]float64{
		"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
	}[strings.ToLower(unit)]
	if !(n > 0) || !ok || n*bytes < 1 || n*bytes >= math.MaxInt64 {
		return 0, fmt.Errorf("expected a size such as 500kB, 100MB or 1GiB, got %q", s)
	}
	return int64(n * bytes), nil
}

// cutNumber parts a number from its unit; a text that does not begin with one
// is 0.
func cutNumber(s string) (n float64, unit string) {
	s = strings.TrimSpace(s)
	end := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(s)
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return 0, ""
	}
	return n, strings.TrimSpace(s[end:])
}
