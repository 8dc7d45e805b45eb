package config

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/config/jsonedit"
)

// WriteProvider puts an entry into the default.json of a path, in the place
// of the one with its name, or at the end. With makeDefault it becomes the
// default. Fields of an old entry that this program does not know stay, and
// so does everything else in the file.
//
// The file holds keys, so only its owner may read it afterwards. Nothing is
// written where the result would not be a file that [Load] reads.
func WriteProvider(ctx context.Context, path string, e Entry, makeDefault bool) error {
	return changeFile(ctx, path, 0o077, func(text []byte) ([]byte, error) {
		if text == nil {
			text = []byte("{\n  \"schema_version\": \"1.0.0\"\n}\n")
		}
		changed, err := editObject(path, text, func(text []byte) ([]byte, error) {
			return editProviders(path, text, e, makeDefault)
		})
		if err != nil {
			return nil, err
		}
		return changed, nil
	})
}

func editProviders(path string, text []byte, e Entry, makeDefault bool) ([]byte, error) {
	old, err := parseProviders(path, text)
	if err != nil {
		return nil, err
	}
	edit := func(value any, at ...string) {
		if err != nil {
			return
		}
		var raw jsontext.Value
		if raw, err = json.Marshal(value); err == nil {
			text, err = jsonedit.Set(text, pointer(at...), raw)
		}
	}
	if makeDefault {
		edit(e.Name, "defaultProvider")
	}
	i := slices.IndexFunc(old.Entries, func(o Entry) bool { return o.Name == e.Name })
	switch {
	case i >= 0:
		if err == nil {
			text, err = replaceEntry(text, strconv.Itoa(i), e)
		}
	case old.Entries == nil:
		edit([]Entry{e}, "providers")
	default:
		edit(e, "providers", "-")
	}
	if err != nil {
		return nil, err
	}
	if _, err := parseProviders(path, text); err != nil {
		return nil, fmt.Errorf("the new entry: %w", err)
	}
	return text, nil
}

// replaceEntry gives an entry the known fields of another one.
func replaceEntry(text []byte, index string, e Entry) ([]byte, error) {
	fields, err := members(e)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, f := range fields {
		set[f.Key] = true
		if text, err = jsonedit.Set(text, pointer("providers", index, f.Key), f.Value); err != nil {
			return nil, err
		}
	}
	for _, key := range []string{"provider", "apiKey", "models", "defaultModel", "baseUrl", "api", "temperature",
		"maxTokens", "reasoning", "input", "contextWindow", "providerOptions"} {
		at := pointer("providers", index, key)
		if _, err := jsonedit.Get(text, at); err != nil || set[key] {
			continue
		}
		if text, err = jsonedit.Remove(text, at); err != nil {
			return nil, err
		}
	}
	return text, nil
}
