package session_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/session"
)

// paiFile is what pai's document shows, and more of its kind.
const paiFile = `{"role":"system","content":"...","timestamp":"2026-03-11T12:00:00Z"}
{"role":"user","content":[{"type":"text","text":"what is in this image"},{"type":"image_url","image_url":{"url":"https://example.com/image.png"}}]}
{ "role" : "assistant", "content": "\u0041 cat", "tool_calls":[{"id":"c1","n":1.50e1}], "type":"x" }
{"role":"tool","content":{"type":"text","text":"ok"},"tool_call_id":"c1","name":"bash_exec","id":"any id"}
`

func message(t *testing.T, role, text string) session.Line {
	t.Helper()
	return must[session.Line](t)(session.NewLine(session.Message(role, text), start))
}

func TestPaiFileIsRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"as it is":           paiFile,
		"CRLF":               strings.ReplaceAll(paiFile, "\n", "\r\n"),
		"BOM":                "\xEF\xBB\xBF" + paiFile,
		"without a last end": strings.TrimSuffix(paiFile, "\n"),
		"blank lines":        "\n" + strings.ReplaceAll(paiFile, "\n", "\n \r\n"),
	} {
		path := write(t, "s.jsonl", text)
		lines, problems, err := session.ReadFile(path)
		if err != nil || len(problems) > 0 {
			t.Fatalf("%s: %v %v", name, problems, err)
		}
		want := []string{"system:...", "user:what is in this image", "assistant:A cat", "tool:ok"}
		if diff := cmp.Diff(want, words(lines)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var again strings.Builder
		for _, l := range lines {
			again.Write(l.Bytes())
			again.WriteByte('\n')
			if !strings.HasPrefix(text[l.Offset:], string(l.Bytes())) {
				t.Errorf("%s: line %d is not at byte %d", name, l.Number, l.Offset)
			}
		}
		if diff := cmp.Diff(paiFile, again.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := string(lines[2].Field("tool_calls")); got != `[{"id":"c1","n":1.50e1}]` {
			t.Errorf("field %s", got)
		}
		if lines[3].FieldText("name") != "bash_exec" || lines[0].Timestamp != "2026-03-11T12:00:00Z" {
			t.Errorf("fields of %s and %s", lines[3].Bytes(), lines[0].Bytes())
		}
	}
	if _, _, err := session.ReadFile(filepath.Join(t.TempDir(), "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	_, problems, err := session.ReadFile(write(t, "s", "{\"role\":\"user\",\"content\":\"a\"}\n{\"content\":\"b\"}\n"))
	if err != nil || len(problems) != 1 || problems[0].Line != 2 || problems[0].Offset != 30 {
		t.Errorf("a line without role: %v %v", problems, err)
	}
}

func TestPaiFileIsASession(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	path := write(t, "s.jsonl", paiFile)
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, s)
	got := collect(t, s.Branch(""))
	if diff := cmp.Diff([]string{"system:...", "user:what is in this image", "assistant:A cat", "tool:ok"}, words(got)); diff != "" {
		t.Error(diff)
	}
	if got[0].ParentID != "" || got[1].ParentID != got[0].ID || got[3].ID != "any id" || got[3].ParentID != got[2].ID {
		t.Errorf("ids %q %q %q", got[0].ID, got[1].ID, got[3].ID)
	}
	next := say(t, s, session.Message(session.User, "next"))
	if next[0].ParentID != "any id" {
		t.Errorf("next follows %q", next[0].ParentID)
	}
	// A line without an id cannot be named: its number may be another's later.
	if err := s.Fork(got[1].ID); !errors.Is(err, session.ErrNoID) {
		t.Errorf("a fork at a line without an id: %v", err)
	}
	ok(t, s.Fork("any id"))
	fork := say(t, s, session.Message(session.Assistant, "other"))
	if exists(path + ".idx") {
		t.Error("an index beside a file that is not ours")
	}
	ok(t, s.Close())
	if !strings.HasPrefix(read(t, path), paiFile) {
		t.Error("what was there was changed")
	}
	// And pai reads it: a flat list of messages.
	lines, problems, err := session.ReadFile(path)
	if err != nil || len(problems) > 0 || len(lines) != 6 {
		t.Errorf("%d lines, %v %v", len(lines), problems, err)
	}
	r := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, r)
	if diff := cmp.Diff([]string{"system:...", "user:what is in this image", "assistant:A cat", "tool:ok", "assistant:other"}, words(must[[]session.Line](t)(r.Window(9)))); diff != "" {
		t.Error(diff)
	}
	clone := must[*session.Session](t)(r.Clone(t.Context(), fork[0].ID))
	closeLater(t, clone)
	all := collect(t, clone.Branch(""))
	if all[1].ID != got[1].ID || all[2].ParentID != got[1].ID || all[4].ParentID != "any id" || len(clone.Problems()) > 0 || len(all) != 5 {
		t.Errorf("clone: %+v", all)
	}
	ok(t, clone.Close())
	ok(t, os.Remove(clone.Path()+".idx"))
	again := must[*session.Session](t)(store.Open(t.Context(), clone.Path()))
	closeLater(t, again)
	if diff := cmp.Diff(all, collect(t, again.Branch("")), cmp.AllowUnexported(session.Line{})); diff != "" || len(again.Problems()) > 0 {
		t.Errorf("%v %s", again.Problems(), diff)
	}
}

// TestNumbersAreNotWritten goes on with a file without ids: what is written
// must not name a line by its number, which moves when a line is put in front.
func TestNumbersAreNotWritten(t *testing.T) {
	t.Parallel()
	const flat = `{"role":"user","content":"one"}` + "\n" + `{"role":"assistant","content":"two"}` + "\n"
	const front = `{"role":"system","content":"new"}` + "\n"
	store := newStore(t)
	path := write(t, "s.jsonl", flat)
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, s)
	added := say(t, s, session.Message(session.User, "three"), session.Message(session.Assistant, "four"))
	if added[0].ParentID != "line2" || added[1].ParentID != added[0].ID {
		t.Errorf("the new lines follow %q and %q", added[0].ParentID, added[1].ParentID)
	}
	before := words(collect(t, s.Branch("")))
	if l := must[session.Line](t)(s.Entry(added[0].ID)); l.ParentID != "line2" {
		t.Errorf("read again it follows %q", l.ParentID)
	}
	ok(t, s.Close())
	text := read(t, path)
	if strings.Contains(text, "line2") {
		t.Errorf("a number was written: %s", text)
	}
	// Earlier versions wrote them.
	old := strings.Replace(text, `"id":"`+added[0].ID+`"`, `"id":"`+added[0].ID+`","parentId":"line2"`, 1)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"as written":       {text, before},
		"a line in front":  {front + text, append([]string{"system:new"}, before...)},
		"old":              {old, before},
		"old, and shifted": {front + old, append([]string{"system:new"}, before...)},
		"old, forked":      {old + `{"role":"user","content":"five","id":"x","parentId":"line2"}` + "\n", []string{before[0], before[1], "user:five"}},
	} {
		r := must[*session.Session](t)(store.Open(t.Context(), write(t, "s.jsonl", c.text)))
		closeLater(t, r)
		if diff := cmp.Diff(c.want, words(collect(t, r.Branch("")))); diff != "" || len(r.Problems()) > 0 {
			t.Errorf("%s: %v %s", name, r.Problems(), diff)
		}
		clone := must[*session.Session](t)(r.Clone(t.Context(), must[string](t)(r.Leaf())))
		ok(t, clone.Close())
		ok(t, os.Remove(clone.Path()+".idx"))
		again := must[*session.Session](t)(store.View(t.Context(), clone.Path()))
		closeLater(t, again)
		if diff := cmp.Diff(c.want, words(collect(t, again.Branch("")))); diff != "" {
			t.Errorf("a clone of %s: %s", name, diff)
		}
	}
}

func TestAppendFile(t *testing.T) {
	t.Parallel()
	reply := message(t, session.Assistant, "好")
	const added = `{"role":"assistant","content":"好","timestamp":"2026-03-11T12:00:00.000Z"}` + "\n"
	for name, c := range map[string]struct{ before, want, kept string }{
		"new":                {"", added, ""},
		"ended":              {paiFile, paiFile + added, ""},
		"without a last end": {strings.TrimSuffix(paiFile, "\n"), paiFile + added, ""},
		"CRLF":               {"{\"role\":\"user\",\"content\":\"a\"}\r\n", "{\"role\":\"user\",\"content\":\"a\"}\r\n" + added, ""},
		"torn":               {paiFile + `{"role":"us`, paiFile + added, `{"role":"us`},
		"zeros":              {paiFile + "\x00\x00", paiFile + added, "\x00\x00"},
		"only torn":          {`{"ro`, added, `{"ro`},
		"long torn":          {paiFile + strings.Repeat("{", 300<<10), paiFile + added, strings.Repeat("{", 300<<10)},
		"one long line":      {`{"role":"user","content":"` + strings.Repeat("x", 300<<10) + `"}`, `{"role":"user","content":"` + strings.Repeat("x", 300<<10) + "\"}\n" + added, ""},
		"broken, elsewhere":  {"nonsense\n" + paiFile, "nonsense\n" + paiFile + added, ""},
	} {
		for _, whole := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if name != "new" {
				write(t, path, c.before)
			}
			var problems []session.Problem
			var err error
			if whole {
				p := must[*session.PaiFile](t)(session.OpenFile(path))
				err = p.Append(t.Context(), reply)
				problems = p.Problems()
				ok(t, p.Close())
				if name == "broken, elsewhere" {
					if len(problems) != 1 || problems[0].Kind != session.Broken {
						t.Errorf("%s: %v", name, problems)
					}
					problems = nil
				}
			} else {
				problems, err = session.AppendFile(t.Context(), path, reply)
			}
			ok(t, err)
			if got := read(t, path); got != c.want {
				t.Errorf("%s: got %.300q, want %.300q", name, got, c.want)
			}
			aside := torn(t, path)
			if (c.kept != "") != (len(aside) == 1) || (c.kept != "") != (len(problems) == 1) {
				t.Fatalf("%s: kept %v, problems %v", name, aside, problems)
			}
			if c.kept != "" && (read(t, aside[0]) != c.kept || problems[0].Kept != aside[0] || int(problems[0].Offset) != len(c.before)-len(c.kept)) {
				t.Errorf("%s: %v", name, problems[0])
			}
		}
	}
}

func TestPaiFileIsLockedUntilItIsWritten(t *testing.T) {
	t.Parallel()
	path := write(t, "s.jsonl", paiFile)
	p := must[*session.PaiFile](t)(session.OpenFile(path))
	if _, err := session.AppendFile(t.Context(), path, message(t, session.User, "x")); !errors.Is(err, session.ErrLocked) {
		t.Errorf("append: %v", err)
	}
	if err := session.Rewrite(t.Context(), path, message(t, session.User, "x")); !errors.Is(err, session.ErrLocked) {
		t.Errorf("rewrite: %v", err)
	}
	if _, _, err := session.ReadFile(path); err != nil {
		t.Errorf("read: %v", err)
	}
	ok(t, p.Close())
	ok(t, p.Close())
	if read(t, path) != paiFile {
		t.Error("it was changed")
	}

	fresh := filepath.Join(t.TempDir(), "new.jsonl")
	n := must[*session.PaiFile](t)(session.OpenFile(fresh))
	if _, err := session.OpenFile(fresh); !errors.Is(err, session.ErrLocked) {
		t.Errorf("a new file: %v", err)
	}
	ok(t, n.Close())
	if exists(fresh) {
		t.Error("a file that nothing was written to stays")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.AppendFile(cancelled, fresh, message(t, session.User, "x")); !errors.Is(err, context.Canceled) || exists(fresh) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := session.AppendFile(t.Context(), fresh, session.Line{}); err == nil || exists(fresh) {
		t.Errorf("an empty line: %v", err)
	}
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	path := write(t, "s.jsonl", paiFile)
	ok(t, os.Chmod(path, 0o640))
	link := filepath.Join(t.TempDir(), "link")
	ok(t, os.Symlink(path, link))
	p := must[*session.PaiFile](t)(session.OpenFile(link))
	lines := p.Lines()
	lines[0] = must[session.Line](t)(lines[0].WithContent(jsontext.Value("\"new\"")))
	lines[2] = must[session.Line](t)(lines[2].WithContent(jsontext.Value("[\n]")))
	ok(t, p.Rewrite(t.Context(), append(lines, message(t, session.User, "next"))...))
	if err := p.Append(t.Context(), message(t, session.User, "late")); err == nil {
		t.Error("appended after a rewrite")
	}
	ok(t, p.Close())
	want := strings.Replace(strings.Replace(paiFile, `"..."`, `"new"`, 1), `"\u0041 cat"`, `[]`, 1) +
		`{"role":"user","content":"next","timestamp":"2026-03-11T12:00:00.000Z"}` + "\n"
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Error(diff)
	}
	if info := must[fs.FileInfo](t)(os.Lstat(link)); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced, not the file")
	}
	if info := must[fs.FileInfo](t)(os.Stat(path)); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if left := must[[]os.DirEntry](t)(os.ReadDir(filepath.Dir(path))); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
	broken := write(t, "b.jsonl", "nonsense\n"+paiFile)
	if err := session.Rewrite(t.Context(), broken, lines...); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a rewrite would lose a line: %v", err)
	}
	if read(t, broken) != "nonsense\n"+paiFile {
		t.Error("a refused rewrite changed the file")
	}
	fresh := filepath.Join(t.TempDir(), "new")
	ok(t, session.Rewrite(t.Context(), fresh, lines[0]))
	if got := read(t, fresh); got != string(lines[0].Bytes())+"\n" {
		t.Errorf("a new file has %q", got)
	}
}

const piFile = `{"type":"session","version":3,"id":"0199-uuid","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/p"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":[{"type":"text","text":"Hello"}],"timestamp":1733234567890}}
{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"h"},{"type":"text","text":"Hi!"}],"usage":{"input":1},"stopReason":"stop"}}
{"type":"message","id":"cccccccc","parentId":"aaaaaaaa","timestamp":"2026-01-02T03:04:08.000Z","message":{"role":"toolResult","toolCallId":"c","content":[{"type":"text","text":"out"}]}}
{"type":"message","id":"dddddddd","parentId":"cccccccc","timestamp":"2026-01-02T03:04:09.000Z","message":{"role":"bashExecution","command":"ls"}}
{"type":"whatever_comes","id":"eeeeeeee","parentId":"dddddddd","timestamp":"2026-01-02T03:04:09.000Z","x":{"y":1.0}}
{"type":"session_info","id":"ffffffff","parentId":"eeeeeeee","timestamp":"2026-01-02T03:04:09.000Z","name":"their name"}
`

func TestPiFileIsReadAndNotWritten(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	path := write(t, "pi.jsonl", piFile)
	s := must[*session.Session](t)(store.Open(t.Context(), path))
	closeLater(t, s)
	if h := s.Header(); h.ID != "0199-uuid" || h.CWD != "/p" || s.Name() != "their name" || len(s.Problems()) > 0 {
		t.Errorf("%+v %q %v", h, s.Name(), s.Problems())
	}
	if _, err := s.Append(t.Context(), session.Message(session.User, "x")); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("appended: %v", err)
	}
	if diff := cmp.Diff([]string{"user:Hello", "tool:out", "message", "whatever_comes", "session_info"}, words(collect(t, s.Branch("")))); diff != "" {
		t.Error(diff)
	}
	if got := collect(t, s.Branch("bbbbbbbb")); string(got[1].Field("usage")) != `{"input":1}` || got[1].Text() != "Hi!" {
		t.Errorf("%s", got[1].Bytes())
	}
	clone := must[*session.Session](t)(s.Clone(t.Context(), "ffffffff"))
	closeLater(t, clone)
	say(t, clone, session.Message(session.User, "on"))
	want := []string{
		`{"role":"user","content":[{"type":"text","text":"Hello"}],"timestamp":"2026-01-02T03:04:06.000Z","id":"aaaaaaaa","parentId":null}`,
		`{"role":"tool","content":[{"type":"text","text":"out"}],"timestamp":"2026-01-02T03:04:08.000Z","id":"cccccccc","parentId":"aaaaaaaa","toolCallId":"c"}`,
		`{"type":"message","timestamp":"2026-01-02T03:04:09.000Z","id":"dddddddd","parentId":"cccccccc","message":{"role":"bashExecution","command":"ls"}}`,
		`{"type":"whatever_comes","timestamp":"2026-01-02T03:04:09.000Z","id":"eeeeeeee","parentId":"dddddddd","x":{"y":1.0}}`,
		`{"type":"session_info","timestamp":"2026-01-02T03:04:09.000Z","id":"ffffffff","parentId":"eeeeeeee","name":"their name"}`,
	}
	if diff := cmp.Diff(want, strings.Split(read(t, clone.Path()), "\n")[1:6]); diff != "" {
		t.Error(diff)
	}
	if clone.Name() != "their name" {
		t.Errorf("name %q", clone.Name())
	}
	if read(t, path) != piFile || exists(path+".idx") {
		t.Error("pi's file was changed")
	}
}

// TestRewriteAndAppendAtTheSameTime replaces the file while others append to
// it: what somebody was told is written stays.
func TestRewriteAndAppendAtTheSameTime(t *testing.T) {
	t.Parallel()
	path := write(t, "s.jsonl", paiFile)
	var mu sync.Mutex
	written := map[string]bool{}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for n := range 40 {
				text := fmt.Sprint(i, "-", n)
				line, err := session.NewLine(session.Message(session.User, text), start)
				if err != nil {
					t.Error(err)
					return
				}
				for {
					if i < 3 {
						_, err = session.AppendFile(t.Context(), path, line)
					} else {
						err = rewriteWith(t.Context(), path, line)
					}
					if !errors.Is(err, session.ErrLocked) {
						break
					}
					runtime.Gosched()
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				written[text] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	lines, problems, err := session.ReadFile(path)
	if err != nil || len(problems) > 0 || len(written) != 240 || len(lines) != 4+len(written) {
		t.Fatalf("%d lines, %d were written: %v %v", len(lines), len(written), problems, err)
	}
	for _, l := range lines[4:] {
		if !written[l.Text()] {
			t.Errorf("%q is there twice, or was not written", l.Text())
		}
		delete(written, l.Text())
	}
}

func rewriteWith(ctx context.Context, path string, line session.Line) error {
	p, err := session.OpenFile(path)
	if err != nil {
		return err
	}
	return errors.Join(p.Rewrite(ctx, append(p.Lines(), line)...), p.Close())
}
