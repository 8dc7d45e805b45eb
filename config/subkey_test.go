package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/holic512/plugin-ai/config"
)

// TestKeyOfTwoWords changes one setting of the decide page, and leaves the
// others and the rest of the file as they are.
func TestKeyOfTwoWords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ai.json")
	store := config.NewStore(path)
	holds := func(want string) {
		t.Helper()
		if have, err := os.ReadFile(path); err != nil || string(have) != want {
			t.Errorf("got %s, %v\nwant %s", have, err, want)
		}
	}
	set := func(key, value string) {
		t.Helper()
		if err := store.Set(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	set("decide.port", "4000")
	set("decide.bind", "0.0.0.0")
	write(t, path, "{\n  \"decide\": {\"port\": 4000, \"url\": \"\"},\n  \"language\": \"zh\"\n}\n")
	set("decide.port", "4001")
	holds("{\n  \"decide\": {\"port\": 4001, \"url\": \"\"},\n  \"language\": \"zh\"\n}\n")
	if removed, err := store.Unset(t.Context(), "decide.url"); err != nil || !removed {
		t.Errorf("got %v, %v", removed, err)
	}
	if removed, err := store.Unset(t.Context(), "decide.timeout"); err != nil || removed {
		t.Errorf("got %v, %v", removed, err)
	}
	for _, bad := range [][2]string{{"decide.port", "0"}, {"decide.port", "many"}, {"decide.prt", "1"}, {"decide.", "1"}, {"language.x", "1"}} {
		var e *config.Error
		if err := store.Set(t.Context(), bad[0], bad[1]); !errors.As(err, &e) {
			t.Errorf("%s = %s: %v", bad[0], bad[1], err)
		}
	}
	s := load(t, user{settings: `{"decide": {"port": 4001}}`})
	for key, want := range map[string]string{"decide.port": "4001", "decide.bind": `"127.0.0.1"`, "decide.token": "false"} {
		item, err := s.Get(key)
		if err != nil || string(item.Value) != want || item.Key != key || item.Origin != s.Origin("decide") {
			t.Errorf("%s: %+v, %v", key, item, err)
		}
	}
	if _, err := s.Get("decide.prt"); err == nil {
		t.Error("there is no decide.prt")
	}
}
