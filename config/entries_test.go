package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/config"
)

// put describes an entry and writes it.
func put(t *testing.T, path, name, provider string, set ...string) *config.NewEntry {
	t.Helper()
	e, err := config.DescribeEntry(name, provider, set)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDescribeEntry(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		set      []string
		want     string // the fields after name and provider
		warnings []string
	}{
		{"nothing", nil, ``, nil},
		{"text", []string{"defaultModel=gpt", "apiKey=env:KEY"}, `,"defaultModel":"gpt","apiKey":"env:KEY"`, nil},
		{"value with =", []string{"baseUrl=http://h/?a=b=c"}, `,"baseUrl":"http://h/?a=b=c"`, nil},
		{"array", []string{`models=["a","b"]`}, `,"models":["a","b"]`, nil},
		{"object", []string{`apiKey={"env": "KEY"}`}, `,"apiKey":{"env": "KEY"}`, nil},
		{"number", []string{"temperature=0.50", "maxTokens=9"}, `,"temperature":0.50,"maxTokens":9`, nil},
		{"boolean", []string{"reasoning=true"}, `,"reasoning":true`, nil},
		{"null", []string{"providerOptions.a=null"}, `,"providerOptions":{"a":null}`, nil},
		{"dots nest", []string{"providerOptions.a.b=1", "providerOptions.a.c=x", "providerOptions.d=[]"}, `,"providerOptions":{"a":{"b":1,"c":"x"},"d":[]}`, nil},
		{"dots in the key", []string{"apiKey.env=KEY"}, `,"apiKey":{"env":"KEY"}`, nil},
		{"the last counts", []string{"defaultModel=a", "defaultModel=b"}, `,"defaultModel":"b"`, nil},
		{"digits as text", []string{"apiKey=7314629", "defaultModel=4"}, `,"apiKey":"7314629","defaultModel":"4"`, nil},
		{"no JSON", []string{"providerOptions.a=[1,", "providerOptions.b=\"x", "providerOptions.c=007", "providerOptions.e=1e999", `providerOptions.d={"k":1,"k":2}`}, `,"providerOptions":{"a":"[1,","b":"\"x","c":"007","e":"1e999","d":"{\"k\":1,\"k\":2}"}`, nil},
		{"text in quotes", []string{`providerOptions.a="x"`}, `,"providerOptions":{"a":"\"x\""}`, nil},
		{"Chinese", []string{"providerOptions.名=值"}, `,"providerOptions":{"名":"值"}`, nil},
		{"slashes and tildes in a key", []string{"providerOptions.a/b~c=1"}, `,"providerOptions":{"a/b~c":1}`, nil},
		{"unknown", []string{"temprature=1", "temprature=2", "x.y=true"}, `,"temprature":2,"x":{"y":true}`, []string{`"temprature"`, `"x"`}},
		{"unknown, a key", []string{"apikey=sk-secret"}, `,"apikey":"sk-secret"`, []string{"did you mean apiKey?"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "default.json")
			// Compact, so that the texts of values stay.
			write(t, path, `{"schema_version":"1.0.0","providers":[]}`)
			e := put(t, path, "n", "openai", tt.set...)
			want := `{"schema_version":"1.0.0","providers":[{"name":"n","provider":"openai"` + tt.want + `}]}`
			if diff := cmp.Diff(strings.ReplaceAll(want, ": ", ":"), strings.ReplaceAll(read(t, path), ": ", ":")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(e.Warnings) != len(tt.warnings) {
				t.Fatalf("warnings: %q", e.Warnings)
			}
			for i, w := range e.Warnings {
				if !strings.Contains(w, tt.warnings[i]) || strings.Contains(w, "sk-secret") {
					t.Errorf("warning %q, want %q", w, tt.warnings[i])
				}
			}
		})
	}
}

func TestDescribeEntryRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 256)
	tests := []struct {
		about, name, provider string
		set                   []string
		says                  []string
	}{
		{"no name", "", "openai", nil, []string{"--name", "expected a name, got nothing"}},
		{"a blank name", " \t", "openai", nil, []string{"--name", "got nothing"}},
		{"a long name", long, "openai", nil, []string{"--name", "at most 255", "256"}},
		{"a slash", "a/b", "openai", nil, []string{"--name", `"a/b"`}},
		{"an escape", "a\x1b[2J", "openai", nil, []string{"--name", `\u001b`}},
		{"no UTF-8", "a\xff", "openai", nil, []string{"--name", "UTF-8"}},
		{"a built-in name", "offline", "openai", nil, []string{"--name", "built in"}},
		{"no provider", "n", "", nil, []string{"--provider", "got nothing", "openai, anthropic"}},
		{"unknown provider", "n", "nope", nil, []string{"--provider", `"nope"`, "openai, anthropic", "offline", "openai-compatible"}},
		{"a near provider", "n", "openAI", nil, []string{"did you mean openai?"}},
		{"a server without its address", "n", "openai-compatible", nil, []string{"--set baseUrl="}},
		{"no =", "n", "openai", []string{"apiKey"}, []string{"--set, number 1", "key=value", "no ="}},
		{"no key", "n", "openai", []string{"a=b", "=sk-secret"}, []string{"--set, number 2", "key=value"}},
		{"a key in the wrong place", "n", "openai", []string{"sk-secret"}, []string{"key=value"}},
		{"doubled dots", "n", "openai", []string{"a..b=sk-secret"}, []string{"an empty word"}},
		{"a dot at the end", "n", "openai", []string{"a.=1"}, []string{"an empty word"}},
		{"too deep", "n", "openai", []string{strings.Repeat("a.", 9999) + "a=1"}, []string{"at most 16 words, got 10000"}},
		{"a blank in a key", "n", "openai", []string{"a b=1"}, []string{"without white space"}},
		{"an escape in a key", "n", "openai", []string{"a\x1b=1"}, []string{"without white space"}},
		{"bytes in a key", "n", "openai", []string{"a\xff=1"}, []string{"without white space"}},
		{"bytes in a value", "n", "openai", []string{"a=\xff"}, []string{"UTF-8"}},
		{"name by --set", "n", "openai", []string{"name=x"}, []string{"--name"}},
		{"provider by --set", "n", "openai", []string{"provider.x=1"}, []string{"--provider"}},
		{"models as text", "n", "openai", []string{"models=gpt"}, []string{"--set models: expected an array", `"gpt"`}},
		{"models of numbers", "n", "openai", []string{"models=[1]"}, []string{"--set models.0: expected a string"}},
		{"temperature", "n", "openai", []string{"temperature=3"}, []string{"--set temperature", "2 or less", "3"}},
		{"temperature as text", "n", "openai", []string{"temperature=hot"}, []string{"--set temperature: expected a number"}},
		{"tokens", "n", "openai", []string{"maxTokens=1.5"}, []string{"--set maxTokens: expected an integer"}},
		{"input", "n", "openai", []string{`input=["smell"]`}, []string{"--set input.0", `"image"`}},
		{"null", "n", "openai", []string{"defaultModel=null"}, []string{"--set defaultModel: expected a string"}},
		{"address", "n", "openai", []string{"baseUrl=ftp://me:sk-secret@h"}, []string{"--set baseUrl: expected a URL like https://host/v1"}},
		{"an empty key", "n", "openai", []string{"apiKey="}, []string{"--set apiKey: expected a key of one or more"}},
		{"a broken key", "n", "openai", []string{"apiKey=sk-secret x"}, []string{"--set apiKey", "white space"}},
		{"keys", "n", "openai", []string{`apiKey=["sk-secret"]`}, []string{"--set apiKey: expected"}},
		{"a key that is an object", "n", "openai", []string{`apiKey={"key":"sk-secret"}`}, []string{"--set apiKey", "the one field env"}},
		{"a shell", "n", "openai", []string{`apiKey=cmd:x | sk-secret`}, []string{"--set apiKey", "no shell runs"}},
		{"below a text", "n", "openai", []string{"apiKey=sk-secret", "apiKey.env=X"}, []string{"--set apiKey.env: expected an object at apiKey"}},
		{"Azure without its address", "n", "azure", nil, []string{"azure needs the address", "baseUrl=https://NAME.openai.azure.com"}},
		{"another API", "n", "openai", []string{"api=smoke-signals"}, []string{"--set api: expected one of openai-completions, openai-responses, azure-openai-responses, anthropic-messages, google-generative-ai"}},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			t.Parallel()
			_, err := config.DescribeEntry(tt.name, tt.provider, tt.set)
			var e *config.Error
			if !errors.As(err, &e) || e.Kind != config.ErrUsage {
				t.Fatalf("got %v", err)
			}
			for _, says := range tt.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			if strings.Contains(err.Error(), "sk-secret") || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%q shows too much", err)
			}
		})
	}
}

func TestEntriesOfFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder", "default.json")
	put(t, path, "a", "openai", "apiKey=sk-one", "x=1", "temperature=1")
	put(t, path, "b", "offline")
	if err := config.SetDefaultProvider(t.Context(), path, "a"); err != nil {
		t.Fatal(err)
	}
	// The same name again: nothing of the old one stays, and it keeps its place.
	if e := put(t, path, "a", "ollama", "models=[\"m\"]"); e.PlainKey {
		t.Error("a key")
	}
	const both = `{
  "schema_version": "1.0.0",
  "providers": [
    {
      "name": "a",
      "provider": "ollama",
      "models": [
        "m"
      ]
    },
    {
      "name": "b",
      "provider": "offline"
    }
  ],
  "defaultProvider": "a"
}
`
	if diff := cmp.Diff(both, read(t, path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	refused := func(what string, err error, says string) {
		t.Helper()
		var e *config.Error
		if !errors.As(err, &e) || e.Kind != config.ErrUsage || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
		if diff := cmp.Diff(both, read(t, path)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", what, diff)
		}
	}
	_, err := config.DeleteProvider(t.Context(), path, "c")
	refused("delete", err, `no entry is called "c"`)
	_, err = config.DeleteProvider(t.Context(), path, "")
	refused("delete nothing", err, "--name")
	refused("default", config.SetDefaultProvider(t.Context(), path, "c"), "there are: a, b")

	if wasDefault, err := config.DeleteProvider(t.Context(), path, "b"); wasDefault || err != nil {
		t.Errorf("b: %v, %v", wasDefault, err)
	}
	if wasDefault, err := config.DeleteProvider(t.Context(), path, "a"); !wasDefault || err != nil {
		t.Errorf("a: %v, %v", wasDefault, err)
	}
	if diff := cmp.Diff("{\n  \"schema_version\": \"1.0.0\",\n  \"providers\": []\n}\n", read(t, path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	// Nothing is made for what is not there.
	gone := filepath.Join(t.TempDir(), "gone", "default.json")
	if _, err := config.DeleteProvider(t.Context(), gone, "a"); err == nil {
		t.Error("deleted from no file")
	}
	if err := config.SetDefaultProvider(t.Context(), gone, "a"); err == nil {
		t.Error("no entry is the default")
	}
	if _, err := os.Stat(filepath.Dir(gone)); err == nil {
		t.Error("a folder was made")
	}
	if err := config.SetDefaultProvider(t.Context(), gone, "offline"); err != nil {
		t.Error(err)
	}
}

// What others wrote into the file stays, byte for byte.
func TestEntriesKeepTheRest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "default.json")
	const before = "\ufeff{\"theirs\": 1.50,\r\n \"schema_version\": \"2.0\",\r\n \"providers\": [\r\n  {\"name\": \"a\", \"x\": [1,2]},\r\n  {\"name\": \"b\", \"models\": []}\r\n ]}\r\n"
	write(t, path, before)
	put(t, path, "a", "offline")
	want := strings.Replace(before, `{"name": "a", "x": [1,2]}`, `{"name": "a", "provider": "offline"}`, 1)
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, broken := range []string{`{"providers": []}`, `{"schema_version": "1.0.0", "providers": [`, `[]`, `{"schema_version": "1.0.0", "providers": {}}`} {
		write(t, path, broken)
		e, err := config.DescribeEntry("n", "openai", nil)
		if err != nil {
			t.Fatal(err)
		}
		var own *config.Error
		if _, err := e.Write(t.Context(), path); !errors.As(err, &own) || own.Kind != config.ErrFile || read(t, path) != broken {
			t.Errorf("%s: %v", broken, err)
		}
		if _, err := config.DeleteProvider(t.Context(), path, "n"); !errors.As(err, &own) || own.Kind != config.ErrFile || read(t, path) != broken {
			t.Errorf("%s: %v", broken, err)
		}
	}
}

func TestEntriesAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pai", "default.json")
	const n = 8
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			e, err := config.DescribeEntry(fmt.Sprint("n", i), "openai", []string{fmt.Sprintf("maxTokens=%d", i+1)})
			if err == nil {
				_, err = e.Write(t.Context(), path)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, _, err := config.ListProviders(config.Sources{Home: t.TempDir(), Getenv: func(string) string { return "" }, Flags: config.Flags{Config: path}}, false)
	if err != nil || len(list) != n {
		t.Errorf("%d entries, %v: %v", len(list), err, list)
	}
}

func TestListProviders(t *testing.T) {
	t.Parallel()
	names := func(u user, all bool) string {
		t.Helper()
		list, warnings, err := config.ListProviders(u.sources(t), all)
		if err != nil || len(warnings) > 0 || list == nil {
			t.Fatalf("%v, %v, %v", list, warnings, err)
		}
		var b strings.Builder
		for _, l := range list {
			if l.Models == nil {
				t.Errorf("%s: models are null", l.Name)
			}
			fmt.Fprintf(&b, "%s/%s/%v/%v%v ", l.Name, l.Provider, l.Configured, l.Default, l.Models)
		}
		return b.String()
	}
	const builtin = "anthropic/anthropic/false/false[claude-sonnet-5-5 claude-opus-5-5] ollama/ollama/false/false[] lmstudio/lmstudio/false/false[] llamacpp/llamacpp/false/false[] openrouter/openrouter/false/false[] google/google/false/false[gemini-3.8-flash] azure/azure/false/false[] openai-compatible/openai-compatible/false/false[] "
	const openai = "openai/openai/false/false[gpt-5.4-mini gpt-5.4] "
	tests := []struct {
		name string
		user user
		all  bool
		want string
	}{
		{"nothing", user{}, false, ""},
		{"nothing, all", user{}, true, openai + builtin + "llm-base/llm-base/false/false[] offline/offline/false/false[offline] "},
		{"two", user{providers: twoServers}, false, "work/openai/true/true[w2 w1] home/home/true/false[h1 h2:7b h3:high] "},
		{"two, all", user{providers: twoServers}, true, "work/openai/true/true[w2 w1] home/home/true/false[h1 h2:7b h3:high] " + builtin + "llm-base/llm-base/false/false[] offline/offline/false/false[offline] "},
		{"llm-base", user{llmBase: profiles}, false, "llm-base/llm-base/true/false[gpt-4o-mini gpt-4o l h] "},
	}
	for _, tt := range tests {
		if got := names(tt.user, tt.all); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.name, got, tt.want)
		}
	}
	if _, _, err := config.ListProviders(user{providers: "{"}.sources(t), false); err == nil {
		t.Error("a broken file is listed")
	}
	if list, warnings, err := config.ListProviders(user{llmBase: "{", providers: oneServer}.sources(t), false); err != nil || len(list) != 1 || len(warnings) != 1 {
		t.Errorf("a broken llm-base.json: %v, %v, %v", list, warnings, err)
	}
}

// Whatever is typed, it is refused without being shown, or it is written into a
// file that is read again.
func FuzzDescribeEntry(f *testing.F) {
	for _, s := range []string{"apiKey=env:A", "models=[\"a\"]", "providerOptions.a.b=1", "a.b.c={}", "a/b~=\\", "apiKey.env=A", "x=1e999", "x=\u2028", "-=1", "0=1", "models.0=a", "baseUrl=http://[::1]", "apiKey=cmd:a 'b'"} {
		f.Add("name", s, s)
	}
	f.Fuzz(func(t *testing.T, name, first, second string) {
		e, err := config.DescribeEntry(name, "openai", []string{first, second})
		if err != nil {
			var own *config.Error
			if !errors.As(err, &own) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		path := filepath.Join(t.TempDir(), "default.json")
		write(t, path, "{\n\t\"schema_version\": \"1.0.0\", \"providers\": [{\"name\": \"other of the file\"}]\n}")
		if _, err := e.Write(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		list, _, err := config.ListProviders(config.Sources{Home: t.TempDir(), Getenv: func(string) string { return "" }, Flags: config.Flags{Config: path}}, false)
		if err != nil || list[len(list)-1].Name != name {
			t.Fatalf("%v: %v\n%s", list, err, read(t, path))
		}
	})
}
