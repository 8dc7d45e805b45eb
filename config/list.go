package config

import (
	"maps"
	"slices"
)

// A Listed is one that can be asked.
type Listed struct {
	Name       string   `json:"name"`
	Provider   string   `json:"provider"`
	Configured bool     `json:"configured"` // a file says how
	Models     []string `json:"models"`     // never nil
	Default    bool     `json:"-"`          // who is asked when nobody is named, as default.json says
}

// ListProviders lists who can be asked: the entries of default.json in their
// order, then llm-base where it has profiles, then, with all, the known
// providers that neither names. A file that is not there has no entries; the
// error of one that is not understood is of the kind ErrFile. llm-base.json is
// another program's: what is wrong with it is a warning, and so is a key that
// others may read.
func ListProviders(src Sources, all bool) (list []Listed, warnings []string, err error) {
	path, _ := ProvidersPath(src)
	file, _, err := readProviders(path)
	if err != nil {
		return nil, nil, err
	}
	if w := exposedKey(path, file); w != "" {
		warnings = append(warnings, w)
	}
	list = []Listed{}
	has := map[string]bool{}
	for _, e := range file.Entries {
		l := Listed{Name: e.Name, Provider: e.provider(), Configured: true, Models: []string{}, Default: e.Name == file.DefaultProvider}
		// The first is the one that is asked.
		for _, m := range append([]string{e.DefaultModel}, e.Models...) {
			if m != "" && !slices.Contains(l.Models, m) {
				l.Models = append(l.Models, m)
			}
		}
		has[l.Provider], has[l.Name] = true, true
		list = append(list, l)
	}
	base, _, err := readLLMBase(FindDirs(src.Home, src.Getenv).LLMBase())
	switch {
	case err != nil:
		warnings = append(warnings, err.Error())
	case len(base.Profiles) > 0 && !has[LLMBase]:
		l := Listed{Name: LLMBase, Provider: LLMBase, Configured: true, Models: []string{}, Default: file.DefaultProvider == LLMBase}
		for _, name := range slices.Sorted(maps.Keys(base.Profiles)) {
			p := base.Profiles[name]
			for _, m := range []string{p.LowModel, p.HighModel} {
				if !slices.Contains(l.Models, m) {
					l.Models = append(l.Models, m)
				}
			}
		}
		has[LLMBase] = true
		list = append(list, l)
	}
	if all {
		for _, p := range KnownProviders() {
			if !has[p.Name] {
				list = append(list, Listed{Name: p.Name, Provider: p.Name, Models: append([]string{}, p.Models...), Default: p.Name == file.DefaultProvider})
			}
		}
	}
	return list, warnings, nil
}
