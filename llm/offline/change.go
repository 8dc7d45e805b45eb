package offline

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// changeIntents are the requests to change a setting, and to take that back.
func changeIntents() []intent {
	return []intent{
		{
			name: "settings.undo",
			en: `
				^ ai? undo that|it|this|again? $
				^ put|change|set|turn it|that|this back again? $
				^ take it|that|this back $
				^ revert it|that|this $
				^ undo|revert|take_back|roll_back last|previous? setting|settings|config|configuration? change|changes? $
				^ undo|revert|take_back change|changes of|to settings|setting|config|configuration $
				^ how .. undo|revert|take_back that|it|this|setting|settings|change|changes $`,
			zh: `
				^ 把? 它|这个|那个? 撤销|撤回|还原|改回去|改回来|恢复原样|恢复原状|变回去|变回来 它|这个|那个|刚才的修改|刚才的改动|上次的修改|上一次修改|修改|更改|设置的修改|配置的修改? $
				^ 怎么|如何|怎样 撤销|撤回|还原|恢复 .. 设置|修改|更改? $`,
			need: func(t *turn) bool { return t.file == "" && t.page == 0 },
			ask: func(t *turn) protocol.Reply {
				return say(t.lang.undo(t.short(t.lastChanged())), t.lang.settingsQuestion(), t.lang.helpQuestion())
			},
		},
		{
			name: "settings.change",
			en: `
				^ set|change|switch|update|put|make|turn <key+> to|=|as <value+> in my|your|ai? settings|config|configuration|ai.json $
				^ set|change|switch|update|put|make|turn <key+> to|=|as <value+> $
				^ set|change|switch|update <key+> <value> $
				^ set <pair> $
				^ reset <reset+> $
				^ turn_on|switch_on|enable|allow|activate <on+> $
				^ turn_off|switch_off|disable|forbid|deactivate <off+> $
				^ turn|switch <on+> on $
				^ turn|switch <off+> off $
				^ switch|change|speak|talk|use|answer to|in? <tongue> $`,
			zh: `
				^ 把|将 <key+> 设置为|设置成|设为|设成|改为|改成|调为|调成|调到|换成|换为|切换为|切换成|切换到|变成 <value+> $
				^ 设置|修改|更改|调整|改 <key+> 为|成|到|= <value+> $
				^ <key+> 设置为|设置成|设为|设成|改为|改成|调为|调成|调到|换成|切换为|切换成|切换到 <value+> $
				^ 重置 <reset+> $
				^ 打开|开启|启用|允许 <on+> $
				^ 关闭|关掉|禁用|停用|禁止 <off+> $
				^ 切换|切|换|改 成|到|为 <tongue+> $
				^ 用|说|讲|使用 <tongue+> 回答|说话|交流? $`,
			need: func(t *turn) bool { _, ok := t.wantedChange(); return ok },
			ask:  askChange, tell: tellChange,
			instead: func(t *turn) (protocol.Reply, bool) { return tellChange(t), true },
		},
		{
			name: "settings.change_some",
			en:   `change|edit|update .. setting|settings|configuration|config`,
			zh:   `修改|更改|改 .. 设置|配置`,
			need: func(t *turn) bool { return t.file == "" || strings.HasSuffix(t.file, "ai.json") },
			ask: func(t *turn) protocol.Reply {
				return say(t.lang.settingsCommands(), t.lang.languageQuestion(), t.lang.settingsQuestion())
			},
		},
	}
}

// A wanted change is what a person asks to change.
type wanted struct {
	setting
	value jsontext.Value // nil where what was said is no value of it
	typed string         // the value behind a command; as it was said where it is none
	known bool           // the setting is known; if not, it is one of SlothTool
}

// wantedChange reads the change that the question asks for. It is not ok where the
// question may well mean something else.
func (t *turn) wantedChange() (w wanted, ok bool) {
	key, said := t.slots["key"], t.slots["value"]
	switch {
	case t.slots["pair"] != "":
		key, said, _ = strings.Cut(t.slots["pair"], "=")
	case t.slots["on"] != "":
		key, said = t.slots["on"], "on"
	case t.slots["off"] != "":
		key, said = t.slots["off"], "off"
	case t.slots["reset"] != "":
		key, said = t.slots["reset"], "default"
		for _, end := range []string{"default", "defaults", "its", "to"} {
			key = strings.TrimSuffix(key, " "+end)
		}
	case t.slots["tongue"] != "":
		key, said = "language", t.slots["tongue"]
		if s := choice(key, strings.ToLower(said)); s != "en" && s != "zh" {
			return w, false
		}
	}
	for _, polite := range []string{"可以", "好", "行"} {
		if rest, cut := strings.CutSuffix(said, polite); cut && strings.HasSuffix(strings.TrimRight(t.text, "？?。 "), said+"吗") {
			said = strings.TrimRight(rest, "，, ")
			break
		}
	}
	if key == "" || said == "" || visible(key+said) != key+said || strings.ContainsAny(key+said, "\n\t") {
		return w, false
	}
	if t.file != "" && !strings.HasSuffix(t.file, "ai.json") && !strings.Contains(said, t.file) {
		return w, false
	}
	var sloth, explicit bool
	w.setting, sloth, explicit, w.known = findSetting(key)
	w.typed = said
	if !w.known {
		w.sloth = sloth
		return w, sloth
	}
	value, typed, right := w.setting.value(said)
	if right {
		w.value, w.typed = value, typed
	}
	tongue := w.key == "language" && len(split(said)) <= 4 && len(strings.Fields(said)) == 1
	switch {
	case t.slots["on"]+t.slots["off"] != "" && !w.switched():
		return w, false
	case right, explicit, tongue:
		return w, true
	}
	return w, false
}

func askChange(t *turn) protocol.Reply {
	l := t.lang
	w, _ := t.wantedChange()
	more := []string{l.settingsQuestion(), l.helpQuestion()}
	switch {
	case !w.known:
		return say(l.slothSettings(), l.slothLanguageQuestion(), l.settingsQuestion())
	case w.held:
		return say(paragraphs(l.heldSetting(w.key), block("", []string{t.command(w)})), more...)
	case w.value == nil:
		return say(l.noValue(w.setting, w.typed), more...)
	}
	both := ""
	if w.key == "language" && !w.sloth && len(t.plugins().names) > 0 && !t.says("ai") {
		both = l.otherLanguage(w.typed)
	}
	return propose(paragraphs(l.changing(w), both), l.effectChange(), protocol.Step{
		Tool: protocol.ToolJSONPatch, Path: w.file(), Set: []protocol.Assignment{{Path: "/" + w.key, Value: w.value}},
	})
}

// command is what a person types to make a change.
func (t *turn) command(w wanted) string {
	value := w.typed
	if w.kind == valueList && w.value == nil {
		value = "VALUE"
	}
	return w.shell(strings.TrimPrefix(protocol.FormatCommand("x", []string{value}), "x "))
}

func tellChange(t *turn) protocol.Reply {
	l := t.lang
	w, _ := t.wantedChange()
	last := t.rounds[len(t.rounds)-1]
	i := slices.IndexFunc(last, func(o protocol.Observation) bool { return o.Tool == string(protocol.ToolJSONPatch) })
	if i < 0 || w.value == nil {
		return t.failed(nil)
	}
	o := &last[i]
	done := changeOf(o)
	file := t.short(cmpOr(done.Path, w.file()))
	switch {
	case o.Outcome == protocol.Ran && done.Backup == "":
		return say(l.sameAlready(w, file), l.settingsQuestion(), l.helpQuestion())
	case o.Outcome == protocol.Ran:
		return say(l.changedTo(w, file), l.undoQuestion(), l.settingsQuestion())
	case o.Outcome == protocol.Declined:
		return say(l.changeDeclined(w), l.settingsQuestion(), l.helpQuestion())
	case o.Verdict != nil && o.Verdict.DecidedBy == protocol.DecidedByNobody && o.Outcome == protocol.Refused:
		return say(paragraphs(l.nobodyAsked(), block("", []string{t.command(w)})), l.helpQuestion())
	}
	why := inline(o.Note)
	if o.Verdict != nil && o.Outcome == protocol.Refused && why == "" {
		why = inline(strings.Join(o.Verdict.Reasons, "; "))
	}
	return say(paragraphs(l.notChanged(o.Outcome, why), l.byHand(), block("", []string{t.command(w)})), l.settingsQuestion(), l.helpQuestion())
}

// short shows a path below the home folder with ~.
func (t *turn) short(path string) string {
	if rest, ok := strings.CutPrefix(path, t.homeFolder()+"/"); ok && rest != path[1:] {
		return "~/" + rest
	}
	return path
}

// changeOf gives what a step did to a settings file.
func changeOf(o *protocol.Observation) (d protocol.ConfigDiff) {
	if o.Parsed != nil && o.Parsed.Kind == protocol.ParsedConfigDiff && len(o.Parsed.Items) == 1 {
		if err := json.Unmarshal(o.Parsed.Items[0], &d); err != nil {
			return protocol.ConfigDiff{}
		}
	}
	return d
}

// lastChanged gives the settings file that was changed last, as far as that is
// still known, or "".
func (t *turn) lastChanged() string {
	results := earlierResults(t.system)
	for _, line := range slices.Backward(t.changes) {
		file, id := changedFile(line)
		o, kept := results[id]
		if !kept || o.Parsed == nil || changeOf(&o).Backup != "" {
			return file
		}
	}
	last, file := "", ""
	for id, o := range results {
		if d := changeOf(&o); d.Backup != "" && id > last {
			last, file = id, d.Path
		}
	}
	return file
}

// changedFile gives the file that the line about a step says was changed, and
// the step's id, or "".
func changedFile(line string) (file, id string) {
	rest, ok := strings.CutPrefix(line, string(protocol.ToolJSONPatch)+": ")
	rest, done := strings.CutSuffix(rest, ", "+string(protocol.Ran)+")")
	at := strings.LastIndex(rest, " (")
	if !ok || !done || at < 0 {
		return "", ""
	}
	file, _, _ = strings.Cut(rest[:at], ", ")
	return file, rest[at+2:]
}
