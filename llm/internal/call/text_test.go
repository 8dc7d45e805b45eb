package call

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func FuzzUTF8Check(f *testing.F) {
	f.Add([]byte("a你\xff😀"), 1)
	f.Add([]byte("😀\xf0\x9f"), 3)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		var c utf8Check
		for rest := in; len(rest) > 0; {
			n := min(max(size, 1), len(rest))
			c.write(rest[:n])
			rest = rest[n:]
		}
		c.end()
		if c.bad == utf8.Valid(in) {
			t.Fatalf("%q in pieces of %d: bad %t", in, size, c.bad)
		}
	})
}

// FuzzJoiner cuts a JSON string between any two of its characters or escapes.
func FuzzJoiner(f *testing.F) {
	f.Add("a\\ud83d\\ude00b", 1)
	f.Add("\\ud83dx\\n\\u4f60\\\"", 2)
	f.Fuzz(func(t *testing.T, inside string, pieces int) {
		raw := jsontext.Value(`"` + inside + `"`)
		if raw.Kind() != '"' || !raw.IsValid(Lenient()) {
			t.Skip("no JSON string")
		}
		var whole Joiner
		want, err := whole.Text(raw)
		if err != nil {
			t.Fatal(err)
		}
		want += whole.Flush()
		lone, err := jsontext.AppendUnquote(nil, raw)
		if err == nil && (string(lone) != want || whole.Damaged) {
			t.Fatalf("%q, the decoder reads %q", want, lone)
		}
		if !utf8.ValidString(inside) {
			return
		}
		var parts Joiner
		var got strings.Builder
		for rest := inside; rest != ""; {
			n := 0
			for range max(1, pieces%5) {
				if rest[n:] == "" {
					break
				}
				if rest[n] == '\\' {
					_, size := unescape([]byte(rest[n:]))
					n += size
				} else {
					_, size := utf8.DecodeRuneInString(rest[n:])
					n += size
				}
			}
			s, err := parts.Text(jsontext.Value(`"` + rest[:n] + `"`))
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(s)
			rest = rest[n:]
		}
		got.WriteString(parts.Flush())
		if got.String() != want || parts.Damaged != whole.Damaged {
			t.Fatalf("in pieces %q (damaged %t), whole %q (damaged %t)", got.String(), parts.Damaged, want, whole.Damaged)
		}
	})
}
