package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/config/jsonedit"
)

// schemaVersion is the version of a default.json that is made here.
const schemaVersion = "1.0.0"

const emptyProviders = "{\n  \"schema_version\": \"" + schemaVersion + "\"\n}\n"

// maxName is the longest name of an entry, in bytes.
const maxName = 255

// A NewEntry is an entry of default.json as a command line describes it.
type NewEntry struct {
	Name     string
	PlainKey bool     // it holds a key itself, instead of naming where one is
	Warnings []string // what is probably not meant; none shows a key
	text     jsontext.Value
}

// DescribeEntry makes an entry of a name, a known provider (see
// [KnownProviders]) and values like --set has them: key=value, where dots in a
// key nest and a value that looks like JSON is JSON. Keys that no entry has are
// kept, with a warning. Errors are of the kind ErrUsage and show no key.
func DescribeEntry(name, provider string, set []string) (*NewEntry, error) {
	if err := checkName(name, provider); err != nil {
		return nil, err
	}
	if err := checkProvider(provider); err != nil {
		return nil, err
	}
	list, err := parseSet(set)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(Entry{Name: name, Provider: provider})
	if err != nil {
		return nil, fmt.Errorf("the new entry: %w", err)
	}
	n := &NewEntry{Name: name}
	if n.text, n.Warnings, err = assign(text, list); err != nil {
		return nil, err
	}
	var e Entry
	if err := decode(ErrUsage, "", n.text, &e); err != nil {
		return nil, err
	}
	if provider == Compatible && e.BaseURL == "" {
		return nil, &Error{Kind: ErrUsage, Message: "the provider " + Compatible + " needs the address of its server", Advice: "add --set baseUrl=https://host/v1"}
	}
	if provider == azure && e.BaseURL == "" {
		return nil, &Error{Kind: ErrUsage, Message: "the provider " + azure + " needs the address of its resource", Advice: "add --set baseUrl=https://NAME.openai.azure.com"}
	}
	n.PlainKey = e.APIKey.Literal != ""
	return n, nil
}

// checkName checks the name of a new entry. It stands before a / in --model.
func checkName(name, provider string) error {
	fail := func(expected, actual string) error {
		return &Error{Kind: ErrUsage, Message: "--name: expected " + expected + ", got " + actual}
	}
	switch {
	case strings.TrimSpace(name) == "":
		return fail("a name", "nothing")
	case len(name) > maxName:
		return fail(fmt.Sprintf("at most %d bytes", maxName), fmt.Sprintf("%d", len(name)))
	case strings.ToValidUTF8(name, "") != name:
		return fail("a name in UTF-8", "other bytes")
	case name != strings.TrimSpace(name) || strings.Contains(name, "/") || strings.ContainsFunc(name, unicode.IsControl):
		return fail("a name without / and without blanks at its ends", quote(name))
	case (name == Offline || name == LLMBase || name == OpenAI) && provider != name && provider != "":
		return fail("another name, since "+name+" is built in", quote(name))
	}
	return nil
}

// Write puts the entry into the default.json of a path, in the place of the
// one with its name, of which nothing stays, or at the end. It tells whether
// there was one. Everything else in the file stays; where there is no file it
// is made. Only the file's owner may read it afterwards.
func (n *NewEntry) Write(ctx context.Context, path string) (replaced bool, err error) {
	err = changeProviders(ctx, path, func(text []byte, old *Providers) ([]byte, error) {
		i := old.index(n.Name)
		replaced = i >= 0
		switch {
		case replaced:
			return jsonedit.Set(text, pointer("providers", strconv.Itoa(i)), n.text)
		case old.Entries == nil:
			return jsonedit.Set(text, pointer("providers"), slices.Concat(jsontext.Value("["), n.text, jsontext.Value("]")))
		}
		return jsonedit.Set(text, pointer("providers", "-"), n.text)
	})
	return replaced, err
}

// DeleteProvider removes an entry from the default.json of a path. Where it
// was the default there is none afterwards, which is told. The error of a name
// that no entry has is of the kind ErrUsage.
func DeleteProvider(ctx context.Context, path, name string) (wasDefault bool, err error) {
	if strings.TrimSpace(name) == "" {
		return false, &Error{Kind: ErrUsage, Message: "--name: expected a name, got nothing"}
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return false, noEntry(path, name, nil) // no folder is made for nothing
	}
	err = changeProviders(ctx, path, func(text []byte, old *Providers) ([]byte, error) {
		i := old.index(name)
		if i < 0 {
			return nil, noEntry(path, name, old.names())
		}
		text, err := jsonedit.Remove(text, pointer("providers", strconv.Itoa(i)))
		if wasDefault = err == nil && old.DefaultProvider == name; wasDefault {
			text, err = jsonedit.Remove(text, pointer("defaultProvider"))
		}
		return text, err
	})
	return wasDefault && err == nil, err
}

// SetDefaultProvider says in the default.json of a path who is asked when
// nobody is named: an entry, or a provider that needs none. The error of
// another name is of the kind ErrUsage.
func SetDefaultProvider(ctx context.Context, path, name string) error {
	builtin := slices.Contains([]string{OpenAI, Offline, LLMBase}, name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !builtin {
		return noEntry(path, name, nil)
	}
	return changeProviders(ctx, path, func(text []byte, old *Providers) ([]byte, error) {
		if !builtin && old.index(name) < 0 {
			return nil, noEntry(path, name, old.names())
		}
		value, err := jsontext.AppendQuote(nil, name)
		if err != nil {
			return nil, err
		}
		return jsonedit.Set(text, pointer("defaultProvider"), value)
	})
}

func noEntry(path, name string, names []string) error {
	e := &Error{Kind: ErrUsage, File: path, Message: "no entry is called " + quote(name), Advice: "there are: " + strings.Join(names, ", ")}
	if len(names) == 0 {
		e.Advice = "there is none; `ai model config --add` makes one"
	} else if near, ok := nearest(name, names); ok {
		e.Advice = "did you mean " + near + "? " + e.Advice
	}
	return e
}

// changeProviders changes the text of a default.json, which is made where
// there is none. Nothing is written where the result would not be a file that
// [Load] reads.
func changeProviders(ctx context.Context, path string, change func(text []byte, old *Providers) ([]byte, error)) error {
	return changeFile(ctx, path, 0o077, func(text []byte) ([]byte, error) {
		if text == nil {
			text = []byte(emptyProviders)
		}
		return editObject(path, text, func(text []byte) ([]byte, error) {
			old, err := parseProviders(path, text)
			if err != nil {
				return nil, err
			}
			if text, err = change(text, old); err != nil {
				return nil, err
			}
			if _, err := parseProviders(path, text); err != nil {
				return nil, fmt.Errorf("the changed file: %w", err)
			}
			return text, nil
		})
	})
}

// index finds an entry by its name; -1 is none.
func (p *Providers) index(name string) int {
	return slices.IndexFunc(p.Entries, func(e Entry) bool { return e.Name == name })
}

func (p *Providers) names() []string {
	var names []string
	for _, e := range p.Entries {
		names = append(names, e.Name)
	}
	return names
}
