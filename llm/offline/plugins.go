package offline

import (
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func pluginIntents() []intent {
	noFile := func(t *turn) bool { return t.file == "" }
	return []intent{
		{
			name: "plugins.list",
			en: `
				^ which|what slothtool? plugins|plugin are|is there|installed|available|here? installed|available|here? $
				^ which|what slothtool? plugins do|have i|we|you have|installed? installed? $
				^ show|list|see all|my|installed? slothtool? plugins installed? $
				^ my|installed|slothtool? plugins $
				^ is|are there|any any? plugins|plugin installed|here? $
				^ do i have any? plugins installed? $
				^ how many plugins are|do|have installed|there|i? have? installed? $`,
			zh: `
				^ 有|装了|安装了|我有|我装了|我安装了|你有|已经装了|已经安装了|现在有 哪些|什么 slothtool? 插件 可用|可以用? $
				^ 插件 有|是 哪些|什么 $
				^ 列出|显示|查看|看看? 所有|全部|已安装的|安装的|我的? slothtool? 插件 列表? $
				^ 哪些|什么 插件 安装了|装了|可用|可以用|已安装? $
				^ 有没有|有几个|有多少个|装了几个 插件 $`,
			need: noFile,
			ask:  askPlugins,
		},
		{
			name: "plugins.install",
			en: `
				how .. install|add|get .. plugin|plugins $
				^ install|add plugin|plugins $
				^ install|add <name> plugin $
				^ install|add plugin <name> $`,
			zh: `
				怎么|如何|怎样 安装|装|添加 .. 插件 $
				^ 安装|装|添加 <name+> 插件 $
				^ 安装|装|添加 个? 插件 <name>? $`,
			need: noFile,
			ask: func(t *turn) protocol.Reply {
				return say(t.lang.installPlugin(t.slots["name"]), t.lang.pluginsQuestion(), t.lang.helpQuestion())
			},
		},
		{
			name: "plugins.help",
			en: `
				^ what can|does plugin? <plugin> plugin? do $
				^ tell? what plugin? <plugin> plugin? can|does do? $
				^ what is plugin <plugin> for? $
				^ what is <plugin> plugin for? $
				^ how do|can|to i|we|you? use|run|call plugin? <plugin> plugin? $
				^ help for|on|about|with|of? plugin? <plugin> plugin? $
				^ show? plugin? <plugin> plugin? help|usage $
				^ explain|describe|about plugin <plugin> $
				^ explain|describe|about <plugin> plugin $`,
			zh: `
				^ 插件? <plugin+> 这? 个? 插件? 能|会|可以 做|干 些? 什么|啥 $
				^ 插件? <plugin+> 这? 个? 插件? 怎么|如何|怎样 用|使用 $
				^ 插件? <plugin+> 这? 个? 插件? 有 什么|哪些 用|功能|命令|选项 $
				^ <plugin+> 这? 个? 插件? 的? 帮助|用法|使用方法|使用说明|说明 $
				^ <plugin+> 这? 个? 插件 是 什么|做什么的|干什么的|干嘛的 $
				^ 怎么|如何|怎样 用|使用|运行 插件? <plugin+> 插件? $
				^ 介绍|解释|说明 插件? <plugin+> 插件? $`,
			need: func(t *turn) bool { return t.plugin(t.slots["plugin"]) != "" },
			ask:  func(t *turn) protocol.Reply { return runPlugin(t, t.plugin(t.slots["plugin"]), "--help") },
			tell: tellPlugin, instead: pluginNotRun,
		},
		{
			name: "plugins.run",
			en: `
				^ run|execute|exec|start|call|use|launch|open <line+> $`,
			zh: `
				^ 运行|执行|跑|用|使用|调用|启动|打开 <line+> $
				^ 在|对 <line+> 运行|执行|跑|用|使用|调用 <plugin+> 插件? $`,
			need: func(t *turn) bool { alias, _ := t.pluginLine(); return alias != "" },
			ask: func(t *turn) protocol.Reply {
				alias, line := t.pluginLine()
				_, args, err := protocol.ParseCommand(strings.TrimSpace("x " + line))
				if err != nil {
					return say(t.lang.noCommandLine(alias+" "+line, err), t.lang.runQuestion(alias+" --help"), t.lang.pluginsQuestion())
				}
				return runPlugin(t, alias, pluginArgs(args)...)
			},
			tell: tellPlugin, instead: pluginNotRun,
		},
	}
}

// installed are the plugins that the system text tells of.
type installed struct {
	names []string
	more  string // "… and 3 more", where names had to be left out
}

// plugins gives the plugins that are installed.
func (t *turn) plugins() (p installed) {
	for _, s := range t.system {
		for l := range strings.Lines(s) {
			rest, ok := strings.CutPrefix(l, "Plugins: ")
			if !ok {
				continue
			}
			for name := range strings.SplitSeq(strings.TrimSpace(rest), ", ") {
				if strings.HasPrefix(name, "… ") {
					p.more = name
				} else if name != "" {
					p.names = append(p.names, name)
				}
			}
			return p
		}
	}
	return p
}

// plugin gives the installed plugin of that name, whatever its case, or "".
func (t *turn) plugin(name string) string {
	name = strings.Trim(name, "\"'` “”‘’「」")
	var found string
	for _, alias := range t.plugins().names {
		if alias == name {
			return alias
		}
		if strings.EqualFold(alias, name) {
			found = alias
		}
	}
	return found
}

// pluginLine gives the plugin that a request to run one names, and what
// follows it; "" is no such request. "run count src" is one where count is
// installed; other verbs must say that they speak of a plugin.
func (t *turn) pluginLine() (alias, line string) {
	if alias = t.plugin(t.slots["plugin"]); alias != "" {
		line, _ = strings.CutSuffix(strings.TrimSpace(t.slots["line"]), "上")
		return alias, strings.TrimSpace(line)
	}
	verb := t.words[0].low
	rest := cutFirst(t.slots["line"], "一下", "命令", "the ", "my ", "slothtool ")
	named := false
	if cut := cutFirst(rest, "plugin ", "插件"); cut != rest {
		rest, named = cut, true
	}
	// The longest name that the rest begins with.
	for _, name := range t.plugins().names {
		for _, written := range []string{name, "`" + name + "`", `"` + name + `"`, "'" + name + "'", "“" + name + "”"} {
			if n := len(written); len(name) > len(alias) && len(rest) >= n && strings.EqualFold(rest[:n], written) && ends(rest[n:]) {
				alias, line = name, rest[n:]
			}
		}
	}
	if alias == "" || strings.Contains(line, "\n") {
		return "", ""
	}
	line = strings.TrimSpace(line)
	if cut := cutFirst(line, "plugin ", "插件"); cut != line {
		line, named = cut, true
	}
	sure := slices.Contains([]string{"run", "execute", "exec", "运", "执", "跑"}, verb)
	if !named && (!sure || alias == "git" || slices.Contains(readers(), alias)) {
		return "", ""
	}
	return alias, strings.TrimSpace(strings.TrimRight(line, "。？！?"))
}

// cutFirst takes what stands before a name off, each at most once.
func cutFirst(s string, words ...string) string {
	s = strings.TrimSpace(s) + " "
	for _, w := range words {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) {
			s = strings.TrimLeft(s[len(w):], " ")
		}
	}
	return strings.TrimSpace(s)
}

// ends tells whether a name ends where rest begins.
func ends(rest string) bool {
	return rest == "" || rest[0] == ' ' || strings.HasPrefix(rest, "插件") || strings.HasPrefix(rest, "的") || strings.HasPrefix(rest, "?")
}

// pluginArgs makes arguments of what a person said: in "on the src folder with
// --json" the small words are none. What does not begin with one is passed on
// as it stands.
func pluginArgs(said []string) []string {
	if len(said) == 0 {
		return nil
	}
	small := strings.Fields("on in for over with at to against 统计 分析 检查 处理 查看 看看 扫描 数一下")
	if !slices.Contains(small, strings.ToLower(said[0])) {
		return said
	}
	var args []string
	for i, w := range said {
		low := strings.ToLower(w)
		switch {
		case slices.Contains(small, low), oneOf(low, "the,my,folder,directory,file,project,目录,文件夹,please"):
			if i+1 == len(said) && len(args) == 0 {
				args = append(args, ".")
			}
		case oneOf(low, "this,here,it,这里,这个目录,当前目录,这个文件夹,这个项目"):
			args = append(args, ".")
		case oneOf(low, "help,帮助"):
			args = append(args, "--help")
		default:
			args = append(args, w)
		}
	}
	return args
}

func askPlugins(t *turn) protocol.Reply {
	l := t.lang
	p := t.plugins()
	if len(p.names) == 0 && p.more == "" {
		return say(paragraphs(l.noPlugins(), l.installPlugin("")), l.helpQuestion())
	}
	questions := []string{l.helpQuestion()}
	if len(p.names) > 0 {
		questions = []string{l.pluginQuestion(p.names[0]), l.runQuestion(p.names[0] + " --help"), l.helpQuestion()}
	}
	return say(l.pluginsAre(p), questions...)
}

func runPlugin(t *turn, alias string, args ...string) protocol.Reply {
	if args == nil {
		args = []string{}
	}
	s := protocol.Step{Tool: protocol.ToolPluginRun, Plugin: alias, Args: args}
	effect := t.lang.effectPlugin()
	if slices.Equal(args, []string{"--help"}) {
		effect = t.lang.effectPluginHelp()
	}
	return propose(t.lang.runningPlugin(protocol.FormatCommand(alias, args)), effect, s)
}

// pluginAsked gives the plugin and the arguments of the question, as one line.
func (t *turn) pluginAsked() (alias, line string) {
	if alias = t.plugin(t.slots["plugin"]); alias != "" && t.slots["line"] == "" {
		return alias, protocol.FormatCommand(alias, []string{"--help"})
	}
	alias, said := t.pluginLine()
	_, args, err := protocol.ParseCommand(strings.TrimSpace("x " + said))
	if err != nil {
		return alias, alias
	}
	return alias, protocol.FormatCommand(alias, pluginArgs(args))
}

// tellPlugin gives what the plugin wrote: its JSON as a table or a list where
// it is small, else the end of its text.
func tellPlugin(t *turn) protocol.Reply {
	l := t.lang
	o := &t.rounds[len(t.rounds)-1][0]
	alias, asked := t.pluginAsked()
	var out, errs string
	all := lines(o)
	shown := all[max(0, len(all)-outputLines):]
	if out = l.values(o.Parsed); out == "" && len(shown) > 0 {
		language := ""
		if o.Parsed != nil && o.Parsed.Kind == protocol.ParsedPluginOutput && o.Parsed.Total > 0 {
			language = "json"
		}
		if language != "" && len(all) == 1 && !o.Truncated {
			shown = indented(all[0])
		}
		out = block(language, shown[:min(len(shown), outputLines)])
	}
	if s := strings.TrimSpace(o.StderrTail); s != "" {
		list := strings.Split(s, "\n")
		errs = l.onStderr() + "\n\n" + block("", list[max(0, len(list)-20):])
	}
	head := l.ranWith(asked, exit(o), len(all), o.Truncated, len(shown))
	if out == "" && errs == "" {
		head = l.pluginSilent(asked, exit(o))
	}
	questions := []string{l.pluginQuestion(alias), l.pluginsQuestion()}
	if strings.HasSuffix(asked, " --help") {
		questions = []string{l.runQuestion(alias + " ."), l.pluginsQuestion()}
	}
	notes := ""
	if o.Outcome != protocol.Ran || head == "" {
		notes = l.pluginEnded(asked, o)
	}
	return say(paragraphs(head, out, errs, notes), questions...)
}

func pluginNotRun(t *turn) (protocol.Reply, bool) {
	last := t.rounds[len(t.rounds)-1]
	if len(last) == 0 || last[0].Tool != string(protocol.ToolPluginRun) {
		return protocol.Reply{}, false
	}
	alias, asked := t.pluginAsked()
	return say(t.lang.pluginEnded(asked, &last[0]), t.lang.pluginQuestion(alias), t.lang.pluginsQuestion()), true
}
