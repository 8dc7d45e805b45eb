package mask_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/mask"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"short":        {`{"api_key": "mykey123"}`, `{"api_key": "***"}`},
		"a word":       {`{"api_key":"ollama","provider":"ollama"}`, `{"api_key":"***","provider":"***"}`},
		"with blanks":  {`{"password": "correct horse battery"}`, `{"password": "***"}`},
		"a number":     {`{"password": 98765432, "port": 8080}`, `{"password": "***", "port": 8080}`},
		"a list":       {`{"api_keys": ["9f86", "k2"], "a": ["9f86x"]}`, `{"api_keys": ["***", "***"], "a": ["9f86x"]}`},
		"an object":    {`{"api_key": {"v": "9f86"}}`, `{"api_key": {"v": "***"}}`},
		"escaped name": {`{"api\u005fkey": "mine"}`, `{"api\u005fkey": "***"}`},
		"next line":    {"{\n  \"token\":\n    \"short77\"\n}", "{\n  \"token\":\n    \"***\"\n}"},
		"copied":       {`{"token":"9f86d0","color":"9f86d0"}`, `{"token":"***","color":"***"}`},
		"nested":       {`{"profiles":{"local":{"api_key":"k","low_model":"m"}}}`, `{"profiles":{"local":{"api_key":"***","low_model":"m"}}}`},
		"limits":       {`{"maxTokens": 4096, "max_tokens": 5}`, `{"maxTokens": 4096, "max_tokens": 5}`},
		"reference":    {`{"apiKey":"env:OPENAI_API_KEY","b":{"apiKey":{"env":"NAME"}}}`, `{"apiKey":"env:OPENAI_API_KEY","b":{"apiKey":{"env":"NAME"}}}`},
		"shortcut":     {`{"key":"F5","key2":"x"}`, `{"key":"F5","key2":"x"}`},
		"Chinese":      {`{"密码":"短","语言":"zh"}`, `{"密码":"***","语言":"zh"}`},
		"flags":        {`{"token":true,"secret":null,"password":""}`, `{"token":true,"secret":null,"password":""}`},
		"mark":         {"\ufeff{\"token\":\"abc\"}\r\n", "\ufeff{\"token\":\"***\"}\r\n"},
		"after":        {`{"token":{"a":"k"},"plain":"p","list":[{"secret":"s"},"q"]}`, `{"token":{"a":"***"},"plain":"p","list":[{"secret":"***"},"q"]}`},
		"no JSON":      {`{"token": "abc"`, `{"token": "abc"`},
		"two":          {`{"token":"abc"} {"token":"abc"}`, `{"token":"***"} {"token":"***"}`},
	} {
		hidden, show := mask.Settings(c.text)
		if got := show(hidden[0]); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// TestSettingsStayComparable hides two texts such that a changed secret still
// differs, and an unchanged one does not.
func TestSettingsStayComparable(t *testing.T) {
	t.Parallel()
	hidden, show := mask.Settings(`{"token":"old","a":1}`, `{"token":"new","a":1}`, `{"a":1,"token":"old"}`)
	if hidden[0] == hidden[1] || show(hidden[0]) != show(hidden[1]) || show(hidden[2]) != `{"a":1,"token":"***"}` {
		t.Errorf("%q", hidden)
	}
}

func TestSetting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pointer, value, want string }{
		{"/profiles/b", `{"api_key":"NEWsecret"}`, `{"api_key":"***"}`},
		{"/profiles/b/api_key", `"NEWsecret"`, `"***"`},
		{"/language", `"en"`, `"en"`},
		{"", `{"token":12}`, `{"token":"***"}`},
		{"/a~1b", `nonsense`, `nonsense`},
	} {
		if got := string(mask.Setting(c.pointer, jsontext.Value(c.value))); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.pointer, c.value, got, c.want)
		}
	}
}

func FuzzSettings(f *testing.F) {
	f.Add(`{"token":"abc","list":[{"password":[1,"x"]}]}`)
	f.Add("{\"token\":\"\uf8f00\uf8f1\"}")
	f.Fuzz(func(t *testing.T, text string) {
		hidden, show := mask.Settings(text)
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		if err := json.Unmarshal([]byte(hidden[0]), &v); err != nil && !strings.Contains(hidden[0], "\uf8f0") {
			t.Fatalf("%q became %q: %v", text, hidden[0], err)
		}
		if o, ok := v.(map[string]any); ok {
			if secret, ok := o["token"].(string); ok && len(secret) > 6 && strings.Contains(show(hidden[0]), secret) && !strings.Contains(text, "\\") && secret[0] != '$' && !strings.ContainsAny(secret, "{<%*:\uf8f0") {
				t.Fatalf("%q shows %q", text, show(hidden[0]))
			}
		}
	})
}
