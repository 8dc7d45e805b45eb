package sse

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/go-json-experiment/json/jsontext"
)

func readAll(r io.Reader) ([]string, error) {
	s := NewReader(r)
	var all []string
	for {
		data, err := s.Next()
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

func TestReader(t *testing.T) {
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

func TestReaderErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	got, err := readAll(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%q %v", got, err)
	}
	for _, in := range []string{"data: \"" + strings.Repeat("x", MaxEvent), strings.Repeat("data: \""+strings.Repeat("x", 1<<20)+"\n", 20)} {
		if _, err := readAll(strings.NewReader(in)); !errors.Is(err, ErrTooLong) {
			t.Errorf("an endless event ends with %v", err)
		}
	}
}

// FuzzReader holds the reader against itself cut in other pieces, and against the
// SDK's reader where both must agree: every event one JSON value on one line,
// with its blank line.
func FuzzReader(f *testing.F) {
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
