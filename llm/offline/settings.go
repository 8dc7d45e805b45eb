package offline

import (
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func settingsIntents() []intent {
	return []intent{
		{
			name: "settings.model",
			en: `
				how .. configure|set_up|setup|set|use|add|connect|change|switch|choose .. model|openai|llm|key|api_key|provider|gpt|api
				configure|set_up|setup|connect|add .. model|openai|llm|provider|api_key|key|api
				use .. real|better|another|different model|llm`,
			zh: `
				怎么|如何|怎样 .. 配置|设置|接入|使用|用|换|切换|连接 .. 模型|openai|密钥|key|gpt|api|大模型
				配置|接入|连接|更换|切换 .. 模型|openai|密钥|key|大模型`,
			ask: func(t *turn) protocol.Reply {
				return say(t.lang.howToConfigure(), t.lang.settingsQuestion(), t.lang.helpQuestion())
			},
		},
		{
			name: "settings.change",
			en: `
				set|change|switch|update <key> to|=|as <value> $
				set <key>|setting <value> $
				set|change|switch|update setting <key> to|= <value> $
				set|change my|setting? <key> setting? to|= <value> $
				allow|enable|turn_on|forbid|disable|turn_off network|writing|writes|write
				change|edit|update .. setting|settings|configuration|config`,
			zh: `
				把|将 设置? <key> 设置为|设为|设成|改为|改成|调为|调成|换成|切换为 <value> $
				设置 <key> 为|成|= <value> $
				允许|禁止|打开|关闭|开启 网络|联网|写入|写文件
				修改|更改|改 .. 设置|配置`,
			need: func(t *turn) bool { return t.file == "" || strings.HasSuffix(t.file, "ai.json") },
			ask:  askChange,
		},
		{
			name: "settings.show",
			en: `
				show|list|see|view|what_are|display|print|get|check .. settings|configuration|config|preferences
				my|current|your settings|configuration|config
				^ settings|config|configuration $
				what_is? my .. mode|policy`,
			zh: `
				显示|查看|看|列出|我的|当前 .. 设置|配置|选项
				^ 设置|配置 $
				设置|配置 是|有 什么|哪些`,
			need: func(t *turn) bool { return t.file == "" },
			ask:  askSettings, tell: tellSettings,
		},
	}
}

// settingsFile gives the path of the settings where the system text tells the
// person's home, or "".
func (t *turn) settingsFile() string {
	if home := t.homeFolder(); home != "" {
		return home + "/.slothtool/plugin-configs/ai.json"
	}
	return ""
}

// homeFolder gives the person's home folder where the system text tells it:
// by the path of the settings, or as a line "home: PATH".
func (t *turn) homeFolder() string {
	for _, s := range t.system {
		if i := strings.Index(s, "/.slothtool/"); i > 0 {
			start := strings.LastIndexAny(s[:i], " \t\n\"'`(,:=") + 1
			if p := s[start:i]; strings.HasPrefix(p, "/") {
				return p
			}
		}
		for l := range strings.Lines(s) {
			key, value, ok := strings.Cut(l, ":")
			value = strings.TrimSpace(value)
			if ok && strings.HasPrefix(value, "/") && strings.Contains(strings.ToLower(key), "home") && len(key) < 40 {
				return strings.TrimSuffix(value, "/")
			}
		}
	}
	return ""
}

// home puts the real folder in the place of ~, where it is known.
func (t *turn) home(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		if h := t.homeFolder(); h != "" {
			return h + "/" + rest
		}
	}
	return p
}

func askSettings(t *turn) protocol.Reply {
	f := t.settingsFile()
	if f == "" {
		return say(t.lang.settingsCommands(), t.lang.helpQuestion())
	}
	return propose(t.lang.readingSettings(), t.lang.effectRead(), step("cat", f))
}

func tellSettings(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("cat", "")
	switch {
	case o == nil:
		return t.failed(o)
	case succeeded(o) && strings.TrimSpace(o.StdoutTail) != "":
		return say(paragraphs(l.settingsAre(firstArg(o)), block("json", firstLines(lines(o), 80)), t.cutFront(o), l.settingsCommands(), t.notes()), l.helpQuestion())
	case strings.Contains(o.StderrTail, "No such file") || succeeded(o):
		return say(paragraphs(l.noSettings(firstArg(o)), l.settingsCommands(), t.notes()), l.helpQuestion())
	}
	return t.failed(o)
}

// settingKey gives the key and the value that a request to change a setting
// means; "" where it does not say.
func (t *turn) settingKey() (key, value string) {
	key, value = t.slots["key"], t.slots["value"]
	on := "true"
	if t.says("forbid", "disable", "turn off", "禁止", "关闭") {
		on = "false"
	}
	for _, alias := range []struct{ words, key, value string }{
		{"network 网络 联网", "allowNetwork", on},
		{"write writes writing 写入 写文件", "allowWrite", on},
		{"mode 模式", "defaultMode", ""},
		{"profile 档案", "defaultProfile", ""},
		{"steps max-steps 步数", "maxAutoStepsPerTurn", ""},
		{"repairs 修复次数", "maxRepairs", ""},
	} {
		for w := range strings.FieldsSeq(alias.words) {
			if strings.EqualFold(key, w) || key == "" && t.says(w) {
				return alias.key, cmpOr(value, alias.value)
			}
		}
	}
	return key, value
}

func askChange(t *turn) protocol.Reply {
	key, value := t.settingKey()
	if key == "" || value == "" || visible(key) != key {
		return say(t.lang.settingsCommands(), t.lang.settingsQuestion())
	}
	return say(paragraphs(t.lang.changeSetting(protocol.FormatCommand("ai", []string{"config", "set", key, value})), t.lang.settingsCommands()), t.lang.settingsQuestion())
}
