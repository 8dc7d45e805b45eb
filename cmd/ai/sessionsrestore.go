package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// How many of the newest entries are read to go on with a session. More are
// read only where the last summary begins before them.
const (
	firstRead = 256
	mostRead  = 16 << 10
)

// newest reads what of the present branch the model is to be told: the last
// summary, and what came after that which it replaced.
func newest(s *session.Session) (protocol.Summary, []transcript.Entry, error) {
	var summary protocol.Summary
	from := ""
	l, ok, err := s.Latest(session.TypeCompaction)
	if err != nil {
		return summary, nil, err
	}
	if ok {
		e := transcript.Parse(l)
		summary, from = *e.Summary, e.FirstKept
	}
	for n := firstRead; ; n *= 4 {
		lines, err := s.Window(n)
		if err != nil {
			return summary, nil, err
		}
		begin := 0
		if from != "" {
			begin = slices.IndexFunc(lines, func(l session.Line) bool { return l.ID == from })
			if begin < 0 && len(lines) == n && n < mostRead {
				continue
			}
			begin = max(begin, 0)
		}
		var entries []transcript.Entry
		for _, l := range lines[begin:] {
			entries = append(entries, transcript.Parse(l))
		}
		return summary, entries, nil
	}
}

// presentBranch reads what of a file with ids the model is to be told: turns
// that were undone are on other branches, and older ones may be summed up. Of a
// file without ids it gives nil: all of its lines are.
func presentBranch(path string, lines []session.Line) (branch []session.Line, summary protocol.Summary, err error) {
	if !slices.ContainsFunc(lines, func(l session.Line) bool { return l.ID != "" }) {
		return nil, summary, nil
	}
	if path, err = filepath.Abs(path); err != nil { // a bare name could be an id
		return nil, summary, err
	}
	s, err := session.NewStore(session.Config{}).View(context.Background(), path)
	if err != nil {
		return nil, summary, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	from := ""
	l, ok, err := s.Latest(session.TypeCompaction)
	if err != nil {
		return nil, summary, err
	}
	if ok {
		e := transcript.Parse(l)
		summary, from = *e.Summary, e.FirstKept
	}
	branch = []session.Line{}
	for l, err := range s.Branch("") {
		if err != nil {
			return nil, summary, err
		}
		if l.ID == from {
			branch = branch[:0]
		}
		branch = append(branch, l)
	}
	return branch, summary, nil
}

// restore puts the conversation of a session in the place of the one that the
// window has, and gives the entries that its turns begin with.
func (c *conversation) restore(s *session.Session) (window []string, last []transcript.Entry, err error) {
	summary, entries, err := newest(s)
	if err != nil {
		return nil, nil, err
	}
	instruction, _, err := transcript.Instruction(s)
	if err != nil {
		return nil, nil, err
	}
	c.window.Instruct(instruction.Text())
	var told []contextmgr.Entry
	steps, open := 0, false // open: a turn has no answer yet
	for i, e := range entries {
		switch {
		case e.Role == session.User:
			question := e.Text
			if e.Context != "" {
				question += fmt.Sprintf("\n(with %d bytes of standard input, left out)", len(e.Context))
			}
			if question == "" {
				question = "(nothing)"
			}
			told = append(told, contextmgr.Entry{Question: question})
			window, last, open = append(window, e.ID), entries[i:], true
			continue
		case e.Role == session.Assistant:
			reply := e.Reply()
			told = append(told, contextmgr.Entry{Reply: &reply})
		case e.Observation != nil:
			told = append(told, contextmgr.Entry{Observation: e.Observation})
			n := 0
			if _, err := fmt.Sscanf(e.Observation.ID, "cmd_%d", &n); err == nil {
				steps = max(steps, n)
			}
		default:
			continue
		}
		// What belongs to no question counts as a turn of its own.
		if !open {
			window = append(window, e.ID)
		}
		open = !e.Answers()
	}
	c.window.Restore(summary, told)
	c.Numbered(steps)
	return window, last, nil
}
