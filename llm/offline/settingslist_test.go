package offline

import (
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/schemas"
)

// A property is what the schema of a settings file says of a member.
type property struct {
	Type       jsontext.Value      `json:"type"`
	Enum       []any               `json:"enum"`
	Minimum    int64               `json:"minimum"`
	Maximum    int64               `json:"maximum"`
	Default    jsontext.Value      `json:"default"`
	Properties map[string]property `json:"properties"`
}

func propertiesOf(t *testing.T, schema string) map[string]property {
	t.Helper()
	text, err := schemas.Source(schema)
	if err != nil {
		t.Fatal(err)
	}
	var p property
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p.Properties
}

// TestSettingsAreThoseOfTheSchema holds the list to the schema: all members,
// their ranges, values and defaults.
func TestSettingsAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	own, sloth := propertiesOf(t, "config"), propertiesOf(t, "slothtool_settings")
	seen := map[string]bool{}
	for _, s := range settingsList() {
		p, ok := own[s.key]
		if s.sloth {
			p, ok = property{Properties: sloth}, true
			for name := range jsontext.Pointer("/" + s.key).Tokens() {
				if p, ok = p.Properties[name]; !ok {
					break
				}
			}
		} else {
			seen[s.key] = true
		}
		if !ok {
			t.Errorf("%s is in no schema", s.key)
			continue
		}
		if s.kind == valueNumber && (s.min != p.Minimum || s.max != p.Maximum) {
			t.Errorf("%s: from %d to %d, the schema says from %d to %d", s.key, s.min, s.max, p.Minimum, p.Maximum)
		}
		if s.initial != string(p.Default) {
			t.Errorf("%s: default %s, the schema says %s", s.key, s.initial, p.Default)
		}
		if !s.sloth {
			if err := p.Default.Compact(); err != nil {
				t.Error(err)
			}
		}
		var words []string
		for _, v := range p.Enum {
			if word, ok := v.(string); ok {
				words = append(words, word)
			}
		}
		for _, word := range words {
			// custom needs a URL beside it.
			if _, _, ok := s.value(word); !ok && word != "custom" {
				t.Errorf("%s: %q is not understood", s.key, word)
			}
		}
	}
	for key := range own {
		if !seen[key] {
			t.Errorf("%s is not in the list", key)
		}
	}
}

// TestHeldSettings holds the list to the policy: what it refuses to a model is
// held here, and nothing else.
func TestHeldSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), ".slothtool", "plugin-configs", "ai.json")
	engine, err := policy.New(policy.Options{AllowNetwork: true, AllowWrite: true, Own: policy.OwnFiles{Settings: file}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settingsList() {
		if s.sloth {
			continue
		}
		j := engine.JudgePatch(policy.PatchStep{Path: file, Members: []string{s.key}})
		if held := j.Level == protocol.Block; held != s.held {
			t.Errorf("%s: held %v here, the policy says %s %v", s.key, s.held, j.Level, j.Reasons)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, said, want string }{
		{"maxTailLines", "100", "100"}, {"maxTailLines", "1,000", "1000"}, {"maxTailLines", "50 lines", "50"}, {"maxTailLines", "50 行", "50"},
		{"maxTailLines", "0", ""}, {"maxTailLines", "100001", ""}, {"maxTailLines", "-5", ""}, {"maxTailLines", "5 seconds", ""}, {"maxTailLines", "1.5", ""},
		{"maxTailLines", "99999999999999999999", ""}, {"maxTailLines", "", ""}, {"maxTailLines", "lines", ""}, {"maxTailLines", "ten", "10"}, {"maxTailLines", "默认值", "200"},
		{"maxRepairs", "0", "0"}, {"maxRepairs", "3 times", "3"},
		{"maxTailBytes", "16KB", "16384"}, {"maxTailBytes", "9000 GB", ""}, {"spoolLimitBytes", "1 GiB", "1073741824"},
		{"spoolLimitBytes", "9223372036854775807 gb", ""}, {"stepTimeoutSeconds", "2 分钟", "120"}, {"stepTimeoutSeconds", "1h", "3600"}, {"stepTimeoutSeconds", "2 kb", ""},
		{"defaultMode", "High", `"high"`}, {"defaultMode", "dark", ""}, {"defaultMode", "default", `"low"`},
		{"defaultProfile", "Work-2", `"Work-2"`}, {"defaultProfile", "two words", ""}, {"defaultProfile", "a\x1bb", ""}, {"defaultProfile", "null", "null"}, {"defaultProfile", `"公司"`, `"公司"`},
		{"language", "de", ""}, {"language", "中文", `"zh"`}, {"language", "system", "null"},
		{"allowedPrograms", "git, ls and go", `["git","ls","go"]`}, {"allowedPrograms", "default", "null"}, {"allowedPrograms", `["git"]`, ""}, {"safePlugins", "loc", ""},
		{"sandbox", "on", `"auto"`}, {"sandbox", "off", `"off"`}, {"allowWrite", "no", "false"}, {"allowWrite", "maybe", ""},
	} {
		s, _, _, ok := findSetting(tt.key)
		if !ok {
			t.Fatalf("no setting %s", tt.key)
		}
		value, _, ok := s.value(tt.said)
		if string(value) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s = %q: %s %v, want %s", tt.key, tt.said, value, ok, tt.want)
		}
	}
}
