package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/config/jsonedit"
	"github.com/holic512/plugin-ai/schemas"
)

// A Store changes ai.json: one key at a time, everything else as it is.
type Store struct{ path string }

// NewStore changes the ai.json of a path. The file need not exist.
func NewStore(path string) *Store { return &Store{path} }

// Path is where the file is.
func (s *Store) Path() string { return s.path }

// Set gives a key a value. The value is read as JSON, and as plain text where
// only that is allowed by the schema. Nothing is written where the value is
// not allowed (ErrSetting), the key is not known (ErrUsage), or the file is
// not understood (ErrFile).
func (s *Store) Set(ctx context.Context, key, value string) error {
	if err := knownKey(key); err != nil {
		return err
	}
	parsed, err := settingValue(key, value)
	if err != nil {
		return err
	}
	return changeFile(ctx, s.path, 0, func(text []byte) ([]byte, error) {
		if text == nil {
			text = []byte("{}\n")
		}
		return editObject(s.path, text, func(text []byte) ([]byte, error) {
			return setKey(text, key, parsed)
		})
	})
}

// Unset removes a key, so that its default holds, and tells whether it was
// there. A key that is not known can be removed where the file has it.
func (s *Store) Unset(ctx context.Context, key string) (removed bool, err error) {
	if _, err := os.Lstat(s.path); errors.Is(err, fs.ErrNotExist) {
		return false, knownKey(key) // no folder is made for nothing
	}
	err = changeFile(ctx, s.path, 0, func(text []byte) ([]byte, error) {
		if text == nil {
			return nil, nil
		}
		return editObject(s.path, text, func(text []byte) ([]byte, error) {
			changed, err := jsonedit.Remove(text, pointer(keyWords(key)...))
			removed = err == nil
			if errors.Is(err, jsonedit.ErrNotFound) {
				return text, nil
			}
			return changed, err
		})
	})
	if err == nil && !removed {
		err = knownKey(key)
	}
	return removed, err
}

// editObject changes the text of a settings file, which must be an object. A
// byte order mark stays where it is.
func editObject(path string, text []byte, edit func([]byte) ([]byte, error)) ([]byte, error) {
	const mark = "\ufeff"
	body, marked := bytes.CutPrefix(text, []byte(mark))
	value, err := parse(path, body)
	if err != nil {
		return nil, err
	}
	if _, ok := value.(map[string]any); !ok {
		return nil, violation(path, "", "an object", "another value")
	}
	body, err = edit(body)
	if err != nil {
		return nil, fileError(path, "it cannot be changed", err)
	}
	if marked {
		body = append([]byte(mark), body...)
	}
	return body, nil
}

// Keys are the keys of ai.json, in the order of [Options].
func Keys() []string {
	items, err := members(Defaults())
	if err != nil {
		panic(err) // constants always marshal
	}
	keys := make([]string, len(items))
	for i, it := range items {
		keys[i] = it.Key
	}
	return keys
}

func knownKey(key string) error {
	if len(keyWords(key)) > 1 {
		return knownSubKey(key)
	}
	known := Keys()
	if slices.Contains(known, key) {
		return nil
	}
	e := &Error{Kind: ErrUsage, Message: fmt.Sprintf("ai.json has no key %s", quote(key)), Advice: "the keys are " + strings.Join(known, ", ")}
	switch key {
	case "provider", "model", "baseUrl", "apiKey":
		e.Advice = "who is asked stands in default.json: run `ai init`, or use --" + map[string]string{
			"provider": "provider", "model": "model", "baseUrl": "base-url", "apiKey": "set apiKey=…"}[key] + " for one call"
	default:
		if near, ok := nearest(key, known); ok {
			e.Advice = "did you mean " + near + "? " + e.Advice
		}
	}
	return e
}

// settingValue reads the value of a key as a person types it.
func settingValue(key, text string) (jsontext.Value, error) {
	schema, err := schemas.Load("config")
	if err != nil {
		return nil, err
	}
	var found []schemas.Violation
	asJSON := jsontext.Value(strings.TrimSpace(text))
	var value any
	if json.Unmarshal(asJSON, &value) == nil {
		if found = schema.Check(nest(key, value)); len(found) == 0 {
			return asJSON, decode(ErrSetting, "", object(key, asJSON), new(Options))
		}
	}
	if asText := schema.Check(nest(key, text)); len(asText) == 0 {
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return nil, &Error{Kind: ErrSetting, Message: "/" + key + ": expected UTF-8 text", Err: err}
		}
		return quoted, nil
	} else if found == nil {
		found = asText
	}
	return nil, &Error{Kind: ErrSetting, Violations: found}
}

// nest is what stands in ai.json where only one key is set.
func nest(key string, value any) map[string]any {
	words := keyWords(key)
	if len(words) > 1 {
		value = map[string]any{words[1]: value}
	}
	return map[string]any{words[0]: value}
}

// object is the JSON object with one key.
func object(key string, value jsontext.Value) []byte {
	text := string(value)
	words := keyWords(key)
	for _, w := range slices.Backward(words) {
		text = "{" + quote(w) + ":" + text + "}"
	}
	return []byte(text)
}
