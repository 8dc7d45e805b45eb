package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
	"github.com/holic512/plugin-ai/terminal"
)

// sessionCommands are the words after a slash that are about the session.
func (c *conversation) sessionCommands(export exporter) []terminal.Command {
	t := c.opener.text
	return []terminal.Command{
		{Name: "/fork", Help: t.HelpFork, Run: c.fork},
		{Name: "/tree", Help: t.HelpTree, Run: c.tree},
		{Name: "/undo-turn", Help: t.HelpUndo, Run: c.undoTurn},
		{Name: "/name", Args: t.ArgName, Help: t.HelpName, Run: c.name},
		{Name: "/export", Args: t.ArgFile, Help: t.HelpExport, Run: func(ctx context.Context, arg string) (string, error) {
			return "", c.export(ctx, export, arg)
		}},
		{Name: "/resume", Args: "[ID]", Help: t.HelpResume, Run: c.resume},
	}
}

// goTo goes on from an earlier entry of the session; "" is its beginning.
func (c *conversation) goTo(ctx context.Context, id string) error {
	k := c.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.session.Fork(id); err != nil {
		return err
	}
	// It is where the next opening goes on, also when nothing is said here.
	if !k.session.Flat() {
		if _, err := k.session.Append(ctx, session.Mark(transcript.TypeBranch)); err != nil {
			return err
		}
	}
	window, _, err := c.restore(k.session)
	if err != nil {
		return err
	}
	k.at(window)
	return nil
}

// settled fails where the session does not hold all that was said: its places
// are not those of the conversation then.
func (c *conversation) settled() error {
	k := c.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.session == nil || len(k.waiting) > 0 {
		return errors.New(c.opener.text.Unsaved)
	}
	return nil
}

// mostPoints is how many entries of the present branch /fork offers.
const mostPoints = 4096

// questions are what the person said on the present branch, oldest first.
func (c *conversation) questions() ([]transcript.Entry, error) {
	if err := c.settled(); err != nil {
		return nil, err
	}
	lines, err := c.keeper.session.Window(mostPoints)
	if err != nil {
		return nil, err
	}
	var list []transcript.Entry
	for _, l := range lines {
		if l.Role == session.User {
			list = append(list, transcript.Parse(l))
		}
	}
	return list, nil
}

// fork begins anew from an earlier message of the person's, which they may
// change.
func (c *conversation) fork(ctx context.Context, _ string) (next string, err error) {
	t := c.opener.text
	list, err := c.questions()
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", errors.New(t.NothingToFork)
	}
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = firstWords(e.Text, 200)
	}
	n, err := c.opener.face.Pick(ctx, t.PickQuestion, lines, len(lines)-1)
	if err != nil {
		return "", err
	}
	if err := c.goTo(ctx, list[n].ParentID); err != nil {
		return "", err
	}
	c.opener.face.Say(t.Forked)
	return list[n].Text, nil
}

// tree shows all branches, and goes on from the entry that the person picks:
// before a question, which they may change, or after an answer.
func (c *conversation) tree(ctx context.Context, _ string) (next string, err error) {
	t := c.opener.text
	if err := c.settled(); err != nil {
		return "", err
	}
	roots, err := c.keeper.session.Tree()
	if err != nil {
		return "", err
	}
	leaf, err := c.keeper.session.Leaf()
	if err != nil {
		return "", err
	}
	points := pointsOf(roots, leaf, t)
	if len(points) == 0 {
		return "", errors.New(t.NothingToFork)
	}
	lines, at := make([]string, len(points)), 0
	for i, p := range points {
		lines[i] = p.line
		if p.now {
			at = i
		}
	}
	n, err := c.opener.face.Pick(ctx, t.PickPoint, lines, at)
	if err != nil {
		return "", err
	}
	l, err := c.keeper.session.Entry(points[n].id)
	if err != nil {
		return "", err
	}
	if points[n].now && l.Role != session.User {
		c.opener.face.Say(t.Stays)
		return "", nil
	}
	to := l.ID
	if l.Role == session.User {
		to, next = l.ParentID, l.Text()
	}
	if err := c.goTo(ctx, to); err != nil {
		return "", err
	}
	c.opener.face.Say(t.Forked)
	return next, nil
}

// point is an entry that a conversation can go on from.
type point struct {
	id, line string
	now      bool // the last one before the leaf
}

// mostIndent is how deep branches are shown below each other.
const mostIndent = 8

// pointsOf are the questions and answers of a tree, each branch indented below
// what it follows. Commands and their results are no places to go on from: they
// belong to their turn.
func pointsOf(roots []*session.Node, leaf string, t *sessionTexts) []point {
	type visit struct {
		node   *session.Node
		indent int
	}
	shown := func(n *session.Node) bool {
		return n.Role == session.User || n.Role == session.Assistant && !slices.ContainsFunc(n.Children, func(c *session.Node) bool { return c.Role == session.Tool })
	}
	// A mark of a place has no words; what follows it hangs on what is before it.
	parent := map[string]string{}
	var points []point
	var todo []visit
	push := func(nodes []*session.Node, indent int) {
		for _, n := range slices.Backward(nodes) {
			todo = append(todo, visit{n, indent})
		}
	}
	branches := func(nodes []*session.Node) int {
		n := 0
		for _, c := range nodes {
			if c.Type != transcript.TypeBranch || len(c.Children) > 0 {
				n++
			}
		}
		return n
	}
	push(roots, 0)
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := v.node
		for _, c := range n.Children {
			parent[c.ID] = n.ID
		}
		if shown(n) {
			mark := "· "
			if n.Role == session.User {
				mark = "> "
			}
			words := n.Words
			if words == "" {
				words = t.Unnamed
			}
			if n.Label != "" {
				words = "[" + n.Label + "] " + words
			}
			points = append(points, point{id: n.ID, line: strings.Repeat("  ", min(v.indent, mostIndent)) + mark + words})
		}
		indent := v.indent
		if branches(n.Children) > 1 {
			indent++
		}
		push(n.Children, indent)
	}
	for id, ok := leaf, true; ok && id != ""; id, ok = parent[id] {
		if i := slices.IndexFunc(points, func(p point) bool { return p.id == id }); i >= 0 {
			points[i].now = true
			points[i].line += "  ← " + t.Now
			break
		}
	}
	return points
}

// undoTurn forgets the last turn.
func (c *conversation) undoTurn(ctx context.Context, _ string) (next string, err error) {
	t := c.opener.text
	list, err := c.questions()
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", errors.New(t.NothingToUndo)
	}
	last := list[len(list)-1]
	if err := c.goTo(ctx, last.ParentID); err != nil {
		return "", err
	}
	c.opener.face.Say(fmt.Sprintf(t.Undone, firstWords(last.Text, 60)))
	return "", nil
}

// name shows or sets the session's name.
func (c *conversation) name(ctx context.Context, arg string) (next string, err error) {
	k, t := c.keeper, c.opener.text
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.session == nil:
		return "", errors.New(t.NoFile)
	case arg != "" && k.session.Flat():
		return "", errors.New(t.Flat)
	case arg != "":
		if err := k.session.SetName(ctx, k.mask(arg)); err != nil {
			return "", err
		}
		c.opener.face.Say(fmt.Sprintf(t.Named, k.session.Name()))
	case k.session.Name() == "":
		c.opener.face.Say(t.NoName)
	default:
		c.opener.face.Say(fmt.Sprintf(t.NameIs, k.session.Name()))
	}
	return "", nil
}

// export writes the session to a file; without a name to one of its own in the
// working folder. A file that is there is not replaced.
func (c *conversation) export(ctx context.Context, export exporter, file string) error {
	s := c.keeper.session
	if s == nil || s.Counts().Messages() == 0 {
		return errors.New(c.opener.text.NothingToFork)
	}
	if file == "" {
		file = "ai-session-" + s.Header().ID + ".html"
	}
	path := file
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		path = filepath.Join(c.opener.app.home, rest)
	}
	form, err := formOf("", path)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = export.write(ctx, out, s, form)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	c.opener.face.Say(fmt.Sprintf(c.opener.text.Exported, path))
	return nil
}

// resume opens another session in the place of this one.
func (c *conversation) resume(ctx context.Context, id string) (next string, err error) {
	o := c.opener
	if id == "" {
		if id, err = o.pick(ctx); err != nil {
			return "", err
		}
	}
	path, err := o.store.Find(ctx, id)
	if err != nil {
		return "", err
	}
	if s := c.keeper.session; s != nil && s.Path() == path {
		o.face.Say(o.text.Here)
		return "", nil
	}
	s, err := o.ref(ctx, path, false)
	if err != nil {
		return "", err
	}
	if err := c.goOn(s); err != nil {
		return "", errors.Join(err, s.Close())
	}
	c.greet(o)
	return "", nil
}
