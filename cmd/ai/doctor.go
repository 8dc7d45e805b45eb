package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/registry"
	"github.com/holic512/plugin-ai/sandbox"
)

// finding is one line of the doctor's report.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, note or problem
	Text   string `json:"text"`
}

// doctorCommand is `ai doctor`.
func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "What was found: settings, who is asked, tools; no secret is shown",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := a.examine(cmd.Context())
			for _, f := range findings {
				if f.Status == "problem" {
					a.code = exitUsage
				}
			}
			if a.flags.json {
				return writeJSON(a.stdout, findings)
			}
			var b strings.Builder
			for _, f := range findings {
				fmt.Fprintf(&b, "%-8s %-11s %s\n", f.Status, f.Name, f.Text)
			}
			_, err := io.WriteString(a.stdout, b.String())
			return err
		},
	}
}

func (a *app) examine(ctx context.Context) []finding {
	var out []finding
	add := func(status, name, format string, args ...any) {
		out = append(out, finding{name, status, fmt.Sprintf(format, args...)})
	}
	add("ok", "version", "ai %s", versionText())
	report := config.Inspect(a.sources(false))
	for _, f := range report.Files {
		switch {
		case f.Err != nil:
			add("problem", f.Role, "%v", f.Err)
		case !f.Found:
			add("ok", f.Role, "%s is not there; defaults hold", f.Path)
		case f.Exposed:
			add("note", f.Role, "%s may hold keys, and others can read it: chmod 600 %s", f.Path, f.Path)
		default:
			add("ok", f.Role, "%s", f.Path)
		}
	}
	for _, err := range report.Problems {
		if slices.ContainsFunc(out, func(f finding) bool { return f.Text == err.Error() }) {
			continue // said of its file
		}
		add("problem", "settings", "%v", err)
	}
	if len(report.Problems) == 0 {
		a.examineTarget(ctx, report, add)
	}
	if plugins, err := registry.Load(config.FindDirs(a.home, a.getenv).Registry()); err != nil {
		add("problem", "registry", "%v", err)
	} else {
		add("ok", "registry", "%d plugins installed", len(plugins.Plugins()))
	}
	examineSandbox(report.Settings.Sandbox, sandbox.Detect(), add)
	a.examineTools(report, add)
	return out
}

// examineSandbox says what the kernel holds steps to.
func examineSandbox(setting config.Sandbox, support sandbox.Support, add func(status, name, format string, args ...any)) {
	switch {
	case setting == config.SandboxOff:
		add("note", "sandbox", "off by the settings: the policy alone decides what runs; there would be: %s", support)
	case support.Enough():
		text := support.String()
		if len(support.Gaps) > 0 {
			text += "; this kernel lets pass: " + strings.Join(support.Gaps, ", ")
		}
		add("ok", "sandbox", "%s", text)
	case setting == config.SandboxRequired:
		add("problem", "sandbox", "required by the settings, and there is none: %s", support.Missing)
	default:
		add("note", "sandbox", "there is none: %s; the policy alone decides what runs", support.Missing)
	}
}

// examineTarget says who is asked, where that was set, and whether the server
// can be reached.
func (a *app) examineTarget(ctx context.Context, report *config.Report, add func(status, name, format string, args ...any)) {
	s := report.Settings
	if report.Ready != nil {
		add("problem", "provider", "%v", report.Ready)
		return
	}
	add("ok", "provider", "%s (%s)", s.Target.Entry, s.Origin("provider"))
	if s.Target.Model.BaseURL == "" {
		add("note", "model", "no server is configured: the built-in offline assistant answers; ai init changes that")
		return
	}
	add("ok", "model", "%s (%s)", s.Target.Model.ID, s.Origin("model"))
	add("ok", "api", "%s", s.Target.Model.API)
	switch {
	case s.Target.APIKey == "" && s.Target.HasKey():
		add("ok", "key", "%s is asked for it when it is needed (%s)", s.Target.KeyRef, s.Origin("apiKey"))
	case s.Target.APIKey == "":
		add("ok", "key", "none is set")
	default:
		add("ok", "key", "there is one (%s)", s.Origin("apiKey"))
	}
	address, err := reach(ctx, s.Target.Model.BaseURL)
	switch {
	case err != nil:
		add("problem", "server", "%s cannot be reached: %v", address, err)
	default:
		add("ok", "server", "%s can be reached (%s)", address, s.Origin("baseUrl"))
	}
}

// reach opens a connection to a server and closes it again.
func reach(ctx context.Context, base string) (address string, err error) {
	u, err := url.Parse(base)
	if err != nil {
		return base, err
	}
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	address = net.JoinHostPort(u.Hostname(), port)
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return address, err
	}
	return address, conn.Close()
}

// examineTools says which programs of the daily work are installed.
func (a *app) examineTools(report *config.Report, add func(status, name, format string, args ...any)) {
	engine, err := a.engine(report.Settings)
	if err != nil {
		add("problem", "policy", "%v", err)
		return
	}
	var found, missing []string
	for _, name := range []string{"git", "grep", "rg", "find", "fd", "jq", "tree", "ps", "node"} {
		if engine.Judge(policy.Step{Program: name, CWD: a.dir}).Path != "" {
			found = append(found, name)
		} else {
			missing = append(missing, name)
		}
	}
	text := strings.Join(found, " ")
	if len(missing) > 0 {
		text += "; not installed: " + strings.Join(missing, " ")
	}
	add("ok", "tools", "%s", text)
}
