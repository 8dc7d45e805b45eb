package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

var jsonNull = jsontext.Value("null") //nolint:gochecknoglobals // a constant

func (s *Server) getMessages(*command) (any, error) {
	lines, err := s.present().context()
	if err != nil {
		return nil, err
	}
	out := jsontext.Value(`{"messages":[`)
	n := 0
	put := func(m jsontext.Value) {
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = append(out, m...)
	}
	for _, l := range lines {
		if m, ok := messageOf(l); ok {
			put(m)
		}
	}
	for _, l := range s.unwritten() {
		if m, ok := messageOf(l); ok {
			put(m)
		}
	}
	return append(out, "]}"...), nil
}

// unwritten are the lines that wait for the end of the run.
func (s *Server) unwritten() []session.Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []session.Line
	for _, d := range s.pending {
		if l, err := session.NewLine(d, d.Time); err == nil {
			lines = append(lines, l)
		}
	}
	return lines
}

type cancelled struct {
	Cancelled bool `json:"cancelled"`
}

// left asks the hooks whether the session may be left.
func (s *Server) left(event string, data map[string]any) bool {
	if s.cfg.Hooks == nil {
		return true
	}
	cancel, path, err := s.cfg.Hooks(s.ctx, event, data)
	if err != nil {
		s.tr.send(extensionError{"extension_error", path, event, err.Error()})
	}
	return !cancel
}

// replace goes on with another book: what is under way ends first.
func (s *Server) replace(fresh *book) error {
	s.stop()
	if steering, followUps := s.agent.Queued(); len(steering)+len(followUps) > 0 {
		s.agent.ClearQueue() // it was meant for the session that is left
	}
	old := s.present()
	if err := s.take(fresh); err != nil {
		return errors.Join(err, fresh.close())
	}
	if err := old.close(); err != nil {
		s.cfg.Log(err.Error())
	}
	return nil
}

func (s *Server) newSession(c *command) (any, error) {
	if !s.left("session_before_switch", map[string]any{"reason": "new"}) {
		return cancelled{true}, nil
	}
	fresh := newMemory(c.ParentSession)
	if s.cfg.Sessions != nil {
		made, err := s.cfg.Sessions.Create(c.ParentSession)
		if err != nil {
			return nil, err
		}
		fresh = newBook(made)
	}
	return cancelled{}, s.replace(fresh)
}

func (s *Server) switchSession(c *command) (any, error) {
	if s.cfg.Sessions == nil {
		return nil, errors.New("sessions are not kept (--no-session)")
	}
	path := c.SessionPath
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.cfg.Dir, path)
	}
	if path == s.present().file() {
		return cancelled{}, nil
	}
	if !s.left("session_before_switch", map[string]any{"reason": "resume", "targetSessionFile": path}) {
		return cancelled{true}, nil
	}
	opened, err := s.cfg.Sessions.Open(s.ctx, path)
	if err != nil {
		return nil, err
	}
	if err := s.replace(newBook(opened)); err != nil {
		return nil, err
	}
	s.comeBack(opened)
	return cancelled{}, nil
}

// comeBack asks the model that a session names last, at its level.
func (s *Server) comeBack(opened *session.Session) {
	model, level := "", ""
	if l, ok, err := opened.Latest(typeThinking); err == nil && ok {
		level = l.FieldText("thinkingLevel")
	}
	if l, ok, err := opened.Latest(session.TypeModel); err == nil && ok {
		model = transcript.Parse(l).Model
		if _, err := s.cfg.Models.Use(s.ctx, l.FieldText("provider"), l.FieldText("modelId")); err != nil {
			s.cfg.Log(fmt.Sprintf("the session's model %s is not set up: %v", model, err))
		}
	}
	if slices.Contains(levels(), level) {
		s.mu.Lock()
		s.level = level
		s.mu.Unlock()
	}
	s.present().asked(model, level)
	if m, ok := s.cfg.Models.Current(); ok {
		s.cfg.Models.Think(s.thinking(m))
	}
}

func (s *Server) fork(c *command) (any, error) {
	b := s.present()
	l, err := b.entry(c.EntryID)
	if err != nil || l.Role != session.User {
		return nil, errors.New("Invalid entry ID for forking") //nolint:staticcheck // pi's words
	}
	type forked struct {
		Text      string `json:"text"`
		Cancelled bool   `json:"cancelled"`
	}
	if !s.left("session_before_fork", map[string]any{"entryId": c.EntryID}) {
		return forked{l.Text(), true}, nil
	}
	s.stop()
	fresh, err := b.clone(l.ParentID)
	if err != nil {
		return nil, err
	}
	return forked{l.Text(), false}, s.replace(fresh)
}

func (s *Server) clone(*command) (any, error) {
	b := s.present()
	leaf, err := b.last()
	if err != nil {
		return nil, err
	}
	if leaf == "" || b.messages() == 0 {
		return nil, errors.New("Cannot clone session: no current entry selected") //nolint:staticcheck // pi's words
	}
	if !s.left("session_before_fork", map[string]any{"entryId": leaf}) {
		return cancelled{true}, nil
	}
	s.stop()
	if leaf, err = b.last(); err != nil {
		return nil, err
	}
	fresh, err := b.clone(leaf)
	if err != nil {
		return nil, err
	}
	return cancelled{}, s.replace(fresh)
}

func (s *Server) forkMessages(*command) (any, error) {
	type point struct {
		EntryID string `json:"entryId"`
		Text    string `json:"text"`
	}
	points := []point{}
	for l, err := range s.present().branch() {
		if err != nil {
			return nil, err
		}
		if l.Role == session.User {
			points = append(points, point{l.ID, l.Text()})
		}
	}
	return struct {
		Messages []point `json:"messages"`
	}{points}, nil
}

func (s *Server) lastText(*command) (any, error) {
	lines, err := s.present().context()
	if err != nil {
		return nil, err
	}
	type last struct {
		Text *string `json:"text"`
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if l := lines[i]; l.Role != session.Assistant && l.Type != typeAttempt {
			continue
		}
		v, _ := messageOf(lines[i])
		var m struct {
			Content []textBlock `json:"content"`
		}
		if json.Unmarshal(v, &m) != nil {
			continue
		}
		var b strings.Builder
		for _, c := range m.Content {
			if c.Type == "text" {
				b.WriteString(c.Text)
			}
		}
		if text := strings.TrimSpace(b.String()); text != "" {
			return last{&text}, nil
		}
	}
	return last{}, nil
}

func (s *Server) setName(c *command) (any, error) {
	name := strings.TrimSpace(c.Name)
	if name == "" {
		return nil, errors.New("Session name cannot be empty") //nolint:staticcheck // pi's words
	}
	b := s.present()
	if err := b.setTitle(s.cfg.Mask(name)); err != nil {
		return nil, err
	}
	s.tr.send(nameChanged{"session_info_changed", b.title()})
	s.ui.tell(uiRequest{Method: "setTitle", Title: "ai - " + b.title()})
	return nil, nil
}

func leafValue(leaf string) jsontext.Value {
	if leaf == "" {
		return jsonNull
	}
	return encode(leaf)
}

func (s *Server) entries(c *command) (any, error) {
	b := s.present()
	leaf, err := b.last()
	if err != nil {
		return nil, err
	}
	out := jsontext.Value(`{"entries":[`)
	n, found, more := 0, c.Since == "", false
	for l, err := range b.all() {
		if err != nil {
			return nil, err
		}
		if !found {
			found = l.ID == c.Since
			continue
		}
		v := entryOf(l)
		if c.MaxBytes > 0 && n > 0 && len(out)+len(v) > c.MaxBytes {
			more = true
			break
		}
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	if !found {
		return nil, fmt.Errorf("Entry not found: %s", c.Since) //nolint:staticcheck // pi's words
	}
	out = append(append(out, `],"leafId":`...), leafValue(leaf)...)
	return append(out, fmt.Sprintf(`,"hasMore":%t}`, more)...), nil
}

// tree writes all branches. A conversation is as deep as it is long, so it is
// written without recursion.
func (s *Server) tree(*command) (any, error) {
	b := s.present()
	leaf, err := b.last()
	if err != nil {
		return nil, err
	}
	byID := map[string]session.Line{}
	children := map[string][]string{}
	labels := map[string]string{}
	for l, err := range b.all() {
		if err != nil {
			return nil, err
		}
		if l.Type == session.TypeLabel {
			labels[l.FieldText("targetId")] = l.FieldText("label")
		}
		byID[l.ID] = l
		children[l.ParentID] = append(children[l.ParentID], l.ID)
	}
	out := jsontext.Value(`{"tree":[`)
	type place struct {
		id   string
		next int // child
	}
	stack := []place{{}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		list := children[top.id]
		if top.next < len(list) {
			if top.next > 0 {
				out = append(out, ',')
			}
			id := list[top.next]
			top.next++
			out = append(append(out, `{"entry":`...), entryOf(byID[id])...)
			out = append(out, `,"children":[`...)
			stack = append(stack, place{id: id})
			continue
		}
		if stack = stack[:len(stack)-1]; len(stack) > 0 {
			out = append(out, ']')
			if label := labels[top.id]; label != "" {
				out = append(append(out, `,"label":`...), encode(label)...)
			}
			out = append(out, '}')
		}
	}
	out = append(append(out, `],"leafId":`...), leafValue(leaf)...)
	return append(out, '}'), nil
}

func (s *Server) export(c *command) (any, error) {
	b := s.present()
	if s.cfg.Sessions == nil || b.session == nil {
		return nil, errors.New("Cannot export in-memory session to HTML") //nolint:staticcheck // pi's words
	}
	if b.messages() == 0 {
		return nil, errors.New("Nothing to export yet - start a conversation first") //nolint:staticcheck // pi's words
	}
	path := c.OutputPath
	if path == "" {
		path = "ai-session-" + b.identity() + ".html"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.cfg.Dir, path)
	}
	if err := replaceFile(path, func(w io.Writer) error { return s.cfg.Sessions.Export(context.WithoutCancel(s.ctx), b.session, w) }); err != nil {
		return nil, err
	}
	return struct {
		Path string `json:"path"`
	}{path}, nil
}

// replaceFile puts what is written into a file's place, at once.
func replaceFile(path string, write func(io.Writer) error) error {
	out, err := os.CreateTemp(filepath.Dir(path), ".ai-export-*") // 0600
	if err != nil {
		return err
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	if err := os.Rename(out.Name(), path); err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}
