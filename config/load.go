package config

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/schemas"
)

// Sources are all the places that settings come from.
type Sources struct {
	Home       string              // the user's home folder, absolute
	Getenv     func(string) string // "" is not set
	WorkingDir string              // what relative paths of flags and variables are relative to
	Flags      Flags
	Keys       *KeyCache // what was asked for already; nil is nothing
}

// Flags are the settings of one call. The zero value is none.
type Flags struct {
	Config   string   // --config: the path of default.json
	Provider string   // --provider: an entry's name or provider, "openai", "offline" or "llm-base"
	Model    string   // --model: an entry, entry/model, provider/id or id, with an optional :level
	BaseURL  string   // --base-url
	Profile  string   // --profile: of llm-base.json
	Set      []string // --set key=value: of the entry that is asked, such as apiKey=…; never stored
	High     bool     // --high
	MaxSteps *int     // --max-steps
}

// Settings are what holds for one call.
type Settings struct {
	Options             // of ai.json
	Providers Providers // of default.json
	Target    Target    // who is asked; zero where Ready returns an error that is no missing key
	Speak     string    // the language of the program's own texts: "en" or "zh"
	Dirs      Dirs
	Files     []File   // the files that were looked at
	Project   *Project // the project's own file; nil is none
	Warnings  []string // what the person should know, in English; none shows a key

	keys    *KeyCache
	origins map[string]Origin
	err     error // why nobody can be asked
}

// A File is a settings file that was looked at.
type File struct {
	Role    string // "settings", "project", "providers" or "llm-base"
	Path    string
	Found   bool
	Exposed bool  // it holds keys, and others may read it; Inspect fills it also where it only may hold some
	Err     error // why it cannot be used; nil where it can
}

// Origin says where the value of a key came from: a key of ai.json, or
// "provider", "model", "baseUrl", "apiKey", "profile" or "speak".
func (s *Settings) Origin(key string) Origin {
	if o, ok := s.origins[key]; ok {
		return o
	}
	return FromDefault
}

// Ready tells why nobody can be asked: an [*Error] of the kind ErrUsage,
// ErrFile, ErrProfile or ErrCredentials; nil where somebody can.
func (s *Settings) Ready() error { return s.err }

// Load finds out what holds. Its errors are of type [*Error] and mean that a
// file or a flag cannot be trusted: nothing must be done then. Whether there
// is somebody to ask is said by [Settings.Ready], since much can be done
// without.
func Load(src Sources) (*Settings, error) {
	s, problems := load(src)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return s, nil
}

// load collects everything that is wrong, for the doctor.
func load(src Sources) (*Settings, []error) {
	s := &Settings{Options: Defaults(), origins: map[string]Origin{}, keys: cmp.Or(src.Keys, NewKeyCache())}
	if !filepath.IsAbs(src.Home) {
		return s, []error{&Error{Kind: ErrFile, Message: "expected an absolute home folder, got " + quote(src.Home), Advice: "set HOME"}}
	}
	s.Dirs = FindDirs(src.Home, src.Getenv)

	var problems []error
	found, err := s.readOptions(s.Dirs.Settings())
	s.Files = append(s.Files, File{Role: "settings", Path: s.Dirs.Settings(), Found: found, Err: err})
	if err != nil {
		problems = append(problems, err)
	}
	if err := s.readProject(src.WorkingDir); err != nil {
		problems = append(problems, err)
	}
	if err := s.applyFlags(src.Flags); err != nil {
		problems = append(problems, err)
	}
	s.Speak, s.origins["speak"] = Language(src.Getenv, s.Language, s.Origin("language"))

	path, origin := ProvidersPath(src)
	providers, found, err := readProviders(path)
	s.Files = append(s.Files, File{Role: "providers", Path: path, Found: found, Err: err})
	if err != nil {
		return s, append(problems, err)
	}
	s.Providers = *providers
	if w := exposedKey(path, providers); w != "" {
		s.Files[len(s.Files)-1].Exposed = true
		s.Warnings = append(s.Warnings, w)
	}
	if !found && origin != FromDefault {
		s.err = &Error{Kind: ErrFile, File: path, Message: "it is not there, and " + origin.String() + " names it",
			Advice: "name another, or run `ai init`"}
		return s, problems
	}
	set, err := parseSet(src.Flags.Set)
	if err != nil {
		return s, append(problems, err)
	}
	c := chooser{src: src, settings: s, path: path, set: set}
	s.Target, s.err = c.choose()
	return s, problems
}

// ProvidersPath is where default.json is: --config stands above AI_CONFIG,
// that above PAI_CONFIG.
func ProvidersPath(src Sources) (string, Origin) {
	path, origin := src.Flags.Config, fromFlag("--config")
	for _, name := range []string{"AI_CONFIG", "PAI_CONFIG"} {
		if path == "" {
			path, origin = src.Getenv(name), fromEnv(name)
		}
	}
	if path == "" {
		return FindDirs(src.Home, src.Getenv).Providers(), FromDefault
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(src.WorkingDir, path)
	}
	return path, origin
}

// readOptions reads ai.json over the defaults.
func (s *Settings) readOptions(path string) (found bool, err error) {
	text, err := readFile(path)
	if err != nil || text == nil {
		return false, err
	}
	options, keys, err := parseOptions(path, text)
	if err != nil {
		return true, err
	}
	s.Options = options
	for _, key := range keys {
		s.origins[key] = fromFile(path)
	}
	return true, nil
}

// parseOptions reads the text of ai.json and says which keys stand in it.
func parseOptions(path string, text []byte) (Options, []string, error) {
	value, err := parse(path, text)
	if err != nil {
		return Options{}, nil, err
	}
	if err := check(ErrSetting, path, "config", value); err != nil {
		return Options{}, nil, err
	}
	options := Defaults()
	if err := decode(ErrSetting, path, text, &options); err != nil {
		return Options{}, nil, err
	}
	var keys []string
	for key := range value.(map[string]any) {
		keys = append(keys, key)
	}
	return options, keys, nil
}

// applyFlags puts the flags that stand for a key of ai.json over it.
func (s *Settings) applyFlags(f Flags) error {
	if f.High {
		s.DefaultMode, s.origins["defaultMode"] = High, fromFlag("--high")
	}
	if f.MaxSteps != nil {
		s.MaxAutoStepsPerTurn, s.origins["maxAutoStepsPerTurn"] = *f.MaxSteps, fromFlag("--max-steps")
		schema, err := schemas.Load("config")
		if err != nil {
			return err
		}
		if found := schema.Check(map[string]any{"maxAutoStepsPerTurn": float64(*f.MaxSteps)}); len(found) > 0 {
			found[0].Path = "--max-steps"
			return &Error{Kind: ErrUsage, Violations: found}
		}
	}
	return nil
}

// pointer joins the words of a JSON Pointer.
func pointer(words ...string) jsontext.Pointer {
	var p jsontext.Pointer
	for _, w := range words {
		p = p.AppendToken(w)
	}
	return p
}

func firstSet(getenv func(string) string, names ...string) (string, Origin) {
	for _, name := range names {
		if v := strings.TrimSpace(getenv(name)); v != "" {
			return v, fromEnv(name)
		}
	}
	return "", ""
}
