package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
)

// chatSession is the file of --session_file. It is locked from before the
// model is asked until the turn is written, so that a turn that was paid for
// can be written.
type chatSession struct {
	path     string
	file     *session.PaiFile // nil where it is only read
	lines    []session.Line
	warnings []string

	branch  []session.Line   // of a file with ids: what is said now, after the summary; nil is all lines
	summary protocol.Summary // of what was said before

	first, last int // of the lines: a leading system message, a trailing one of the user; -1 is none
}

// openChatSession reads the file, and locks it where it is to be written. A
// line that cannot be read is an error: the conversation would be another one.
func openChatSession(path string, write bool) (*chatSession, error) {
	s := &chatSession{path: path}
	var problems []session.Problem
	var err error
	if write {
		if s.file, err = session.OpenFile(path); err == nil {
			s.lines, problems = s.file.Lines(), s.file.Problems()
		}
	} else {
		s.lines, problems, err = session.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // a session that is not begun
		}
	}
	if err != nil {
		advice, words := "", ""
		if errors.Is(err, session.ErrLocked) {
			advice = "try again when the other call has ended; each may have a file of its own"
			words = "等另一个调用结束后再试；也可以各用一个会话文件"
		}
		return nil, &failure{exitFile, chinese(fmt.Errorf("the session file: %w", err), "会话文件："+err.Error(), words), advice}
	}
	if err := s.check(problems); err != nil {
		s.close()
		return nil, err
	}
	if s.branch, s.summary, err = presentBranch(path, s.lines); err != nil {
		s.close()
		return nil, &failure{exitFile, fmt.Errorf("the session file: %w", err), ""}
	}
	s.find()
	return s, nil
}

// check refuses what is wrong with the file. Only what a crash left at its end
// is no reason to stop: it is put aside when the file is written.
func (s *chatSession) check(problems []session.Problem) error {
	for _, p := range problems {
		if p.Kind != session.Torn || s.isWhole(p) {
			return &failure{exitFile, chinese(fmt.Errorf("the session file: %s", p), "会话文件："+p.String(), "请修正或删除该行"), "mend or remove that line"}
		}
		s.warnings = append(s.warnings, p.String())
	}
	for _, l := range s.lines {
		if l.Role == "" && !s.isOwn() {
			return &failure{exitFile, chinese(fmt.Errorf(`the session file: %s: line %d: expected a message with "role" and "content"`, s.path, l.Number),
				fmt.Sprintf(`会话文件：%s：第 %d 行：应为带有 "role" 和 "content" 的消息`, s.path, l.Number), "请修正或删除该行"), "mend or remove that line"}
		}
	}
	return nil
}

// isWhole tells whether a last line without a line end is a whole JSON value:
// no crash left it, but a program that writes wrong lines.
func (s *chatSession) isWhole(p session.Problem) bool {
	file, err := os.Open(s.path)
	if err != nil {
		return false
	}
	defer file.Close()
	rest, err := io.ReadAll(io.NewSectionReader(file, p.Offset, session.MaxLine))
	return err == nil && jsontext.Value(rest).IsValid()
}

// find looks where the messages are that the flags may replace.
func (s *chatSession) find() {
	s.first, s.last = -1, -1
	isMessage := func(l session.Line) bool { return l.Role != "" }
	if i := slices.IndexFunc(s.lines, isMessage); i >= 0 && s.lines[i].Role == session.System {
		s.first = i
	}
	said := s.lines
	if s.branch != nil {
		said = s.branch
	}
	for _, l := range slices.Backward(said) {
		if isMessage(l) {
			if l.Role == session.User {
				s.last = slices.IndexFunc(s.lines, func(other session.Line) bool { return other.Number == l.Number })
			}
			return
		}
	}
}

// system is the leading system message; nil is none.
func (s *chatSession) system() *session.Line { return s.at(s.first) }

// user is the trailing message of the user; nil is none.
func (s *chatSession) user() *session.Line { return s.at(s.last) }

// isOwn tells whether the file is one of the program's own sessions, which
// begin with a header.
func (s *chatSession) isOwn() bool {
	return len(s.lines) > 0 && s.lines[0].Role == "" && s.lines[0].Type == session.TypeHeader
}

func (s *chatSession) at(i int) *session.Line {
	if i < 0 {
		return nil
	}
	return &s.lines[i]
}

// history are the messages between the two, of the present branch.
func (s *chatSession) history() []session.Line {
	if s.branch != nil {
		return slices.DeleteFunc(slices.Clone(s.branch), func(l session.Line) bool {
			return s.first >= 0 && l.Number == s.lines[s.first].Number || s.last >= 0 && l.Number == s.lines[s.last].Number
		})
	}
	to := len(s.lines)
	if s.last >= 0 {
		to = s.last
	}
	return s.lines[s.first+1 : to]
}

// write writes a turn that ended with an answer: into the end of the file or,
// where a message was replaced, the whole file anew, at once.
func (s *chatSession) write(ctx context.Context, r *chatRequest, t *chatTurn, mask func(string) string) error {
	if s.file == nil {
		return nil
	}
	err := s.put(ctx, r, t, mask)
	if err != nil {
		return &failure{exitFile, chinese(fmt.Errorf("the answer could not be added to the session file: %w", err), "回答未能写入会话文件："+err.Error(), ""), ""}
	}
	return nil
}

func (s *chatSession) put(ctx context.Context, r *chatRequest, t *chatTurn, mask func(string) string) error {
	now := t.asked
	changed := false
	var added []session.Line
	add := func(d session.Draft) error {
		l, err := session.NewLine(d, now)
		added = append(added, l)
		return err
	}
	// replace gives a message another content and keeps nothing of the old one.
	replace := func(i int, text string) error {
		if old := s.lines[i].Content; old.Kind() == '"' && s.lines[i].Text() == text {
			return nil
		}
		content, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return err
		}
		l, err := s.lines[i].WithContent(content)
		s.lines[i], changed = l, true
		return err
	}
	begin := s.lines
	if r.given.instruction {
		text := mask(valid(r.instruction))
		if s.first >= 0 {
			if err := replace(s.first, text); err != nil {
				return err
			}
		} else {
			l, err := session.NewLine(session.Message(session.System, text), now)
			if err != nil {
				return err
			}
			changed = len(begin) > 0
			begin = append([]session.Line{l}, begin...)
		}
	}
	if r.given.input {
		text := mask(valid(r.text()))
		if s.last >= 0 {
			if err := replace(s.last, text); err != nil {
				return err
			}
		} else if err := add(session.Message(session.User, text)); err != nil {
			return err
		}
	}
	drafts, err := t.drafts(mask)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if err := add(d); err != nil {
			return err
		}
	}
	switch {
	case changed:
		return s.file.Rewrite(ctx, append(begin, added...)...)
	case len(s.lines) == 0:
		return s.file.Append(ctx, append(begin, added...)...)
	}
	return s.file.Append(ctx, added...)
}

func (s *chatSession) close() {
	if s.file != nil {
		_ = s.file.Close() // what was written is on the disk already
	}
}
