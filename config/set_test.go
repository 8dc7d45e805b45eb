package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/config"
)

// --set is for one call: it stands above the environment and the file, and
// writes nothing.
func TestSetForOneCall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		user user
		want string
	}{
		{"key", user{providers: twoServers, flags: config.Flags{Set: []string{"apiKey=k"}}}, "openai w2 https://work.test/v1 key=k"},
		{"address", user{providers: twoServers, env: map[string]string{"OPENAI_BASE_URL": "http://e.test"}, flags: config.Flags{Set: []string{"baseUrl=http://s.test/"}}}, "openai w2 http://s.test key=sk-file"},
		{"--base-url over it", user{providers: twoServers, flags: config.Flags{BaseURL: "http://f.test", Set: []string{"baseUrl=http://s.test/"}}}, "openai w2 http://f.test key=sk-file"},
		{"model", user{providers: twoServers, env: map[string]string{"OPENAI_MODEL": "e", "AI_MODEL": "e"}, flags: config.Flags{Set: []string{"defaultModel=s"}}}, "openai s https://work.test/v1 key=sk-file"},
		{"models", user{providers: oneServer, env: map[string]string{"BOX_KEY": "b"}, flags: config.Flags{Set: []string{`models=["s","t"]`}}}, "my-box s http://box.test/v1 key=b"},
		{"--model over it", user{providers: twoServers, flags: config.Flags{Model: "f", Set: []string{"defaultModel=s"}}}, "openai f https://work.test/v1 key=sk-file"},
		{"nothing else is there", user{flags: config.Flags{Set: []string{"apiKey=k"}}}, "openai " + config.DefaultModel + " " + config.DefaultBaseURL + " key=k"},
		{"an address and nothing else", user{flags: config.Flags{Set: []string{"baseUrl=http://s.test"}}}, "openai " + config.DefaultModel + " http://s.test key="},
		{"llm-base", user{llmBase: profiles, flags: config.Flags{Set: []string{"apiKey=k", "baseUrl=http://s.test"}}}, "llm-base l http://s.test key=k"},
		{"a known server without an entry", user{flags: config.Flags{Provider: "ollama", Model: "m"}}, "ollama m http://127.0.0.1:11434/v1 key="},
		{"a known server that wants a key", user{flags: config.Flags{Provider: "openrouter", Model: "m"}, env: map[string]string{"OPENROUTER_API_KEY": "k"}}, "openrouter m https://openrouter.ai/api/v1 key=k"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			src := tt.user.sources(t)
			s, err := config.Load(src)
			if err != nil {
				t.Fatal(err)
			}
			if got := who(s); got != tt.want || s.Ready() != nil {
				t.Errorf("got %q, %v; want %q", got, s.Ready(), tt.want)
			}
			path := filepath.Join(src.Home, ".config", "pai", "default.json")
			if text, err := os.ReadFile(path); err == nil && string(text) != tt.user.providers {
				t.Errorf("the file has changed:\n%s", text)
			}
		})
	}

	s := load(t, user{providers: twoServers, flags: config.Flags{Set: []string{"temperature=0.25", "maxTokens=7", "reasoning=true", "contextWindow=9", "providerOptions.a.b=1", "tempratur=1"}}})
	if tr := s.Target; *tr.Temperature != 0.25 || tr.Model.MaxTokens != 7 || !tr.Model.Reasoning || tr.Model.ContextWindow != 9 || string(tr.Options) != `{"a":{"b":1}}` {
		t.Errorf("got %+v", tr)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "tempratur") {
		t.Errorf("warnings: %q", s.Warnings)
	}
}

func TestSetForOneCallRefuses(t *testing.T) {
	t.Parallel()
	for set, says := range map[string]string{
		"sk-secret": "key=value", "=sk-secret": "key=value", "apiKey=sk-secret x": "--set apiKey", "temperature=9": "--set temperature",
		"provider=x": "--provider", "apiKey=env:NOT_SET": "NOT_SET", "api=sk-x": "--set api", "baseUrl=x": "--set baseUrl",
	} {
		s, err := config.Load(user{providers: twoServers, flags: config.Flags{Set: []string{set}}}.sources(t))
		if err == nil {
			err = s.Ready()
		}
		var e *config.Error
		if !errors.As(err, &e) || e.Kind != config.ErrUsage && e.Kind != config.ErrCredentials || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// An API that is not built is not taken for another one.
func TestAPIThatIsNotBuilt(t *testing.T) {
	t.Parallel()
	s := load(t, user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a", "api": "smoke-signals", "baseUrl": "http://a.test", "defaultModel": "m"}]}`})
	if err := s.Ready(); err == nil || !strings.Contains(err.Error(), "smoke-signals") || !strings.Contains(err.Error(), "openai-completions") {
		t.Errorf("got %v", err)
	}
}

func TestExposedKeyIsWarnedAbout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		providers string
		mode      os.FileMode
		want      int
	}{
		"a key, for others":      {twoServers, 0o644, 1},
		"a key, for the group":   {twoServers, 0o640, 1},
		"a key, for me":          {twoServers, 0o600, 0},
		"references, for others": {oneServer, 0o644, 0},
	} {
		src := user{providers: tt.providers}.sources(t)
		path := filepath.Join(src.Home, ".config", "pai", "default.json")
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != tt.mode {
			t.Skip("this system has other rights")
		}
		s, err := config.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Warnings) != tt.want || tt.want > 0 && !strings.Contains(s.Warnings[0], "chmod 600 "+path) {
			t.Errorf("%s: %q", name, s.Warnings)
		}
		if _, warnings, err := config.ListProviders(src, false); err != nil || len(warnings) != tt.want {
			t.Errorf("%s, listed: %q, %v", name, warnings, err)
		}
	}
}
