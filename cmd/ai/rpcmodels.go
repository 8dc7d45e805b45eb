package main

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/rpc"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session/export"
	"github.com/holic512/plugin-ai/session/transcript"
)

// rpcModels are the models that a client may choose from. What it chooses
// holds for this process, and no file is written.
type rpcModels struct {
	app          *app
	settings     *config.Settings
	conversation *conversation
	agent        *runner.Agent

	mu      sync.Mutex
	now     *model
	missing error // why nobody can be asked
	known   []rpc.Model
	secrets []string
	masker  *mask.Masker
}

// first opens who is asked to begin with.
func (p *rpcModels) first(ctx context.Context) (*model, error) {
	m, err := p.app.model(ctx, p.settings)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		// The client is told with its first prompt, and may choose another.
		p.missing, m = err, noModel(p.settings.Target)
	}
	p.now = m
	return m, nil
}

func (p *rpcModels) notReady() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missing
}

// hide adds secrets that what is kept must not show.
func (p *rpcModels) hide(secrets []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.secrets = append(p.secrets, secrets...)
	p.masker = masker(p.secrets)
}

func (p *rpcModels) mask(text string) string {
	p.mu.Lock()
	m := p.masker
	p.mu.Unlock()
	masked, _ := m.String(text)
	return masked
}

// Current is who is asked.
func (p *rpcModels) Current() (rpc.Model, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil || p.now.target.Model.ID == "" {
		return rpc.Model{}, false
	}
	return rpc.NewModel(p.now.target.Entry, p.now.target.Model), true
}

// Available are the models of the entries that can be asked.
func (p *rpcModels) Available() []rpc.Model {
	now, ok := p.Current()
	ready := p.notReady() == nil
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = []rpc.Model{}
		for _, e := range p.settings.Providers.Entries {
			ids := slices.Clone(e.Models)
			if e.DefaultModel != "" && !slices.Contains(ids, e.DefaultModel) {
				ids = append([]string{e.DefaultModel}, ids...)
			}
			for _, id := range ids {
				if s, err := p.load(e.Name, id); err == nil && s.Ready() == nil {
					p.known = append(p.known, rpc.NewModel(e.Name, s.Target.Model))
				}
			}
		}
	}
	list := slices.Clone(p.known)
	if ok && ready && !slices.ContainsFunc(list, func(m rpc.Model) bool { return m.Provider == now.Provider && m.ID == now.ID }) {
		list = append([]rpc.Model{now}, list...)
	}
	return list
}

// load reads the settings as if a provider and a model were named by flags.
func (p *rpcModels) load(provider, id string) (*config.Settings, error) {
	src := p.app.sources(false)
	src.Flags.Provider, src.Flags.Model = provider, id
	if provider == config.Offline || provider == config.LLMBase {
		src.Flags.Model, src.Flags.BaseURL = "", ""
	}
	return config.Load(src)
}

// Use asks another model from the next call on.
func (p *rpcModels) Use(ctx context.Context, provider, id string) (rpc.Model, error) {
	if !p.offers(provider, id) {
		return rpc.Model{}, rpc.ErrNoModel
	}
	settings, err := p.load(provider, id)
	if err != nil {
		return rpc.Model{}, err
	}
	next, err := p.app.model(ctx, settings)
	if err != nil {
		return rpc.Model{}, err
	}
	next.plugins = p.conversation.plugins
	p.hide([]string{next.options.APIKey})
	p.mu.Lock()
	p.now, p.missing = next, nil
	p.mu.Unlock()
	p.agent.Change(func(*runner.Runner) { p.conversation.use(next) })
	return rpc.NewModel(next.target.Entry, next.target.Model), nil
}

// offers tells whether a model may be named. An entry that lists none takes
// any.
func (p *rpcModels) offers(provider, id string) bool {
	if slices.ContainsFunc(p.Available(), func(m rpc.Model) bool { return m.Provider == provider && m.ID == id }) {
		return true
	}
	if provider == config.Offline {
		return id == config.Offline
	}
	for _, e := range p.settings.Providers.Entries {
		if e.Name == provider {
			return len(e.Models) == 0 && e.DefaultModel == ""
		}
	}
	now, ok := p.Current()
	return ok && provider == now.Provider && provider != config.Offline
}

// Think lets the model think at a level from the next call on.
func (p *rpcModels) Think(level string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		return
	}
	next := p.now.thinking(level)
	p.now = next
	p.agent.Change(func(r *runner.Runner) {
		p.conversation.model, r.Model = next, next
	})
}

// thinking is the model at another level. Each wire API says it in its own form,
// and only to models that think.
func (m *model) thinking(level string) *model {
	next := *m
	next.target.Level = level
	next.options.Level = llm.Level(level)
	return &next
}

// Thinking is the model at another level; see [runner.Thinker].
func (m *model) Thinking(level string) runner.Model { return m.thinking(level) }

func writeHTML(w io.Writer, t *transcript.Transcript, chinese bool) error {
	return export.Write(w, export.HTML, t, export.Options{Chinese: chinese})
}
