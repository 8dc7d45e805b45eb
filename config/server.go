package config

import (
	"strings"

	"github.com/holic512/plugin-ai/llm"
)

// server fills the target for an entry that is asked over the network.
func (c *chooser) server(ch choice) (Target, error) {
	e, f, s := ch.entry, c.src.Flags, c.settings
	provider := e.provider()
	t := Target{Entry: e.Name, Temperature: e.Temperature, Options: e.ProviderOptions}
	t.Model = llm.Model{
		Provider: provider, API: e.API, Reasoning: e.Reasoning, Input: e.Input,
		ContextWindow: e.ContextWindow, MaxTokens: e.MaxTokens,
	}

	base, baseOrigin := f.BaseURL, fromFlag("--base-url")
	if base == "" && provider == OpenAI {
		base, baseOrigin = firstSet(c.src.Getenv, "OPENAI_BASE_URL")
		if base != "" && checkURL(base) != nil {
			return Target{}, &Error{Kind: ErrUsage, Message: "environment OPENAI_BASE_URL: expected " + checkURL(base).Error() + ", got " + quote(withoutPassword(base))}
		}
	}
	if base == "" {
		base, baseOrigin = e.BaseURL, ch.source
	}
	if base == "" && provider == OpenAI {
		base, baseOrigin = DefaultBaseURL, FromDefault
	}
	if base == "" {
		return Target{}, &Error{Kind: ErrUsage, File: c.path, Message: "the provider " + quote(e.Name) + " has no baseUrl, and none is known for it",
			Advice: "write its baseUrl into the file, or name it with --base-url"}
	}
	t.Model.BaseURL = strings.TrimRight(base, "/")
	s.origins["baseUrl"] = baseOrigin
	if t.Model.API == "" {
		t.Model.API = apiOpenAI
	}

	model, origin := c.modelOf(ch)
	if model == "" {
		return Target{}, &Error{Kind: ErrUsage, Message: "no model is named for the provider " + quote(e.Name),
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
	case e.provider() == OpenAI && c.settings.DefaultMode == High:
		return DefaultHighModel, c.settings.Origin("defaultMode")
	case e.provider() == OpenAI:
		return DefaultModel, FromDefault
	}
	return "", ""
}

// withKey finds the key: the flag, then PAI_<ENTRY>_API_KEY, then a variable
// that the entry names, then the provider's own, then the entry's key itself.
func (c *chooser) withKey(ch choice, t Target) (Target, error) {
	e, s := ch.entry, c.settings
	t.APIKey, s.origins["apiKey"] = c.src.Flags.APIKey, fromFlag("--set apiKey")
	if t.APIKey != "" {
		return t, nil
	}
	names := []string{"PAI_" + envWord(e.Name) + "_API_KEY"}
	if e.APIKey.Env != "" {
		names = append(names, e.APIKey.Env)
	}
	names = append(names, ownKey(e.provider()))
	if key, origin := firstSet(c.src.Getenv, names...); key != "" {
		t.APIKey, s.origins["apiKey"] = Secret(key), origin
		return t, nil
	}
	t.APIKey, s.origins["apiKey"] = e.APIKey.Literal, ch.source
	if t.APIKey != "" {
		return t, nil
	}
	s.origins["apiKey"] = FromDefault
	if t.Model.BaseURL != DefaultBaseURL && e.APIKey.Env == "" {
		return t, nil // a server of one's own may want none
	}
	return t, noKey(e.Name, append(names, "apiKey in "+c.path))
}

func noKey(entry string, places []string) error {
	return &Error{Kind: ErrCredentials, Message: "no key for the provider " + quote(entry) + "; looked at " + strings.Join(places, ", "),
		Advice: "set one of them, or run `ai init`"}
}

// envWord writes an entry's name as it stands in a variable's name.
func envWord(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// ownKey is the variable that a provider's own programs read.
func ownKey(provider string) string {
	switch provider {
	case "google", "gemini":
		return "GEMINI_API_KEY"
	}
	return envWord(provider) + "_API_KEY"
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
	if f.APIKey != "" {
		t.APIKey, s.origins["apiKey"] = f.APIKey, fromFlag("--set apiKey")
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
