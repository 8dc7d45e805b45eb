package rpc_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

var update = flag.Bool("update", false, "write the transcripts anew")

// TestTranscripts plays the conversations in testdata and compares every line.
//
// A file begins with settings ("set sessions", "set window 8000") and the
// answers of the model ("llm {"chat":"hello"}", see fakellm.Parse). Then come
// lines of the client ("> …") and what it waits for ("wait agent_settled");
// what the server wrote stands between them, with ids and times made plain.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-file +played:\n%s", diff)
			}
		})
	}
}

// clock goes on by 20 ms with each look at it, so that each delta is told.
func clock() func() time.Time {
	ticks := make(chan time.Time, 1)
	ticks <- time.UnixMilli(1_700_000_000_000)
	return func() time.Time {
		now := <-ticks
		ticks <- now.Add(20 * time.Millisecond)
		return now
	}
}

// play plays a transcript and gives it as it went.
func play(t *testing.T, text string) string {
	o := options{delta: true, now: clock(), wait: func(context.Context, time.Duration) error { return nil }}
	var script []fakellm.Answer
	var head, steps []string
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n")
		switch {
		case strings.HasPrefix(l, "set "):
			head = append(head, l)
			set(t, &o, strings.Fields(l)[1:])
		case strings.HasPrefix(l, "llm "):
			head = append(head, l)
			a, err := fakellm.Parse(strings.NewReader(l[4:]))
			if err != nil {
				t.Fatal(err)
			}
			script = append(script, a...)
		case strings.HasPrefix(l, "#"), l == "" && len(steps) == 0:
			head = append(head, l)
		case strings.HasPrefix(l, "> "), strings.HasPrefix(l, "wait "):
			steps = append(steps, l)
		}
	}
	w := start(t, o, script...)
	w.llm.AllowUnused()
	plain := newPlain(w.dir)
	var out bytes.Buffer
	for _, l := range head {
		out.WriteString(l + "\n")
	}
	// How much output an update has is up to the machine: of several the last
	// is kept.
	before, kept := "", 0
	w.client.got = func(l line) {
		if l.kind == "tool_execution_update" && before == l.kind {
			out.Truncate(kept)
		}
		before, kept = l.kind, out.Len()
		out.WriteString("< " + plain.line(l.raw) + "\n")
	}
	for _, step := range steps {
		out.WriteString(step + "\n")
		switch {
		case strings.HasPrefix(step, "> "):
			w.client.send(plain.back(step[2:], w.client.seen))
		default:
			w.client.await(step[5:])
		}
	}
	if err := w.client.in.Close(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, ok := w.client.next(); !ok {
			break
		}
	}
	return out.String()
}

// set applies a setting of a transcript.
func set(t *testing.T, o *options, words []string) {
	number := func() int {
		n, err := strconv.Atoi(words[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	switch words[0] {
	case "sessions":
		o.sessions = true
	case "partial":
		o.delta = false
	case "window":
		o.window = number()
	case "models":
		o.models = words[1:]
	case "images":
		o.input = []string{"text", "image"}
	case "retries":
		o.retries = number()
	case "recent":
		o.recent = number()
	case "slowretry":
		o.wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
	case "dialogs":
		o.full = true
	case "timeout":
		o.timeout = time.Duration(number()) * time.Millisecond
	case "notready":
		o.notReady = fmt.Errorf("no key for the provider \"mock\"")
	case "hooksno":
		o.hooks = func(context.Context, string, map[string]any) (bool, string, error) { return true, "", nil }
	case "hookfails":
		o.hooks = func(context.Context, string, map[string]any) (bool, string, error) {
			return false, "/hooks/leave", fmt.Errorf("exit status 1")
		}
	default:
		t.Fatalf("unknown setting %v", words)
	}
}

// plain makes what differs from run to run the same.
type plain struct {
	dir   string
	names map[string]string
}

func newPlain(dir string) *plain { return &plain{dir, map[string]string{}} }

var (
	stamps = regexp.MustCompile(`("timestamp":)(\d+|"[^"]*")`)
	hexIDs = regexp.MustCompile(`"[0-9a-f]{8}(-[0-9a-f-]{27}|[0-9a-f]{8})?"`)
	times  = regexp.MustCompile(`("durationMs":|\\"durationMs\\":)\d+`)
	urls   = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	files  = regexp.MustCompile(`"/[^"]*/[0-9]{8}[^"]*\.jsonl"|"/[^" ]*/sessions?[^" ]*\.jsonl"|"/tmp/[^"]*\.jsonl"`)
	spools = regexp.MustCompile(`spool/step-[^".]*`)
)

func (p *plain) line(raw string) string {
	raw = strings.ReplaceAll(raw, p.dir, "DIR")
	raw = stamps.ReplaceAllString(raw, "${1}0")
	raw = times.ReplaceAllString(raw, "${1}0")
	raw = urls.ReplaceAllString(raw, "http://HOST")
	raw = spools.ReplaceAllString(raw, "spool/STEP")
	name := func(kind string) func(string) string {
		return func(s string) string {
			if p.names[s] == "" {
				p.names[s] = fmt.Sprintf("%q", fmt.Sprintf("%s%d", kind, len(p.names)+1))
			}
			return p.names[s]
		}
	}
	raw = files.ReplaceAllStringFunc(raw, name("FILE"))
	return hexIDs.ReplaceAllStringFunc(raw, name("ID"))
}

// back puts the real values into a line of the client: names that plain gave,
// and UI for the id of the newest dialog.
func (p *plain) back(text string, seen []line) string {
	for real, name := range p.names {
		text = strings.ReplaceAll(text, name, real)
	}
	for i := len(seen) - 1; i >= 0; i-- {
		if m := seen[i].m["method"]; m == "confirm" || m == "select" || m == "editor" || m == "input" {
			text = strings.ReplaceAll(text, `"UI"`, fmt.Sprintf("%q", seen[i].m["id"]))
			break
		}
	}
	return strings.ReplaceAll(text, "DIR", p.dir)
}
