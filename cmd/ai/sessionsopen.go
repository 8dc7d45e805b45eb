package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
	"github.com/holic512/plugin-ai/terminal"
)

// sessionFlags say which session a conversation is kept in.
type sessionFlags struct {
	last   bool     // -c
	resume resumeID // -r; anySession is a list to choose from
	file   string
	copy   bool
	none   bool
}

// resumeID is the value of --resume, which may have none. It says that it is a
// bool so that the help shows the flag as it is used.
type resumeID string

// anySession is the value of --resume without an ID.
const anySession = "true"

func (r *resumeID) String() string     { return string(*r) }
func (r *resumeID) Set(s string) error { *r = resumeID(s); return nil }
func (r *resumeID) Type() string       { return "bool" }

func (f *sessionFlags) add(cmd *cobra.Command) {
	own := cmd.Flags()
	own.BoolVarP(&f.last, "continue", "c", false, "go on with the last session of this folder")
	own.VarP(&f.resume, "resume", "r", "go on with the session of this `ID`, or choose one from a list")
	own.Lookup("resume").NoOptDefVal = anySession
	own.StringVar(&f.file, "session", "", "keep the conversation in this `FILE`, and go on with what is in it")
	own.BoolVar(&f.copy, "copy", false, "with -c, -r, --session: go on in a copy, the session stays as it is")
	own.BoolVar(&f.none, "no-session", false, "keep no session")
}

// named tells whether a session was asked for.
func (f *sessionFlags) named() bool { return f.last || f.resume != "" || f.file != "" }

func (f *sessionFlags) check(cmd *cobra.Command) error {
	if err := exclude(cmd, [2]string{"continue", "resume"}, [2]string{"continue", "session"}, [2]string{"resume", "session"},
		[2]string{"continue", "no-session"}, [2]string{"resume", "no-session"}, [2]string{"session", "no-session"}); err != nil {
		return err
	}
	if f.copy && !f.named() {
		return errors.New("--copy needs --continue, --resume or --session")
	}
	return nil
}

// sessionID is how the ID of a session, its beginning or its file looks.
var sessionID = regexp.MustCompile(`^([0-9a-f]{4,16}|.*\.jsonl)$`)

// joinResume gives the arguments with an ID that follows --resume joined to
// it: what else follows is the question.
func joinResume(root *cobra.Command, args []string) []string {
	if cmd, _, err := root.Find(args); err != nil || cmd != root {
		return args
	}
	out := append([]string(nil), args...)
	for i := 0; i+1 < len(out); i++ {
		arg := out[i]
		if arg == "--" {
			break
		}
		if isResume(arg) && sessionID.MatchString(out[i+1]) {
			out[i] += "=" + out[i+1]
			out = append(out[:i+1], out[i+2:]...)
		}
	}
	return out
}

// isResume tells whether an argument is --resume without a value.
func isResume(arg string) bool {
	short := len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.HasSuffix(arg, "r") && !strings.Contains(arg, "=")
	return arg == "--resume" || short
}

// afterResume is the word that follows --resume and does not look like an ID;
// "" is none. It may be meant as one all the same.
func afterResume(args []string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if isResume(arg) && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return args[i+1]
		}
	}
	return ""
}

// sessions is the person's own store.
func (a *app) sessions(s *config.Settings) *session.Store {
	return session.NewStore(session.Config{Dir: sessionsDir(s)})
}

func sessionsDir(s *config.Settings) string { return filepath.Join(s.Dirs.State, "sessions") }

// keep opens the session that the flags name, puts its conversation into c,
// and lets c write into it. It does nothing where none is kept.
func (a *app) keep(ctx context.Context, s *config.Settings, face *terminal.Face, c *conversation) error {
	f := &a.flags.session
	if f.none || !a.flags.interactive && !f.named() {
		return nil
	}
	text := textsOfSessions(terminal.Language(s.Speak))
	opener := &opener{app: a, store: a.sessions(s), dir: sessionsDir(s), mask: c.mask, face: face, text: text}
	opened, err := opener.open(ctx, f)
	if err != nil {
		return err
	}
	k := &keeper{
		mask: c.mask, observation: c.window.Mask, tell: face.Notify, text: text,
		model: func() (string, string) { return c.model.target.Entry, c.model.target.Model.ID },
		next: func() (*session.Session, error) {
			if f.file == "" || opener.copied {
				return opener.store.Create(a.dir, "")
			}
			again, err := opener.store.Open(context.Background(), f.file)
			if err == nil {
				err = again.Fork("")
			}
			return again, err
		},
	}
	c.keeper, c.opener = k, opener
	if err := c.goOn(opened); err != nil {
		return errors.Join(err, opened.Close())
	}
	return nil
}

// goOn puts the conversation of a session in the place of the present one, and
// keeps what follows in it.
func (c *conversation) goOn(s *session.Session) error {
	c.Runner.Forget()
	window, last, err := c.restore(s)
	if err != nil {
		return err
	}
	if err := c.keeper.use(s, window); err != nil {
		return err
	}
	c.last = last
	return nil
}

// opener finds and opens sessions.
type opener struct {
	app    *app
	store  *session.Store
	dir    string // of the store
	mask   func(string) string
	copied bool // a file goes on in a copy, and stays as it is
	face   *terminal.Face
	text   *sessionTexts
}

func (o *opener) open(ctx context.Context, f *sessionFlags) (*session.Session, error) {
	switch {
	case f.file != "":
		return o.file(ctx, f)
	case f.last:
		list, err := o.store.List(ctx, o.app.dir)
		if err != nil {
			return nil, &failure{exitFile, err, ""}
		}
		for _, info := range list {
			if info.Err == nil {
				return o.ref(ctx, info.Path, f.copy)
			}
		}
		o.face.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: o.text.NoneHere})
	case f.resume == anySession:
		path, err := o.pick(ctx)
		if err != nil {
			return nil, err
		}
		return o.ref(ctx, path, f.copy)
	case f.resume != "":
		s, err := o.ref(ctx, string(f.resume), f.copy)
		if errors.Is(err, session.ErrNoSession) {
			err = o.unknown(ctx, err.Error())
		}
		return s, err
	}
	return o.store.Create(o.app.dir, "")
}

// file opens a file that the person named, which is made where it is not there.
func (o *opener) file(ctx context.Context, f *sessionFlags) (*session.Session, error) {
	path, err := filepath.Abs(f.file)
	if err != nil {
		return nil, &failure{exitFile, err, ""}
	}
	f.file = path
	made, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case err == nil:
		if err := made.Close(); err != nil {
			return nil, &failure{exitFile, err, ""}
		}
	case !errors.Is(err, fs.ErrExist):
		return nil, &failure{exitFile, err, "--session takes a file that can be written"}
	}
	return o.ref(ctx, path, f.copy)
}

// ref opens a session by its path or id, and tells what is to know of it.
func (o *opener) ref(ctx context.Context, ref string, asCopy bool) (*session.Session, error) {
	open := o.store.Open
	if asCopy {
		open = o.store.View
	}
	s, err := open(ctx, ref)
	if err != nil {
		return nil, sessionFailure(err, o.text, ref)
	}
	if problems := s.Problems(); len(problems) > 0 {
		o.warn(problems)
	}
	if asCopy || s.ReadOnly() {
		if s, err = o.copy(ctx, s, asCopy); err != nil {
			return nil, &failure{exitFile, err, ""}
		}
	}
	if cwd := s.Header().CWD; cwd != "" && cwd != o.app.dir {
		o.face.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: fmt.Sprintf(o.text.Elsewhere, cwd)})
	}
	return s, nil
}

// copy makes a session of ours of one that stays as it is.
func (o *opener) copy(ctx context.Context, s *session.Session, asked bool) (*session.Session, error) {
	fresh, err := o.copyOf(ctx, s)
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	o.copied = true
	told := o.text.Copied
	if !asked {
		told = fmt.Sprintf(o.text.ReadOnlyCopied, fresh.Header().ID)
	}
	o.face.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: told})
	return fresh, nil
}

// copyOf copies a session of the own store as it is, and any other as a session
// of this folder, with its secrets masked.
func (o *opener) copyOf(ctx context.Context, s *session.Session) (*session.Session, error) {
	if filepath.Dir(filepath.Dir(s.Path())) == o.dir {
		leaf, err := s.Leaf()
		if err != nil {
			return nil, err
		}
		return s.Clone(ctx, leaf)
	}
	fresh, err := o.store.Create(o.app.dir, s.Path())
	if err != nil {
		return nil, err
	}
	if err := transcript.Copy(ctx, s, fresh, o.mask); err != nil {
		return nil, errors.Join(err, fresh.Close())
	}
	return fresh, nil
}

// mostProblems is how many problems of a file are told one by one.
const mostProblems = 5

func (o *opener) warn(problems []session.Problem) {
	lines := []string{o.text.Problems}
	for i, p := range problems {
		if i == mostProblems {
			lines = append(lines, fmt.Sprintf(o.text.MoreProblems, len(problems)-i))
			break
		}
		lines = append(lines, p.String())
	}
	o.face.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: strings.Join(lines, "\n")})
}

// sessionFailure is an error of sessions, with its exit code.
func sessionFailure(err error, t *sessionTexts, ref string) error {
	switch {
	case errors.Is(err, session.ErrLocked):
		return &failure{exitFile, fmt.Errorf(t.Locked+": %w", ref, err), fmt.Sprintf(t.LockedHint, ref)}
	case errors.Is(err, session.ErrNoSession):
		return usage(err, "ai sessions list --all")
	}
	return &failure{exitFile, err, ""}
}

// listed are the lines that a person picks a session from.
func (o *opener) listed(ctx context.Context) (list []session.Info, lines []string, err error) {
	all, err := o.store.List(ctx, "")
	if err != nil {
		return nil, nil, &failure{exitFile, err, ""}
	}
	for _, info := range all {
		if info.Err == nil {
			list = append(list, info)
		}
	}
	return list, o.rows(list, o.face.Columns()), nil
}

const (
	narrow      = 70 // columns; with fewer there is no room for folders
	widestTitle = 40 // characters of a title that has a folder behind it
)

// rows are what a list shows of sessions. What tells them apart comes first, as
// the end of a row may be cut: two with the same time and size have the
// beginning of their ID, too.
func (o *opener) rows(list []session.Info, columns int) []string {
	rows := make([]string, len(list))
	seen := map[string]int{}
	for i, info := range list {
		at := moment(info.Changed)
		if year := time.Now().Format("2006-"); columns < narrow {
			at = strings.TrimPrefix(at, year)
		}
		rows[i] = at + "  " + bytesText(info.Size)
		seen[rows[i]]++
	}
	for i, info := range list {
		if seen[rows[i]] > 1 {
			rows[i] += "  " + info.ID[:min(len(info.ID), 4)]
		}
		title := o.title(info)
		if columns >= narrow {
			title = firstWords(title, widestTitle) + "  " + o.app.short(info.CWD)
		}
		rows[i] += "  " + title
	}
	return rows
}

// title is what a list calls a session.
func (o *opener) title(info session.Info) string {
	switch {
	case info.Name != "":
		return info.Name
	case info.First != "":
		return info.First
	}
	return o.text.Unnamed
}

// mostListed is how many sessions an error names.
const mostListed = 10

// pick lets the person choose a session. Where nobody can choose the error
// lists what there is.
func (o *opener) pick(ctx context.Context) (path string, err error) {
	list, lines, err := o.listed(ctx)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", usage(errors.New("there is no session yet"), "ai -i begins one")
	}
	n, err := o.face.Pick(ctx, o.text.PickSession, lines, 0)
	switch {
	case err == nil:
		return list[n].Path, nil
	case errors.Is(err, runner.ErrNobody):
		fact := "--resume needs an ID where nobody can choose"
		if word := afterResume(o.app.args); word != "" {
			fact = fmt.Sprintf("%v: %q; %s", session.ErrNoSession, word, fact)
		}
		return "", o.unknown(ctx, fact)
	case errors.Is(err, terminal.ErrNothingPicked):
		return "", &failure{exitInterrupted, err, ""}
	}
	return "", err
}

// unknown is the error of a session that is not there: it lists those that are.
func (o *opener) unknown(ctx context.Context, fact string) error {
	list, lines, err := o.listed(ctx)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(fact)
	if len(list) > 0 {
		b.WriteString("; there are:")
	}
	for i, info := range list[:min(len(list), mostListed)] {
		fmt.Fprintf(&b, "\n%s  %s", info.ID, visible(lines[i]))
	}
	return usage(errors.New(b.String()), "ai --resume ID; ai sessions list --all names all")
}
