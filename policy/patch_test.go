package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/schemas"
)

// A held is a home folder with all the files that hold the program.
type held struct {
	plugged
	own OwnFiles
}

func newHeld(t testing.TB) held {
	t.Helper()
	p := newPlugged(t)
	h := held{plugged: p}
	h.own.Settings = p.file(t, "home/.slothtool/plugin-configs/ai.json")
	h.own.Held = []HeldPlace{
		{p.file(t, "home/.config/pai/default.json"), "ai init"},
		{filepath.Dir(p.file(t, "home/.slothtool/ai/rules/mine.json")), ""},
		{p.file(t, "home/.slothtool/registry.json"), "slothtool install"},
		{p.file(t, "state/ai/audit.jsonl"), ""},
		{p.file(t, "work/.ai/config.json"), ""},
		{filepath.Join(p.root, "not", "there.json"), ""},
		{},
	}
	for _, name := range []string{
		"home/.slothtool/settings.json", "home/.slothtool/plugin-configs/loc.json", "home/.slothtool/plugin-configs/llm-base.json",
		"home/.slothtool/data/plugin-configs/loc.json", "home/.slothtool/data/plugin-configs/llm-base.json",
		"home/.slothtool/backups/ai.json.1", "home/.docker/config.json", "work/package.json", "work/sub/.ai/config.json", "work/config.json",
	} {
		p.file(t, name)
	}
	return h
}

func (h held) judge(t testing.TB, opt Options, step PatchStep) Judgement {
	t.Helper()
	opt.Own = h.own
	return h.engine(t, opt).JudgePatch(step)
}

func TestJudgePatch(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	write := []protocol.Fact{protocol.FactWrite}
	secret := []protocol.Fact{protocol.FactSecrets, protocol.FactWrite}
	const plain = "write=true config.json_patch"
	for _, tt := range []struct {
		name, path string // path below the root of all
		members    []string
		opt        Options
		requires   protocol.Requires
		level      protocol.Level
		rules      string
		facts      []protocol.Fact
	}{
		{"SlothTool's settings", "home/.slothtool/settings.json", []string{"language"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"a plugin's settings", "home/.slothtool/plugin-configs/loc.json", []string{"x"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"where plugins keep them now", "home/.slothtool/data/plugin-configs/loc.json", []string{"allowSudo"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"a new file", "home/.slothtool/plugin-configs/new.json", []string{"x"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"nothing changes", "home/.slothtool/settings.json", nil, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"a file of the person's", "work/package.json", []string{"scripts"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"a config.json that is no project's", "work/config.json", []string{"allowWrite"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},

		{"no writing", "home/.slothtool/settings.json", []string{"language"}, Options{AllowNetwork: true}, protocol.Requires{}, protocol.Block, plain, write},
		{"more rights", "home/.slothtool/settings.json", []string{"language"}, open(Options{}), protocol.Requires{Elevated: true}, protocol.Block, "elevated=true " + plain, []protocol.Fact{protocol.FactElevated, protocol.FactWrite}},
		{"a confirmation", "home/.slothtool/settings.json", []string{"language"}, open(Options{}), protocol.Requires{Confirm: true}, protocol.Confirm, "write=true confirm=true config.json_patch", write},
		{"no network", "home/.slothtool/settings.json", []string{"network"}, Options{AllowWrite: true}, protocol.Requires{Network: true}, protocol.Block, "network=true " + plain, []protocol.Fact{protocol.FactNetwork, protocol.FactWrite}},

		{"ai.json, free", "home/.slothtool/plugin-configs/ai.json", []string{"language", "maxTailLines"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"ai.json, nothing changes", "home/.slothtool/plugin-configs/ai.json", nil, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"ai.json, held", "home/.slothtool/plugin-configs/ai.json", []string{"allowSudo"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"ai.json, free and held", "home/.slothtool/plugin-configs/ai.json", []string{"language", "deny"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"ai.json, no such member", "home/.slothtool/plugin-configs/ai.json", []string{"rules"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"ai.json, a member in another case", "home/.slothtool/plugin-configs/ai.json", []string{"Language"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"ai.json, two members in one", "home/.slothtool/plugin-configs/ai.json", []string{"defaultMode defaultProfile"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"ai.json, a member without a name", "home/.slothtool/plugin-configs/ai.json", []string{""}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"ai.json in another case", "home/.slothtool/Plugin-Configs/AI.json", []string{"deny"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"ai.json by a roundabout way", "home/.slothtool/plugin-configs/../plugin-configs/./ai.json", []string{"deny"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"another home's ai.json", "other/.slothtool/plugin-configs/ai.json", []string{"language"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},

		{"a project's settings", "work/.ai/config.json", []string{"deny"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"another project's", "work/sub/.ai/config.json", []string{"x"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"a new project's, in another case", "new/.AI/Config.json", []string{"x"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"own rules", "home/.slothtool/ai/rules/mine.json", []string{"for"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"a new rule file", "home/.slothtool/ai/rules/new.json", []string{"for"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"who is asked", "home/.config/pai/default.json", []string{"providers"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash write=true config.json_patch secrets", secret},
		{"the registry", "home/.slothtool/registry.json", []string{"plugins"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"the log", "state/ai/audit.jsonl", nil, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"held and not there yet", "not/THERE.json", []string{"x"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash " + plain, write},
		{"a backup", "home/.slothtool/backups/ai.json.1", []string{"x"}, open(Options{}), protocol.Requires{}, protocol.Block, "own leash write=true config.json_patch secrets", secret},

		{"llm-base, a profile", "home/.slothtool/plugin-configs/llm-base.json", []string{"profiles"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain + " secrets", secret},
		{"llm-base, the rest", "home/.slothtool/plugin-configs/llm-base.json", []string{"default_profile"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain, write},
		{"llm-base at its new place", "home/.slothtool/data/plugin-configs/llm-base.json", []string{"profiles"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain + " secrets", secret},
		{"another place of keys", "home/.docker/config.json", []string{"x"}, open(Options{}), protocol.Requires{}, protocol.Confirm, plain + " secrets", secret},
		{"one of the person's", "work/package.json", []string{"x"}, open(Options{SecretPaths: []string{h.work}}), protocol.Requires{}, protocol.Confirm, plain + " secrets", secret},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := h.root + string(filepath.Separator) + filepath.FromSlash(tt.path)
			j := h.judge(t, tt.opt, PatchStep{Path: path, Members: tt.members, Requires: tt.requires})
			if j.Level != tt.level || strings.Join(j.Rules, " ") != tt.rules || !cmp.Equal(j.Facts, tt.facts) {
				t.Errorf("got %v %q %q\n%s", j.Level, j.Rules, j.Facts, why(j))
			}
			if !j.Listed || j.Path != "" || j.Args != nil || j.CWD != filepath.Dir(path) || !slices.Equal(j.Writes, []string{path}) {
				t.Errorf("got %+v", j)
			}
		})
	}
	for _, path := range []string{"", "ai.json", "~/.slothtool/settings.json", h.work + "/a\x00.json"} {
		if j := h.judge(t, open(Options{}), PatchStep{Path: path}); j.Level != protocol.Block {
			t.Errorf("%q: %v", path, j.Level)
		}
	}
}

// Another name of ai.json is ai.json.
func TestPatchLinks(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	links := []string{filepath.Join(h.work, "hard.json"), filepath.Join(h.work, "soft.json")}
	if err := os.Link(h.own.Settings, links[0]); err != nil {
		t.Skip("this system makes no links:", err)
	}
	if err := os.Symlink(h.own.Settings, links[1]); err != nil {
		t.Skip("this system makes no links:", err)
	}
	for _, path := range links {
		if j := h.judge(t, open(Options{}), PatchStep{Path: path, Members: []string{"sandbox"}}); j.Level != protocol.Block {
			t.Errorf("%s: %v", path, j.Level)
		}
	}
	// An ai.json that is a link to a file elsewhere: the real one holds.
	real := h.file(t, "dotfiles/settings.json")
	if err := os.Remove(h.own.Settings); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, h.own.Settings); err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]protocol.Level{"sandbox": protocol.Block, "language": protocol.Confirm} {
		if j := h.judge(t, open(Options{}), PatchStep{Path: real, Members: []string{member}}); j.Level != want {
			t.Errorf("%s: %v, expected %v", member, j.Level, want)
		}
	}
	// A link to what is held by its name alone.
	other := filepath.Join(h.work, "other.json")
	if err := os.Symlink(h.file(t, "other/.slothtool/plugin-configs/ai.json"), other); err != nil {
		t.Fatal(err)
	}
	if j := h.judge(t, open(Options{}), PatchStep{Path: other, Members: []string{"language"}}); j.Level != protocol.Block {
		t.Errorf("another's ai.json behind a link: %v", j.Level)
	}
	// A folder of rules that is a link.
	rules := h.file(t, "dotfiles/rules/mine.json")
	h.own.Held = []HeldPlace{{filepath.Join(h.home, "my-rules"), ""}}
	if err := os.Symlink(filepath.Dir(rules), h.own.Held[0].Path); err != nil {
		t.Fatal(err)
	}
	if j := h.judge(t, open(Options{}), PatchStep{Path: rules}); j.Level != protocol.Block {
		t.Errorf("rules behind a link: %v", j.Level)
	}
}

func TestLeashTellsWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	for _, tt := range []struct {
		path    string
		members []string
		words   []string
	}{
		{h.own.Settings, []string{"allowSudo"}, []string{"allowSudo in ai.json", "ai config set allowSudo VALUE"}},
		{h.own.Settings, []string{"yesPaths", "language", "ask"}, []string{"ask, yesPaths in ai.json", "ai config set KEY VALUE"}},
		{h.own.Settings, []string{"a\x1b[2J"}, []string{"a?[2J"}},
		{h.own.Held[0].Path, nil, []string{"only a person changes it: ai init"}},
		{h.own.Held[1].Path, nil, []string{"by hand"}},
	} {
		j := h.judge(t, open(Options{}), PatchStep{Path: tt.path, Members: tt.members})
		for _, words := range tt.words {
			if j.Rules[0] != ruleLeash || !strings.Contains(j.Reasons[0], words) {
				t.Errorf("%q does not say %q", j.Reasons[0], words)
			}
		}
	}
}

// Without being told where the settings are, all of them are held.
func TestLeashByDefault(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	h.own = OwnFiles{}
	for _, name := range []string{".slothtool/plugin-configs/ai.json", ".slothtool/ai/rules/x.json", ".slothtool/backups/x.json", ".config/pai/default.json", ".local/state/ai/audit.jsonl"} {
		if j := h.judge(t, open(Options{}), PatchStep{Path: filepath.Join(h.home, filepath.FromSlash(name)), Members: []string{"language"}}); j.Level != protocol.Block {
			t.Errorf("%s: %v", name, j.Level)
		}
	}
}

// Every key of ai.json is on the leash or free, and that was decided: a new
// key has to be put on one of the two lists.
func TestLeashKnowsAllKeys(t *testing.T) {
	t.Parallel()
	text, err := schemas.Source("config")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	h := newHeld(t)
	leash := strings.Fields("allowedPrograms allowWrite allowNetwork allowSudo allowShell sandbox editablePaths deny ask secretPaths safePlugins yesPaths maxAutoStepsPerTurn decide rpc hooks")
	free := strings.Fields(freeMembers)
	for key := range schema.Properties {
		if slices.Contains(leash, key) == slices.Contains(free, key) {
			t.Errorf("%s: on the leash %v, free %v", key, slices.Contains(leash, key), slices.Contains(free, key))
		}
	}
	for _, key := range slices.Concat(leash, free) {
		if _, ok := schema.Properties[key]; !ok {
			t.Errorf("ai.json has no key %s", key)
		}
		want := protocol.Confirm
		if slices.Contains(leash, key) {
			want = protocol.Block
		}
		if j := h.judge(t, open(Options{}), PatchStep{Path: h.own.Settings, Members: []string{key}}); j.Level != want {
			t.Errorf("%s: %v, expected %v", key, j.Level, want)
		}
	}
}

// Reading backups is asked for, and writing them is refused.
func TestBackupsAreSecret(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]protocol.Level{
		"cat ~/.slothtool/backups/ai.json.1":                 protocol.Confirm,
		"cat /home/you/.slothtool/backups/llm-base.json.2":   protocol.Confirm,
		"cat ~/.slothtool/data/plugin-configs/llm-base.json": protocol.Confirm,
		"cat ~/.slothtool/data/plugin-configs/loc.json":      protocol.Safe,
		"cat ~/.slothtool/settings.json":                     protocol.Safe,
		"grep -r key /home/you/.slothtool":                   protocol.Confirm,
		"cp x ~/.slothtool/backups/ai.json.1":                protocol.Block,
		"rm ~/.slothtool/ai/rules/mine.json":                 protocol.Block,
		"cp x ~/.slothtool/AI/Rules/mine.json":               protocol.Block,
		"tee ~/.local/state/ai/audit.jsonl":                  protocol.Block,
		"cp x ~/.slothtool/data/plugin-configs/loc.json":     protocol.Confirm,
		"cp x ~/.slothtool/settings.json":                    protocol.Confirm,
		"ls ~/.slothtool":                                    protocol.Safe,
	} {
		if j := judge(t, open(Options{}), line); j.Level != want {
			t.Errorf("%s: %v, expected %v\n%s", line, j.Level, want, why(j))
		}
	}
}
