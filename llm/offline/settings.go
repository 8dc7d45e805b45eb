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
				use .. real|better|another|different model|llm
				^ set|change|switch|update my|your? model|provider|llm|api_key|key to|=|as .. $`,
			zh: `
				怎么|如何|怎样 .. 配置|设置|接入|使用|用|换|切换|连接 .. 模型|openai|密钥|key|gpt|api|大模型
				配置|接入|连接|更换|切换 .. 模型|openai|密钥|key|大模型
				^ 把|将 模型|密钥|大模型 设置为|设为|设成|改为|改成|换成|切换为|切换成|切换到 .. $`,
			ask: func(t *turn) protocol.Reply {
				return say(t.lang.howToConfigure(), t.lang.settingsQuestion(), t.lang.helpQuestion())
			},
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

// settingsFile gives the path of the settings, those of ai or of SlothTool,
// where the system text tells the person's home, or "".
func (t *turn) settingsFile() string {
	file := ownFile
	if t.says("slothtool") {
		file = slothFile
	}
	if file = t.home(file); strings.HasPrefix(file, "~") {
		return ""
	}
	return file
}

// settingsCommands tells by which commands a person sees and changes them.
func (t *turn) settingsCommands() string {
	if t.says("slothtool") {
		return t.lang.slothCommands()
	}
	return t.lang.settingsCommands()
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
		return say(t.settingsCommands(), t.lang.helpQuestion())
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
		return say(paragraphs(l.settingsAre(firstArg(o)), block("json", firstLines(lines(o), 80)), t.cutFront(o), t.settingsCommands(), t.notes()), l.helpQuestion())
	case strings.Contains(o.StderrTail, "No such file") || succeeded(o):
		return say(paragraphs(l.noSettings(firstArg(o)), t.settingsCommands(), t.notes()), l.helpQuestion())
	}
	return t.failed(o)
}
