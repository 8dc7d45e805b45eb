package mask_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/mask"
)

// Whatever the pieces are in which a text is written, it is masked as a whole
// text is: in many lines, and in lines that are longer than what is held back.
func TestWriterMasksAsString(t *testing.T) {
	t.Parallel()
	parts := []string{
		openAI, gitHub, aws, jwt, pem, pemLines + "-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n" + pemLines + "then (prose)\n",
		"DB_PASSWORD=hunter2!", "api_key: \"q7Zp3LmX9vTr\"", "Authorization: Bearer " + gitHub, "postgres://me:s3cret!7@db", "zz1234", "own-known-secret",
		"长", "a word ", "func f(key string) { return key }", "\r\n", "\n", "\n", ", ", " ", "{\"a\": 1}", strings.Repeat("x", 5000), strings.Repeat("中文字", 2000),
		strings.Repeat("one, two; ", 1500), strings.Repeat("QUJD", 20) + "\n", "password ", "key=", "TOKEN = '" + gitHub + "', ",
	}
	r := rand.New(rand.NewPCG(3, 5))
	own := parse(t, `{"expressions": [{"kind": "a", "expression": "zz[0-9]{4}"}]}`)
	for n := range 150 {
		var b strings.Builder
		for range 1 + r.IntN(80) {
			part := parts[r.IntN(len(parts))]
			if n%3 == 0 {
				part = strings.ReplaceAll(part, "\n", " ") // one long line
			}
			b.WriteString(part)
		}
		text := b.String()
		m := mask.NewWith(own, "own-known-secret")
		want, kinds := m.Text(text)
		var got strings.Builder
		w := m.Writer(&got)
		for rest := text; rest != ""; {
			k := min(len(rest), 1+r.IntN(1+r.IntN(20000)))
			if _, err := w.Write([]byte(rest[:k])); err != nil {
				t.Fatal(err)
			}
			rest = rest[k:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			g, at := got.String(), 0
			for at < min(len(want), len(g)) && want[at] == g[at] {
				at++
			}
			t.Fatalf("text %d of %d bytes: at %d\n got %.120q\nwant %.120q", n, len(text), at, g[max(0, at-40):], want[max(0, at-40):])
		}
		if diff := cmp.Diff(kinds.Total(), w.Counts().Total()); diff != "" {
			t.Fatalf("text %d: -want +got:\n%s", n, diff)
		}
	}
}

// Lines of base64 are held back only as long as they can be a key.
func TestWriterPassesBase64On(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := mask.New().Writer(&b)
	line := strings.Repeat("QUJD", 19) + "\n"
	for range 2000 {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() < 1000*len(line) {
		t.Errorf("only %d bytes were passed on", b.Len())
	}
	if _, err := w.Write([]byte("a word\n")); err != nil || b.String() != strings.Repeat(line, 2000)+"a word\n" {
		t.Errorf("%d bytes were passed on (%v)", b.Len(), err)
	}
}
