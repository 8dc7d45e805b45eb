package openai

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

func readAll(r io.Reader) ([]string, error) {
	s := newSSE(r)
	var all []string
	for {
		data, err := s.next()
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

func TestSSE(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", 300_000) + `"}`
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"usual":         {"data: {}\n\ndata: [DONE]\n\n", []string{"{}", "[DONE]"}},
		"no space":      {"data:{}\n\n", []string{"{}"}},
		"two spaces":    {"data:  {}\n\n", []string{" {}"}},
		"CRLF":          {"data: {}\r\n\r\ndata: 1\r\n\r\n", []string{"{}", "1"}},
		"comments":      {": hi\n\n:\ndata: {}\n: in between\n\n", []string{"{}"}},
		"other fields":  {"event: x\nid: 1\nretry: 5\ndata: {}\n\n", []string{"{}"}},
		"two lines":     {"data: {\"a\":\ndata: 1}\n\n", []string{"{\"a\":\n1}"}},
		"no blank line": {"data: {}\ndata: {}\ndata: [DONE]\n", []string{"{}", "{}", "[DONE]"}},
		"no end":        {"data: {}", []string{"{}"}},
		"cut":           {"data: {\"a\":", nil},
		"cut, then end": {"data: {\"a\":\n\n", []string{`{"a":`}},
		"only noise":    {"hello\nworld", nil},
		"llama.cpp":     {"error: {\"code\":1}\n\n", []string{`{"error":{"code":1}}`}},
		"long":          {"data: " + long + "\n\ndata: 1\n\n", []string{long, "1"}},
		"empty data":    {"data:\n\ndata: 1\n\n", []string{"1"}},
		"not JSON":      {"data: hello\n\n", []string{"hello"}},
		"bytes":         {"data: \"\xff\"\n\n", []string{"\"\xff\""}},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
			got, err := readAll(r)
			if !errors.Is(err, io.EOF) || !slices.Equal(got, c.want) {
				t.Errorf("%s: %.80q %v, want %.80q", name, got, err, c.want)
			}
		}
	}
}

func TestSSEErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	got, err := readAll(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%q %v", got, err)
	}
	for _, in := range []string{"data: \"" + strings.Repeat("x", maxEvent), strings.Repeat("data: \""+strings.Repeat("x", 1<<20)+"\n", 20)} {
		if _, err := readAll(strings.NewReader(in)); !errors.Is(err, errEventTooLong) {
			t.Errorf("an endless event ends with %v", err)
		}
	}
}

// FuzzSSE holds the reader against itself cut in other pieces, and against the
// SDK's reader where both must agree: every event one JSON value on one line,
// with its blank line.
func FuzzSSE(f *testing.F) {
	f.Add([]byte("data: {\"a\":1}\r\n\r\n: c\n\ndata: [DONE]\n\n"))
	f.Add([]byte("data: {\ndata: }\n\nevent: x\ndata: 1"))
	f.Add([]byte("data:\"\xff\\ud83d\"\n\nerror: {}\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := readAll(bytes.NewReader(in))
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for _, d := range got {
			if d == "" {
				t.Fatal("an event without data")
			}
		}
		var stream bytes.Buffer
		var values []string
		for line := range bytes.Lines(in) {
			v := jsontext.Value(bytes.TrimSpace(line))
			if !v.IsValid() || bytes.ContainsAny(v, "\r\n") {
				continue
			}
			values = append(values, string(v))
			stream.WriteString(": c\r\ndata: " + string(v) + "\n\n")
		}
		whole, err := readAll(bytes.NewReader(stream.Bytes()))
		if !errors.Is(err, io.EOF) || !slices.Equal(whole, values) {
			t.Fatalf("%q from %q, %v", whole, values, err)
		}
		cut, err := readAll(iotest.OneByteReader(bytes.NewReader(stream.Bytes())))
		if !errors.Is(err, io.EOF) || !slices.Equal(cut, values) {
			t.Fatalf("%q from %q in bytes, %v", cut, values, err)
		}
		dec := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(bytes.NewReader(stream.Bytes()))})
		for i := 0; dec.Next(); i++ {
			if theirs := strings.TrimSuffix(string(dec.Event().Data), "\n"); theirs != whole[i] {
				t.Fatalf("the SDK reads %q, this package %q", theirs, whole[i])
			}
		}
	})
}

// FuzzAnswer feeds chunks as they may come from a hostile server.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"choices":[{"delta":{"content":"a\ud83d"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":-1,"id":"x","function":{"name":"f","arguments":"{"}},{"function":{"arguments":{}}}]}}]}`))
	f.Add([]byte("{\"error\":{\"code\":429,\"message\":\"\xff\"}}\n{\"choices\":[{\"delta\":{\"reasoning\":\"\\ude00\",\"refusal\":\"no\"}}]}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		last := 0
		b := llm.NewBuilder(llm.Model{}, llm.Message{}, func(ev llm.Event) bool {
			if ev.Type == llm.EventDone || ev.Type == llm.EventError {
				last++
			}
			if !utf8.ValidString(ev.Delta) || !utf8.ValidString(ev.Content) {
				t.Fatalf("event %+v is no UTF-8", ev)
			}
			return true
		})
		a := &answer{b: b}
		for line := range bytes.Lines(in) {
			if _, failed := a.add(line); failed != nil {
				b.Fail(failed.err)
				break
			}
		}
		if failed := a.end(); failed != nil {
			b.Fail(failed.err)
		}
		if last != 1 {
			t.Fatalf("%d last events", last)
		}
	})
}

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
		if raw.Kind() != '"' || !raw.IsValid(lenient()) {
			t.Skip("no JSON string")
		}
		var whole joiner
		want, err := whole.text(raw)
		if err != nil {
			t.Fatal(err)
		}
		want += whole.flush()
		lone, err := jsontext.AppendUnquote(nil, raw)
		if err == nil && (string(lone) != want || whole.damaged) {
			t.Fatalf("%q, the decoder reads %q", want, lone)
		}
		if !utf8.ValidString(inside) {
			return
		}
		var parts joiner
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
			s, err := parts.text(jsontext.Value(`"` + rest[:n] + `"`))
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(s)
			rest = rest[n:]
		}
		got.WriteString(parts.flush())
		if got.String() != want || parts.damaged != whole.damaged {
			t.Fatalf("in pieces %q (damaged %t), whole %q (damaged %t)", got.String(), parts.damaged, want, whole.damaged)
		}
	})
}
