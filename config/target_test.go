package config_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/config"
)

const twoServers = `{
	"schema_version": "1.0.0", "futureField": {"kept": true}, "defaultProvider": "work",
	"providers": [
		{"name": "work", "provider": "openai", "apiKey": "sk-file", "models": ["w1", "w2"], "defaultModel": "w2", "baseUrl": "https://work.test/v1/", "unknown": 1},
		{"name": "home", "apiKey": {"env": "HOME_KEY"}, "models": ["h1", "h2:7b", "h3:high"], "baseUrl": "http://127.0.0.1:1234/v1", "reasoning": true}
	]
}`

const oneServer = `{"schema_version": "1.0.0", "providers": [{"name": "my-box", "apiKey": "$BOX_KEY", "defaultModel": "b", "baseUrl": "http://box.test/v1"}]}`

const profiles = `{"default_profile": "local", "profiles": {"local": {"base_url": "http://127.0.0.1:9/v1", "api_key": "k", "low_model": "l", "high_model": "h", "timeout": 1500}, "cloud": {"api_key": "c"}}}`

// who is what a target comes down to.
func who(s *config.Settings) string {
	t := s.Target
	return fmt.Sprintf("%s %s %s key=%s", t.Model.Provider, t.Model.ID, t.Model.BaseURL, string(t.APIKey))
}

func TestTarget(t *testing.T) {
	t.Parallel()
	env := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for _, p := range pairs {
			k, v, _ := strings.Cut(p, "=")
			m[k] = v
		}
		return m
	}
	const def = "https://api.openai.com/v1"
	tests := []struct {
		name    string
		user    user
		want    string
		origins map[string]string // prefixes
	}{
		{"key alone", user{env: env("OPENAI_API_KEY=k")}, "openai " + config.DefaultModel + " " + def + " key=k",
			map[string]string{"provider": "environment OPENAI_API_KEY", "model": "default", "baseUrl": "default", "apiKey": "environment OPENAI_API_KEY"}},
		{"base URL alone", user{env: env("OPENAI_BASE_URL=http://l.test/v1/")}, "openai " + config.DefaultModel + " http://l.test/v1 key=",
			map[string]string{"provider": "environment OPENAI_BASE_URL", "baseUrl": "environment OPENAI_BASE_URL", "apiKey": "default"}},
		{"high", user{env: env("OPENAI_API_KEY=k"), flags: config.Flags{High: true}}, "openai " + config.DefaultHighModel + " " + def + " key=k",
			map[string]string{"model": "flag --high"}},
		{"OPENAI_MODEL", user{env: env("OPENAI_API_KEY=k", "OPENAI_MODEL=m")}, "openai m " + def + " key=k", map[string]string{"model": "environment OPENAI_MODEL"}},
		{"AI_MODEL over OPENAI_MODEL", user{env: env("OPENAI_API_KEY=k", "OPENAI_MODEL=m", "AI_MODEL=n")}, "openai n " + def + " key=k", map[string]string{"model": "environment AI_MODEL"}},
		{"flags alone", user{flags: config.Flags{Provider: "openai", BaseURL: "http://l.test", Model: "m"}}, "openai m http://l.test key=",
			map[string]string{"provider": "flag --provider", "model": "flag --model", "baseUrl": "flag --base-url"}},
		{"base URL flag alone", user{flags: config.Flags{BaseURL: "http://l.test"}}, "openai " + config.DefaultModel + " http://l.test key=", nil},
		{"a server's own name", user{flags: config.Flags{Provider: "box", BaseURL: "http://l.test", Model: "m"}, env: env("OPENAI_API_KEY=no", "BOX_API_KEY=yes")}, "box m http://l.test key=yes", nil},
		{"flag over environment", user{flags: config.Flags{BaseURL: "http://f.test", Model: "f", Set: []string{"apiKey=fk"}}, env: env("OPENAI_API_KEY=e", "OPENAI_BASE_URL=http://e.test", "AI_MODEL=e")}, "openai f http://f.test key=fk",
			map[string]string{"apiKey": "flag --set apiKey"}},
		{"offline by name", user{flags: config.Flags{Provider: "offline"}, env: env("OPENAI_API_KEY=k")}, "offline offline  key=", nil},
		{"AI_PROVIDER", user{env: env("OPENAI_API_KEY=k", "AI_PROVIDER=offline")}, "offline offline  key=", map[string]string{"provider": "environment AI_PROVIDER"}},
		{"provider flag over AI_PROVIDER", user{env: env("OPENAI_API_KEY=k", "AI_PROVIDER=offline"), flags: config.Flags{Provider: "openai"}}, "openai " + config.DefaultModel + " " + def + " key=k", nil},
		{"model flag over AI_PROVIDER", user{env: env("OPENAI_API_KEY=k", "AI_PROVIDER=offline"), flags: config.Flags{Model: "openai/m"}}, "openai m " + def + " key=k", nil},

		{"Anthropic's key alone", user{env: env("ANTHROPIC_API_KEY=k")}, "anthropic claude-sonnet-5-5 https://api.anthropic.com key=k",
			map[string]string{"provider": "environment ANTHROPIC_API_KEY", "model": "default", "baseUrl": "default", "apiKey": "environment ANTHROPIC_API_KEY"}},
		{"OpenAI's key before Anthropic's", user{env: env("ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=k")}, "openai " + config.DefaultModel + " " + def + " key=k", nil},
		{"Anthropic by name, high", user{env: env("ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=k"), flags: config.Flags{Provider: "anthropic", High: true}}, "anthropic claude-opus-5-5 https://api.anthropic.com key=a", nil},
		{"ANTHROPIC_BASE_URL", user{env: env("ANTHROPIC_BASE_URL=http://a.test")}, "anthropic claude-sonnet-5-5 http://a.test key=", map[string]string{"baseUrl": "environment ANTHROPIC_BASE_URL"}},
		{"Google's key alone", user{env: env("GEMINI_API_KEY=k")}, "google gemini-3.8-flash https://generativelanguage.googleapis.com/v1beta key=k",
			map[string]string{"provider": "environment GEMINI_API_KEY", "apiKey": "environment GEMINI_API_KEY"}},
		{"Anthropic's key before Google's", user{env: env("ANTHROPIC_API_KEY=a", "GEMINI_API_KEY=k")}, "anthropic claude-sonnet-5-5 https://api.anthropic.com key=a", nil},
		{"GOOGLE_GEMINI_BASE_URL", user{env: env("GOOGLE_GEMINI_BASE_URL=http://g.test/v1beta")}, "google gemini-3.8-flash http://g.test/v1beta key=", nil},
		{"Anthropic in front of a model's id", user{env: env("ANTHROPIC_API_KEY=k"), flags: config.Flags{Model: "anthropic/claude-x"}}, "anthropic claude-x https://api.anthropic.com key=k", nil},
		{"a model's id with anthropic in front", user{providers: oneServer, env: env("BOX_KEY=bk", "ANTHROPIC_API_KEY=k"), flags: config.Flags{Model: "anthropic/claude-x"}}, "my-box anthropic/claude-x http://box.test/v1 key=bk", nil},

		{"file", user{providers: twoServers}, "openai w2 https://work.test/v1 key=sk-file",
			map[string]string{"provider": "file ", "model": "file ", "baseUrl": "file ", "apiKey": "file "}},
		{"environment over file", user{providers: twoServers, env: env("OPENAI_API_KEY=e", "OPENAI_BASE_URL=http://e.test", "OPENAI_MODEL=e")}, "openai e http://e.test key=e", nil},
		{"flag over file", user{providers: twoServers, flags: config.Flags{BaseURL: "http://f.test", Model: "f", Set: []string{"apiKey=f"}}}, "openai f http://f.test key=f", nil},
		{"PAI_ key first", user{providers: twoServers, env: env("OPENAI_API_KEY=e", "PAI_WORK_API_KEY=p")}, "openai w2 https://work.test/v1 key=p", map[string]string{"apiKey": "environment PAI_WORK_API_KEY"}},
		{"entry by --provider", user{providers: twoServers, flags: config.Flags{Provider: "home"}, env: env("HOME_KEY=hk", "OPENAI_API_KEY=e", "OPENAI_MODEL=e")}, "home h1 http://127.0.0.1:1234/v1 key=hk", map[string]string{"apiKey": "environment HOME_KEY"}},
		{"entry by its provider", user{providers: twoServers, flags: config.Flags{Provider: "openai"}}, "openai w2 https://work.test/v1 key=sk-file", nil},
		{"entry by --model", user{providers: twoServers, flags: config.Flags{Model: "home"}, env: env("HOME_KEY=hk", "AI_MODEL=x")}, "home h1 http://127.0.0.1:1234/v1 key=hk", nil},
		{"entry/model", user{providers: twoServers, flags: config.Flags{Model: "home/h9"}, env: env("HOME_KEY=hk")}, "home h9 http://127.0.0.1:1234/v1 key=hk", nil},
		{"provider/id", user{providers: twoServers, flags: config.Flags{Model: "openai/w9"}}, "openai w9 https://work.test/v1 key=sk-file", nil},
		{"bare id", user{providers: twoServers, flags: config.Flags{Model: "w1"}}, "openai w1 https://work.test/v1 key=sk-file", nil},
		{"id with a strange prefix", user{providers: twoServers, flags: config.Flags{Model: "meta/llama:8b"}}, "openai meta/llama:8b https://work.test/v1 key=sk-file", nil},
		{"prefix repeats the provider", user{providers: twoServers, flags: config.Flags{Provider: "home", Model: "home/h9"}, env: env("HOME_KEY=hk")}, "home h9 http://127.0.0.1:1234/v1 key=hk", nil},
		{"prefix of another in an id", user{providers: twoServers, flags: config.Flags{Provider: "home", Model: "openai/oss"}, env: env("HOME_KEY=hk")}, "home openai/oss http://127.0.0.1:1234/v1 key=hk", nil},
		{"AI_MODEL is not for another entry", user{providers: twoServers, flags: config.Flags{Provider: "home"}, env: env("HOME_KEY=hk", "AI_MODEL=work/w1")}, "home h1 http://127.0.0.1:1234/v1 key=hk", nil},
		{"AI_MODEL with a chosen entry", user{providers: twoServers, flags: config.Flags{Provider: "home"}, env: env("HOME_KEY=hk", "AI_MODEL=h9")}, "home h9 http://127.0.0.1:1234/v1 key=hk", nil},
		{"AI_MODEL chooses the entry", user{providers: twoServers, env: env("HOME_KEY=hk", "AI_MODEL=home/h9")}, "home h9 http://127.0.0.1:1234/v1 key=hk", nil},
		{"the only entry", user{providers: oneServer, env: env("BOX_KEY=bk", "OPENAI_API_KEY=e", "OPENAI_BASE_URL=http://e.test")}, "my-box b http://box.test/v1 key=bk", nil},
		{"dash in a name", user{providers: oneServer, env: env("BOX_KEY=bk", "PAI_MY_BOX_API_KEY=p")}, "my-box b http://box.test/v1 key=p", nil},
		{"no entries", user{providers: `{"schema_version": "1.0.0", "providers": []}`}, "offline offline  key=", nil},
		{"the one that lists the model", user{providers: strings.Replace(twoServers, `"defaultProvider": "work",`, "", 1), flags: config.Flags{Model: "h1"}, env: env("HOME_KEY=hk")}, "home h1 http://127.0.0.1:1234/v1 key=hk", nil},

		{"llm-base", user{llmBase: profiles}, "llm-base l http://127.0.0.1:9/v1 key=k", map[string]string{"provider": "file ", "profile": "file "}},
		{"llm-base high by file", user{llmBase: profiles, settings: `{"defaultMode": "high"}`}, "llm-base h http://127.0.0.1:9/v1 key=k", nil},
		{"llm-base high by flag", user{llmBase: profiles, flags: config.Flags{High: true}}, "llm-base h http://127.0.0.1:9/v1 key=k", nil},
		{"llm-base defaults", user{llmBase: profiles, settings: `{"defaultProfile": "cloud"}`}, "llm-base gpt-4o-mini " + def + " key=c", nil},
		{"llm-base by flag", user{llmBase: profiles, providers: twoServers, flags: config.Flags{Profile: "cloud", High: true}}, "llm-base gpt-4o " + def + " key=c", map[string]string{"profile": "flag --profile"}},
		{"llm-base by AI_PROFILE", user{llmBase: profiles, env: env("AI_PROFILE=cloud")}, "llm-base gpt-4o-mini " + def + " key=c", map[string]string{"profile": "environment AI_PROFILE"}},
		{"environment over llm-base", user{llmBase: profiles, env: env("OPENAI_API_KEY=e")}, "openai " + config.DefaultModel + " " + def + " key=e", nil},
		{"default.json over llm-base", user{llmBase: profiles, providers: oneServer, env: env("BOX_KEY=bk")}, "my-box b http://box.test/v1 key=bk", nil},
		{"llm-base's key stays with its server", user{llmBase: profiles, flags: config.Flags{Profile: "local"}, env: env("OPENAI_API_KEY=e")}, "llm-base l http://127.0.0.1:9/v1 key=k", nil},
		{"llm-base without profiles", user{llmBase: `{"profiles": {}}`}, "offline offline  key=", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := load(t, tt.user)
			if err := s.Ready(); err != nil {
				t.Fatal(err)
			}
			if got := who(s); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for key, want := range tt.origins {
				if got := s.Origin(key); !strings.HasPrefix(string(got), want) {
					t.Errorf("%s comes from %q, want %q", key, got, want)
				}
			}
		})
	}
}

func TestWireAPI(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		entry string
		want  string
	}{
		"by its provider":      {`"name": "anthropic", "apiKey": "k"`, "anthropic-messages claude-sonnet-5-5 https://api.anthropic.com"},
		"of another name":      {`"name": "a", "provider": "anthropic", "apiKey": "k", "defaultModel": "m"`, "anthropic-messages m https://api.anthropic.com"},
		"Google":               {`"name": "g", "provider": "google", "apiKey": "k"`, "google-generative-ai gemini-3.8-flash https://generativelanguage.googleapis.com/v1beta"},
		"Azure":                {`"name": "azure", "apiKey": "k", "baseUrl": "https://n.openai.azure.com", "defaultModel": "mine"`, "azure-openai-responses mine https://n.openai.azure.com"},
		"responses":            {`"name": "openai", "api": "openai-responses", "apiKey": "k"`, "openai-responses gpt-5.4-mini https://api.openai.com/v1"},
		"said":                 {`"name": "a", "api": "anthropic-messages", "baseUrl": "http://a.test", "defaultModel": "m"`, "anthropic-messages m http://a.test"},
		"said, of Anthropic":   {`"name": "anthropic", "api": "openai-completions", "apiKey": "k"`, "openai-completions claude-sonnet-5-5 https://api.anthropic.com"},
		"nothing said":         {`"name": "a", "baseUrl": "http://a.test", "defaultModel": "m"`, "openai-completions m http://a.test"},
		"a server of its kind": {`"name": "anthropic", "baseUrl": "http://a.test"`, "anthropic-messages claude-sonnet-5-5 http://a.test"},
	} {
		s := load(t, user{providers: `{"schema_version": "1.0.0", "providers": [{` + tt.entry + `}]}`})
		if err := s.Ready(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := s.Target.Model.API + " " + s.Target.Model.ID + " " + s.Target.Model.BaseURL; got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
	s := load(t, user{env: map[string]string{"ANTHROPIC_API_KEY": "k"}, flags: config.Flags{Model: "claude-x:high"}})
	if s.Target.Model.ID != "claude-x" || s.Target.Level != "high" || !s.Target.Model.Reasoning {
		t.Errorf("a level needs no entry: %+v", s.Target.Model)
	}
}

func TestLevel(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string][2]string{
		"home/h1:high":    {"h1", "high"},
		"home/h1":         {"h1", ""},
		"home/h2:7b":      {"h2:7b", ""},
		"home/h2:7b:low":  {"h2:7b", "low"},
		"home/h3:high":    {"h3:high", ""},
		"work/w1:high":    {"w1", ""}, // does not think
		"work/a:b:xhigh":  {"a:b", ""},
		"home/x:other":    {"x:other", ""},
		"home/h1:minimal": {"h1", "minimal"},
	} {
		s := load(t, user{providers: twoServers, flags: config.Flags{Model: spec}, env: map[string]string{"HOME_KEY": "k"}})
		if err := s.Ready(); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{s.Target.Model.ID, s.Target.Level}; got != want {
			t.Errorf("%s: got %q, want %q", spec, got, want)
		}
	}
}

func TestProfileTimeout(t *testing.T) {
	t.Parallel()
	if s := load(t, user{llmBase: profiles}); s.Target.Timeout != 1500*time.Millisecond || s.Target.Profile != "local" {
		t.Errorf("got %v, %q", s.Target.Timeout, s.Target.Profile)
	}
	if s := load(t, user{llmBase: profiles, flags: config.Flags{Profile: "cloud"}}); s.Target.Timeout != time.Minute {
		t.Errorf("got %v", s.Target.Timeout)
	}
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	several := strings.Replace(twoServers, `"defaultProvider": "work",`, "", 1)
	tests := []struct {
		name string
		user user
		kind config.ErrorKind
		says []string
	}{
		{"no key", user{flags: config.Flags{Provider: "openai"}}, config.ErrCredentials, []string{"PAI_OPENAI_API_KEY", "OPENAI_API_KEY", "default.json", "ai init"}},
		{"no variable", user{providers: oneServer}, config.ErrCredentials, []string{"PAI_MY_BOX_API_KEY", "BOX_KEY", "MY_BOX_API_KEY"}},
		{"unknown provider", user{providers: twoServers, flags: config.Flags{Provider: "worc"}}, config.ErrUsage, []string{`flag --provider: no provider is called "worc"`, "did you mean work?", "home", "offline"}},
		{"unknown AI_PROVIDER", user{env: map[string]string{"AI_PROVIDER": "x"}}, config.ErrUsage, []string{"environment AI_PROVIDER"}},
		{"unknown defaultProvider", user{providers: `{"schema_version": "1.0.0", "defaultProvider": "x"}`}, config.ErrUsage, []string{"default.json", `"x"`}},
		{"several", user{providers: several}, config.ErrUsage, []string{"defaultProvider", "--provider", "work, home"}},
		{"several, unlisted model", user{providers: several, flags: config.Flags{Model: "x"}}, config.ErrUsage, []string{"--provider"}},
		{"several of one provider", user{providers: `{"schema_version": "1", "providers": [{"name": "a", "provider": "p"}, {"name": "b", "provider": "p"}]}`, flags: config.Flags{Provider: "p"}}, config.ErrUsage, []string{"a, b"}},
		{"model without provider", user{flags: config.Flags{Model: "m"}}, config.ErrUsage, []string{`"m"`, "OPENAI_API_KEY", "ai init"}},
		{"no model", user{providers: `{"schema_version": "1", "providers": [{"name": "a", "baseUrl": "http://a.test"}]}`}, config.ErrUsage, []string{"no model", "--model"}},
		{"no base URL", user{providers: `{"schema_version": "1", "providers": [{"name": "a", "defaultModel": "m"}]}`}, config.ErrUsage, []string{"baseUrl", "--base-url"}},
		{"bad base URL flag", user{flags: config.Flags{BaseURL: "ftp://u:secret@x"}}, config.ErrUsage, []string{"--base-url", "https://host/v1"}},
		{"bad OPENAI_BASE_URL", user{env: map[string]string{"OPENAI_BASE_URL": "localhost:1"}}, config.ErrUsage, []string{"OPENAI_BASE_URL", "https://host/v1"}},
		{"offline has no server", user{flags: config.Flags{Provider: "offline", BaseURL: "http://x.test"}}, config.ErrUsage, []string{"--base-url", "offline"}},
		{"named file is not there", user{flags: config.Flags{Config: "gone.json"}, env: map[string]string{"OPENAI_API_KEY": "k"}}, config.ErrFile, []string{"gone.json", "flag --config"}},
		{"no profile", user{flags: config.Flags{Provider: "llm-base"}}, config.ErrProfile, []string{"NO_PROFILE", "slothtool install @holic512/plugin-llm-base"}},
		{"unknown profile", user{llmBase: profiles, settings: `{"defaultProfile": "other"}`}, config.ErrProfile, []string{"NO_PROFILE", `"other"`}},
		{"broken llm-base", user{llmBase: "{"}, config.ErrFile, []string{"llm-base.json:1:2"}},
		{"wrong llm-base", user{llmBase: `{"profiles": {"a": {"timeout": "x"}}}`}, config.ErrFile, []string{"/profiles/a/timeout", "a number"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := load(t, tt.user).Ready()
			var e *config.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a *config.Error", err)
			}
			if e.Kind != tt.kind {
				t.Errorf("kind %q, want %q: %v", e.Kind, tt.kind, err)
			}
			for _, says := range tt.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%q shows a password", err)
			}
		})
	}
}

func TestProvidersPath(t *testing.T) {
	t.Parallel()
	src := user{env: map[string]string{"PAI_CONFIG": "p.json", "AI_CONFIG": "a.json"}}.sources(t)
	for name, text := range map[string]string{"p.json": "p", "a.json": "a", "f.json": "f"} {
		write(t, filepath.Join(src.Home, name), fmt.Sprintf(`{"schema_version": "1.0.0", "providers": [{"name": %q, "baseUrl": "http://x.test", "defaultModel": %q}]}`, text, text))
	}
	check := func(want string) {
		t.Helper()
		s, err := config.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		if s.Target.Model.ID != want {
			t.Errorf("got %q, want %q: %v", s.Target.Model.ID, want, s.Ready())
		}
	}
	check("a")
	src.Flags.Config = filepath.Join(src.Home, "f.json")
	check("f")
	src.Flags.Config = ""
	src.Getenv = func(name string) string { return map[string]string{"PAI_CONFIG": "p.json"}[name] }
	check("p")
}

func TestSecretHidesItself(t *testing.T) {
	t.Parallel()
	s := load(t, user{providers: twoServers})
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(format, s.Target); strings.Contains(text, "sk-file") {
			t.Errorf("%s shows the key: %s", format, text)
		}
		if text := fmt.Sprintf(format, s.Providers); strings.Contains(text, "sk-file") {
			t.Errorf("%s shows the key: %s", format, text)
		}
	}
	items, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if strings.Contains(string(it.Value), "sk-file") {
			t.Errorf("%s shows the key", it.Key)
		}
		if it.Key == "apiKey" && string(it.Value) != "true" {
			t.Errorf("apiKey is %s", it.Value)
		}
	}
}
