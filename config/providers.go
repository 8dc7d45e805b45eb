package config

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/schemas"
)

// Providers is default.json: who can be asked.
type Providers struct {
	Version         string  `json:"schema_version"`
	DefaultProvider string  `json:"defaultProvider,omitzero"`
	Entries         []Entry `json:"providers"`
}

// An Entry is one provider of default.json. The schema "providers" says what
// each field is.
type Entry struct {
	Name            string         `json:"name"`
	Provider        string         `json:"provider,omitzero"` // "" is Name
	APIKey          KeyRef         `json:"apiKey,omitzero"`
	Models          []string       `json:"models,omitempty"`
	DefaultModel    string         `json:"defaultModel,omitzero"`
	BaseURL         string         `json:"baseUrl,omitzero"`
	API             string         `json:"api,omitzero"`
	Temperature     *float64       `json:"temperature,omitzero"`
	MaxTokens       int            `json:"maxTokens,omitzero"`
	Reasoning       bool           `json:"reasoning,omitzero"`
	Input           []string       `json:"input,omitempty"`
	ContextWindow   int            `json:"contextWindow,omitzero"`
	ProviderOptions jsontext.Value `json:"providerOptions,omitzero"`
}

// provider is who serves the entry.
func (e *Entry) provider() string {
	if e.Provider != "" {
		return e.Provider
	}
	return e.Name
}

// A Secret is a key. It shows itself nowhere: convert it to a string to use
// it.
type Secret string

const hidden = "(hidden)"

// String hides the secret.
func (Secret) String() string { return hidden }

// GoString hides the secret.
func (Secret) GoString() string { return hidden }

// LogValue hides the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// A KeyRef is a key or the place where it is. The zero value is none.
type KeyRef struct {
	Env     string // the environment variable that holds the key
	Literal Secret // the key itself, where Env is ""
}

// ParseKeyRef reads a key as it stands in default.json: "env:NAME" or "$NAME"
// is the environment variable NAME, and what looks like no reference at all
// is the key itself. The error shows no key.
func ParseKeyRef(s string) (KeyRef, error) {
	name, isEnv := strings.CutPrefix(s, "env:")
	if !isEnv {
		name, isEnv = strings.CutPrefix(s, "$")
	}
	switch {
	case isEnv && isEnvName(name):
		return KeyRef{Env: name}, nil
	case isEnv:
		return KeyRef{}, keyRefError("the name of an environment variable after env: or $")
	case strings.HasPrefix(s, "!"):
		return KeyRef{}, keyRefError("a key; commands are not run")
	}
	for _, scheme := range []string{"file:", "keyring:", "keychain:", "op:", "cmd:"} {
		if strings.HasPrefix(s, scheme) {
			return KeyRef{}, keyRefError("a key; " + scheme + " is not known")
		}
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return KeyRef{}, keyRefError("a key of one or more characters without white space")
	}
	return KeyRef{Literal: Secret(s)}, nil
}

func keyRefError(expected string) error {
	return fmt.Errorf(`%s; a key is written as "env:NAME", "$NAME", {"env": "NAME"} or itself`, expected)
}

// UnmarshalJSONFrom reads the forms of [ParseKeyRef] and {"env": "NAME"}.
func (k *KeyRef) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	kind := d.PeekKind()
	if kind == '"' {
		var s string
		err := json.UnmarshalDecode(d, &s)
		if err == nil {
			*k, err = ParseKeyRef(s)
		}
		return err
	}
	if kind == '{' {
		var object struct {
			Env string `json:"env"`
		}
		if err := json.UnmarshalDecode(d, &object, json.RejectUnknownMembers(true)); err != nil || !isEnvName(object.Env) {
			return keyRefError("an object with the one field env")
		}
		*k = KeyRef{Env: object.Env}
		return nil
	}
	return keyRefError("a string")
}

// MarshalJSONTo writes the reference, or the key itself where there is none.
func (k KeyRef) MarshalJSONTo(e *jsontext.Encoder) error {
	if k.Env != "" {
		return e.WriteToken(jsontext.String("env:" + k.Env))
	}
	return e.WriteToken(jsontext.String(string(k.Literal)))
}

// IsZero tells that there is no key.
func (k KeyRef) IsZero() bool { return k == KeyRef{} }

// isEnvName tells whether a text can name an environment variable.
func isEnvName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if letter := c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// readProviders reads default.json. A file that is not there has no entries.
func readProviders(path string) (*Providers, bool, error) {
	text, err := readFile(path)
	if err != nil || text == nil {
		return &Providers{}, false, err
	}
	p, err := parseProviders(path, text)
	return p, true, err
}

func parseProviders(path string, text []byte) (*Providers, error) {
	value, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	if err := check(ErrFile, path, "providers", value); err != nil {
		return nil, err
	}
	p := new(Providers)
	if err := decode(ErrFile, path, text, p); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for i, e := range p.Entries {
		at := fmt.Sprintf("/providers/%d", i)
		if names[e.Name] {
			return nil, violation(path, at+"/name", "a name that no other entry has", quote(e.Name))
		}
		names[e.Name] = true
		if e.BaseURL != "" {
			if err := checkURL(e.BaseURL); err != nil {
				return nil, violation(path, at+"/baseUrl", err.Error(), "another one")
			}
		}
	}
	return p, nil
}

func violation(path, at, expected, actual string) *Error {
	return &Error{Kind: ErrFile, File: path, Advice: "correct it by hand",
		Violations: []schemas.Violation{{Path: at, Expected: expected, Actual: actual}}}
}

// checkURL says what a base URL must be when one is not. It shows nothing of
// the URL, which may hold a password.
func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("a URL like https://host/v1")
	}
	return nil
}

func quote(s string) string {
	text, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return "text that is not UTF-8"
	}
	return string(text)
}
