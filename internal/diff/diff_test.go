package diff

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// apply makes the new text from the old one and the edit script.
func apply(t *testing.T, old, new string) {
	t.Helper()
	a, b := lines(old), lines(new)
	var got, kept []string
	runs := slide(script(a, b), a, b)
	for i, r := range runs {
		if i > 0 && r.same == runs[i-1].same {
			t.Errorf("runs %d and %d are of one kind", i-1, i)
		}
		if r.same {
			if r.old != r.new || !slices.Equal(a[:r.old], b[:r.new]) {
				t.Fatalf("%q, %q: what is said to be the same differs", old, new)
			}
		}
		got = append(got, b[:r.new]...)
		kept = append(kept, a[:r.old]...)
		a, b = a[r.old:], b[r.new:]
	}
	if strings.Join(got, "") != new || strings.Join(kept, "") != old {
		t.Fatalf("%q, %q: the script does not cover the texts", old, new)
	}
}

// applyDiff makes the new text from the old one and the hunks, line ends as
// "\n".
func applyDiff(t *testing.T, old string, d Diff) string {
	t.Helper()
	src := lines(old)
	var out strings.Builder
	at := 0
	for _, h := range d.Hunks {
		start := h.OldStart - 1
		if h.OldLines == 0 {
			start++
		}
		for ; at < start; at++ {
			out.WriteString(strings.ReplaceAll(src[at], "\r\n", "\n"))
		}
		for _, l := range h.Lines {
			text := l.content()
			if !l.Unended {
				text += "\n"
			}
			if l.Kind != Added {
				if was := strings.ReplaceAll(src[at], "\r\n", "\n"); was != text && !strings.Contains(was, "\r") {
					t.Fatalf("line %d is %q, the diff says %q", at+1, was, text)
				}
				at++
			}
			if l.Kind != Removed {
				out.WriteString(text)
			}
		}
	}
	for ; at < len(src); at++ {
		out.WriteString(strings.ReplaceAll(src[at], "\r\n", "\n"))
	}
	return out.String()
}

func check(t *testing.T, old, new string) {
	t.Helper()
	apply(t, old, new)
	d := Compare(old, new)
	if d.Empty() != (old == new) {
		t.Fatalf("%q, %q: empty is %v", old, new, d.Empty())
	}
	if strings.Contains(old+new, "\r") {
		return
	}
	if got := applyDiff(t, old, d); got != new {
		t.Fatalf("%q, %q: the diff gives %q\n%s", old, new, got, d.Unified("a", "b"))
	}
	added, removed := 0, 0
	for i, h := range d.Hunks {
		o, n := 0, 0
		for _, l := range h.Lines {
			switch l.Kind {
			case Same:
				o, n = o+1, n+1
			case Removed:
				o, removed = o+1, removed+1
			case Added:
				n, added = n+1, added+1
			}
			if len(l.Parts) == 0 {
				t.Errorf("a line without parts")
			}
		}
		if o != h.OldLines || n != h.NewLines {
			t.Errorf("%q, %q: hunk %d counts %d,%d, has %d,%d", old, new, i, h.OldLines, h.NewLines, o, n)
		}
	}
	if added != d.Added || removed != d.Removed {
		t.Errorf("%q, %q: counts +%d -%d, has +%d -%d", old, new, d.Added, d.Removed, added, removed)
	}
}

func TestUnified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, want string }{
		"equal": {"a\n", "a\n", ""},
		"created": {"", "{\n}\n", `--- a
+++ b
@@ -0,0 +1,2 @@
+{
+}
`},
		"emptied": {"x\n", "", `--- a
+++ b
@@ -1 +0,0 @@
-x
`},
		"one line": {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfünf\n6\n7\n8\n9\n", `--- a
+++ b
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+fünf
 6
 7
 8
`},
		"hunks touch": {"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n", `--- a
+++ b
@@ -1,8 +1,8 @@
-a
+A
 1
 2
 3
 4
 5
 6
-b
+B
`},
		"hunks apart": {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n", `--- a
+++ b
@@ -1,4 +1,4 @@
-a
+A
 1
 2
 3
@@ -6,4 +6,4 @@
 5
 6
 7
-b
+B
`},
		"no end": {"a\nb", "a\nb\n", `--- a
+++ b
@@ -1,2 +1,2 @@
 a
-b
\ No newline at end of file
+b
`},
		"both without end": {"a\nb", "c\nb", `--- a
+++ b
@@ -1,2 +1,2 @@
-a
+c
 b
\ No newline at end of file
`},
		"crlf is not shown": {"a\r\nb\r\n", "a\r\nc\r\n", `--- a
+++ b
@@ -1,2 +1,2 @@
 a
-b
+c
`},
		"only the end differs": {"a\r\nb\r\n", "a\nb\r\n", `--- a
+++ b
@@ -1,2 +1,2 @@
-a␍
+a
 b
`},
		"a foreign end is added": {"a\n", "a\nb\r\n", `--- a
+++ b
@@ -1 +1,2 @@
 a
+b␍
`},
	} {
		if got := Compare(c.old, c.new).Unified("a", "b"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
		check(t, c.old, c.new)
	}
	if got := Compare("a", "b").Unified("x\ny", "z"); !strings.HasPrefix(got, "--- \"x\\ny\"\n") {
		t.Errorf("a name with a line end: %s", got)
	}
}

// An object that joins a list is shown from brace to brace.
func TestSlide(t *testing.T) {
	t.Parallel()
	item := func(name string) string { return "  {\n    \"name\": \"" + name + "\"\n  },\n" }
	with := "[\n" + item("a") + item("b") + item("c") + "  null\n]\n"
	without := "[\n" + item("a") + item("c") + "  null\n]\n"
	want := []string{`   {`, `     "name": "a"`, `   },`, `+  {`, `+    "name": "b"`, `+  },`, `   {`, `     "name": "c"`, `   },`}
	if got := shows(Compare(without, with)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for i := range want {
		want[i] = strings.Replace(want[i], "+", "-", 1)
	}
	if got := shows(Compare(with, without)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	check(t, with, without)
	check(t, without, with)
}

// show writes a line with its changed parts in brackets.
func show(l Line) string {
	var b strings.Builder
	b.WriteByte(byte(l.Kind))
	for _, p := range l.Parts {
		if p.Changed {
			b.WriteString("[" + strings.ReplaceAll(p.Text, "\r", "␍") + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func shows(d Diff) []string {
	var all []string
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			all = append(all, show(l))
		}
	}
	return all
}

func TestEmphasis(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"a value":             {`  "language": "zh",`, `  "language": "en",`, []string{`-  "language": "[zh]",`, `+  "language": "[en]",`}},
		"a comma":             {`  "a": 1`, `  "a": 1,`, []string{`-  "a": 1`, `+  "a": 1[,]`}},
		"Chinese":             {`"备注": "默认语言是中文"`, `"备注": "默认语言是英文"`, []string{`-"备注": "默认语言是[中]文"`, `+"备注": "默认语言是[英]文"`}},
		"inside a word":       {`the words`, `the worlds`, []string{`-the [words]`, `+the [worlds]`}},
		"inside a character":  {`"a": "中"`, `"a": "丮"`, []string{`-"a": "[中]"`, `+"a": "[丮]"`}},
		"almost everything":   {`alpha beta`, `gamma delta`, []string{`-alpha beta`, `+gamma delta`}},
		"line end and a word": {"key one\r\n", "key two\n", []string{"-key [one][␍]", "+key [two]"}},
		"pairs in order": {"\"a\": 1,\n\"b\": 2,\n\"c\": 3\n", "\"b\": 20,\n\"c\": 30\n", []string{
			`-"a": 1,`, `-"b": [2],`, `-"c": [3]`, `+"b": [20],`, `+"c": [30]`}},
	} {
		if got := shows(Compare(c.old, c.new)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	hide := func(s string) string {
		for _, secret := range []string{"sk-old", "sk-new"} {
			s = strings.ReplaceAll(s, secret, "***")
		}
		return s
	}
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"only the secret": {`{"key": "sk-old"}`, `{"key": "sk-new"}`, []string{`-[{"key": "***"}]`, `+[{"key": "***"}]`}},
		"more":            {`{"key": "sk-old", "n": 1}`, `{"key": "sk-new", "n": 2}`, []string{`-{"key": "***", "n": [1]}`, `+{"key": "***", "n": [2]}`}},
		"beside":          {"sk-old\nx 1\n", "sk-old\nx 2\n", []string{` ***`, `-x [1]`, `+x [2]`}},
		"line end":        {"k sk-old\r\n", "k sk-new\n", []string{`-[k ***][␍]`, `+[k ***]`}},
		"no end":          {"k sk-old", "k sk-old\n", []string{`-k ***`, `+k ***`}},
	} {
		d := Compare(c.old, c.new)
		before := fmt.Sprint(d)
		m := d.Mask(hide)
		if got := shows(m); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
		if fmt.Sprint(d) != before {
			t.Errorf("%s: masking changed what it was given", name)
		}
		if m.Added != d.Added || m.Removed != d.Removed || m.Hunks[0].OldLines != d.Hunks[0].OldLines {
			t.Errorf("%s: the counts differ", name)
		}
	}
	if !Compare("k sk-old", "k sk-old\n").Mask(hide).Hunks[0].Lines[0].Unended {
		t.Error("masking forgot that the line has no end")
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("字", 500)
	d := Compare(`{"a":"`+far+`","k":"one","b":"`+far+`"}`, `{"a":"`+far+`","k":"two","b":"`+far+`"}`)
	if got, want := show(d.Hunks[0].Lines[1].Cut(4, 10)), `+…"k":"[two]","b…`; got != strings.Replace(want, `"k":`, `k":`, 1) {
		t.Errorf("%s", got)
	}
	d = Compare("", far)
	if got := show(d.Hunks[0].Lines[0].Cut(4, 10)); got != "+字字字字字…(+490)…字字字字字" {
		t.Errorf("%s", got)
	}
	if got := d.Hunks[0].Lines[0].Cut(4, 0).Text(); got != far {
		t.Errorf("without a limit %d bytes", len(got))
	}
	if d.Hunks[0].Lines[0].Text() != far {
		t.Error("cutting changed what it was given")
	}
}

// A minified file is one line; what is shown of it stays small, and says where
// the change is.
func TestOneLongLine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, `{"id":%d,"name":"n%d"},`, i, i*7)
	}
	old := b.String()
	new := strings.Replace(old, `"id":20000,`, `"id":"zwanzig",`, 1)
	d := Compare(old, new)
	text := d.Unified("a", "b")
	if len(text) > 1000 || !strings.Contains(text, `"id":"zwanzig","name"`) || !strings.Contains(text, `"id":20000,"name"`) {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
	if d.Hunks[0].Lines[1].Text() != new {
		t.Error("the line itself is cut")
	}
}

// Two changes at the ends of a file of 4 MiB are two small hunks.
func TestBigFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 0; b.Len() < 4<<20; i++ {
		fmt.Fprintf(&b, "    \"key%d\": {\n      \"on\": true\n    },\n", i)
	}
	old := "{\n  \"first\": 1,\n" + b.String() + "  \"last\": 1\n}\n"
	new := strings.Replace(strings.Replace(old, `"first": 1`, `"first": 2`, 1), `"last": 1`, `"last": 2`, 1)
	new = strings.Replace(new, `"key70": {`, `"key70": {
      "deep": 1,`, 1)
	d := Compare(old, new)
	if len(d.Hunks) != 3 || d.Added != 3 || d.Removed != 2 {
		t.Errorf("%d hunks, +%d -%d", len(d.Hunks), d.Added, d.Removed)
	}
	check(t, old, new)
}

// What has nothing in common, or everything but in another order, is bounded:
// it may be shown as replaced, never wrongly.
func TestHostile(t *testing.T) {
	t.Parallel()
	numbers := func(n, seed int) string {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%d\n", r.IntN(50))
		}
		return b.String()
	}
	backwards := func(s string) string {
		l := lines(s)
		slices.Reverse(l)
		return strings.Join(l, "")
	}
	var unique strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&unique, "%d\n", i)
	}
	for name, c := range map[string][2]string{
		"few symbols":      {numbers(50_000, 1), numbers(50_000, 2)},
		"one big exact":    {numbers(2900, 1), numbers(2900, 2)},
		"other order":      {unique.String(), backwards(unique.String())},
		"one long line":    {strings.ReplaceAll(numbers(60_000, 1), "\n", ","), strings.ReplaceAll(numbers(60_000, 2), "\n", ",")},
		"many line ends":   {strings.Repeat("\n", 1<<20), strings.Repeat("\n", 1<<19) + "x" + strings.Repeat("\n", 1<<19)},
		"no UTF-8":         {"a\xff\xfe\nb\n", "a\xff\nb\n"},
		"surrogates, bidi": {"a\u202e\nb\ufffd\n", "a\nb\ufffd\u2066\n"},
	} {
		check(t, c[0], c[1])
		if !reflect.DeepEqual(Compare(c[0], c[1]), Compare(c[0], c[1])) {
			t.Errorf("%s: two results for one pair", name)
		}
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var old, new []string
		for range r.IntN(30) {
			old = append(old, strings.Repeat(" ", r.IntN(3))+fmt.Sprint(r.IntN(4)))
		}
		new = slices.Clone(old)
		for range r.IntN(5) {
			i := r.IntN(len(new) + 1)
			if r.IntN(2) == 0 && i < len(new) {
				new = slices.Delete(new, i, i+1)
			} else {
				new = slices.Insert(new, i, strings.Repeat(" ", r.IntN(3))+fmt.Sprint(r.IntN(4)))
			}
		}
		end := []string{"", "\n"}
		check(t, strings.Join(old, "\n")+end[r.IntN(2)], strings.Join(new, "\n")+end[r.IntN(2)])
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n")
	f.Add("a\r\nb", "a\nb\r\n")
	f.Add("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": [\"二\"]\n}\n")
	f.Fuzz(func(t *testing.T, old, new string) {
		check(t, old, new)
		d := Compare(old, new)
		for _, h := range d.Mask(func(s string) string { return strings.ReplaceAll(s, "a", "*") }).Hunks {
			for _, l := range h.Lines {
				if strings.Contains(l.Text(), "a") {
					t.Fatalf("the mask left %q", l.Text())
				}
			}
		}
		d.Unified("a", "b")
		for _, h := range d.Hunks {
			for _, l := range h.Lines {
				l.Cut(1, 2)
			}
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var t strings.Builder
		for range n {
			fmt.Fprintf(&t, "%d\n", r.IntN(50))
		}
		return t.String()
	}
	for _, n := range []int{2900, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			old, new := text(n), text(n)
			for b.Loop() {
				Compare(old, new)
			}
		})
	}
}
