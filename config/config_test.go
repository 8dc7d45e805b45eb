package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/schemas"
)

// user is a home folder with files, an environment and flags.
type user struct {
	settings, providers, llmBase string // the files' texts; "" is no file
	env                          map[string]string
	flags                        config.Flags
}

func (u user) sources(t *testing.T) config.Sources {
	t.Helper()
	home := t.TempDir()
	for path, text := range map[string]string{
		".slothtool/plugin-configs/ai.json":       u.settings,
		".slothtool/plugin-configs/llm-base.json": u.llmBase,
		".config/pai/default.json":                u.providers,
	} {
		if text != "" {
			write(t, filepath.Join(home, path), text)
		}
	}
	return config.Sources{
		Home: home, WorkingDir: home, Flags: u.flags,
		Getenv: func(name string) string { return u.env[name] },
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func load(t *testing.T, u user) *config.Settings {
	t.Helper()
	s, err := config.Load(u.sources(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaultsAgreeWithSchema(t *testing.T) {
	t.Parallel()
	text, err := schemas.Source("config")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Default     any    `json:"default"`
			Description string `json:"description"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	s := load(t, user{})
	keys := config.Keys()
	if len(keys) != len(schema.Properties) {
		t.Errorf("the schema has %d keys, the program %d", len(schema.Properties), len(keys))
	}
	for _, key := range keys {
		item, err := s.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(item.Value, &value); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(schema.Properties[key].Default, value); diff != "" {
			t.Errorf("%s: -schema +program:\n%s", key, diff)
		}
		if item.Origin != config.FromDefault {
			t.Errorf("%s: origin %q", key, item.Origin)
		}
		if schema.Properties[key].Description == "" {
			t.Errorf("%s: the schema does not say what it is for", key)
		}
	}
}

func TestNothingSetUp(t *testing.T) {
	t.Parallel()
	s := load(t, user{})
	if err := s.Ready(); err != nil {
		t.Fatal(err)
	}
	if s.Target.Model.Provider != config.Offline || s.Origin("provider") != config.FromDefault || s.Speak != "en" {
		t.Errorf("got %+v, %q, %q", s.Target, s.Origin("provider"), s.Speak)
	}
}

func TestEverySettingFromFile(t *testing.T) {
	t.Parallel()
	const text = `{
		"allowedPrograms": ["ls"], "allowNetwork": false, "allowWrite": false, "allowSudo": true, "allowShell": true,
		"deny": ["git push"], "ask": ["git log"], "secretPaths": ["~/diary"], "sandbox": "required",
		"safePlugins": {"loc": ["./src", "list *"], "todo": []}, "editablePaths": ["~/a.json", "/etc/b.json"], "yesPaths": ["~/a.json"],
		"defaultMode": "high", "defaultProfile": "work", "maxAutoStepsPerTurn": 0, "maxRepairs": 0,
		"maxTailBytes": 1000, "maxTailLines": 9, "stepTimeoutSeconds": 7, "maxRequestBytes": 20000,
		"maxRecentMessages": 6, "maxRecentBytes": 8000, "maxDigestBytes": 512, "compaction": "off",
		"spoolLimitBytes": 5000000000, "maxRetries": 0, "language": "zh",
		"decide": {"port": 4000, "bind": "::1", "url": "https://d.example/x/", "timeout": 9, "token": true},
		"rpc": {"allowBash": false, "confirmTimeout": 5}, "hooks": {"session_before_fork": {"program": "ask", "args": ["-x"], "timeout": 3}}
	}`
	s := load(t, user{settings: text})
	want := config.Options{
		AllowedPrograms: []string{"ls"}, AllowSudo: true, AllowShell: true, Deny: []string{"git push"}, Ask: []string{"git log"}, SecretPaths: []string{"~/diary"},
		SafePlugins: map[string][]string{"loc": {"./src", "list *"}, "todo": {}}, EditablePaths: []string{"~/a.json", "/etc/b.json"}, YesPaths: []string{"~/a.json"},
		Sandbox: config.SandboxRequired, DefaultMode: config.High, DefaultProfile: "work",
		MaxTailBytes: 1000, MaxTailLines: 9, StepTimeoutSeconds: 7, MaxRequestBytes: 20000,
		MaxRecentMessages: 6, MaxRecentBytes: 8000, MaxDigestBytes: 512, Compaction: config.CompactionOff, SpoolLimitBytes: 5000000000, Language: "zh",
		Decide: config.Decide{Port: 4000, Bind: "::1", URL: "https://d.example/x/", Timeout: 9, Token: true, Dir: ".aide/decisions"},
		RPC:    config.RPC{ConfirmTimeout: 5},
		Hooks:  map[string]config.Hook{"session_before_fork": {Program: "ask", Args: []string{"-x"}, Timeout: 3}},
	}
	if diff := cmp.Diff(want, s.Options); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, key := range config.Keys() {
		if got, want := s.Origin(key), config.Origin("file "+s.Dirs.Settings()); got != want {
			t.Errorf("%s: origin %q, want %q", key, got, want)
		}
	}
	steps := 12
	s = load(t, user{settings: text, flags: config.Flags{MaxSteps: &steps, High: true}})
	if s.MaxAutoStepsPerTurn != 12 || s.Origin("maxAutoStepsPerTurn") != "flag --max-steps" || s.Origin("defaultMode") != "flag --high" {
		t.Errorf("flags do not stand above the file: %d, %q", s.MaxAutoStepsPerTurn, s.Origin("maxAutoStepsPerTurn"))
	}
	if s := load(t, user{settings: `{"allowedPrograms": []}`}); s.AllowedPrograms == nil || len(s.AllowedPrograms) != 0 {
		t.Errorf("an empty list became %q", s.AllowedPrograms)
	}
	if s := load(t, user{settings: `{"defaultProfile": null, "language": null}`}); s.DefaultProfile != "" || s.Language != "" {
		t.Errorf("null became %q, %q", s.DefaultProfile, s.Language)
	}
}

// A settings file that cannot be trusted stops everything.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		user user
		kind config.ErrorKind
		says []string
	}{
		{"syntax", user{settings: "{\n  \"allowWrite\": tru\n}"}, config.ErrFile, []string{"ai.json:2:20: ", "correct it"}},
		{"trailing comma", user{settings: "{\"allowWrite\": true,\n}"}, config.ErrFile, []string{"ai.json:1:20: "}},
		{"column in characters", user{settings: `{"语言": x}`}, config.ErrFile, []string{"ai.json:1:8: "}},
		{"cut off", user{settings: `{"allowWrite": `}, config.ErrFile, []string{"the end of the file"}},
		{"comment", user{settings: "// mine\n{}"}, config.ErrFile, []string{"ai.json:1:1: "}},
		{"two values", user{settings: "{} {}"}, config.ErrFile, []string{"ai.json:1:4: "}},
		{"empty", user{settings: "\n"}, config.ErrFile, []string{"an empty file", "write {}"}},
		{"doubled key", user{settings: `{"allowWrite": false, "allowWrite": true}`}, config.ErrFile, []string{"/allowWrite: expected every key once", ":1:23"}},
		{"not UTF-8", user{settings: "{\"language\": \"\xff\"}"}, config.ErrFile, []string{"UTF-8"}},
		{"wrong type", user{settings: `{"allowWrite": "yes"}`}, config.ErrSetting, []string{"/allowWrite: expected a boolean, got \"yes\""}},
		{"wrong value", user{settings: `{"defaultMode": "medium"}`}, config.ErrSetting, []string{"/defaultMode", `"low" or "high"`, `"medium"`}},
		{"null", user{settings: `{"allowNetwork": null}`}, config.ErrSetting, []string{"/allowNetwork", "null"}},
		{"below", user{settings: `{"maxRepairs": -1}`}, config.ErrSetting, []string{"/maxRepairs: expected a number of 0 or more, got -1"}},
		{"fraction", user{settings: `{"maxRepairs": 1.5}`}, config.ErrSetting, []string{"/maxRepairs: expected an integer"}},
		{"another spelling of an integer", user{settings: `{"maxRepairs": 1.0}`}, config.ErrSetting, []string{"/maxRepairs: expected an integer without a fraction or exponent, got 1.0"}},
		{"in an array", user{settings: `{"allowedPrograms": ["ls", 5]}`}, config.ErrSetting, []string{"/allowedPrograms/1"}},
		{"a path as program", user{settings: `{"allowedPrograms": ["./git"]}`}, config.ErrSetting, []string{"/allowedPrograms/0"}},
		{"a safe line alone", user{settings: `{"safePlugins": {"loc": "./src"}}`}, config.ErrSetting, []string{"/safePlugins/loc: expected an array"}},
		{"safe lines without a plugin", user{settings: `{"safePlugins": ["loc"]}`}, config.ErrSetting, []string{"/safePlugins: expected an object"}},
		{"a plugin without a name", user{settings: `{"safePlugins": {"": []}}`}, config.ErrSetting, []string{"/safePlugins/"}},
		{"a plugin twice", user{settings: `{"safePlugins": {"loc": [], "loc": ["x"]}}`}, config.ErrFile, []string{"/safePlugins/loc: expected every key once"}},
		{"a relative editable path", user{settings: `{"editablePaths": ["a.json"]}`}, config.ErrSetting, []string{"/editablePaths/0"}},
		{"another's home", user{settings: `{"yesPaths": ["~you/a.json"]}`}, config.ErrSetting, []string{"/yesPaths/0"}},
		{"unknown key", user{settings: `{"allowWrit": false}`}, config.ErrSetting, []string{"/allowWrit: expected a key that there is, such as allowWrite"}},
		{"case of a key", user{settings: `{"AllowSudo": false}`}, config.ErrSetting, []string{"such as allowSudo"}},
		{"far key", user{settings: `{"colour": false}`}, config.ErrSetting, []string{"/colour: expected one of the keys allowNetwork, "}},
		{"array", user{settings: `[]`}, config.ErrSetting, []string{"the whole file: expected an object, got an array"}},
		{"too many steps", user{flags: config.Flags{MaxSteps: new(int(-1))}}, config.ErrUsage, []string{"--max-steps: expected a number of 0 or more, got -1"}},

		{"providers: syntax", user{providers: "{,}"}, config.ErrFile, []string{"default.json:1:2: "}},
		{"providers: no version", user{providers: `{"providers": []}`}, config.ErrFile, []string{"/schema_version: expected a string, got nothing"}},
		{"providers: no name", user{providers: `{"schema_version": "1.0.0", "providers": [{}]}`}, config.ErrFile, []string{"/providers/0/name"}},
		{"providers: same name", user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a"}, {"name": "a"}]}`}, config.ErrFile, []string{"/providers/1/name", "no other entry"}},
		{"providers: base URL", user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a", "baseUrl": "localhost:8080"}]}`}, config.ErrFile, []string{"/providers/0/baseUrl", "https://host/v1"}},
		{"providers: key", user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a", "apiKey": "!pass show key"}]}`}, config.ErrFile, []string{"/providers/0/apiKey", "named with cmd:", `"env:NAME"`}},
		{"providers: variable", user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a", "apiKey": "${KEY}"}]}`}, config.ErrFile, []string{"/providers/0/apiKey", "environment variable"}},
		{"providers: object", user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a", "apiKey": {"file": "x"}}]}`}, config.ErrFile, []string{"/providers/0/apiKey", `{"env": "NAME"}`}},
		{"providers: number", user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a", "maxTokens": "5"}]}`}, config.ErrFile, []string{"/providers/0/maxTokens", "an integer"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := config.Load(tt.user.sources(t))
			var e *config.Error
			if s != nil || !errors.As(err, &e) {
				t.Fatalf("got %v, %v; want a *config.Error", s, err)
			}
			if e.Kind != tt.kind {
				t.Errorf("kind %q, want %q: %v", e.Kind, tt.kind, err)
			}
			for _, says := range tt.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			if strings.Contains(err.Error(), "pass show") {
				t.Errorf("%q shows the key", err)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	src := user{}.sources(t)
	path := filepath.Join(src.Home, ".slothtool", "plugin-configs", "ai.json")
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	var e *config.Error
	if _, err := config.Load(src); !errors.As(err, &e) || e.Kind != config.ErrFile || !strings.Contains(err.Error(), "expected a file, got a folder") {
		t.Errorf("a folder in its place: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(src.Home, "gone.json"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(src); !errors.As(err, &e) || e.Kind != config.ErrFile || !strings.Contains(err.Error(), "gone.json, which is not there") {
		t.Errorf("a dangling link: %v", err)
	}
	src.Home = "relative"
	if _, err := config.Load(src); !errors.As(err, &e) || e.Kind != config.ErrFile {
		t.Errorf("a relative home: %v", err)
	}
}

func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	if s := load(t, user{settings: "\ufeff{\"allowWrite\": false}"}); s.AllowWrite {
		t.Error("a file with a byte order mark was not read")
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		env      map[string]string
		settings string
		want     string
		origin   config.Origin
	}{
		{nil, "", "en", "default"},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "", "zh", "environment LANG"},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "de_DE"}, "", "en", "environment LC_MESSAGES"},
		{map[string]string{"LC_MESSAGES": "de_DE", "LC_ALL": "ZH"}, "", "zh", "environment LC_ALL"},
		{map[string]string{"LC_ALL": "zh_CN"}, `{"language": "en"}`, "en", "file"},
		{map[string]string{"PAI_LANG": "zh"}, `{"language": "en"}`, "zh", "environment PAI_LANG"},
		{map[string]string{"PAI_LANG": "zh", "AI_LANG": "en"}, `{"language": "zh"}`, "en", "environment AI_LANG"},
		{map[string]string{"AI_LANG": "fr", "LANG": "zh"}, "", "en", "environment AI_LANG"},
	}
	for _, tt := range tests {
		s := load(t, user{settings: tt.settings, env: tt.env})
		if got := s.Origin("speak"); s.Speak != tt.want || !strings.HasPrefix(string(got), string(tt.origin)) {
			t.Errorf("%v, %s: %q from %q, want %q from %q", tt.env, tt.settings, s.Speak, got, tt.want, tt.origin)
		}
	}
}

func TestDirs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	none := func(string) string { return "" }
	d := config.FindDirs(home, none)
	if d.Providers() != filepath.Join(home, ".config", "pai", "default.json") ||
		d.Registry() != filepath.Join(home, ".slothtool", "registry.json") {
		t.Errorf("got %+v", d)
	}
	env := map[string]string{"XDG_CONFIG_HOME": filepath.Join(home, "c"), "XDG_CACHE_HOME": "relative", "XDG_STATE_HOME": filepath.Join(home, "s")}
	got := config.FindDirs(home, func(name string) string { return env[name] })
	want := config.Dirs{Sloth: d.Sloth, Config: filepath.Join(home, "c", "pai"), Cache: d.Cache, State: filepath.Join(home, "s", "ai")}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
