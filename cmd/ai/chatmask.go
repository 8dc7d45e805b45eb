package main

import (
	"strings"
	"unicode/utf8"
)

// Of a text that is arriving the last words are held back, so that a secret
// and the name before it are seen together.
const (
	heldWords = 3
	heldBytes = 24
	// triedCuts is at how many places it is tried to part what is held.
	triedCuts = 16
)

// maskedStream masks a text that arrives in pieces. What it gives is the
// beginning of the whole text masked, unless the text is made to deceive it.
type maskedStream struct {
	mask  func(string) string
	held  string
	next  int // not tried again before so many bytes are held
	shown string
}

// add takes more of the text and gives what can be shown.
func (m *maskedStream) add(s string) string {
	m.held += s
	if len(m.held) < m.next {
		return ""
	}
	whole := m.mask(m.held)
	at := m.known()
	words := 0
	for tried := 0; tried < triedCuts; {
		if at = wordBefore(m.held, at); at <= 0 {
			break
		}
		if words++; words < heldWords || len(m.held)-at < heldBytes {
			continue
		}
		tried++
		head, tail := m.mask(m.held[:at]), m.mask(m.held[at:])
		if head+tail == whole {
			m.held, m.next = m.held[at:], 0
			m.shown += head
			return head
		}
	}
	// A long text that cannot be parted is not masked again for every byte.
	m.next = len(m.held) + len(m.held)/8
	return ""
}

// heldBlock is how much is held back of a block of lines whose end is still to
// come.
const heldBlock = 64 << 10

// known is how far it can be told what is held. A private key is one only with
// all of its lines.
func (m *maskedStream) known() int {
	begin := strings.LastIndex(m.held, "-----BEGIN ")
	if begin < 0 || len(m.held)-begin > heldBlock {
		return len(m.held)
	}
	if _, end, found := strings.Cut(m.held[begin:], "-----END "); found && strings.Contains(end, "-----") {
		return len(m.held)
	}
	return begin
}

// wordBefore gives the last place before at where a word begins: behind white
// space, and before and behind every character outside of ASCII. 0 is none.
func wordBefore(s string, at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
		if r >= utf8.RuneSelf || at == 0 {
			return at
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		if before >= utf8.RuneSelf || strings.ContainsRune(" \t\r\n", before) && !strings.ContainsRune(" \t\r\n", r) {
			return at
		}
	}
	return 0
}
