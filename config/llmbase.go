package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// llmBase is llm-base.json, a file of another program that is only read.
type llmBase struct {
	DefaultProfile string             `json:"default_profile"`
	Profiles       map[string]profile `json:"profiles"`
}

// profile is one server of llm-base with its two models.
type profile struct {
	BaseURL   string  `json:"base_url"`
	APIKey    string  `json:"api_key"`
	LowModel  string  `json:"low_model"`
	HighModel string  `json:"high_model"`
	Timeout   float64 `json:"timeout"` // milliseconds
}

// timeout is how long one answer may take.
func (p *profile) timeout() time.Duration {
	return time.Duration(p.Timeout * float64(time.Millisecond))
}

// readLLMBase reads llm-base.json and fills in what llm-base itself would. A
// file that is not there has no profiles.
func readLLMBase(path string) (*llmBase, bool, error) {
	text, err := readFile(path)
	if err != nil || text == nil {
		return &llmBase{}, false, err
	}
	if _, err := parse(path, text); err != nil {
		return nil, true, err
	}
	base := new(llmBase)
	if err := decode(ErrFile, path, text, base); err != nil {
		return nil, true, err
	}
	for name, p := range base.Profiles {
		p.BaseURL = cmp.Or(p.BaseURL, DefaultBaseURL)
		p.LowModel = cmp.Or(p.LowModel, "gpt-4o-mini")
		p.HighModel = cmp.Or(p.HighModel, "gpt-4o")
		if p.Timeout <= 0 {
			p.Timeout = 60000
		}
		if err := checkURL(p.BaseURL); err != nil {
			return nil, true, violation(path, "/profiles/"+name+"/base_url", err.Error(), "another one")
		}
		base.Profiles[name] = p
	}
	return base, true, nil
}

// pick finds a profile: the named one, else the file's default, else the only
// one.
func (b *llmBase) pick(path, name string) (string, *profile, error) {
	names := make([]string, 0, len(b.Profiles))
	for n := range b.Profiles {
		names = append(names, n)
	}
	slices.Sort(names)
	name = cmp.Or(name, b.DefaultProfile)
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	if p, ok := b.Profiles[name]; ok {
		return name, &p, nil
	}
	e := &Error{Kind: ErrProfile, File: path}
	switch {
	case len(names) == 0:
		e.Message = "NO_PROFILE: llm-base has no profile"
		e.Advice = "add one with llm-base (slothtool install @holic512/plugin-llm-base), or run `ai init`"
	case name == "":
		e.Message = "NO_PROFILE: llm-base names no default profile"
		e.Advice = "name one of " + strings.Join(names, ", ") + " with --profile or `ai config set defaultProfile NAME`"
	default:
		e.Message = fmt.Sprintf("NO_PROFILE: llm-base has no profile %s", quote(name))
		e.Advice = "name one of " + strings.Join(names, ", ")
	}
	return "", nil, e
}
