package config

import (
	"cmp"
	"slices"
	"strings"
)

// A KnownProvider is one that an entry can be of.
type KnownProvider struct {
	Name      string
	BaseURL   string   // where it is, unless an entry says something else; "" is not known, or no server
	Models    []string // that are asked where no others are named: the first, or with --high the second
	KeyEnv    string   // the variable that its key is usually in; "" where the server of BaseURL needs none
	API       string   // its wire API; "" is openai-completions
	Reasoning bool     // whether Models think before they answer, and can be told how hard
}

// Compatible is the provider of any other server that speaks the chat
// completions of OpenAI; its entries need a base URL.
const Compatible = "openai-compatible"

// azure is OpenAI's models at Azure. Its entries need a base URL, that of the
// resource.
const azure = "azure"

// KnownProviders gives the providers that can be asked, always in the same
// order.
func KnownProviders() []KnownProvider {
	return []KnownProvider{
		{Name: OpenAI, BaseURL: DefaultBaseURL, Models: []string{DefaultModel, DefaultHighModel}, KeyEnv: "OPENAI_API_KEY"},
		{Name: Anthropic, BaseURL: "https://api.anthropic.com", Models: []string{"claude-sonnet-5-5", "claude-opus-5-5"}, KeyEnv: "ANTHROPIC_API_KEY", API: apiAnthropic, Reasoning: true},
		{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"},
		{Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1"},
		{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1"},
		{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
		{Name: Google, BaseURL: "https://generativelanguage.googleapis.com/v1beta", Models: []string{"gemini-3.8-flash"}, KeyEnv: "GEMINI_API_KEY", API: apiGoogle, Reasoning: true},
		{Name: azure, KeyEnv: "AZURE_OPENAI_API_KEY", API: apiAzure},
		{Name: Compatible},
		{Name: LLMBase},
		{Name: Offline, Models: []string{Offline}},
	}
}

// known finds a provider; one that is not known knows nothing.
func known(name string) KnownProvider {
	list := KnownProviders()
	if i := slices.IndexFunc(list, func(p KnownProvider) bool { return p.Name == name }); i >= 0 {
		return list[i]
	}
	return KnownProvider{Name: name}
}

// knownNames joins the names of the known providers.
func knownNames() []string {
	var names []string
	for _, p := range KnownProviders() {
		names = append(names, p.Name)
	}
	return names
}

// checkProvider checks the provider of a new entry.
func checkProvider(name string) error {
	names := knownNames()
	if slices.Contains(names, name) {
		return nil
	}
	advice := "another server that speaks OpenAI's chat completions is " + Compatible + " with --set baseUrl=https://host/v1"
	if near, ok := nearest(name, names); ok && name != "" {
		advice = "did you mean " + near + "? " + advice
	}
	got := quote(name)
	if name == "" {
		got = "nothing"
	}
	return &Error{Kind: ErrUsage, Message: "--provider: expected one of " + strings.Join(names, ", ") + ", got " + got, Advice: advice}
}

// KnownProviderAt finds the provider whose own server is at a base URL.
func KnownProviderAt(baseURL string) (KnownProvider, bool) {
	list := KnownProviders()
	i := slices.IndexFunc(list, func(p KnownProvider) bool { return baseURL != "" && p.BaseURL == strings.TrimRight(baseURL, "/") })
	if i < 0 {
		return KnownProvider{}, false
	}
	return list[i], true
}

// apiOf is the wire API of a provider, where no entry names another.
func apiOf(provider string) string { return cmp.Or(known(provider).API, apiOpenAI) }

// apis are the wire APIs that an entry can name.
func apis() []string { return []string{apiOpenAI, apiResponses, apiAzure, apiAnthropic, apiGoogle} }

// checkAPI checks the wire API of an entry.
func checkAPI(api string) error {
	if api == "" || slices.Contains(apis(), api) {
		return nil
	}
	return &Error{Kind: ErrUsage, Message: "api: expected one of " + strings.Join(apis(), ", ") + ", got " + quote(api)}
}
