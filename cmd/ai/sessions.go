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
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/terminal"
)

// sessionsCommand is `ai sessions`.
func (a *app) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "Conversations that were kept: list, show, search, export, remove",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionsListCommand(), a.sessionsShowCommand(), a.sessionsSearchCommand(), a.sessionsExportCommand(),
		a.sessionsRemoveCommand(), a.sessionsPruneCommand())
	return cmd
}

// sessionLine is what is told of a session.
type sessionLine struct {
	ID       string    `json:"id"`
	Path     string    `json:"path"`
	CWD      string    `json:"cwd"`
	Created  time.Time `json:"created,omitzero"`
	Changed  time.Time `json:"changed,omitzero"`
	Name     string    `json:"name"`
	First    string    `json:"first"`    // the first words of the user
	Messages int       `json:"messages"` // -1: not known without reading the whole
	Size     int64     `json:"size"`     // in bytes
	Error    string    `json:"error,omitzero"`
}

// describeSession masks what a person may have said before a key was known.
func describeSession(i session.Info, mask func(string) string) sessionLine {
	l := sessionLine{
		ID: i.ID, Path: i.Path, CWD: i.CWD, Created: i.Created, Changed: i.Changed, Name: mask(i.Name), First: mask(i.First),
		Messages: i.Messages, Size: i.Size,
	}
	if i.Err != nil {
		l.Error = i.Err.Error()
	}
	return l
}

func (l *sessionLine) text(a *app, t *sessionTexts, folder bool) string {
	title := l.Name
	if title == "" {
		title = l.First
	}
	if title == "" {
		title = t.Unnamed
	}
	messages := "?"
	if l.Messages >= 0 {
		messages = fmt.Sprint(l.Messages)
	}
	parts := []string{l.ID, moment(l.Changed), fmt.Sprintf("%4s", messages), fmt.Sprintf("%8s", bytesText(l.Size)), oneLine(firstWords(title, 80))}
	if folder {
		parts = append(parts, visible(a.short(l.CWD)))
	}
	if l.Error != "" {
		parts = append(parts, "! "+oneLine(l.Error))
	}
	return strings.Join(parts, "  ")
}

func (a *app) sessionsListCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "The sessions of this folder, the newest first",
		Long: `list prints a session a line: its ID, when it was written to last, its messages,
its size, and its name or first words. With --all those of all folders.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.sessionsList(cmd.Context(), all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "those of all folders")
	return cmd
}

func (a *app) sessionsList(ctx context.Context, all bool) error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	mask := a.exporter(settings, nil).mask
	list, err := a.sessions(settings).List(ctx, a.folder(all))
	if err != nil {
		return &failure{exitFile, err, ""}
	}
	lines := []sessionLine{}
	for _, info := range list {
		lines = append(lines, describeSession(info, mask))
	}
	if a.flags.json {
		return writeJSON(a.stdout, lines)
	}
	if len(lines) == 0 {
		a.tell(runner.NoticeInfo, "no session was kept here; `ai -i` keeps one, --all lists those of all folders", nil)
	}
	return a.printSessions(settings, lines, all)
}

// printSessions prints a session a line.
func (a *app) printSessions(s *config.Settings, lines []sessionLine, folder bool) error {
	t := textsOfSessions(terminal.Language(s.Speak))
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text(a, t, folder) + "\n")
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// folder is the working folder whose sessions are meant; "" is all.
func (a *app) folder(all bool) string {
	if all {
		return ""
	}
	return a.dir
}

// hitLine is what is told of a message that was found.
type hitLine struct {
	Session   string `json:"session"`
	CWD       string `json:"cwd"`
	Entry     string `json:"entry"`
	Role      string `json:"role"`
	Timestamp string `json:"timestamp"`
	Before    string `json:"before"`
	Match     string `json:"match"`
	After     string `json:"after"`
}

func (a *app) sessionsSearchCommand() *cobra.Command {
	var here bool
	var limit int
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Messages that have these words, in all sessions",
		Long: `search prints a message a line that has the words, next to each other and in any
letter case: the session's ID, who said it, and the words with what is around
them. It looks into all sessions, the newest first.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return usage(fmt.Errorf("--limit: expected 1 or more, got %d", limit), misused(cmd))
			}
			return a.sessionsSearch(cmd.Context(), session.Query{Text: strings.Join(args, " "), CWD: a.folder(!here), Limit: limit})
		},
	}
	cmd.Flags().BoolVar(&here, "here", false, "only in the sessions of this folder")
	cmd.Flags().IntVar(&limit, "limit", 100, "at most so many messages")
	return cmd
}

func (a *app) sessionsSearch(ctx context.Context, q session.Query) error {
	settings, err := a.load(false)
	if err != nil {
		return err
	}
	if strings.TrimSpace(q.Text) == "" {
		return usage(errors.New("expected words to search for, got none"), "ai sessions search WORDS")
	}
	mask := a.exporter(settings, nil).mask
	hits, failed, err := a.sessions(settings).Search(ctx, q)
	if err != nil {
		return &failure{exitFile, err, ""}
	}
	lines := []hitLine{}
	var b strings.Builder
	for _, h := range hits {
		l := hitLine{h.Session.ID, h.Session.CWD, h.EntryID, h.Role, h.Timestamp, mask(h.Before), mask(h.Match), mask(h.After)}
		lines = append(lines, l)
		fmt.Fprintf(&b, "%s  %s  %s%s%s\n", l.Session, oneLine(l.Role), oneLine(l.Before), oneLine(l.Match), oneLine(l.After))
	}
	for _, info := range failed {
		a.tell(runner.NoticeWarning, fmt.Sprintf("left out: %v", info.Err), nil)
	}
	if a.flags.json {
		return writeJSON(a.stdout, lines)
	}
	if len(hits) == 0 {
		a.tell(runner.NoticeInfo, "no message has these words", nil)
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}
