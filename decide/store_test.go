package decide_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/decide"
)

func at(t testing.TB) time.Time {
	t.Helper()
	return time.Date(2026, 3, 14, 9, 26, 53, 589, time.FixedZone("", 8*3600))
}

const small = `{"source":"s","task":"任务 <&>","items":[{"id":1,"title":"T","pros":null,"options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`

func smallInput(t testing.TB) *decide.Input {
	t.Helper()
	return parse(t, strings.Replace(small, `"pros":null,`, "", 1))
}

func decision(chosen, note string) decide.Decisions {
	return decide.Decisions{Decisions: []decide.Decision{{ID: 1, Chosen: chosen, Note: note}}}
}

// TestStoreFiles compares the files with those of the document, byte by byte.
func TestStoreFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".aide", "decisions")
	s := decide.NewStore(dir)
	in := smallInput(t)
	if _, err := s.Result(); !errors.Is(err, decide.ErrNoPending) {
		t.Errorf("without a folder: %v", err)
	}
	session, err := s.Open(t.Context(), in, at(t))
	if err != nil || session != "2026-03-14T09-26-53" {
		t.Fatalf("got %q, %v", session, err)
	}
	const shared = `  "source": "s",
  "task": "任务 <&>",
  "items": [
    {
      "id": 1,
      "title": "T",
      "options": [
        {
          "value": "a",
          "label": "A"
        },
        {
          "value": "b",
          "label": "B"
        }
      ]
    }
  ]`
	holds(t, filepath.Join(dir, "pending.json"), "{\n"+shared+`,
  "_meta": {
    "created_at": "2026-03-14T09:26:53+08:00",
    "session_id": "2026-03-14T09-26-53"
  }
}
`)
	if _, err := s.Result(); !errors.Is(err, decide.ErrUndecided) {
		t.Errorf("nobody decided: %v", err)
	}
	current, err := s.Save(t.Context(), session, in, decision("b", "说明 <&>"), at(t).Add(time.Minute))
	if err != nil || !current {
		t.Fatalf("got %v, %v", current, err)
	}
	holds(t, filepath.Join(dir, session+".json"), "{\n  \"input\": {\n"+"  "+strings.ReplaceAll(shared, "\n", "\n  ")+`
  },
  "output": {
    "decisions": [
      {
        "id": 1,
        "chosen": "b",
        "note": "说明 <&>"
      }
    ]
  },
  "completed_at": "2026-03-14T09:27:53+08:00"
}
`)
	for range 2 { // again and again
		d, err := s.Result()
		text, jerr := d.JSON()
		if want := `{"decisions":[{"id":1,"chosen":"b","note":"说明 <&>"}]}`; err != nil || jerr != nil || string(text) != want {
			t.Errorf("got %s, %v", text, err)
		}
	}
	if _, err := s.Save(t.Context(), session, in, decision("a", ""), at(t)); err == nil {
		t.Error("a record was written over")
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("%s: -want +got:\n%s", path, diff)
	}
}

// TestTwoSubmits holds that two in one second do not mix.
func TestTwoSubmits(t *testing.T) {
	t.Parallel()
	s := decide.NewStore(t.TempDir())
	in := smallInput(t)
	open := func() string {
		t.Helper()
		session, err := s.Open(t.Context(), in, at(t))
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	first := open()
	second, third := open(), open()
	if first == second || second == third || first == third {
		t.Fatalf("sessions %s, %s, %s", first, second, third)
	}
	if current, err := s.Save(t.Context(), first, in, decision("a", ""), at(t)); err != nil || current {
		t.Errorf("got %v, %v", current, err)
	}
	if _, err := s.Result(); !errors.Is(err, decide.ErrOutdated) {
		t.Errorf("the first's answer is the third's: %v", err)
	}
	if current, err := s.Save(t.Context(), third, in, decision("b", ""), at(t)); err != nil || !current {
		t.Errorf("got %v, %v", current, err)
	}
	if d, err := s.Result(); err != nil || d.Decisions[0].Chosen != "b" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestSubmitsAtOnce(t *testing.T) {
	t.Parallel()
	s := decide.NewStore(t.TempDir())
	in := smallInput(t)
	var mu sync.Mutex
	seen := map[string]bool{}
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			session, err := s.Open(t.Context(), in, at(t))
			if err == nil {
				_, err = s.Save(t.Context(), session, in, decision("a", fmt.Sprint(i)), at(t))
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil || seen[session] {
				t.Errorf("%s: %v", session, err)
			}
			seen[session] = true
		})
	}
	group.Wait()
	if len(seen) != 16 {
		t.Errorf("%d sessions", len(seen))
	}
	// The last that was opened counts, and it was decided.
	if _, err := s.Result(); err != nil {
		t.Error(err)
	}
}

func TestResultOfFiles(t *testing.T) {
	t.Parallel()
	const pending = `{"task":"t","source":"s","items":[{"id":1,"title":"T","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}],"_meta":{"created_at":"2026-03-14T09:26:53+08:00","session_id":"2026-03-14T09-26-53"}}`
	const record = `{"input":{"source":"s","task":"t","items":[{"id":1.0,"title":"T","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]},"output":{"decisions":[{"id":1,"chosen":"a"}]},"completed_at":"x"}`
	type files map[string]string
	damaged := errors.New("damaged")
	for _, tt := range []struct {
		name  string
		files files
		want  error // nil is decisions
		says  string
	}{
		{"nothing", files{}, decide.ErrNoPending, ""},
		{"only a record", files{"2026-03-14T09-26-53.json": record}, decide.ErrNoPending, ""},
		{"only pending", files{"pending.json": pending, ".pending.json.lock": "", ".x.json": "", "notes.txt": ""}, decide.ErrUndecided, ""},
		{"both", files{"pending.json": pending, "2026-03-14T09-26-53.json": record, "2025-01-01T00-00-00.json": "{"}, nil, ""},
		{"byte order mark", files{"pending.json": "\ufeff" + pending, "2026-03-14T09-26-53.json": "\ufeff" + record}, nil, ""},
		{"another session's", files{"pending.json": pending, "2025-01-01T00-00-00.json": record}, decide.ErrOutdated, ""},
		{"other questions", files{"pending.json": strings.Replace(pending, `"T"`, `"U"`, 1), "2026-03-14T09-26-53.json": record}, decide.ErrOutdated, ""},
		{"cut pending", files{"pending.json": pending[:40]}, damaged, "pending.json"},
		{"empty pending", files{"pending.json": ""}, damaged, "pending.json"},
		{"pending without _meta", files{"pending.json": strings.Replace(pending, "_meta", "meta", 1)}, damaged, "_meta.session_id"},
		{"pending that leads away", files{"pending.json": strings.Replace(pending, "2026-03-14T09-26-53", "../x", 1)}, damaged, "_meta.session_id"},
		{"pending without questions", files{"pending.json": `{"_meta":{"session_id":"1"}}`}, damaged, "task"},
		{"cut record", files{"pending.json": pending, "2026-03-14T09-26-53.json": record[:60]}, damaged, "2026-03-14T09-26-53.json"},
		{"record of another form", files{"pending.json": pending, "2026-03-14T09-26-53.json": `{}`}, damaged, "2026-03-14T09-26-53.json"},
		{"record with a value that there is not", files{"pending.json": pending, "2026-03-14T09-26-53.json": strings.Replace(record, `"chosen":"a"`, `"chosen":"c"`, 1)}, damaged, "chosen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d, err := decide.NewStore(dir).Result()
			switch {
			case tt.want == nil:
				if err != nil || len(d.Decisions) != 1 || d.Decisions[0].Chosen != "a" {
					t.Errorf("got %+v, %v", d, err)
				}
			case errors.Is(tt.want, damaged):
				var e *decide.DamagedError
				if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %v", err)
				}
			case !errors.Is(err, tt.want):
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
