package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/holic512/plugin-ai/protocol"
)

func pipeAnswer(w io.Writer) *answer {
	return &answer{sheet: newSheet(newOutput(w, ColorAuto, func(string) string { return "" }))}
}

func TestAnswerIsWrittenOnce(t *testing.T) {
	t.Parallel()
	type attempt []string // deltas
	for name, test := range map[string]struct {
		given []attempt
		last  attempt
		whole string
		want  string
	}{
		"one":                    {last: attempt{"Hel", "lo\n", "you"}, whole: "Hello\nyou", want: "Hello\nyou\n"},
		"newlines at the end":    {last: attempt{"a\n", "\n"}, whole: "a\n\n", want: "a\n"},
		"newlines inside":        {last: attempt{"a\n", "\n", "b"}, whole: "a\n\nb", want: "a\n\nb\n"},
		"no deltas":              {whole: "all at once", want: "all at once\n"},
		"empty":                  {whole: "", want: "\n"},
		"bytes as they are":      {last: attempt{"\x1b[31m\r\n", "中"}, whole: "\x1b[31m\r\n中", want: "\x1b[31m\r\n中\n"},
		"the same again":         {given: []attempt{{"The answ"}}, last: attempt{"The ", "answer"}, whole: "The answer", want: "The answer\n"},
		"again, no deltas":       {given: []attempt{{"The answ"}}, whole: "The answer", want: "The answer\n"},
		"differs":                {given: []attempt{{"The answ"}}, last: attempt{"The result"}, whole: "The result", want: "The answ\nThe result\n"},
		"shorter":                {given: []attempt{{"The answer is"}}, last: attempt{"The"}, whole: "The", want: "The answer is\nThe\n"},
		"differs in a character": {given: []attempt{{"价格"}}, last: attempt{"价", "钱"}, whole: "价钱", want: "价格\n价钱\n"},
		"twice":                  {given: []attempt{{"ab"}, {"abcd"}}, last: attempt{"abcdef"}, whole: "abcdef", want: "abcdef\n"},
		"twice, second shorter":  {given: []attempt{{"abcd"}, {"ab"}}, last: attempt{"abcdef"}, whole: "abcdef", want: "abcdef\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			a := pipeAnswer(&out)
			for _, given := range test.given {
				a.begin()
				for _, d := range given {
					a.add(d)
				}
			}
			a.begin()
			for _, d := range test.last {
				a.add(d)
			}
			a.end(test.whole, protocol.FormatPlain)
			if out.String() != test.want {
				t.Errorf("wrote %q, want %q", out.String(), test.want)
			}
		})
	}
}

func TestDroppedAnswerEndsItsLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := pipeAnswer(&out)
	a.begin()
	a.add("half of it")
	a.drop()
	if out.String() != "half of it\n" {
		t.Errorf("wrote %q", out.String())
	}
}

// FuzzAnswer checks that whatever was given up before, what stands at the end
// is the whole answer, and that nothing is there twice that did not have to
// be.
func FuzzAnswer(f *testing.F) {
	f.Add("The answ", "The answer", uint8(3))
	f.Add("abc\n\n", "abc\n\nd", uint8(1))
	f.Add("", "x", uint8(0))
	f.Fuzz(func(t *testing.T, given, final string, step uint8) {
		n := int(step)%7 + 1
		feed := func(a *answer, s string) {
			a.begin()
			for len(s) > 0 {
				k := min(n, len(s))
				a.add(s[:k])
				s = s[k:]
			}
		}
		var out bytes.Buffer
		a := pipeAnswer(&out)
		feed(a, given)
		feed(a, final)
		a.end(final, protocol.FormatPlain)
		want := strings.TrimRight(final, "\n") + "\n"
		if !strings.HasPrefix(final, given) {
			if first := strings.TrimRight(given, "\n"); first != "" {
				want = first + "\n" + want
			}
		}
		if out.String() != want {
			t.Fatalf("wrote %q, want %q", out.String(), want)
		}
	})
}

func TestReaderGone(t *testing.T) {
	t.Parallel()
	for _, err := range []error{syscall.EPIPE, &os.PathError{Op: "write", Err: syscall.EPIPE}} {
		o := newOutput(failing{err}, ColorAuto, func(string) string { return "" })
		o.print("x")
		if !errors.Is(o.err, ErrOutputClosed) {
			t.Errorf("%v became %v", err, o.err)
		}
	}
	full := newOutput(failing{syscall.ENOSPC}, ColorAuto, func(string) string { return "" })
	full.print("x")
	if !errors.Is(full.err, syscall.ENOSPC) {
		t.Errorf("ENOSPC became %v", full.err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestColorOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode     ColorMode
		terminal bool
		env      map[string]string
		want     bool
	}{
		{ColorAuto, true, nil, true},
		{ColorAuto, false, nil, false},
		{ColorAlways, false, map[string]string{"NO_COLOR": "1"}, true},
		{ColorNever, true, map[string]string{"FORCE_COLOR": "1"}, false},
		{ColorAuto, true, map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, false},
		{ColorAuto, true, map[string]string{"NO_COLOR": ""}, true},
		{ColorAuto, false, map[string]string{"FORCE_COLOR": "1"}, true},
		{ColorAuto, false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{ColorAuto, false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{ColorAuto, true, map[string]string{"TERM": "dumb"}, false},
		{ColorAuto, true, map[string]string{"TERM": "dumb", "FORCE_COLOR": "1"}, true},
		{ColorAuto, true, map[string]string{"CLICOLOR": "0"}, false},
	} {
		getenv := func(name string) string { return test.env[name] }
		if got := useColor(test.mode, test.terminal, getenv("TERM") == "dumb", getenv); got != test.want {
			t.Errorf("%+v gives %t", test, got)
		}
	}
}

func BenchmarkDelta(b *testing.B) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	go func() { _, _ = io.Copy(io.Discard, r) }()
	a := pipeAnswer(w)
	a.begin()
	for b.Loop() {
		a.add("four")
		a.shown = a.shown[:0]
	}
}

func BenchmarkLongAnswer(b *testing.B) {
	delta := strings.Repeat("0123456 ", 8)
	b.SetBytes(1 << 20)
	for b.Loop() {
		a := pipeAnswer(io.Discard)
		a.begin()
		for range 1 << 14 {
			a.add(delta)
		}
		a.drop()
	}
}
