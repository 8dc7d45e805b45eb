package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
	"github.com/holic512/plugin-ai/rpc"
	"github.com/holic512/plugin-ai/runner"
)

// rpcSlash is what may follow a slash in a client's prompt: plugins, prompt
// templates and skills.
type rpcSlash struct {
	rpc.Texts
	app      *app
	settings *config.Settings
	plugins  *registry.Source
	asker    func() runner.Asker

	once sync.Once
	own  *conversation // carries plugins out beside the conversation
	err  error
}

func (a *app) rpcSlash(s *config.Settings, asker func() runner.Asker) *rpcSlash {
	return &rpcSlash{
		Texts: rpc.Texts{User: filepath.Join(s.Dirs.Sloth, "ai"), Project: filepath.Join(a.dir, ".ai")},
		app:   a, settings: s, plugins: registry.Open(s.Dirs.Registry()), asker: asker,
	}
}

// List names plugins, templates and skills.
func (r *rpcSlash) List() []rpc.SlashCommand {
	var list []rpc.SlashCommand
	if installed, err := r.plugins.Current(); err == nil {
		for _, p := range installed.Plugins() {
			list = append(list, rpc.SlashCommand{Name: p.Alias, Description: p.Manifest().Description, Source: "extension", Path: p.BinPath})
		}
	}
	return append(list, r.Texts.List()...)
}

// Plugin finds the plugin that a prompt calls by its alias.
func (r *rpcSlash) Plugin(text string) (protocol.Step, string, bool) {
	alias, ok := strings.CutPrefix(text, "/")
	rest := ""
	if i := strings.IndexFunc(alias, unicode.IsSpace); i >= 0 {
		alias, rest = alias[:i], alias[i:]
	}
	if !ok || alias == "" {
		return protocol.Step{}, "", false
	}
	installed, err := r.plugins.Current()
	if err != nil {
		return protocol.Step{}, "", false
	}
	p, ok := installed.Lookup(alias)
	if !ok {
		return protocol.Step{}, "", false
	}
	// The alias stands for the program, so that arguments may be quoted.
	_, args, err := protocol.ParseCommand("x" + rest)
	if err != nil {
		args = strings.Fields(rest)
	}
	return protocol.Step{Tool: protocol.ToolPluginRun, Plugin: alias, Args: args}, p.BinPath, true
}

// Run carries a plugin out as the client's own act.
func (r *rpcSlash) Run(ctx context.Context, step protocol.Step) protocol.Observation {
	r.once.Do(func() {
		r.own, r.err = r.app.wire(r.settings, wiring{
			asker: r.asker(), events: func(runner.Event) {},
			open: func() (*model, error) { return &model{provider: offline.New(offline.Config{})}, nil },
		})
	})
	if r.err != nil {
		return protocol.Observation{Tool: string(protocol.ToolPluginRun), Outcome: protocol.NotStarted, Note: r.err.Error()}
	}
	return r.own.Run(ctx, runner.Own{Step: step})
}

// rpcHooks are the person's programs that are asked before a session is left.
func (a *app) rpcHooks(s *config.Settings) rpc.Hooks {
	if len(s.Hooks) == 0 {
		return nil
	}
	return func(ctx context.Context, event string, data map[string]any) (cancel bool, path string, err error) {
		hook, ok := s.Hooks[event]
		if !ok {
			return false, "", nil
		}
		cancel, err = runHook(ctx, a.dir, hook, event, data)
		return cancel, hook.Program, err
	}
}

// hookTime is how long a hook may take that says nothing of it.
const hookTime = 10 * time.Second

// maxHookOutput is how much a hook may write.
const maxHookOutput = 64 << 10

func runHook(ctx context.Context, dir string, hook config.Hook, event string, data map[string]any) (bool, error) {
	limit := hookTime
	if hook.Timeout > 0 {
		limit = time.Duration(hook.Timeout) * time.Second
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	said := map[string]any{"event": event}
	for name, value := range data {
		said[name] = value
	}
	input, err := json.Marshal(said, json.Deterministic(true))
	if err != nil {
		return false, err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, hook.Program, hook.Args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(append(input, '\n'))
	cmd.Stdout = &limitedWriter{&out, maxHookOutput}
	cmd.WaitDelay = time.Second // for children that hold its output
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return false, fmt.Errorf("the hook was ended after %s", limit)
		}
		return false, fmt.Errorf("the hook failed: %w", err)
	}
	if len(bytes.TrimSpace(out.Bytes())) == 0 {
		return false, nil
	}
	var answer struct {
		Cancel bool `json:"cancel"`
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return false, fmt.Errorf(`the hook's output: expected {"cancel":true} or nothing: %w`, err)
	}
	return answer.Cancel, nil
}

// limitedWriter drops what is beyond a limit.
type limitedWriter struct {
	to   *bytes.Buffer
	left int
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.to.Write(p[:n])
	w.left -= n
	return len(p), nil
}
