package rpc

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzParse reads any line: it is a command of a known type, or an error that
// makes a line of JSON.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"type":"abort"}`, `{"id":1,"type":"prompt","message":"x"}`, `{"id":[{}],"type":`, "null", "", `{"type":"extension_ui_response","id":5}`, "\xff", `{"type":"bash","command":"a","command":"b"}`} {
		f.Add([]byte(s))
	}
	var names []string
	for name := range handlers() {
		names = append(names, name)
	}
	c := newCommands(names)
	f.Fuzz(func(t *testing.T, line []byte) {
		cmd, err := c.parse(line)
		var bad *commandError
		switch {
		case err == nil && !c.known[cmd.Type] && cmd.Type != "extension_ui_response":
			t.Fatalf("%q is no command", cmd.Type)
		case err != nil && !errors.As(err, &bad):
			t.Fatal(err)
		case bad != nil:
			if v := jsontext.Value(append(append(responseHead(nil, bad.id, bad.command), `,"error":`...), append(encode(bad.text), '}')...)); !v.IsValid() {
				t.Fatalf("%s", v)
			}
		}
	})
}

// FuzzLines parts any bytes: the lines together are what was there, but for
// their ends.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\u2028\n\nlast"), 3)
	f.Add([]byte("long long\nx"), 4)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = max(1, min(limit, 1<<16))
		r := newLineReader(bytes.NewReader(in), limit)
		want := bytes.Split(in, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		for _, w := range want {
			line, err := r.next()
			w = bytes.TrimSuffix(w, []byte("\r"))
			switch {
			case errors.Is(err, errLineTooLong):
				if len(w) <= limit {
					t.Fatalf("%d bytes are too long for %d", len(w), limit)
				}
			case err != nil:
				t.Fatal(err)
			case !bytes.Equal(line, w):
				t.Fatalf("%q, want %q", line, w)
			}
		}
		if _, err := r.next(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	})
}
