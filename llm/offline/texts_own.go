package offline

import (
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// The sentences about changes of settings and about plugins, both languages
// side by side.

func (l lang) languageQuestion() string {
	return l.f("set the language to English", "把语言改成中文")
}

func (l lang) slothLanguageQuestion() string {
	return l.f("set SlothTool's language to English", "把 SlothTool 的语言改成中文")
}

func (l lang) undoQuestion() string { return l.f("put it back", "撤销") }

func (l lang) pluginsQuestion() string {
	return l.f("which plugins are installed?", "有哪些插件？")
}

func (l lang) pluginQuestion(alias string) string {
	return l.f("what can %s do?", "%s 能做什么？", alias)
}

// settingAs names a setting with whose it is.
func (l lang) settingAs(s setting) string {
	if s.sloth {
		return l.f("SlothTool's setting %s", "SlothTool 的设置 %s", code(strings.ReplaceAll(s.key, "/", ".")))
	}
	return l.f("the setting %s of `ai`", "`ai` 的设置 %s", code(s.key))
}

func (l lang) changing(w wanted) string {
	return l.f("This sets %s to %s.", "将 %s 改为 %s。", l.settingAs(w.setting), code(w.typed))
}

func (l lang) effectChange() string {
	return l.f("One value of that file changes.", "修改该文件中的一项。")
}

func (l lang) otherLanguage(value string) string {
	ask := "set SlothTool's language to English"
	if value == "zh" || l == zh {
		ask = l.f("set SlothTool's language to Chinese", "把 SlothTool 的语言改成"+map[bool]string{true: "英文", false: "中文"}[value == "en"])
	}
	return l.f("(SlothTool's own language is another setting; say %s for that one.)", "（SlothTool 自己的语言是另一项设置；要改它，请说 %s。）", code(ask))
}

func (l lang) heldSetting(key string) string {
	return l.f("%s decides what may run here, and a model must not change that: only you can. This command does:",
		"%s 决定这里允许运行什么，模型不得修改它，只有你可以。请运行：", code(key))
}

func (l lang) noValue(s setting, said string) string {
	expected := ""
	switch s.kind {
	case valueChoice:
		expected = l.f("one of %s", "%s 之一", l.names(strings.Fields(s.options), 9))
	case valueNumber:
		expected = l.f("a whole number from %s to %s", "%s 到 %s 的整数", digits(int(s.min)), digits(int(s.max)))
	case valueFlag:
		expected = l.f("`on` or `off`", "`on` 或 `off`")
	case valueText, valueList:
		expected = l.f("one word", "一个词")
	}
	if !s.sloth && s.initial != "" {
		expected += l.f(", or `default`", "，或 `default`（默认值）")
	}
	return l.f("%[2]s is no value of %[1]s, so nothing was changed. It takes %[3]s.", "%[2]s 不是 %[1]s 的有效值，没有做任何修改。它的值是 %[3]s。", l.settingAs(s), code(said), expected)
}

func (l lang) slothSettings() string {
	return l.f("I do not know that setting of SlothTool. I can change its `language`, its `proxy` (on or off), `proxy host`, `proxy port` and `github` (official or gh-proxy). `slothtool config` shows them all.",
		"我不认识 SlothTool 的这项设置。我能改它的语言、代理（打开或关闭）、代理主机、代理端口和 github 源（official 或 gh-proxy）。`slothtool config` 显示全部设置。")
}

func (l lang) slothCommands() string {
	return l.f("`slothtool config` shows SlothTool's settings and how to change them.", "`slothtool config` 显示 SlothTool 的设置和修改方法。")
}

func (l lang) changedTo(w wanted, file string) string {
	s := l.f("Done: %[1]s is now %[2]s in %[3]s. `ai undo` takes it back.", "完成：%[1]s 现在是 %[2]s，文件 %[3]s。`ai undo` 可以恢复。", l.settingAs(w.setting), code(w.typed), code(file))
	if !w.sloth {
		s += l.f(" It counts when `ai` is started the next time.", "下次启动 `ai` 时生效。")
	}
	return s
}

func (l lang) sameAlready(w wanted, file string) string {
	return l.f("Nothing was changed: %[1]s is %[2]s already in %[3]s.", "没有做任何修改：%[1]s 在 %[3]s 中已经是 %[2]s。", l.settingAs(w.setting), code(w.typed), code(file))
}

func (l lang) changeDeclined(w wanted) string {
	return l.f("You said no, so nothing was changed: %s stays as it was.", "你没有同意，所以没有做任何修改：%s 保持原样。", l.settingAs(w.setting))
}

func (l lang) nobodyAsked() string {
	return l.f("Nothing was changed: a change of settings needs your yes, and there is nobody to ask here. Ask again at a terminal, or run:",
		"没有做任何修改：修改设置需要你同意，而这里无人可问。请在终端里再问一次，或运行：")
}

func (l lang) notChanged(outcome protocol.Outcome, why string) string {
	s := l.f("Nothing was changed: it could not be started", "没有做任何修改：无法进行")
	switch outcome {
	case protocol.Refused:
		s = l.f("Nothing was changed: it was refused", "没有做任何修改：被拒绝")
	case protocol.Cancelled:
		s = l.f("Nothing was changed: it was cancelled", "没有做任何修改：已取消")
	case protocol.NotStarted, protocol.Ran, protocol.TimedOut, protocol.Declined, protocol.Skipped:
	}
	if why == "" {
		return s + l.f(".", "。")
	}
	return s + l.f(": ", "：") + why
}

func (l lang) byHand() string { return l.f("By hand it is:", "手动修改的命令：") }

func (l lang) undo(file string) string {
	s := l.f("Only you can take a change of settings back: run `ai undo` in a shell. It shows what would change, and asks. From `ai -i`, leave with `/quit` first or use another terminal; `ai undo --list` shows what can be taken back.",
		"设置的修改只有你能撤销：在命令行运行 `ai undo`，它会先显示差异再询问。在 `ai -i` 中请先用 `/quit` 离开，或另开一个终端；`ai undo --list` 列出可以撤销的修改。")
	blank := l.f(" ", "")
	if file == "" {
		return s + blank + l.f("(I take nothing else back: for files in a repository, see `git restore`.)",
			"（其他修改我无法撤销：仓库里的文件请用 `git restore`。）")
	}
	return l.f("The last change was in %s.", "上一次修改的是 %s。", code(file)) + blank + s
}

func (l lang) noPlugins() string {
	return l.f("I see no installed SlothTool plugins here. `ai plugins` shows them, or why they cannot be read.",
		"这里没有看到已安装的 SlothTool 插件。`ai plugins` 列出插件，或说明为什么读不到。")
}

func (l lang) installPlugin(name string) string {
	return l.f("SlothTool installs plugins: `slothtool install %s`.", "插件由 SlothTool 安装：`slothtool install %s`。", cmpOr(inline(strings.ReplaceAll(name, "`", "")), "NAME"))
}

func (l lang) pluginsAre(p installed) string {
	n := len(p.names)
	s := l.f("**Installed plugins**", "**已安装的插件**") + "\n\n" + l.bullets(codes(p.names), n)
	if p.more != "" {
		s += "- " + inline(p.more) + "\n"
	}
	return s + "\n" + l.f("`ai plugins` tells more about them.", "`ai plugins` 显示详细信息。")
}

func (l lang) runningPlugin(line string) string {
	return l.f("Running the plugin %s.", "运行插件 %s。", code(line))
}

func (l lang) effectPlugin() string {
	return l.f("What the plugin does.", "该插件的效果。")
}

func (l lang) effectPluginHelp() string {
	return l.f("The plugin prints its help.", "插件显示它的帮助。")
}

// pluginSilent is said where no output is known: a plugin with a screen of its
// own writes to the terminal.
func (l lang) pluginSilent(line string, status int) string {
	switch {
	case status == 0:
		return l.f("%s ran and succeeded.", "%s 运行成功。", code(line))
	case status > 0:
		return l.f("%s ended with exit code %d.", "%s 结束，退出码 %d。", code(line), status)
	}
	return ""
}

// pluginEnded says why a plugin did not run to its end.
func (l lang) pluginEnded(line string, o *protocol.Observation) string {
	why := inline(o.Note)
	var reasons []string
	if o.Verdict != nil {
		reasons = o.Verdict.Reasons
	}
	if why == "" {
		why = inline(strings.Join(reasons, "; "))
	}
	s := code(line)
	switch {
	case o.Outcome == protocol.Declined:
		return s + l.f(" was not run: you said no.", " 没有运行：你没有同意。")
	case o.Outcome == protocol.Refused && o.Verdict != nil && o.Verdict.DecidedBy == protocol.DecidedByNobody:
		return s + l.f(" was not run: it needs your yes, and there is nobody to ask here. Ask again at a terminal, or run it yourself: ", " 没有运行：需要你同意，而这里无人可问。请在终端里再问一次，或自己运行：") +
			code("slothtool "+line) + l.f(".", "。")
	case o.Outcome == protocol.Refused:
		s += l.f(" was refused", " 被拒绝")
	case o.Outcome == protocol.TimedOut:
		s += l.f(" was ended by the time limit; what it printed until then may be incomplete", " 超时被终止，输出可能不完整")
	case o.Outcome == protocol.Cancelled:
		s += l.f(" was cancelled", " 已取消")
	case o.Outcome == protocol.NotStarted:
		s += l.f(" could not be started", " 无法启动")
	default:
		s += l.f(" did not run", " 没有运行")
	}
	if why == "" {
		return s + l.f(".", "。")
	}
	return s + l.f(": ", "：") + why
}
