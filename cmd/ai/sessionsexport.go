package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/export"
	"github.com/holic512/plugin-ai/session/transcript"
	"github.com/holic512/plugin-ai/terminal"
)

// exporter writes sessions for people.
type exporter struct {
	mask    func(string) string
	chinese bool
}

// exporter takes the secrets out that mask knows, or where it is nil those of
// the settings.
func (a *app) exporter(s *config.Settings, hide func(string) string) exporter {
	if hide == nil {
		m := mask.New(string(s.Target.APIKey))
		hide = func(text string) string {
			masked, _ := m.String(text)
			return masked
		}
	}
	return exporter{hide, terminal.Language(s.Speak) == terminal.Chinese}
}

// write writes the present branch of a session.
func (e exporter) write(ctx context.Context, w io.Writer, s *session.Session, form export.Form) error {
	t, err := transcript.Read(ctx, s, e.mask)
	if err != nil {
		return err
	}
	return export.Write(w, form, t, export.Options{Chinese: e.chinese})
}

// formOf is the form that is asked for by its name, or by the name of a file.
func formOf(name, file string) (export.Form, error) {
	if name == "" {
		name = strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
		if file == "" || name == "" {
			name = string(export.Markdown)
		}
	}
	switch name {
	case "md", "markdown":
		return export.Markdown, nil
	case "json":
		return export.JSON, nil
	case "html", "htm":
		return export.HTML, nil
	case "txt", "text":
		return export.Text, nil
	}
	return "", usage(fmt.Errorf("expected the form md, json, html or text, got %q", name), "ai sessions export ID --format html -o FILE.html")
}

func (a *app) sessionsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "A session as text; with --json as JSON",
		Long: `show prints the present branch of a session: who said what, what ran, and the end
of its output. ID is a session's ID, its beginning, or a file.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			form := export.Text
			if a.flags.json {
				form = export.JSON
			}
			return a.sessionsExport(cmd.Context(), args[0], form, "")
		},
	}
}

func (a *app) sessionsExportCommand() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session as Markdown, JSON or one HTML page",
		Long: `export writes the present branch of a session to standard output, or to a file
that is replaced at once. The form is Markdown, or what the file's name says. The
HTML page needs nothing else and loads nothing. Secrets are masked.`,
		Example: "  ai sessions export 9f3a01c7 > talk.md\n  ai sessions export 9f3a01c7 -o talk.html",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.flags.json && format == "" && file == "" {
				format = string(export.JSON)
			}
			form, err := formOf(format, file)
			if err != nil {
				return err
			}
			return a.sessionsExport(cmd.Context(), args[0], form, file)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "md, json, html or text")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this `FILE`")
	return cmd
}

func (a *app) sessionsExport(ctx context.Context, id string, form export.Form, file string) (err error) {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	s, err := a.sessions(settings).View(ctx, id)
	if err != nil {
		return sessionFailure(err, textsOfSessions(terminal.Language(settings.Speak)), id)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e := a.exporter(settings, nil)
	if file == "" || file == "-" {
		if err := e.write(ctx, a.stdout, s, form); err != nil && !errors.Is(err, syscall.EPIPE) {
			return &failure{exitFile, err, ""}
		}
		return nil
	}
	if err := intoFile(file, func(w io.Writer) error { return e.write(ctx, w, s, form) }); err != nil {
		return &failure{exitFile, err, ""}
	}
	return nil
}

// intoFile replaces a file with what is written, at once; what is no regular
// file is written to as it is.
func intoFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		out, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(out), out.Close())
	}
	out, err := os.CreateTemp(filepath.Dir(path), ".ai-export-*") // 0600
	if err != nil {
		return err
	}
	err = errors.Join(write(out), out.Sync(), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}
