package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

const (
	slothtool  = "slothtool" // what plugins count as where programs are named
	nodeRemedy = "; install Node.js 18 or newer from your system's packages or nodejs.org"
)

// JudgePlugin says what the run of a plugin may do. Nothing is known about the
// code of plugins: a run is asked for, unless it is --help or --version alone
// or a line of [Options.SafePlugins]. What the plugin says of itself, and what
// the model says, only raises. The judgement's program is node; its path is ""
// where there is none to be trusted, and a reason says what to do.
//
// A person's rules on commands see the run as `slothtool run ALIAS args…`.
func (e *Engine) JudgePlugin(s PluginStep) Judgement {
	tries := 0
	j := &judging{e: e, cwd: filepath.Clean(s.CWD), tries: &tries, listed: true}
	out := Judgement{Args: append([]string{s.Bin}, s.Args...), CWD: s.CWD}
	e.requires(j, s.Requires)
	j.form(s.CWD, s.Args)
	j.pluginForm(&s)
	if len(s.Args) <= maxArgs {
		j.pluginRun(&s)
		command := append([]string{"run", s.Alias}, s.Args...)
		j.ownRules(slothtool, command)
		// A person's rule file may refuse more.
		j.nested(func(n *judging) { n.program(slothtool, command[1:]) }, protocol.Block)
	} else {
		j.hit(protocol.Confirm, "plugin.run", pluginRuns(s.Alias), protocol.FactCode)
	}
	j.pluginListed(s.Alias)
	out.Path = j.find("node", s.CWD, nodeRemedy)
	e.conclude(j, &out)
	return out
}

func pluginRuns(alias string) string {
	return clip(alias) + " is a plugin, and what its code does is not known"
}

// pluginForm judges the plugin's name and where its program is.
func (j *judging) pluginForm(s *PluginStep) {
	if !plainName(s.Alias) {
		j.hit(protocol.Confirm, "plugin name", "the plugin "+clip(s.Alias)+" is not a plain name of lower-case letters, digits and . _ + -")
	}
	if !filepath.IsAbs(s.Bin) || strings.IndexByte(s.Bin, 0) >= 0 {
		j.hit(protocol.Block, "plugin program", "the program "+clip(s.Bin)+" of the plugin is not named by an absolute path", protocol.FactCode)
		return
	}
	info, err := j.e.files.Stat(s.Bin)
	switch {
	case err == nil && worldWritable(info) || j.e.shared(filepath.Dir(s.Bin)):
		j.hit(protocol.Confirm, "untrusted program", "the plugin's program "+clip(s.Bin)+" is where others can put programs", protocol.FactCode)
	case j.workedOn(s.Bin):
		j.hit(protocol.Confirm, "plugin.workspace", "the plugin's program "+clip(s.Bin)+" is in the folder worked in, where steps may have changed it", protocol.FactCode)
	}
}

// workedOn says whether a program lies where the work is done. What SlothTool
// installed does not, where the work is done in the whole home folder.
func (j *judging) workedOn(bin string) bool {
	installed := ""
	if j.e.opt.Home != "" {
		installed = j.real(filepath.Join(j.e.opt.Home, ".slothtool"))
	}
	for _, root := range []string{j.e.opt.Workspace, j.cwd} {
		if root == "" || filepath.Dir(root) == root {
			continue
		}
		root = j.real(root)
		if within(bin, root) && (installed == "" || !within(bin, installed) || within(root, installed)) {
			return true
		}
	}
	return false
}

// pluginRun judges what is run.
func (j *judging) pluginRun(s *PluginStep) {
	if slices.Contains(s.Declared, protocol.FactElevated) {
		j.hit(protocol.Block, ruleElevated, clip(s.Alias)+" says of itself that it needs more rights, which are never given", protocol.FactElevated)
	}
	if s.Screen != "" {
		j.hit(protocol.Confirm, "plugin.screen", s.Screen)
	}
	if len(s.Args) == 1 && (s.Args[0] == "--help" || s.Args[0] == "--version") {
		j.hit(protocol.Safe, "plugin.help", clip(s.Alias)+" "+s.Args[0]+" tells about the plugin", protocol.FactCode)
		return
	}
	line, unnamed, safe := j.e.safeLine(s.Alias, s.Args)
	if safe {
		j.hit(protocol.Safe, "safePlugins", fmt.Sprintf("%q of %s is safe by your settings", line, clip(s.Alias)), protocol.FactCode)
	} else {
		unnamed = s.Args
		j.hit(protocol.Confirm, "plugin.run", pluginRuns(s.Alias), protocol.FactCode)
	}
	for _, arg := range unnamed {
		j.pluginArg(arg)
	}
	j.declared(s.Alias, s.Declared)
}

// declared counts what the plugin says of itself.
func (j *judging) declared(alias string, facts []protocol.Fact) {
	var does []string
	for _, f := range facts {
		switch f {
		case protocol.FactCode, protocol.FactElevated:
			continue
		case protocol.FactWrite:
			does = append(does, "changes files")
		case protocol.FactNetwork:
			does = append(does, "uses the network")
		case protocol.FactSecrets:
			does = append(does, "reads keys or credentials")
		case protocol.FactDestructive:
			does = append(does, "removes what cannot be brought back")
		case protocol.FactUnbounded:
			does = append(does, "may never end")
		default:
			does = append(does, "does more ("+clip(string(f))+")")
		}
		j.hit(protocol.Confirm, "", "", f)
	}
	if len(does) > 0 {
		j.hit(protocol.Confirm, "plugin.declares", clip(alias)+" says of itself that it "+strings.Join(does, ", "))
	}
}

// pluginArg judges an argument as a path that is read, where it is one: "add
// password" is no place of keys.
func (j *judging) pluginArg(arg string) {
	if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
		arg = value
	}
	if strings.HasPrefix(arg, "~") || strings.HasPrefix(arg, ".") || strings.ContainsAny(arg, `/\`) {
		j.readPath(arg, "")
		return
	}
	if _, info := j.spellings(arg); info != nil {
		j.readPath(arg, "")
	}
}

// pluginListed judges whether plugins, or this one, are allowed at all.
func (j *judging) pluginListed(alias string) {
	add := fmt.Sprintf(`: add "slothtool", or %q for this plugin alone`, clip(alias))
	if !j.e.allows(slothtool) && !j.e.allows(alias) {
		j.listed = false
		j.hit(protocol.Confirm, ruleUnlisted, "plugins are not in allowedPrograms"+add)
	}
	for _, n := range j.e.opt.Narrowings {
		if !slices.Contains(n.Programs, slothtool) && !slices.Contains(n.Programs, alias) {
			j.listed = false
			j.hit(protocol.Confirm, ruleUnlisted, "plugins are not in the allowedPrograms of "+n.Origin+add)
		}
	}
}
