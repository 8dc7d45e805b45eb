package mask

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// minKnown is the shortest known secret, in bytes, that is looked for.
const minKnown = 4

// spellings gives a secret as it may stand in a text: as it is, in a URL, in
// JSON, and in base64, also of a longer text that holds the secret.
func spellings(secret string) []string {
	secret = strings.TrimSpace(secret)
	if len(secret) < minKnown {
		return nil
	}
	var all []string
	if lines := strings.Split(secret, "\n"); len(lines) > 1 {
		// Text is masked line by line where it streams.
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= shownFrom && !strings.HasPrefix(line, dashes) {
				all = append(all, line)
			}
		}
	}
	all = append(all, secret, url.QueryEscape(secret), url.PathEscape(secret))
	if quoted, err := jsontext.AppendQuote(nil, secret); err == nil {
		text := string(quoted[1 : len(quoted)-1])
		all = append(all, text, htmlSafe(text))
	}
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		// In front of the secret may stand any number of bytes; what counts
		// is the rest of their number by three. Characters that hold bits of
		// a neighbour are left out.
		for lead, cut := range []int{0, 2, 3} {
			text := e.EncodeToString([]byte(strings.Repeat("\x00", lead) + secret))
			if (lead+len(secret))%3 != 0 {
				text = text[:len(text)-1]
			}
			if text = text[cut:]; len(text) >= 2*minKnown {
				all = append(all, text)
			}
		}
	}
	return all
}

// htmlSafe spells a JSON text as encoders do that write it for a page.
func htmlSafe(quoted string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(quoted)
}
