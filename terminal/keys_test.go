package terminal

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func allKeys(p *keyParser) []key {
	var out []key
	for k, ok := p.next(); ok; k, ok = p.next() {
		out = append(out, k)
	}
	return out
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]key{
		"a中":                             {{keyText, "a中"}},
		"a\r":                            {{keyText, "a"}, {keyEnter, ""}},
		"a\r\nb":                         {{keyText, "a"}, {keyEnter, ""}, {keyText, "b"}},
		"a\n":                            {{keyText, "a"}, {keyEnter, ""}},
		"\n":                             {{keyNewline, ""}},
		"\x1b\r":                         {{keyNewline, ""}},
		"\x1b[13;2u":                     {{keyNewline, ""}},
		"\x1b[A\x1bOB":                   {{keyUp, ""}, {keyDown, ""}},
		"\x1b[1;5C\x1bb":                 {{keyWordRight, ""}, {keyWordLeft, ""}},
		"\x1b[3~\x1b[1~\x1b[F":           {{keyDelete, ""}, {keyHome, ""}, {keyEnd, ""}},
		pasteBegin + "x\r\ny" + pasteEnd: {{keyText, "x\ny"}},
		pasteBegin + "x":                 nil,
		"\x1b":                           nil,
		"\x1b[":                          nil,
		"\xe4\xb8":                       nil,
		"\x1b[99;99zq":                   {{keyNone, ""}, {keyText, "q"}},
		"\x03\x04\x15\x17\x12":           {{keyInterrupt, ""}, {keyEOF, ""}, {keyKillStart, ""}, {keyKillWord, ""}, {keySearch, ""}},
	} {
		var p keyParser
		p.feed([]byte(in))
		if diff := cmp.Diff(want, allKeys(&p), cmp.AllowUnexported(key{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func TestInterruptInAPasteWithoutEnd(t *testing.T) {
	t.Parallel()
	var p keyParser
	p.feed([]byte(pasteBegin + "x"))
	p.feed([]byte{3})
	if got := allKeys(&p); len(got) != 1 || got[0].code != keyInterrupt {
		t.Errorf("keys %v", got)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("a\x1b[A\r"+pasteBegin+"中\n"+pasteEnd+"\x1bOH"), uint8(1))
	f.Add([]byte("\x1b\x1b[[\x1b[1;\xff\xe4\xb8\x80"), uint8(2))
	f.Fuzz(func(t *testing.T, in []byte, split uint8) {
		at := min(int(split), len(in))
		var p keyParser
		var b buffer
		for _, piece := range [][]byte{in[:at], in[at:]} {
			p.feed(slices.Clone(piece))
			for _, k := range allKeys(&p) {
				if !utf8.ValidString(k.text) {
					t.Fatalf("%q is no text", k.text)
				}
				b.do(k)
				if b.pos < 0 || b.pos > len(b.chars) {
					t.Fatalf("the cursor is at %d of %d", b.pos, len(b.chars))
				}
			}
		}
	})
}

func TestBuffer(t *testing.T) {
	t.Parallel()
	var b buffer
	for _, k := range []key{
		{keyText, "git commit 中文"}, {keyWordLeft, ""}, {keyKillWord, ""}, {keyEnd, ""}, {keyText, "e\u0301"},
		{keyLeft, ""}, {keyText, "👩‍💻"}, {keyRight, ""}, {keyBackspace, ""}, {keyHome, ""}, {keyDelete, ""}, {keyYank, ""},
	} {
		b.do(k)
	}
	if got := b.text(); got != "commit it 中文👩‍💻" {
		t.Errorf("text %q", got)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/a/history"
	h, err := loadHistory(path, func(s string) string { return strings.ReplaceAll(s, "key", "***") })
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"one", `a\nb`, "two\nlines", "one", "my key", " "} {
		if err := h.add(s); err != nil {
			t.Fatal(err)
		}
	}
	h, err = loadHistory(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`a\nb`, "two\nlines", "one", "my ***"}, h.entries); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 2*maxHistory + 10 {
		if err := h.add("entry " + itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if h, err = loadHistory(path, nil); err != nil || len(h.entries) != maxHistory {
		t.Fatalf("%d entries, %v", len(h.entries), err)
	}
	if h, err = loadHistory(path, nil); err != nil || len(h.entries) != maxHistory || h.entries[0] != "entry 1010" {
		t.Errorf("after rewriting %d entries from %q, %v", len(h.entries), h.entries[0], err)
	}
}

func TestNearestCommand(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"/hlep": "/help", "/pol": "/policy", "/q": "/quit", "/xyzzy": "", "/": ""} {
		if got := nearest(word); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
