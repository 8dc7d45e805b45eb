package call

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/holic512/plugin-ai/llm"
)

// A masker takes secrets out of texts for people.
type masker struct{ secrets []string }

// newMasker knows the secrets of a call: its key, and headers that are not
// plainly harmless.
func newMasker(options llm.Options) masker {
	var m masker
	m.add(options.APIKey)
	for name, value := range options.Headers {
		switch strings.ToLower(name) {
		case "accept", "content-type", "user-agent", "http-referer", "x-title", "openai-organization", "openai-project":
			continue
		}
		m.add(value)
		if _, token, ok := strings.Cut(value, " "); ok {
			m.add(token)
		}
	}
	// A secret that holds another one goes first.
	slices.SortFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
	return m
}

func (m *masker) add(secret string) {
	const least = 4 // shorter ones would tear words apart and hide nothing
	if secret = strings.TrimSpace(secret); len(secret) < least {
		return
	}
	m.secrets = append(m.secrets, secret)
	if q := url.QueryEscape(secret); q != secret {
		m.secrets = append(m.secrets, q)
	}
}

var secretShapes = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a constant that is compiled on first use
	return regexp.MustCompile(`(?i)\b(sk-[a-z0-9_*.-]{4,})|(\bbearer\s+)([a-z0-9._~+/=*-]{4,})|(["']?\bapi[_-]?key["']?\s*[:=]\s*["']?)([^\s"',}]{4,})`)
})

// mask hides the secrets of the call, and what looks like a key.
func (m masker) mask(s string) string {
	for _, secret := range m.secrets {
		s = strings.ReplaceAll(s, secret, brief(secret))
	}
	if !strings.Contains(s, "sk-") && !containsFold(s, "bearer") && !containsFold(s, "key") {
		return s
	}
	re := secretShapes()
	return re.ReplaceAllStringFunc(s, func(found string) string {
		g := re.FindStringSubmatch(found)
		switch {
		case g[1] != "":
			return brief(g[1])
		case g[3] != "":
			return g[2] + brief(g[3])
		}
		return g[4] + brief(g[5])
	})
}

func containsFold(s, lower string) bool { return strings.Contains(strings.ToLower(s), lower) }

// brief leaves of a long secret enough to tell it from another one.
func brief(secret string) string {
	if strings.Contains(secret, "…") || strings.Trim(secret, "*") == "" {
		return secret // masked already
	}
	if len(secret) < 16 {
		return "***"
	}
	return secret[:3] + "…" + secret[len(secret)-4:]
}

// ForPeople makes a server's words fit to show: one line, nothing that steers
// a terminal, not too long.
func ForPeople(s string) string {
	const most = 400
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}), " ")
	if len(s) <= most {
		return s
	}
	cut := most
	for !isBoundary(s, cut) {
		cut--
	}
	return s[:cut] + "…"
}

func isBoundary(s string, i int) bool { return s[i]&0xC0 != 0x80 }
