package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/config/jsonedit"
)

// keyWords parts a key as a person types it: a setting within an object has a
// name of two words, such as decide.port.
func keyWords(key string) []string {
	for _, object := range []string{"decide", "rpc"} {
		if sub, ok := strings.CutPrefix(key, object+"."); ok {
			return []string{object, sub}
		}
	}
	return []string{key}
}

// subKeys are the settings within an object, as they are typed.
func subKeys() []string {
	var keys []string
	defaults := Defaults()
	for _, object := range []struct {
		name  string
		value any
	}{{"decide", defaults.Decide}, {"rpc", defaults.RPC}} {
		items, err := members(object.value)
		if err != nil {
			panic(err) // constants always marshal
		}
		for _, it := range items {
			keys = append(keys, object.name+"."+it.Key)
		}
	}
	return keys
}

// knownSubKey checks a key of two words.
func knownSubKey(key string) error {
	known := subKeys()
	if slices.Contains(known, key) {
		return nil
	}
	e := &Error{Kind: ErrUsage, Message: fmt.Sprintf("ai.json has no key %s", quote(key)), Advice: "the keys are " + strings.Join(known, ", ")}
	if near, ok := nearest(key, known); ok {
		e.Advice = "did you mean " + near + "? " + e.Advice
	}
	return e
}

// setKey puts a value at a key into the text of ai.json; the object that it
// stands in is made.
func setKey(text []byte, key string, value jsontext.Value) ([]byte, error) {
	words := keyWords(key)
	if len(words) > 1 {
		_, err := jsonedit.Get(text, pointer(words[0]))
		if errors.Is(err, jsonedit.ErrNotFound) {
			text, err = jsonedit.Set(text, pointer(words[0]), jsontext.Value("{}"))
		}
		if err != nil {
			return nil, err
		}
	}
	return jsonedit.Set(text, pointer(words...), value)
}

// subItem takes one setting out of the item of its object.
func subItem(object Item, key string) (Item, error) {
	value, err := jsonedit.Get(object.Value, pointer(keyWords(key)[1]))
	return Item{Key: key, Value: value, Origin: object.Origin}, err
}
