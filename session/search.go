package session

import (
	"context"
	"regexp"
	"strings"
)

// A Query says what to look for.
type Query struct {
	Text  string // in any letter case
	CWD   string // of which working directory; "" is all
	Limit int    // at most so many hits; 0 is 100
}

// A Hit is a message that has the text.
type Hit struct {
	Session   Info
	EntryID   string
	Role      string
	Timestamp string
	Before    string // of the same line, shortened
	Match     string // as it is spelled there
	After     string
}

// snippet is how many bytes are shown before and after a match.
const snippet = 80

// Search looks through the texts of messages, the session that was written to
// last first. Lines that are broken are left out: opening the session tells
// of them. Sessions that cannot be read are in failed.
func (s *Store) Search(ctx context.Context, q Query) (hits []Hit, failed []Info, err error) {
	text := strings.TrimSpace(q.Text)
	if text == "" {
		return nil, nil, nil
	}
	if q.Limit <= 0 {
		q.Limit = 100
	}
	pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(text))
	if err != nil {
		return nil, nil, err
	}
	list, err := s.List(ctx, q.CWD)
	if err != nil {
		return nil, nil, err
	}
	for _, info := range list {
		if len(hits) == q.Limit {
			break
		}
		err := eachMessage(ctx, info.Path, func(l Line) bool {
			words := l.Text()
			if at := pattern.FindStringIndex(words); at != nil {
				hits = append(hits, Hit{Session: info, EntryID: l.ID, Role: l.Role, Timestamp: l.Timestamp,
					Before: lastLine(words[:at[0]]), Match: words[at[0]:at[1]], After: firstLine(words[at[1]:])})
			}
			return len(hits) < q.Limit
		})
		if ctx.Err() != nil {
			return hits, failed, ctx.Err()
		}
		if err != nil {
			info.Err = err
			failed = append(failed, info)
		}
	}
	return hits, failed, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return shorten(s, snippet)
}

func lastLine(s string) string {
	s = s[strings.LastIndexByte(s, '\n')+1:]
	if len(s) > snippet {
		s = strings.ToValidUTF8(s[len(s)-snippet:], "")
	}
	return s
}
