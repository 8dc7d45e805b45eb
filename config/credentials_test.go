package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/config"
)

func TestParseKeyRef(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want config.KeyRef
		says string // of the error
	}{
		{text: "sk-literal", want: config.KeyRef{Literal: "sk-literal"}},
		{text: "12345", want: config.KeyRef{Literal: "12345"}},
		{text: "a=b&c", want: config.KeyRef{Literal: "a=b&c"}},
		{text: "$WORK_KEY", want: config.KeyRef{Env: "WORK_KEY"}},
		{text: "env:WORK_KEY", want: config.KeyRef{Env: "WORK_KEY"}},
		{text: "cmd:pass show 'my key'", want: config.KeyRef{Command: "pass show 'my key'"}},
		{text: "cmd:/usr/bin/pass x", want: config.KeyRef{Command: "/usr/bin/pass x"}},
		{text: "keyring:work", want: config.KeyRef{Keyring: "work"}},
		{text: "keyring:公司 的", want: config.KeyRef{Keyring: "公司 的"}},
		{text: "", says: "one or more characters"},
		{text: "two words", says: "without white space"},
		{text: "line\n", says: "without white space"},
		{text: "nul\x00", says: "without white space"},
		{text: "$", says: "environment variable"},
		{text: "${KEY}", says: "environment variable"},
		{text: "env:", says: "environment variable"},
		{text: "env:1A", says: "environment variable"},
		{text: "env:A B", says: "environment variable"},
		{text: "!pass", says: "named with cmd:"},
		{text: "cmd:", says: "no program is named"},
		{text: "cmd:pass | head", says: "no shell runs"},
		{text: "cmd:pass $(x)", says: "no shell runs"},
		{text: "cmd:'open", says: "not closed"},
		{text: "cmd:./get-key", says: "the absolute path"},
		{text: "cmd:bin/get-key", says: "the absolute path"},
		{text: "cmd:..", says: "the absolute path"},
		{text: "keyring:", says: "1 to 255 bytes"},
		{text: "keyring: x", says: "1 to 255 bytes"},
		{text: "keyring:a\nb", says: "1 to 255 bytes"},
		{text: "keyring:" + strings.Repeat("x", 256), says: "1 to 255 bytes"},
		{text: "op://vault/item", says: "op: is not known"},
		{text: "file:/etc/key", says: "file: is not known"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, err := config.ParseKeyRef(tt.text)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Fatalf("got %v, %v; want an error with %q", got, err, tt.says)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Fatalf("got %v, %v", got, err)
			}
			// What is written is read again.
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			var again config.KeyRef
			if err := json.Unmarshal(text, &again); err != nil || again != got {
				t.Errorf("%s is read as %v, %v", text, again, err)
			}
		})
	}
}

func TestKeyRefShowsNoKey(t *testing.T) {
	t.Parallel()
	for _, ref := range []config.KeyRef{{Literal: "sk-secret"}, {Command: "pass --token sk-secret"}} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			for _, v := range []any{ref, config.Entry{Name: "a", APIKey: ref}, &config.Providers{Entries: []config.Entry{{APIKey: ref}}}} {
				if text := fmt.Sprintf(format, v); strings.Contains(text, "sk-secret") {
					t.Errorf("%s shows the key: %s", format, text)
				}
			}
		}
	}
}

// No error about a file shows what stands in the place of a key.
func TestBrokenKeyIsNotShown(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`["sk-secret-1"]`, `{"key": "sk-secret-1"}`, `{"env": "sk-secret-1"}`, `"sk-secret-1 x"`, `"cmd:x | sk-secret-1"`,
		`"!sk-secret-1"`, `"$sk-secret-1"`, `"op:sk-secret-1"`, `"keyring:sk-secret-1\n"`, `73146299001`, `{"env": "A", "env": "sk-secret-1"}`} {
		src := user{providers: `{"schema_version": "1.0.0", "providers": [{"name": "a", "apiKey": ` + value + `}]}`}.sources(t)
		_, err := config.Load(src)
		if err == nil {
			t.Errorf("%s is read", value)
			continue
		}
		if strings.Contains(err.Error(), "sk-secret") || strings.Contains(err.Error(), "7314629") {
			t.Errorf("%s: %v", value, err)
		}
	}
}
