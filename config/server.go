package config

import (
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/llm"
)

// server fills the target for an entry that is asked over the network.
func (c *chooser) server(ch choice) (Target, error) {
	e, f, s := ch.entry, c.src.Flags, c.settings
	provider := e.provider()
	if err := checkAPI(e.API); err != nil {
		return Target{}, err
	}
	t := Target{Entry: e.Name, Temperature: e.Temperature, Options: e.ProviderOptions}
	t.Model = llm.Model{
		Provider: provider, API: e.API, Reasoning: e.Reasoning, Input: e.Input,
		ContextWindow: e.ContextWindow, MaxTokens: e.MaxTokens,
	}

	base, baseOrigin := f.BaseURL, fromFlag("--base-url")
	if base == "" && c.sets("baseUrl") {
		base, baseOrigin = e.BaseURL, fromFlag("--set baseUrl")
	}
	if name := baseEnv(provider); base == "" && name != "" {
		base, baseOrigin = firstSet(c.src.Getenv, name)
		if base != "" && checkURL(base) != nil {
			return Target{}, &Error{Kind: ErrUsage, Message: "environment " + name + ": expected " + checkURL(base).Error() + ", got " + quote(withoutPassword(base))}
		}
	}
	if base == "" {
		base, baseOrigin = e.BaseURL, ch.source
	}
	if base == "" {
		base, baseOrigin = known(provider).BaseURL, FromDefault
	}
	if base == "" {
		return Target{}, &Error{Kind: ErrUsage, File: c.path, Message: "the provider " + quote(e.Name) + " has no baseUrl, and none is known for it",
			Advice: "write its baseUrl into the file, or name it with --base-url"}
	}
	t.Model.BaseURL = strings.TrimRight(base, "/")
	s.origins["baseUrl"] = baseOrigin
	if t.Model.API == "" {
		t.Model.API = apiOf(provider)
	}

	model, origin := c.modelOf(ch)
	if model == "" {
		return Target{}, &Error{Kind: ErrUsage, Message: "no model specified for the provider " + quote(e.Name),
			Advice: "name one with --model, AI_MODEL, or defaultModel in " + c.path}
	}
	t.Model.ID, t.Level = splitLevel(model, &e)
	if !e.Reasoning {
		t.Level = ""
	}
	s.origins["model"] = origin
	return c.withKey(ch, t)
}

// modelOf finds the model and where it was named.
func (c *chooser) modelOf(ch choice) (string, Origin) {
	e := ch.entry
	if ch.model != "" {
		return ch.model, ch.from
	}
	if e.provider() == OpenAI {
		if model, origin := firstSet(c.src.Getenv, "OPENAI_MODEL"); model != "" {
			return model, origin
		}
	}
	switch {
	case e.DefaultModel != "":
		return e.DefaultModel, ch.source
	case len(e.Models) > 0:
		return e.Models[0], ch.source
	}
	switch models := known(e.provider()).Models; {
	case len(models) > 1 && c.settings.DefaultMode == High:
		return models[1], c.settings.Origin("defaultMode")
	case len(models) > 0:
		return models[0], FromDefault
	}
	return "", ""
}

// baseEnv is the variable that says where a provider's server is; "" is none.
func baseEnv(provider string) string {
	switch provider {
	case OpenAI, Anthropic:
		return envWord(provider) + "_BASE_URL"
	case Google:
		return "GOOGLE_GEMINI_BASE_URL"
	}
	return ""
}

// withKey finds the key: the flag, then PAI_<ENTRY>_API_KEY, then a variable
// that the entry names, then the provider's own, then the entry's key itself,
// or the program or the keyring that has it.
func (c *chooser) withKey(ch choice, t Target) (Target, error) {
	e, s := ch.entry, c.settings
	if c.sets("apiKey") {
		return c.withKeyOfFlag(e, t)
	}
	names := []string{"PAI_" + envWord(e.Name) + "_API_KEY"}
	if e.APIKey.Env != "" {
		names = append(names, e.APIKey.Env)
	}
	if own := ownKey(&e); !slices.Contains(names, own) {
		names = append(names, own)
	}
	if key, origin := firstSet(c.src.Getenv, names...); key != "" {
		t.APIKey, s.origins["apiKey"] = Secret(key), origin
		return t, nil
	}
	if t.APIKey, t.KeyRef = e.APIKey.Literal, fetchedOf(e.APIKey); t.HasKey() {
		s.origins["apiKey"] = ch.source
		return t, nil
	}
	s.origins["apiKey"] = FromDefault
	if provider := known(e.provider()); e.APIKey.Env == "" && (provider.KeyEnv == "" || t.Model.BaseURL != provider.BaseURL) && t.Model.BaseURL != DefaultBaseURL {
		return t, nil // a server of one's own may want none
	}
	return t, noKey(e.Name, append(names, "apiKey in "+c.path))
}

// withKeyOfFlag takes the key of --set apiKey, which may be a reference.
func (c *chooser) withKeyOfFlag(e Entry, t Target) (Target, error) {
	origin := fromFlag("--set apiKey")
	t.APIKey, t.KeyRef, c.settings.origins["apiKey"] = e.APIKey.Literal, fetchedOf(e.APIKey), origin
	if e.APIKey.Env != "" {
		key, _ := firstSet(c.src.Getenv, e.APIKey.Env)
		if t.APIKey = Secret(key); key == "" {
			return t, noKey(e.Name, []string{e.APIKey.Env + ", which --set apiKey names"})
		}
	}
	return t, nil
}

// fetchedOf is the reference to a key that must be asked for; none where
// there is another.
func fetchedOf(ref KeyRef) KeyRef {
	if ref.fetched() {
		return ref
	}
	return KeyRef{}
}

func noKey(entry string, places []string) error {
	return &Error{Kind: ErrCredentials, Message: "no key for the provider " + quote(entry) + "; looked at " + strings.Join(places, ", "),
		Advice: "set one of them, or run `ai init`"}
}

// envWord writes an entry's name as it stands in a variable's name.
func envWord(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// ownKey is the variable that a provider's own programs read. An entry for any
// compatible server is called like that server.
func ownKey(e *Entry) string {
	switch provider := e.provider(); provider {
	case "google", "gemini":
		return "GEMINI_API_KEY"
	case azure:
		return "AZURE_OPENAI_API_KEY"
	case Compatible:
		return envWord(e.Name) + "_API_KEY"
	default:
		return envWord(provider) + "_API_KEY"
	}
}

// profile fills the target from llm-base.json.
func (c *chooser) profile(ch choice) (Target, error) {
	f, s, path := c.src.Flags, c.settings, c.settings.Dirs.LLMBase()
	base, _, err := readLLMBase(path)
	if err != nil {
		return Target{}, err
	}
	name, origin := f.Profile, fromFlag("--profile")
	if name == "" {
		name, origin = firstSet(c.src.Getenv, "AI_PROFILE")
	}
	if name == "" {
		name, origin = s.DefaultProfile, s.Origin("defaultProfile")
	}
	if name == "" {
		origin = fromFile(path)
	}
	name, p, err := base.pick(path, name)
	if err != nil {
		return Target{}, err
	}
	s.origins["profile"], s.origins["model"], s.origins["baseUrl"], s.origins["apiKey"] = origin, fromFile(path), fromFile(path), fromFile(path)
	t := Target{Entry: LLMBase, Profile: name, Timeout: p.timeout(), APIKey: Secret(p.APIKey)}
	t.Model = llm.Model{ID: p.LowModel, Provider: LLMBase, API: apiOpenAI, BaseURL: strings.TrimRight(p.BaseURL, "/")}
	if s.DefaultMode == High {
		t.Model.ID = p.HighModel
	}
	if ch.model != "" {
		t.Model.ID, s.origins["model"] = ch.model, ch.from
	}
	if f.BaseURL != "" {
		t.Model.BaseURL, s.origins["baseUrl"] = strings.TrimRight(f.BaseURL, "/"), fromFlag("--base-url")
	}
	if c.sets("baseUrl") && f.BaseURL == "" {
		t.Model.BaseURL, s.origins["baseUrl"] = strings.TrimRight(ch.entry.BaseURL, "/"), fromFlag("--set baseUrl")
	}
	if c.sets("apiKey") {
		return c.withKeyOfFlag(ch.entry, t)
	}
	if t.APIKey == "" && t.Model.BaseURL == DefaultBaseURL {
		key, origin := firstSet(c.src.Getenv, "OPENAI_API_KEY")
		if key == "" {
			return t, noKey(LLMBase, []string{"OPENAI_API_KEY", "api_key of the profile " + quote(name) + " in " + path})
		}
		t.APIKey, s.origins["apiKey"] = Secret(key), origin
	}
	return t, nil
}
