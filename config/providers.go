package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

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
		return nil, withoutKeys(err)
	}
	p := new(Providers)
	if err := decode(ErrFile, path, text, p); err != nil {
		return nil, withoutKeys(err)
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

// withoutKeys takes what stands in the place of a key out of an error.
func withoutKeys(err error) error {
	var own *Error
	if errors.As(err, &own) {
		hideKeys(own.Violations)
	}
	return err
}

func violation(path, at, expected, actual string) *Error {
	return &Error{Kind: ErrFile, File: path, Advice: "correct it by hand",
		Violations: []schemas.Violation{{Path: at, Expected: expected, Actual: actual}}}
}

// exposedKey is a warning about a default.json that holds a key and that others
// may read; "" where there is nothing to warn of.
func exposedKey(path string, p *Providers) string {
	if slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.APIKey.Literal != "" }) && exposed(path) {
		return path + " holds a key, and others can read it: chmod 600 " + path
	}
	return ""
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
