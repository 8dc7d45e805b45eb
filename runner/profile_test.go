package runner_test

import (
	"slices"
	"testing"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

func TestProfileOfTheRoot(t *testing.T) {
	t.Parallel()
	p, ok := runner.Profile(policy.Judgement{Level: protocol.Confirm, Facts: []protocol.Fact{protocol.FactCode}, CWD: "/"}, "/", "/home/you")
	if !ok || slices.Contains(p.Writable, "/") {
		t.Errorf("%v, %v", p.Writable, ok)
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	for name, c := range map[string]struct {
		level    protocol.Level
		facts    []protocol.Fact
		args     []string
		ok       bool
		writes   []string
		not      []string
		network  bool
		secrets  bool
		readOnly bool
	}{
		"safe":              {level: protocol.Safe, facts: []protocol.Fact{protocol.FactWrite, protocol.FactNetwork}, ok: true, readOnly: true},
		"an unknown option": {level: protocol.Confirm, ok: true, readOnly: true},
		"a write":           {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactWrite}, args: []string{work + "/x"}, ok: true, writes: []string{work}, not: []string{"/", "/home", "/home/you"}},
		"a write elsewhere": {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactWrite}, args: []string{"/srv/data/x"}, ok: true, writes: []string{work, "/srv/data"}, not: []string{"/", "/srv"}},
		"into the home":     {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactWrite}, args: []string{"/home/you/x"}, ok: false, not: []string{"/home/you"}},
		"above the home":    {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactWrite}, args: []string{"/home/x"}, ok: false, not: []string{"/home"}},
		"into the root":     {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactWrite}, args: []string{"/x"}, ok: false, not: []string{"/"}},
		"code that writes":  {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactCode, protocol.FactWrite}, args: []string{"/srv/data/x", "/x", "/home/you/x"}, ok: true, writes: []string{work}, not: []string{"/", "/srv/data", "/home/you"}},
		"an address":        {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactNetwork}, args: []string{"https://example.org/a/b"}, ok: true, network: true},
		"a secret":          {level: protocol.Confirm, facts: []protocol.Fact{protocol.FactSecrets}, args: []string{"/home/you/.ssh/id"}, ok: true, secrets: true},
	} {
		p, ok := runner.Profile(policy.Judgement{Level: c.level, Facts: c.facts, CWD: work, Writes: c.args}, work, "/home/you")
		if ok != c.ok || p.Network != c.network || p.Secrets != c.secrets || c.readOnly && len(p.Writable) > 0 || p.LocalSockets {
			t.Errorf("%s: %+v, %v", name, p, ok)
		}
		for _, w := range c.writes {
			if !slices.Contains(p.Writable, w) {
				t.Errorf("%s: %s is not writable: %v", name, w, p.Writable)
			}
		}
		for _, w := range c.not {
			if slices.Contains(p.Writable, w) {
				t.Errorf("%s: %s is writable", name, w)
			}
		}
	}
}
