package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// undoCommand is `ai undo`.
func (a *app) undoCommand() *cobra.Command {
	list := false
	cmd := &cobra.Command{
		Use:   "undo [ID]",
		Short: "Take back a change of a settings file",
		Long: `undo shows what taking back the last change of a settings file would do, and
does it after a yes. An ID of --list takes back that change; the ID of an undo
brings the change again. The last 20 changes of every file are kept.`,
		Example: "  ai undo\n  ai undo --list\n  ai undo 20260314-092653-3f2a",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := a.load(false)
			if err != nil {
				return err
			}
			if list {
				if len(args) > 0 {
					return usage(errors.New("--list takes no ID"), misused(cmd))
				}
				return a.listChanges(settings)
			}
			return a.undo(cmd.Context(), settings, strings.Join(args, ""))
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "the changes that can be taken back, newest first")
	cmd.Flags().BoolVarP(&a.flags.yes, "yes", "y", false, "without a question")
	return cmd
}

// changeLine is what is told of a change.
type changeLine struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Path    string    `json:"path"`
	Created bool      `json:"created"` // the change made the file
	Undo    bool      `json:"undo"`    // it took another change back
	Undone  bool      `json:"undone"`  // it was taken back
}

func (a *app) listChanges(s *config.Settings) error {
	backups, err := a.files(s).Backups()
	if err != nil {
		return fileFailure(err)
	}
	lines := []changeLine{}
	for _, b := range backups {
		if b.Err != nil {
			fmt.Fprintf(a.stderr, "left out: %v\n", b.Err)
			continue
		}
		lines = append(lines, changeLine{b.ID, b.Time, b.Path, !b.Existed, b.Undo, b.Undone})
	}
	if a.flags.json {
		return writeJSON(a.stdout, lines)
	}
	if len(lines) == 0 {
		_, err := fmt.Fprintln(a.stdout, "no change of a settings file was made")
		return err
	}
	var b strings.Builder
	for _, l := range lines {
		what := ""
		switch {
		case l.Undone:
			what = "  (taken back)"
		case l.Undo:
			what = "  (an undo)"
		case l.Created:
			what = "  (made the file)"
		}
		fmt.Fprintf(&b, "%s  %s  %s%s\n", l.ID, l.Time.Local().Format("2006-01-02 15:04:05"), visible(a.short(l.Path)), what)
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

// undo carries out `ai undo`.
func (a *app) undo(ctx context.Context, s *config.Settings, id string) error {
	face := a.face(terminal.Language(s.Speak), nil)
	defer face.Close()
	c, err := a.own(s, face)
	if err != nil {
		return err
	}
	plan, backup, err := c.files.PlanUndo(id)
	if err != nil {
		return fileFailure(err)
	}
	why := fmt.Sprintf("takes back the change of %s", backup.Time.Local().Format("2006-01-02 15:04:05"))
	if backup.Undo {
		why = fmt.Sprintf("makes the change again that was taken back at %s", backup.Time.Local().Format("2006-01-02 15:04:05"))
	}
	if plan.ChangedSince {
		why += "; the file was changed since: look at the whole diff"
	}
	if plan.ChangedSince && a.flags.yes {
		a.tell(runner.NoticeWarning, "the file was changed since: that is taken back too, and ai undo --list has it", nil)
	}
	o := c.Change(ctx, plan, why, a.flags.yes)
	if a.flags.json {
		if err := writeJSON(a.stdout, o); err != nil {
			return err
		}
	}
	switch o.Outcome {
	case protocol.Ran:
		if !a.flags.json {
			_, err = fmt.Fprintf(a.stdout, "%s: the change of %s is taken back\n", visible(a.short(plan.Path)), backup.Time.Local().Format("2006-01-02 15:04:05"))
		}
		return err
	case protocol.Declined:
		a.code = exitPerson
		return nil
	case protocol.Refused:
		return &failure{exitPerson, errors.New("nobody can be asked here, and nothing was changed"), "ai undo --yes does it without a question"}
	case protocol.Cancelled:
		return &failure{exitInterrupted, errors.New(o.Note), ""}
	default:
		return &failure{exitFile, errors.New(o.Note), ""}
	}
}

// fileFailure is an error of settings files, with its exit code.
func fileFailure(err error) error {
	var e *jsonfile.Error
	if errors.As(err, &e) && e.Kind == jsonfile.KindNothing {
		return usage(err, "ai undo --list shows what can be taken back")
	}
	return &failure{exitFile, err, ""}
}

// short shows a path below the home folder with ~.
func (a *app) short(path string) string {
	if rest, ok := strings.CutPrefix(path, a.home+"/"); ok {
		return "~/" + rest
	}
	return path
}
