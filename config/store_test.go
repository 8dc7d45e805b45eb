package config_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/config"
)

// The test program is also a writer: with this variable it gives a key of a
// file every value up to a number, and ends.
const writerVariable = "CONFIG_TEST_WRITER"

func TestMain(m *testing.M) {
	if spec := os.Getenv(writerVariable); spec != "" {
		os.Exit(writer(spec))
	}
	os.Exit(m.Run())
}

func writer(spec string) int {
	words := strings.SplitN(spec, ",", 3)
	var last int
	if _, err := fmt.Sscan(words[1], &last); err != nil {
		return 2
	}
	store := config.NewStore(words[2])
	for i := 1; i <= last; i++ {
		if err := store.Set(context.Background(), words[0], fmt.Sprint(i)); err != nil {
			panic(err) // the other process shows it
		}
	}
	return 0
}

func TestSetKeepsTheRest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder", "ai.json")
	store := config.NewStore(path)
	steps := []struct{ key, value, want string }{
		{"language", "zh", "{\n  \"language\": \"zh\"\n}\n"},
		{"maxRepairs", "1", "{\n  \"language\": \"zh\",\n  \"maxRepairs\": 1\n}\n"},
		{"language", "null", "{\n  \"language\": null,\n  \"maxRepairs\": 1\n}\n"},
		{"allowedPrograms", `["ls","cat"]`, "{\n  \"language\": null,\n  \"maxRepairs\": 1,\n  \"allowedPrograms\": [\"ls\", \"cat\"]\n}\n"},
		{"defaultProfile", "123", "{\n  \"language\": null,\n  \"maxRepairs\": 1,\n  \"allowedPrograms\": [\"ls\", \"cat\"],\n  \"defaultProfile\": \"123\"\n}\n"},
		{"defaultProfile", `"工作"`, "{\n  \"language\": null,\n  \"maxRepairs\": 1,\n  \"allowedPrograms\": [\"ls\", \"cat\"],\n  \"defaultProfile\": \"工作\"\n}\n"},
	}
	for _, s := range steps {
		if err := store.Set(t.Context(), s.key, s.value); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.want, read(t, path)); diff != "" {
			t.Fatalf("%s=%s: -want +got:\n%s", s.key, s.value, diff)
		}
	}
	if removed, err := store.Unset(t.Context(), "allowedPrograms"); err != nil || !removed {
		t.Fatal(removed, err)
	}
	if want, got := "{\n  \"language\": null,\n  \"maxRepairs\": 1,\n  \"defaultProfile\": \"工作\"\n}\n", read(t, path); got != want {
		t.Errorf("got %q", got)
	}
	if removed, err := store.Unset(t.Context(), "allowedPrograms"); err != nil || removed {
		t.Errorf("removed twice: %v, %v", removed, err)
	}
	if runtime.GOOS != "windows" {
		for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v; want %v", p, info.Mode(), err, want)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "ai.json" && e.Name() != ".ai.json.lock" {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, key, value string
		kind                   config.ErrorKind
		says                   string
	}{
		{"unknown key", "{}", "allowWrites", "true", config.ErrUsage, "did you mean allowWrite?"},
		{"a key of the other file", "{}", "model", "x", config.ErrUsage, "--model"},
		{"wrong type", "{}", "allowWrite", "yes", config.ErrSetting, `/allowWrite: expected a boolean, got "yes"`},
		{"out of range", "{}", "maxRepairs", "99", config.ErrSetting, "/maxRepairs"},
		{"wrong word", "{}", "defaultMode", "medium", config.ErrSetting, `"low" or "high"`},
		{"integer with a fraction", "{}", "maxRepairs", "1.0", config.ErrSetting, "/maxRepairs"},
		{"doubled key in the value", "{}", "allowedPrograms", `{"a":1,"a":2}`, config.ErrSetting, "an array"},
		{"broken file", `{"allowWrite": false,}`, "maxRepairs", "1", config.ErrFile, "ai.json:1:21"},
		{"empty file", ``, "maxRepairs", "1", config.ErrFile, "an empty file"},
		{"array file", `[1]`, "maxRepairs", "1", config.ErrFile, "an object"},
		{"doubled key", `{"maxRepairs":1,"maxRepairs":2}`, "maxRepairs", "1", config.ErrFile, "every key once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ai.json")
			write(t, path, tt.text)
			err := config.NewStore(path).Set(t.Context(), tt.key, tt.value)
			var e *config.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v; want kind %q that says %q", err, tt.kind, tt.says)
			}
			if got := read(t, path); got != tt.text {
				t.Errorf("the file became %q", got)
			}
		})
	}
}

// What is wrong in a file can be put right, one key at a time.
func TestSetRepairs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ai.json")
	write(t, path, "\ufeff{\"allowWrite\": \"no\", \"typo\": 1}")
	store := config.NewStore(path)
	if err := store.Set(t.Context(), "allowWrite", "false"); err != nil {
		t.Fatal(err)
	}
	if removed, err := store.Unset(t.Context(), "typo"); err != nil || !removed {
		t.Fatal(removed, err)
	}
	if got, want := read(t, path), "\ufeff{\"allowWrite\": false}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnsetWithoutFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	store := config.NewStore(filepath.Join(dir, "ai.json"))
	if removed, err := store.Unset(t.Context(), "language"); removed || err != nil {
		t.Error(removed, err)
	}
	if _, err := store.Unset(t.Context(), "lang"); err == nil {
		t.Error("an unknown key was removed")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made for nothing")
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles", "settings.json"), filepath.Join(dir, "home", "ai.json")
	write(t, real, "{}\n")
	if err := os.Chmod(real, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := config.NewStore(link).Set(t.Context(), "allowSudo", "false"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if got := read(t, real); got != "{\n  \"allowSudo\": false\n}\n" {
		t.Errorf("got %q", got)
	}
	if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	var e *config.Error
	if err := config.NewStore(link).Set(t.Context(), "allowSudo", "false"); !errors.As(err, &e) || e.Kind != config.ErrFile || !strings.Contains(err.Error(), "not there") {
		t.Errorf("a dangling link: %v", err)
	}
	if _, err := os.Lstat(real); err == nil {
		t.Error("a dangling link was followed")
	}
}

func TestFolderThatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file", "ai.json")
	write(t, filepath.Dir(path), "a file where the folder should be")
	var e *config.Error
	if err := config.NewStore(path).Set(t.Context(), "allowSudo", "false"); !errors.As(err, &e) || e.Kind != config.ErrFile {
		t.Errorf("got %v", err)
	}
}

// Writers in other processes and in this one, each with a key of its own:
// every last value is there.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ai.json")
	last := map[string]int{"maxRepairs": 9, "maxTailLines": 12, "stepTimeoutSeconds": 11, "maxRetries": 10, "maxAutoStepsPerTurn": 13}
	var wg sync.WaitGroup
	inProcess := []string{"maxRetries", "maxAutoStepsPerTurn"}
	for key, n := range last {
		spec := fmt.Sprintf("%s,%d,%s", key, n, path)
		wg.Go(func() {
			if slices.Contains(inProcess, key) {
				if writer(spec) != 0 {
					t.Errorf("%s failed", key)
				}
				return
			}
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), writerVariable+"="+spec)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", key, err, out)
			}
		})
	}
	// A reader sees whole files only.
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue // not there yet
		}
		var got map[string]int
		if err := json.Unmarshal(text, &got); err != nil {
			t.Errorf("a reader saw %q: %v", text, err)
			<-done
			return
		}
	}
	var got map[string]int
	if err := json.Unmarshal([]byte(read(t, path)), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(last, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWriteProvider(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pai", "default.json")
	put := func(e config.Entry, makeDefault bool) {
		t.Helper()
		if err := config.WriteProvider(t.Context(), path, e, makeDefault); err != nil {
			t.Fatal(err)
		}
	}
	ref, err := config.ParseKeyRef("$OPENAI_API_KEY")
	if err != nil {
		t.Fatal(err)
	}
	put(config.Entry{Name: "openai", Provider: "openai", APIKey: ref, Models: []string{"m"}}, true)
	const first = `{
  "schema_version": "1.0.0",
  "defaultProvider": "openai",
  "providers": [
    {
      "name": "openai",
      "provider": "openai",
      "apiKey": "env:OPENAI_API_KEY",
      "models": [
        "m"
      ]
    }
  ]
}
`
	if diff := cmp.Diff(first, read(t, path)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}

	// An old file with fields of others, that everybody may read.
	write(t, path, "{\"schema_version\": \"1.0.0\",\r\n \"theirs\": 1.50,\r\n \"providers\": [\r\n  {\"name\": \"a\", \"x\": [1,2], \"baseUrl\": \"http://old.test\", \"maxTokens\": 5},\r\n  {\"name\": \"b\"}\r\n ]}\r\n")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	put(config.Entry{Name: "a", APIKey: config.KeyRef{Literal: "sk-literal"}, DefaultModel: "m"}, false)
	const second = "{\"schema_version\": \"1.0.0\",\r\n \"theirs\": 1.50,\r\n \"providers\": [\r\n  {\"name\": \"a\", \"x\": [1,2], \"apiKey\": \"sk-literal\", \"defaultModel\": \"m\"},\r\n  {\"name\": \"b\"}\r\n ]}\r\n"
	if diff := cmp.Diff(second, read(t, path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}

	before := read(t, path)
	if err := config.WriteProvider(t.Context(), path, config.Entry{Name: "c", BaseURL: "nonsense"}, true); err == nil {
		t.Error("an entry that cannot be read again was written")
	}
	if err := config.WriteProvider(t.Context(), path, config.Entry{}, true); err == nil {
		t.Error("an entry without a name was written")
	}
	if read(t, path) != before {
		t.Error("a refused entry changed the file")
	}
	write(t, path, `{"providers": [`)
	if err := config.WriteProvider(t.Context(), path, config.Entry{Name: "c"}, true); err == nil || read(t, path) != `{"providers": [` {
		t.Errorf("a broken file was written: %v", err)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	src := user{settings: `{"allowWrite": 1}`, providers: `{`, llmBase: profiles}.sources(t)
	path := filepath.Join(src.Home, ".config", "pai", "default.json")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	r := config.Inspect(src)
	if len(r.Problems) != 2 || r.Ready != nil {
		t.Errorf("problems: %v; ready: %v", r.Problems, r.Ready)
	}
	roles := map[string]config.File{}
	for _, f := range r.Files {
		roles[f.Role] = f
	}
	if f := roles["settings"]; !f.Found || f.Err == nil || f.Exposed {
		t.Errorf("settings: %+v", f)
	}
	if f := roles["providers"]; !f.Found || f.Err == nil || f.Exposed != (runtime.GOOS != "windows") {
		t.Errorf("providers: %+v", f)
	}
	if f := roles["llm-base"]; !f.Found || f.Err != nil {
		t.Errorf("llm-base: %+v", f)
	}
	found := map[string]bool{}
	for _, f := range r.Folders {
		found[f.Role] = f.Found
	}
	if diff := cmp.Diff(map[string]bool{"slothtool": true, "config": true, "cache": false, "state": false}, found); diff != "" {
		t.Errorf("folders: -want +got:\n%s", diff)
	}
	if len(r.Items) == 0 {
		t.Error("no items")
	}

	r = config.Inspect(user{flags: config.Flags{Provider: "openai"}}.sources(t))
	if len(r.Problems) != 0 || r.Ready == nil {
		t.Errorf("no key: problems: %v; ready: %v", r.Problems, r.Ready)
	}
}

// Whatever stands in the file, reading it gives settings or a located error,
// and setting a key in it gives a file that is read with that key set.
func FuzzSettings(f *testing.F) {
	f.Add(`{"allowWrite": false}`)
	f.Add("{\n  \"maxRepairs\": 1,\n  \"language\": \"zh\"\n}\n")
	f.Add(`{"allowedPrograms": ["ls"], "x": {}}`)
	f.Add("\ufeff{}")
	dir := f.TempDir()
	path := filepath.Join(dir, ".slothtool", "plugin-configs", "ai.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	src := config.Sources{Home: dir, WorkingDir: dir, Getenv: func(string) string { return "" }}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := config.Load(src)
		var e *config.Error
		switch {
		case err == nil && before == nil, err != nil && before != nil:
			t.Fatalf("got %v and %v", before, err)
		case err != nil && !errors.As(err, &e):
			t.Fatalf("an error of another type: %v", err)
		}
		err = config.NewStore(path).Set(t.Context(), "maxRepairs", "7")
		after, loadErr := config.Load(src)
		if err != nil {
			if read(t, path) != text {
				t.Fatalf("refused, and yet written: %v", err)
			}
			return
		}
		if before == nil {
			return // its other keys may be wrong still
		}
		if loadErr != nil {
			t.Fatalf("%q became %q: %v", text, read(t, path), loadErr)
		}
		want := before.Options
		want.MaxRepairs = 7
		if diff := cmp.Diff(want, after.Options); diff != "" {
			t.Fatalf("%q became %q:\n%s", text, read(t, path), diff)
		}
	})
}
