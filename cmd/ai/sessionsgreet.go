package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session/transcript"
)

// greet tells where a conversation goes on.
func (c *conversation) greet(o *opener) {
	s := c.keeper.session
	if s == nil || s.Counts().Messages() == 0 {
		return
	}
	changed := ""
	if len(c.last) > 0 {
		if at, err := time.Parse(time.RFC3339, c.last[len(c.last)-1].Time); err == nil {
			changed = moment(at)
		}
	}
	told := fmt.Sprintf(o.text.GoesOn, s.Header().ID, s.Counts().Messages(), changed)
	if name := s.Name(); name != "" {
		told += ": " + name
	}
	o.face.Say(told + lastExchange(c.last))
}

// lastExchange is the last turn in short.
func lastExchange(last []transcript.Entry) string {
	if len(last) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n> " + firstWords(last[0].Text, 200))
	steps := 0
	for _, e := range last[1:] {
		switch {
		case e.Observation != nil:
			steps++
			if steps <= 3 && e.Observation.Program != nil {
				b.WriteString("\n  $ " + firstWords(protocol.FormatCommand(*e.Observation.Program, e.Observation.Args), 120))
			}
		case e.Answers():
			b.WriteString("\n" + firstWords(e.Text, 300))
		}
	}
	return b.String()
}

// firstWords is the beginning of a text on one line, in at most n characters.
func firstWords(s string, n int) string {
	words := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), 8*n)], "")), " "))
	if len(words) > n {
		return string(words[:n-1]) + "…"
	}
	return string(words)
}

// moment is a time as lists show it.
func moment(t time.Time) string {
	if t.IsZero() {
		return "?"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.0f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
