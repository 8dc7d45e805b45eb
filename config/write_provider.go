package config

import (
	"context"
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
	return changeProviders(ctx, path, func(text []byte, old *Providers) (_ []byte, err error) {
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
		switch i := old.index(e.Name); {
		case i >= 0 && err == nil:
			text, err = replaceEntry(text, strconv.Itoa(i), e)
		case old.Entries == nil:
			edit([]Entry{e}, "providers")
		default:
			edit(e, "providers", "-")
		}
		return text, err
	})
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
	for _, key := range append([]string{"provider"}, entryFields()...) {
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
