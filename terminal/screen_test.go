package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/protocol"
)

const sample = `# Title with *emphasis*

A paragraph with **bold**, ` + "`code`" + ` and a [link](https://example.com).
It goes on in a second line that is long enough to be broken.

- one
- two, which is long enough to be broken into several rows
  - inner
    1. deep

- [ ] to do
- [x] done

> a quote
> of two lines

` + "```go\nfunc main() {\n\n\tprintln(1)\n}\n```" + `

| name | 数量 |
|------|----:|
| 苹果 | 3 |
| pear, green | 12 |

---

最后一段中文文字，应当在窗口的边缘正确地换行，而且标点不在行首。
`

func TestMarkdown(t *testing.T) {
	t.Parallel()
	got := strings.Join(newMarkdown(false).whole(sample, 40), "\n")
	want := `# Title with *emphasis*

A paragraph with **bold**, ` + "`code`" + ` and a
link (https://example.com).
It goes on in a second line that is long
enough to be broken.

• one
• two, which is long enough to be broken
  into several rows
  • inner
    1. deep

• [ ] to do
• [x] done

│ a quote
│ of two lines

    func main() {

        println(1)
    }

name        │ 数量
────────────┼─────
苹果        │    3
pear, green │   12

────────────────────────────────────────

最后一段中文文字，应当在窗口的边缘正确地
换行，而且标点不在行首。`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// stream draws a text in pieces of n bytes and gives what a person sees.
func draw(text string, format protocol.Format, width, height, n int, color bool) *emulator {
	e := &emulator{width: width, height: height}
	s := newScreen(e.output(color))
	for i := 0; i < len(text); i += n {
		s.write(text[i:min(i+n, len(text))])
	}
	s.finish(format)
	return e
}

func TestScreenEndsAsMarkdown(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 40, 80, 200} {
		for _, n := range []int{1, 3, 7, 64, 1000} {
			e := draw(sample, protocol.FormatMarkdown, width, 60, n, true)
			want := strings.Join(newMarkdown(false).whole(clean(sample), width-1), "\n")
			colored := &emulator{width: width, height: 1000}
			_, _ = colored.Write([]byte(strings.Join(newMarkdown(true).whole(clean(sample), width-1), "\n")))
			if diff := cmp.Diff(colored.text(), e.text()); diff != "" {
				t.Errorf("width %d, pieces of %d (-want +got):\n%s", width, n, diff)
			}
			if len(e.strange) > 0 {
				t.Errorf("strange: %q", e.strange)
			}
			plain := draw(sample, protocol.FormatMarkdown, width, 60, n, false)
			if diff := cmp.Diff(want, plain.text()); diff != "" {
				t.Errorf("no colour, width %d, pieces of %d (-want +got):\n%s", width, n, diff)
			}
		}
	}
}

func TestPlainStaysPlain(t *testing.T) {
	t.Parallel()
	text := "# not a heading\n\n* a **b**\n\n\n    indented `x`"
	e := draw(text, protocol.FormatPlain, 40, 24, 5, true)
	if e.text() != text {
		t.Errorf("shown:\n%s", e.text())
	}
	e = draw("just words", protocol.FormatPlain, 40, 24, 3, true)
	if e.text() != "just words" {
		t.Errorf("shown: %s", e.text())
	}
}

// TestLongAnswer has more rows than the window: nothing may be lost, doubled
// or torn, however it is drawn.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Head\n\n")
	for i := range 50 {
		b.WriteString("- item " + itoa(i) + " with **bold** words that are broken over rows\n")
	}
	b.WriteString("\n```\n")
	for i := range 50 {
		b.WriteString("code " + itoa(i) + "\n")
	}
	b.WriteString("```\n\n| a | b |\n|---|---|\n")
	for i := range 50 {
		b.WriteString("| cell" + itoa(i) + " | x |\n")
	}
	b.WriteString("\nThe **end**.\n")
	e := draw(b.String(), protocol.FormatMarkdown, 30, 10, 11, true)
	got := e.text()
	for i := range 50 {
		for _, word := range []string{"item " + itoa(i) + " ", "code " + itoa(i) + "\n", "cell" + itoa(i) + " "} {
			if n := strings.Count(got, word); n != 1 {
				t.Errorf("%q is there %d times", word, n)
			}
		}
	}
	if !strings.HasSuffix(got, "The end.") {
		t.Errorf("ends with %q", got[max(len(got)-40, 0):])
	}
}

func TestInterruptedAnswer(t *testing.T) {
	t.Parallel()
	e := &emulator{width: 40, height: 24}
	s := newScreen(e.output(true))
	s.write("A **bold** beg")
	s.interrupt()
	_, _ = e.Write([]byte("a notice\n"))
	s.write("inning\n\nand an **end**")
	s.finish(protocol.FormatMarkdown)
	want := "A **bold** beg\na notice\ninning\n\nand an end"
	if e.text() != want {
		t.Errorf("shown:\n%s\nwant:\n%s", e.text(), want)
	}
}

func TestStoppedAnswerStaysAsItIs(t *testing.T) {
	t.Parallel()
	e := &emulator{width: 40, height: 24}
	a := answer{sheet: newScreen(e.output(true))}
	a.begin()
	a.add("# Head\n\n- **one**\n- tw")
	a.drop()
	if want := "Head\n\n• one\n• tw"; e.text() != want {
		t.Errorf("shown:\n%s\nwant:\n%s", e.text(), want)
	}
}

func TestWindowChanges(t *testing.T) {
	t.Parallel()
	e := &emulator{width: 40, height: 24}
	s := newScreen(e.output(true))
	s.write("- one **two**\n- three")
	e.width = 20
	s.write(" four\n- five\n\nlast")
	s.finish(protocol.FormatMarkdown)
	if n := strings.Count(e.text(), "five") + strings.Count(e.text(), "last"); n != 2 || strings.Contains(e.text(), "onetwo") {
		t.Errorf("shown:\n%s", e.text())
	}
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	evil := "a\x1b]0;title\x07b\x1b[2Jc\u009b31md\u202egpj.exe\r\ne\rf\x7f &#27;[31m &#x9b;2J"
	for _, format := range []protocol.Format{protocol.FormatPlain, protocol.FormatMarkdown} {
		for _, n := range []int{1, 2, 100} {
			e := &emulator{width: 80, height: 24}
			s := newScreen(e.output(false))
			var raw strings.Builder
			s.out.w = &raw
			for i := 0; i < len(evil); i += n {
				s.write(evil[i:min(i+n, len(evil))])
			}
			s.finish(format)
			for _, bad := range []string{"\x1b]", "\x1b[2J", "\x07", "\u009b", "\u202e", "\x7f", "[31m\x1b"} {
				if strings.Contains(raw.String(), bad) {
					t.Errorf("%q came through: %q", bad, raw.String())
				}
			}
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add(sample, uint8(20), uint8(3))
	f.Add("> > > > > > > - 1. x\n\n\t\tcode\n~~~\n", uint8(3), uint8(1))
	f.Add("| a | b |\n|:-:|--:|\n| \x1b[31m | 中文 |", uint8(0), uint8(2))
	f.Add("a\r\n\r\n&#27;[0m\u202e<b>\x9b", uint8(60), uint8(1))
	f.Fuzz(func(t *testing.T, source string, w, n uint8) {
		width := int(w)%180 + 20
		text := clean(source)
		for _, row := range newMarkdown(false).whole(text, width) {
			if !utf8.ValidString(row) {
				t.Fatalf("row %q is not UTF-8", row)
			}
			for _, r := range row {
				if r < ' ' || r >= 0x7f && r < 0xa0 {
					t.Fatalf("row %q has the control character %U", row, r)
				}
			}
			if got := textWidth(row); got > width && len(cells(row, 0)) > 1 {
				t.Fatalf("row %q has %d columns of %d", row, got, width)
			}
		}
		newMarkdown(true).whole(text, width)
		e := draw(source, protocol.FormatMarkdown, width, 12, int(n)%9+1, true)
		if len(e.strange) > 0 {
			t.Fatalf("strange output %q", e.strange)
		}
	})
}

func BenchmarkScreen(b *testing.B) {
	text := strings.Repeat(sample, 1+(1<<20)/len(sample))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := newScreen((&emulator{width: 100, height: 40}).output(true))
		s.out.w = discard{}
		for i := 0; i < len(text); i += 64 {
			s.write(text[i:min(i+64, len(text))])
		}
		s.finish(protocol.FormatMarkdown)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
