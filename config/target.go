package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// What is asked where nothing is said. The models are chosen for being
// generally available, undated, and able to hold to a schema.
const (
	DefaultModel     = "gpt-5.4-mini"
	DefaultHighModel = "gpt-5.4" // with --high, where no model is named
	DefaultBaseURL   = "https://api.openai.com/v1"
)

// The providers that need no entry in default.json.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Google    = "google"
	Offline   = "offline"
	LLMBase   = "llm-base"
)

// The wire APIs of these providers.
const (
	apiOpenAI    = "openai-completions"
	apiResponses = "openai-responses"
	apiAzure     = "azure-openai-responses"
	apiAnthropic = "anthropic-messages"
	apiGoogle    = "google-generative-ai"
	apiOffline   = "offline"
)

// A Target is who is asked, with which key.
type Target struct {
	Entry       string    // the entry of default.json, or the provider where there is none
	Model       llm.Model // whose Provider, API, BaseURL and ID are filled
	Level       string    // how hard to think: "minimal", "low", "medium", "high", "xhigh", "off", or "" for nothing said
	APIKey      Secret    // "" where none is needed, or where KeyRef says who has it
	KeyRef      KeyRef    // the program or the keyring that has the key; [Settings.Key] asks it
	Profile     string    // of llm-base
	Temperature *float64
	Timeout     time.Duration  // of one answer; 0 is nothing said
	Options     jsontext.Value // the entry's providerOptions; nil is none
}

// HasKey tells that there is a key, or a program or a keyring that is to have
// it.
func (t *Target) HasKey() bool { return t.APIKey != "" || t.KeyRef.fetched() }

// chooser finds the target.
type chooser struct {
	set      []assignment // of --set
	src      Sources
	settings *Settings
	path     string // of default.json
}

// choice is what is known of the target on the way.
type choice struct {
	entry  Entry
	origin Origin // of the choice of entry
	source Origin // of the entry's own values: the file, or the default
	model  string // "" is not said
	from   Origin // of model
}

func (c *chooser) choose() (Target, error) {
	ch, err := c.pick()
	if err != nil {
		return Target{}, err
	}
	s := c.settings
	s.origins["provider"] = ch.origin
	if ch, err = c.override(ch); err != nil {
		return Target{}, err
	}
	if c.src.Flags.BaseURL != "" {
		if err := checkURL(c.src.Flags.BaseURL); err != nil {
			return Target{}, &Error{Kind: ErrUsage, Message: "flag --base-url: expected " + err.Error() + ", got " + quote(withoutPassword(c.src.Flags.BaseURL))}
		}
		if ch.entry.provider() == Offline {
			return Target{}, &Error{Kind: ErrUsage, Message: "flag --base-url: the provider offline has no server", Advice: "name another with --provider"}
		}
	}
	if ch.entry.provider() == Offline {
		return Target{Entry: ch.entry.Name, Model: llm.Model{ID: Offline, Provider: Offline, API: apiOffline}}, nil
	}
	if ch.entry.provider() == LLMBase {
		return c.profile(ch)
	}
	return c.server(ch)
}

// override gives the chosen entry the values of --set.
func (c *chooser) override(ch choice) (choice, error) {
	e, warnings, err := override(ch.entry, c.set)
	if err != nil {
		return ch, err
	}
	c.settings.Warnings = append(c.settings.Warnings, warnings...)
	ch.entry = e
	if ch.from == "" || !strings.HasPrefix(string(ch.from), "flag ") {
		switch {
		case c.sets("defaultModel"):
			ch.model, ch.from = e.DefaultModel, fromFlag("--set defaultModel")
		case c.sets("models") && len(e.Models) > 0:
			ch.model, ch.from = e.Models[0], fromFlag("--set models")
		}
	}
	return ch, nil
}

// sets tells whether --set gives a key of the entry.
func (c *chooser) sets(word string) bool {
	return slices.ContainsFunc(c.set, func(a assignment) bool { return a.words[0] == word })
}

// pick finds the entry, and the model where it is named together with it.
func (c *chooser) pick() (choice, error) {
	f, file := c.src.Flags, c.settings.Providers
	fallback, fallbackOrigin := firstSet(c.src.Getenv, "AI_MODEL")

	// The model may be named apart from the entry. One of the environment
	// that names another entry than a flag chose was not meant for it.
	withModel := func(ch choice, err error) (choice, error) {
		switch {
		case err != nil || ch.from != "":
		case f.Model != "":
			ch.model, ch.from = c.within(ch.entry, f.Model), fromFlag("--model")
		case fallback != "" && !c.elsewhere(ch, fallback):
			ch.model, ch.from = c.within(ch.entry, fallback), fallbackOrigin
		}
		return ch, err
	}
	if f.Provider != "" {
		return withModel(c.named(f.Provider, fromFlag("--provider")))
	}
	if f.Profile != "" {
		return withModel(c.named(LLMBase, fromFlag("--profile")))
	}
	if f.Model != "" {
		if ch, ok, err := c.byModel(f.Model, fromFlag("--model")); ok || err != nil {
			return ch, err
		}
	}
	if name, origin := firstSet(c.src.Getenv, "AI_PROVIDER"); name != "" {
		return withModel(c.named(name, origin))
	}
	if _, origin := firstSet(c.src.Getenv, "AI_PROFILE"); origin != "" {
		return withModel(c.named(LLMBase, origin))
	}
	if fallback != "" && f.Model == "" {
		if ch, ok, err := c.byModel(fallback, fallbackOrigin); ok || err != nil {
			return ch, err
		}
	}
	asked := cmp.Or(f.Model, fallback)
	switch {
	case file.DefaultProvider != "":
		return withModel(c.named(file.DefaultProvider, fromFile(c.path)))
	case len(file.Entries) == 1:
		return withModel(c.ofFile(&file.Entries[0], fromFile(c.path)), nil)
	case len(file.Entries) > 1:
		if e := onlyOneWith(file.Entries, asked); e != nil {
			return withModel(c.ofFile(e, fromFile(c.path)), nil)
		}
		return choice{}, &Error{Kind: ErrUsage, File: c.path, Message: "it has several providers and no defaultProvider",
			Advice: "name one of " + strings.Join(c.known(), ", ") + " with --provider, or write defaultProvider into the file"}
	case f.BaseURL != "":
		return withModel(c.named(OpenAI, fromFlag("--base-url")))
	case c.settings.DefaultProfile != "":
		return withModel(c.named(LLMBase, c.settings.Origin("defaultProfile")))
	}
	for _, provider := range []string{OpenAI, Anthropic, Google} {
		if _, origin := firstSet(c.src.Getenv, known(provider).KeyEnv, baseEnv(provider)); origin != "" {
			return withModel(c.named(provider, origin))
		}
	}
	base, found, err := readLLMBase(c.settings.Dirs.LLMBase())
	if err != nil {
		return choice{}, err
	}
	if found && len(base.Profiles) > 0 {
		return withModel(c.named(LLMBase, fromFile(c.settings.Dirs.LLMBase())))
	}
	for _, word := range []string{"apiKey", "baseUrl"} {
		if c.sets(word) {
			return withModel(c.named(OpenAI, fromFlag("--set "+word)))
		}
	}
	if asked != "" {
		return choice{}, &Error{Kind: ErrUsage, Message: "no provider is set up for the model " + quote(asked),
			Advice: "set OPENAI_API_KEY or OPENAI_BASE_URL, name a server with --base-url, or run `ai init`"}
	}
	return c.named(Offline, FromDefault)
}

// known are the names that --provider takes.
func (c *chooser) known() []string {
	var names []string
	for _, e := range c.settings.Providers.Entries {
		names = append(names, e.Name)
	}
	for _, builtin := range []string{OpenAI, Offline, LLMBase} {
		if !slices.Contains(names, builtin) {
			names = append(names, builtin)
		}
	}
	return names
}

func (c *chooser) ofFile(e *Entry, origin Origin) choice {
	return choice{entry: *e, origin: origin, source: fromFile(c.path)}
}

// named finds what --provider and its like name: an entry, the one entry of a
// provider, or a provider that needs no entry.
func (c *chooser) named(name string, origin Origin) (choice, error) {
	entries := c.settings.Providers.Entries
	for i := range entries {
		if entries[i].Name == name {
			return c.ofFile(&entries[i], origin), nil
		}
	}
	e, err := c.servedBy(name)
	switch {
	case err != nil:
		return choice{}, err
	case e != nil:
		return c.ofFile(e, origin), nil
	case name == OpenAI || name == Offline || name == LLMBase:
		return choice{entry: Entry{Name: name, Provider: name}, origin: origin, source: FromDefault}, nil
	case known(name).BaseURL != "", c.src.Flags.BaseURL != "", c.sets("baseUrl"):
		return choice{entry: Entry{Name: name, Provider: name, API: apiOf(name), Reasoning: known(name).Reasoning}, origin: origin, source: FromDefault}, nil
	}
	advice := "name one of " + strings.Join(c.known(), ", ") + ", or a server with --base-url"
	if near, ok := nearest(name, c.known()); ok {
		advice = "did you mean " + near + "? " + advice
	}
	return choice{}, &Error{Kind: ErrUsage, Message: fmt.Sprintf("%s: no provider is called %s", origin, quote(name)), Advice: advice}
}

// servedBy finds the entry of a provider; of several it is the default one.
func (c *chooser) servedBy(provider string) (*Entry, error) {
	var found []*Entry
	entries := c.settings.Providers.Entries
	for i := range entries {
		if entries[i].provider() == provider {
			if entries[i].Name == c.settings.Providers.DefaultProvider {
				return &entries[i], nil
			}
			found = append(found, &entries[i])
		}
	}
	if len(found) > 1 {
		names := make([]string, len(found))
		for i, e := range found {
			names[i] = e.Name
		}
		return nil, &Error{Kind: ErrUsage, File: c.path, Message: "several entries are of the provider " + quote(provider),
			Advice: "name one of " + strings.Join(names, ", ")}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return nil, nil
}

// byModel reads the forms of --model that name an entry or a provider.
func (c *chooser) byModel(spec string, origin Origin) (choice, bool, error) {
	name, model, _ := strings.Cut(spec, "/")
	if !slices.Contains(c.known(), name) {
		if e, err := c.servedBy(name); e == nil && err == nil {
			return choice{}, false, nil
		}
	}
	ch, err := c.named(name, origin)
	ch.model, ch.from = model, origin
	return ch, true, err
}

// within reads --model where the entry is chosen already: its own name in
// front may be left out.
func (c *chooser) within(e Entry, spec string) string {
	for _, own := range []string{e.Name, e.provider()} {
		if rest, ok := strings.CutPrefix(spec, own+"/"); ok && rest != "" && !slices.Contains(e.Models, spec) {
			return rest
		}
	}
	return spec
}

// elsewhere tells that a model of the environment names another entry than
// the one that a flag chose.
func (c *chooser) elsewhere(ch choice, spec string) bool {
	name, _, _ := strings.Cut(spec, "/")
	return strings.HasPrefix(string(ch.origin), "flag ") && name != ch.entry.Name &&
		slices.ContainsFunc(c.settings.Providers.Entries, func(e Entry) bool { return e.Name == name })
}

// onlyOneWith finds the one entry that lists a model.
func onlyOneWith(entries []Entry, spec string) *Entry {
	var found *Entry
	for i := range entries {
		e := &entries[i]
		model, _ := splitLevel(spec, e)
		if spec == "" || model != e.DefaultModel && !slices.Contains(e.Models, model) {
			continue
		}
		if found != nil {
			return nil
		}
		found = e
	}
	return found
}

// splitLevel takes a :level from the end of a model's id. An id that the
// entry lists as it is has none, nor has one whose end is no level.
func splitLevel(spec string, e *Entry) (model, level string) {
	if i := strings.LastIndexByte(spec, ':'); i >= 0 && spec != e.DefaultModel && !slices.Contains(e.Models, spec) {
		switch level := spec[i+1:]; level {
		case "off", "minimal", "low", "medium", "high", "xhigh":
			return spec[:i], level
		}
	}
	return spec, ""
}
