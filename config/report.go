package config

import (
	"bytes"
	"net/url"
	"os"
	"runtime"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An Item is one setting with its value and where that came from.
type Item struct {
	Key    string         `json:"key"`
	Value  jsontext.Value `json:"value"`
	Origin Origin         `json:"origin"`
}

// Get gives one item of [Settings.List]. The error of an unknown key is of
// the kind ErrUsage.
func (s *Settings) Get(key string) (Item, error) {
	items, err := s.List()
	if err != nil {
		return Item{}, err
	}
	for _, it := range items {
		if it.Key == key {
			return it, nil
		}
		if words := keyWords(key); len(words) > 1 && it.Key == words[0] && knownSubKey(key) == nil {
			return subItem(it, key)
		}
	}
	return Item{}, knownKey(key)
}

// List gives all that is set: the keys of ai.json, and then who is asked.
// Instead of a key it tells whether there is one.
func (s *Settings) List() ([]Item, error) {
	items, err := members(s.Options)
	if err != nil {
		return nil, err
	}
	t := s.Target
	who, err := members(struct {
		Provider string `json:"provider"`
		Entry    string `json:"entry"`
		API      string `json:"api"`
		Model    string `json:"model"`
		BaseURL  string `json:"baseUrl"`
		Profile  string `json:"profile"`
		APIKey   bool   `json:"apiKey"`
		Speak    string `json:"speak"`
	}{t.Model.Provider, t.Entry, t.Model.API, t.Model.ID, withoutPassword(t.Model.BaseURL), t.Profile, t.HasKey(), s.Speak})
	if err != nil {
		return nil, err
	}
	items = append(items, who...)
	for i, it := range items {
		key := it.Key
		if key == "entry" || key == "api" {
			key = "provider"
		}
		items[i].Origin = s.Origin(key)
	}
	return items, nil
}

// members gives the fields of a struct as JSON, in their order. An empty text
// is null: nothing is set.
func members(v any) ([]Item, error) {
	text, err := json.Marshal(v, json.FormatNilSliceAsNull(true))
	if err != nil {
		return nil, err
	}
	var items []Item
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if string(value) == `""` {
			value = jsontext.Value("null")
		}
		items = append(items, Item{Key: key, Value: value.Clone()})
	}
	return items, nil
}

// withoutPassword is a URL as it may be shown.
func withoutPassword(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Redacted()
}

// A Report is what a doctor needs to know of the settings.
type Report struct {
	Settings *Settings // to be shown; to be used only where Problems is empty
	Items    []Item    // of Settings.List
	Files    []File    // all that there may be, found or not
	Folders  []Folder
	Problems []error // what keeps Load from succeeding
	Ready    error   // why nobody can be asked; nil where Problems is not empty
}

// A Folder is one of the user's folders.
type Folder struct {
	Role  string `json:"role"` // "slothtool", "config", "cache" or "state"
	Path  string `json:"path"`
	Found bool   `json:"found"`
}

// Inspect looks at everything that [Load] looks at, and goes on where that
// stops.
func Inspect(src Sources) *Report {
	s, problems := load(src)
	r := &Report{Settings: s, Files: s.Files, Problems: problems}
	if len(problems) == 0 {
		r.Ready = s.err
	}
	if s.Dirs == (Dirs{}) {
		return r
	}
	_, found, err := readLLMBase(s.Dirs.LLMBase())
	r.Files = append(r.Files, File{Role: "llm-base", Path: s.Dirs.LLMBase(), Found: found, Err: err})
	for i, f := range r.Files {
		r.Files[i].Exposed = f.Role != "settings" && exposed(f.Path)
	}
	for _, f := range []Folder{{"slothtool", s.Dirs.Sloth, false}, {"config", s.Dirs.Config, false}, {"cache", s.Dirs.Cache, false}, {"state", s.Dirs.State, false}} {
		info, err := os.Stat(f.Path)
		f.Found = err == nil && info.IsDir()
		r.Folders = append(r.Folders, f)
	}
	r.Items, err = s.List()
	if err != nil {
		r.Problems = append(r.Problems, err)
	}
	return r
}

// exposed tells whether others may read a file. Windows has other rights than
// these.
func exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}
