package jsonfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/executors/jsonfile"
)

// back takes a change back, and gives what was planned.
func (p place) back(id string) *jsonfile.Change {
	p.t.Helper()
	change, backup, err := p.editor.PlanUndo(id)
	if err != nil {
		p.t.Fatal(err)
	}
	if backup.ID != change.Undoes || id != "" && backup.ID != id {
		p.t.Errorf("%q was asked for, %+v is taken back", id, backup)
	}
	if _, err := p.editor.Commit(p.t.Context(), change); err != nil {
		p.t.Fatal(err)
	}
	return change
}

func TestUndo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	// A clock that stands does not mix up the order.
	now := time.Date(2026, 11, 21, 14, 3, 16, 0, time.UTC)
	p.editor = jsonfile.New(jsonfile.Config{Home: p.home, Sloth: p.sloth, Now: func() time.Time { return now }})
	if _, _, err := p.editor.PlanUndo(""); kindOf(err) != jsonfile.KindNothing || !strings.Contains(err.Error(), "no change to take back") {
		t.Errorf("got %v", err)
	}
	const original = "{\n  \"language\": \"zh\"\n}"
	path := p.write("settings.json", original)
	_, first := p.do(path, set("/language", `"en"`))
	_, second := p.do(path, set("/theme", `"深"`))
	other, third := p.do("~/.slothtool/plugin-configs/new.json", set("/a", "1"))
	if other.Existed || other.Old != nil || string(other.New) != "{\n  \"a\": 1\n}\n" || first >= second || second >= third {
		t.Errorf("%+v, %s, %s, %s", other, first, second, third)
	}

	if c := p.back(""); c.New != nil || c.ChangedSince || !slices.Equal(c.Members, []string{"a"}) { // the file was made
		t.Errorf("%+v", c)
	}
	if _, err := os.Stat(other.Path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	p.back("")
	if got := p.read("settings.json"); got != "{\n  \"language\": \"en\"\n}" {
		t.Errorf("got %q", got)
	}
	p.back("")
	if got := p.read("settings.json"); got != original {
		t.Errorf("got %q", got)
	}
	if _, _, err := p.editor.PlanUndo(""); kindOf(err) != jsonfile.KindNothing {
		t.Errorf("got %v", err)
	}
	list, err := p.editor.Backups()
	if err != nil || len(list) != 6 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, b := range list {
		if b.Undo != (i < 3) || b.Undone != (i >= 3) || b.Unsure || b.Err != nil || b.Time.Before(now) || i > 0 && b.ID >= list[i-1].ID {
			t.Errorf("%d: %+v", i, b)
		}
	}

	// Taking back what took the first one back does it again.
	p.back(list[0].ID)
	if got := p.read("settings.json"); got != "{\n  \"language\": \"en\"\n}" {
		t.Errorf("got %q", got)
	}
	if list, err = p.editor.Backups(); err != nil || !list[1].Undone || list[6].ID != first || list[6].Undone {
		t.Errorf("%+v, %v", list, err)
	}
	p.back("")
	if got := p.read("settings.json"); got != original {
		t.Errorf("got %q", got)
	}
	// The file that was removed comes back.
	p.back(list[3].ID)
	if got := p.read("plugin-configs/new.json"); got != "{\n  \"a\": 1\n}\n" {
		t.Errorf("got %q", got)
	}
	for _, id := range []string{"none", "../settings", "x/y"} {
		if _, _, err := p.editor.PlanUndo(id); kindOf(err) != jsonfile.KindNothing {
			t.Errorf("%q: got %v", id, err)
		}
	}
}

func TestUndoOfAChangedFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.write("settings.json", `{"a":1}`)
	p.do(path, set("/a", "2"))
	p.write("settings.json", `{"a":2,"b":3}`)
	change, _, err := p.editor.PlanUndo("")
	if err != nil || !change.ChangedSince || string(change.Old) != `{"a":2,"b":3}` || string(change.New) != `{"a":1}` || !slices.Equal(change.Members, []string{"a", "b"}) {
		t.Fatalf("%+v, %v", change, err)
	}
	p.write("settings.json", `{`) // broken by hand
	if _, err := p.editor.Commit(t.Context(), change); kindOf(err) != jsonfile.KindChanged {
		t.Errorf("got %v", err)
	}
	if change, err = p.editor.Refresh(change); err != nil || string(change.Old) != "{" {
		t.Fatalf("%+v, %v", change, err)
	}
	if _, err := p.editor.Commit(t.Context(), change); err != nil || p.read("settings.json") != `{"a":1}` {
		t.Errorf("got %v, %q", err, p.read("settings.json"))
	}
	// Where the file is as it was, there is nothing to take back.
	p.do(path, set("/a", "2"))
	p.write("settings.json", `{"a":1}`)
	if _, b, err := p.editor.PlanUndo(""); err == nil {
		t.Errorf("%+v would be taken back", b)
	}
}

func TestBackupsAreKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.editor = jsonfile.New(jsonfile.Config{Home: p.home, Sloth: p.sloth, Keep: 3})
	a, b := p.write("settings.json", `{"n":0}`), p.write("plugin-configs/b.json", `{"n":0}`)
	p.do(b, set("/n", "1"))
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		p.do(a, set("/n", n))
	}
	list, err := p.editor.Backups()
	if err != nil || len(list) != 4 || list[3].Path != b {
		t.Fatalf("%+v, %v", list, err)
	}
	if change, _, err := p.editor.PlanUndo(list[2].ID); err != nil || string(change.New) != `{"n":2}` {
		t.Errorf("%+v, %v", change, err)
	}
	kept, err := filepath.Glob(filepath.Join(p.sloth, "backups", "*.old"))
	if err != nil || len(kept) != 4 {
		t.Errorf("%q, %v", kept, err)
	}
}

// What is no backup does not keep the others from being used, and leads
// nowhere.
func TestHostileBackups(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	_, id := p.do(p.write("settings.json", `{"a":1}`), set("/a", "2"))
	secret := filepath.Join(p.home, "secret.json")
	if err := os.WriteFile(secret, []byte(`{"b":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	record := p.read("backups/" + id + ".json")
	p.write("backups/notes.txt", "mine")
	p.write("backups/99990101-000000-aaaa.json", "{")
	p.write("backups/99990101-000001-aaaa.json", `{"version":2}`)
	p.write("backups/99990101-000002-aaaa.json", record) // another id
	p.write("backups/99990101-000003-aaaa.json", strings.NewReplacer(filepath.Join(p.sloth, "settings.json"), secret, id, "99990101-000003-aaaa").Replace(record))
	p.write("backups/99990101-000003-aaaa.old", `{"a":1}`)
	p.write("backups/99990101-000004-aaaa.json", strings.Repeat(" ", 100_000))
	if err := os.Symlink(secret, filepath.Join(p.sloth, "backups", "99990101-000005-aaaa.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(p.sloth, "backups", "99990101-000006-aaaa.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	list, err := p.editor.Backups()
	broken := 0
	for _, b := range list {
		if b.Err != nil {
			broken++
		}
	}
	if err != nil || len(list) != 8 || broken != 6 {
		t.Errorf("%d of %d are broken, %v", broken, len(list), err)
	}
	if _, _, err := p.editor.PlanUndo("99990101-000000-aaaa"); kindOf(err) != jsonfile.KindFile {
		t.Errorf("got %v", err)
	}
	if _, _, err := p.editor.PlanUndo("99990101-000003-aaaa"); kindOf(err) != jsonfile.KindPlace {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(filepath.Join(p.sloth, "backups", "99990101-000003-aaaa.json")); err != nil {
		t.Fatal(err)
	}
	if change, b, err := p.editor.PlanUndo(""); err != nil || b.ID != id || string(change.New) != `{"a":1}` {
		t.Errorf("%+v, %v", b, err)
	}
	p.do("~/.slothtool/settings.json", set("/a", "3"))
	if got := p.read("backups/notes.txt"); got != "mine" {
		t.Errorf("got %q", got)
	}
	p.write("backups/"+id+".old", `{"a":"other"}`)
	if _, _, err := p.editor.PlanUndo(id); kindOf(err) != jsonfile.KindFile || !strings.Contains(err.Error(), "expected the text that was kept") {
		t.Errorf("got %v", err)
	}
}
