package export

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the style of the page
	"encoding/base64"
	"fmt"
	"html"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

//go:embed page.css
var style string

// writeHTML writes one page that needs nothing else. Its policy allows this
// one style and nothing more: no script, no picture, no address.
func writeHTML(b *bufio.Writer, t *transcript.Transcript, w words, chinese bool) {
	p := page{b, w}
	language := "en"
	if chinese {
		language = "zh-CN"
	}
	sum := sha256.Sum256([]byte(style))
	p.put(`<!DOCTYPE html>
<html lang="`, language, `">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-`, base64.StdEncoding.EncodeToString(sum[:]), `'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>`, text(title(t, w)), `</title>
<style>`, style, `</style>
</head>
<body>
<header>
<h1 dir="auto">`, text(title(t, w)), "</h1>\n<ul>\n")
	for _, line := range head(t, w) {
		p.put(`<li dir="auto">`, text(line), "</li>\n")
	}
	p.put("</ul>\n")
	if len(t.Problems) > 0 {
		p.put(`<details><summary class="bad">`, text(w.Problems), "</summary>\n")
		for _, problem := range t.Problems {
			p.put(`<p dir="auto">`, text(problem), "</p>\n")
		}
		p.put("</details>\n")
	}
	p.put("</header>\n<main>\n")
	for i := range t.Entries {
		p.entry(&t.Entries[i])
	}
	if len(t.Entries) == 0 {
		p.put(`<p class="note">`, text(w.Nothing), "</p>\n")
	}
	p.put("</main>\n</body>\n</html>\n")
}

// page writes the parts of one.
type page struct {
	*bufio.Writer
	words words
}

// put writes markup; what is not ours passes text before.
func (p page) put(parts ...string) {
	for _, s := range parts {
		_, _ = p.WriteString(s) // Flush tells of errors
	}
}

// text is what stands between tags or in quotes.
func text(s string) string { return html.EscapeString(clean(s)) }

func (p page) entry(e *transcript.Entry) {
	w := p.words
	switch {
	case e.Observation != nil:
		p.step(e.Observation)
	case e.Role != "":
		class := ""
		if e.Role == session.User {
			class = ` class="user"`
		}
		p.put("<article", class, `><div class="by"><span>`, text(who(e.Role, w)), "</span><span>", text(stamp(e.Time)), "</span></div>\n")
		words := ""
		if e.Kind == protocol.KindError {
			words = " bad"
		}
		p.prose(e.Text, words)
		for _, line := range besides(e, w) {
			p.put(`<p class="note" dir="auto"><code>`, text(line), "</code></p>\n")
		}
		p.folded(w.Input, e.Context)
		p.folded(w.Partial, e.Partial)
		p.put("</article>\n")
	case e.Summary != nil:
		p.folded(w.Summary, strings.Join(summaryLines(e, w), "\n"))
	case e.Type == session.TypeModel:
		p.put(`<p class="note" dir="auto">`, text(fmt.Sprintf(w.AskedModel, e.Model)), "</p>\n")
	}
}

// prose is what somebody said. Code between fences is shown as code.
func (p page) prose(s, class string) {
	for i, part := range strings.Split("\n"+s, "\n```") {
		part = strings.TrimPrefix(part, "\n")
		if i%2 == 1 {
			if _, code, ok := strings.Cut(part, "\n"); ok {
				p.put("<pre><code>", text(code), "</code></pre>\n")
				continue
			}
		}
		if strings.TrimSpace(part) != "" {
			p.put(`<div class="words`, class, `" dir="auto">`, text(strings.TrimRight(part, "\n")), "</div>\n")
		}
	}
}

// folded is a text that opens on a click.
func (p page) folded(name, s string) {
	if s != "" {
		p.put("<details><summary>", text(name), `</summary><pre dir="auto">`, text(s), "</pre></details>\n")
	}
}

// step is what ran, with its output folded below.
func (p page) step(o *protocol.Observation) {
	class := ""
	if o.ExitCode == nil || *o.ExitCode != 0 {
		class = ` class="bad"`
	}
	p.put(`<details><summary><code dir="ltr">$ `, text(command(o)), "</code> <small", class, ">", text(became(o, p.words)), "</small></summary>\n")
	if o.StdoutTail == "" && o.StderrTail == "" {
		p.put(`<p class="note">`, text(p.words.NoOutput), "</p>")
	}
	for _, out := range []struct{ name, text string }{{p.words.Output, o.StdoutTail}, {p.words.Errors, o.StderrTail}} {
		if out.text != "" {
			p.put(`<p class="note">`, text(out.name), `</p><pre dir="auto">`, text(out.text), "</pre>")
		}
	}
	p.put("</details>\n")
}
