package contextmgr

import (
	"unicode"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/llm"
)

// Usage says how full a request is.
type Usage struct {
	Used   int // bytes of text
	Window int // the ceiling of Used
	Tokens int // of the request
	// Reported is true where the provider counted the tokens, and false where
	// they are estimated.
	Reported bool
}

// Sent notes what became of a request: how long it was, and how many tokens
// the provider counted in it, if it did.
func (m *Manager) Sent(w Window, reported llm.Usage) {
	m.sent = Usage{Used: w.Bytes, Tokens: reported.Input + reported.CacheRead + reported.CacheWrite, Reported: true}
	if m.sent.Tokens > 0 {
		return
	}
	m.sent.Reported = false
	m.sent.Tokens = w.EstimateTokens()
}

// EstimateTokens guesses how many tokens the request has.
func (w Window) EstimateTokens() int {
	n := 0
	for _, s := range w.System {
		n += EstimateTokens(s)
	}
	for i := range w.Messages {
		n += EstimateTokens(w.Messages[i].Text())
	}
	return n
}

// Usage is the newest request's; it is zero, but for the ceiling, before the
// first one.
func (m *Manager) Usage() Usage {
	u := m.sent
	u.Window = m.ceiling
	return u
}

// EstimateTokens guesses how many tokens a text has, by its scripts: words in
// Latin letters have a token for some four of them, Chinese, Japanese and
// Korean one for hardly more than one, other scripts and what code is full of,
// digits and signs, are between.
func EstimateTokens(text string) int {
	const unit = 12 // of a token
	n := 0
	for _, r := range text {
		switch {
		case r == ' ', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			n += unit / 4
		case r < utf8.RuneSelf: // digits, signs, line ends
			n += unit / 2
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += unit * 3 / 4
		case unicode.Is(unicode.Latin, r):
			n += unit / 3
		case unicode.IsLetter(r):
			n += unit / 2
		default: // emoji and what is like them
			n += unit
		}
	}
	return (n + unit - 1) / unit
}
