package executors

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRender(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a b\n中文\n", "a b\n中文\n"},
		{"colour", "\x1b[1;31mred\x1b[0m\x1b[K x", "red x"},
		{"CRLF", "a\r\nb\r\r\n", "a\nb\n"},
		{"progress", " 10%\r 50%\r100%\ndone", "100%\ndone"},
		{"shorter overwrite", "long line\rhi", "hing line"},
		{"erased", "long line\r\x1b[Khi", "hi"},
		{"erased whole", "long\x1b[2K\rhi", "hi"},
		{"backspace", "abc\b\bX\n", "aXc\n"},
		{"overstrike", "N\bNA\bAM\bME\bE _\bx", "NAME x"},
		{"rub out", "abc\b \b\b \b", "a"},
		{"wide overwrite", "下载 10%\r下载 99%", "下载 99%"},
		{"half of a wide one", "中文\rab", "ab文"},
		{"other half", "中文\r\x1b[Cx", " x文"},
		{"title", "\x1b]0;evil title\aok", "ok"},
		{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"8-bit CSI", "\x9b31mred", "red"},
		{"8-bit OSC", "\x9d0;t\x9cok", "ok"},
		{"C1 as UTF-8", "\u009b31mred\u009d0;t\u009cok\u0085", "redok"},
		{"DCS", "\x1bPq#0\x1b\\ok", "ok"},
		{"unfinished title", "\x1b]0;visible\nnext", "0;visible\nnext"},
		{"title never ends", "\x1b]" + strings.Repeat("x", 5000), strings.Repeat("x", 5000)},
		{"unfinished CSI", "a\x1b[3", "a"},
		{"charset", "\x1b(Bok\x1b7\x1b=", "ok"},
		{"bell and others", "a\a\v\f\x00\x7fb", "ab"},
		{"not UTF-8", "a\xffb\xe4\xb8", "a\uFFFDb\uFFFD\uFFFD"},
		{"combining", "e\u0301x\b\bo", "ox"},
		{"far right", "\x1b[99999999Cx", strings.Repeat(" ", 512) + "x"},
		{"huge number", "a\x1b[99999999999999999999Cb", ""},
	} {
		got := render([]byte(c.in))
		if c.name == "huge number" {
			if len(got) > 1000 {
				t.Errorf("%s: %d bytes", c.name, len(got))
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTailText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, c := range []struct {
		name, in string
		dropped  bool
		want     string
		cut      bool
	}{
		{"all", "1\n2\n3\n", false, "1\n2\n3\n", false},
		{"too many lines", "1\n2\n3\n4\n", false, "2\n3\n4\n", true},
		{"no final line end", "1\n2\n3\n4", false, "2\n3\n4", true},
		{"dropped", "1\n2\n3\n4\n", true, "2\n3\n4\n", true},
		{"dropped, part of a line", "1\n22222222222\n", true, "22222222222\n", true},
		{"dropped, one line", "tail", true, cutMark + "tail", true},
		{"dropped inside a character", "\xb8\xad文\n", true, cutMark + "文\n", true},
		{"nothing kept", "", true, cutMark, true},
		{"long line", long + "end\n", false, cutMark + strings.Repeat("x", 256-len(cutMark)-4) + "end\n", true},
		{"long line before", long + "\n" + strings.Repeat("y", 200) + "\n", false, strings.Repeat("y", 200) + "\n", true},
		{"nothing", "", false, "", false},
	} {
		got, cut := tailText([]byte(c.in), c.dropped, 3, 256)
		if got != c.want || cut != c.cut {
			t.Errorf("%s: got %q, %v; want %q, %v", c.name, got, cut, c.want, c.cut)
		}
	}
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\r\n中\x9b1m\x1b]0;t\a"), uint16(3), uint16(300), uint8(5))
	f.Add([]byte(strings.Repeat("一二三 45\n", 50)), uint16(7), uint16(256), uint8(3))
	f.Add([]byte("x\bx\r\x1b[2K\x1b[9C中\x00"), uint16(1), uint16(256), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, step, maxBytes uint16, maxLines uint8) {
		limit, most := 256+int(maxBytes), 1+int(maxLines)
		const window = minWindow
		whole := bytes.Repeat(data, 1+int(step)%40)
		feed := func(step int) *ring {
			r := &ring{window: window}
			for rest := whole; len(rest) > 0; {
				if r.full() {
					r.turn()
				}
				n := copy(r.space(), rest[:min(step, len(rest))])
				r.advance(n)
				rest = rest[n:]
			}
			return r
		}
		r := feed(1 + int(step))
		kept := r.last()
		if !bytes.HasSuffix(whole, kept) || len(kept) != min(window, len(whole)) || r.total != int64(len(whole)) {
			t.Fatalf("kept %d of %d bytes", len(kept), len(whole))
		}
		if !bytes.Equal(kept, feed(1<<20).last()) {
			t.Fatal("the split of the input matters")
		}
		text, cut := tailText(kept, r.total > int64(len(kept)), most, limit)
		if !utf8.ValidString(text) || len(text) > limit || strings.Count(strings.TrimSuffix(text, "\n"), "\n") >= most {
			t.Fatalf("out of limits: %q", text)
		}
		all := render(kept)
		shown := strings.TrimPrefix(text, cutMark)
		if !strings.HasSuffix(all, shown) || !cut && text != all {
			t.Fatalf("the end is not kept: %q of %q", text, all)
		}
		if strings.ContainsAny(text, "\x1b\r\b\x00\u009b\u009d\u0090") {
			t.Fatalf("controls are left: %q", text)
		}
	})
}

// FuzzScan checks that tokens do not depend on how a text is cut.
func FuzzScan(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\x1b]0;t\x1b\\\xe4\xb8\xad\x9d1\x9c\x1bPq\x1b\\"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		type item struct {
			t    token
			r    rune
			text string
		}
		tokens := func(step int) (all []item) {
			var held []byte
			for rest := data; len(rest) > 0; {
				n := min(step, len(rest))
				held, rest = append(held, rest[:n]...), rest[n:]
				for len(held) > 0 {
					k, r, size := scan(held, len(rest) == 0)
					if k == tokenMore {
						if len(rest) == 0 || len(held) > maxSequence {
							t.Fatalf("more of %q", held)
						}
						break
					}
					if size < 1 || size > len(held) {
						t.Fatalf("size %d of %q", size, held)
					}
					all = append(all, item{k, r, string(held[:size])})
					held = held[size:]
				}
			}
			return all
		}
		whole, parts := tokens(len(data)+1), tokens(1+int(cut))
		if len(whole) != len(parts) {
			t.Fatalf("%v and %v", whole, parts)
		}
		for i := range whole {
			if whole[i] != parts[i] {
				t.Fatalf("%v and %v", whole[i], parts[i])
			}
		}
	})
}

func FuzzLive(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\x1b[31m中\b"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		var p pending
		var shown []byte
		step := 1 + int(cut)
		for rest := data; len(rest) > 0; {
			n := min(step, len(rest))
			out := p.text(nil, rest[:n], n == len(rest))
			if rest = rest[n:]; !utf8.Valid(out) || bytes.ContainsAny(out, "\x1b\r\b\x00") {
				t.Fatalf("not text: %q", out)
			}
			shown = append(shown, out...)
		}
		if len(p.rest) > 0 || len(shown) > 3*len(data)+1 {
			t.Fatalf("%q left", p.rest)
		}
	})
}

// BenchmarkRender has the inputs that could be slow.
func BenchmarkRender(b *testing.B) {
	for name, unit := range map[string]string{
		"text": "some words of a line\n", "wide": "中文输出\n", "colour": "\x1b[31mred\x1b[0m ", "progress": "\r 42% [=====>    ]",
		"titles": "\x1b]0;", "raw titles": "\x9d", "sequences": "\x1b[", "erasing": "x\x1b[2K", "far": "\x1b[99999Gx\x1b[2K", "not UTF-8": "\xff",
	} {
		b.Run(name, func(b *testing.B) {
			data := []byte(strings.Repeat(unit, minWindow/len(unit)))
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				render(data)
			}
		})
	}
}
