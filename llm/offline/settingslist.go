package offline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ownFile and slothFile are the settings of ai and of SlothTool, as a step
// names them.
const (
	ownFile   = "~/.slothtool/plugin-configs/ai.json"
	slothFile = "~/.slothtool/settings.json"
)

// A setting is a value in a settings file that can be asked for by name.
type setting struct {
	// The member, in the file of ai; the place without its first slash, in the
	// file of SlothTool.
	key   string
	names string // what people call it, parted by commas; the key is another
	sloth bool   // it stands in the file of SlothTool
	held  bool   // it holds the model, so that only a person changes it

	kind     valueKind
	options  string // of a choice, parted by blanks
	min, max int64  // of a number
	initial  string // the JSON value that "default" means; "" is none
	command  string // what a person types before the value; "" is that of ai
}

// A valueKind says which values a setting takes.
type valueKind int

const (
	valueText   valueKind = iota // a word
	valueChoice                  // one of a few words
	valueNumber                  // an integer of a range
	valueFlag                    // true or false
	valueList                    // more than can be said in a sentence
)

// settingsList is what is known of the settings. The free members of ai.json
// are those that the policy lets a model change.
func settingsList() []setting {
	return []setting{
		{key: "language", names: "lang,语言,界面语言,显示语言,回答语言", kind: valueChoice, options: "en zh", initial: "null"},
		{key: "defaultMode", names: "mode,模式,默认模式", kind: valueChoice, options: "low high", initial: `"low"`},
		{key: "defaultProfile", names: "profile,档案,默认档案", kind: valueText, initial: "null"},
		{key: "maxRepairs", names: "repairs,number of repairs,修复次数,最大修复次数", kind: valueNumber, max: 10, initial: "2"},
		{key: "maxRetries", names: "retries,number of retries,重试次数,最大重试次数", kind: valueNumber, max: 20, initial: "3"},
		{key: "maxTailBytes", names: "tail bytes,输出字节数", kind: valueNumber, min: 256, max: 1 << 20, initial: "8192"},
		{key: "maxTailLines", names: "tail lines,输出行数", kind: valueNumber, min: 1, max: 100_000, initial: "200"},
		{key: "stepTimeoutSeconds", names: "timeout,step timeout,超时,超时时间", kind: valueNumber, min: 1, max: 86_400, initial: "120"},
		{key: "maxRequestBytes", names: "request size,请求大小", kind: valueNumber, min: 16 << 10, max: 16 << 20, initial: "49152"},
		{key: "maxRecentMessages", names: "recent messages", kind: valueNumber, min: 6, max: 10, initial: "10"},
		{key: "maxRecentBytes", names: "recent bytes", kind: valueNumber, min: 1000, max: 1 << 20, initial: "10000"},
		{key: "maxDigestBytes", names: "digest bytes", kind: valueNumber, min: 256, max: 64 << 10, initial: "2048"},
		{key: "compaction", names: "自动总结", kind: valueChoice, options: "auto off", initial: `"auto"`},
		{key: "spoolLimitBytes", names: "spool limit", kind: valueNumber, max: 1 << 40, initial: "67108864"},

		{key: "allowNetwork", names: "network,network access,internet,网络,联网,网络访问", held: true, kind: valueFlag, initial: "true"},
		{key: "allowWrite", names: "write,writes,writing,write access,writing files,写入,写文件", held: true, kind: valueFlag, initial: "true"},
		{key: "allowSudo", names: "sudo", held: true, kind: valueFlag, initial: "false"},
		{key: "allowShell", names: "shell,shell scripts,脚本", held: true, kind: valueFlag, initial: "false"},
		{key: "sandbox", names: "沙箱,沙盒", held: true, kind: valueChoice, options: "auto required off", initial: `"auto"`},
		{key: "maxAutoStepsPerTurn", names: "steps,max steps,auto steps,步数,自动步数", held: true, kind: valueNumber, max: 1000, initial: "3"},
		{key: "allowedPrograms", names: "允许的程序", held: true, kind: valueList, initial: "null"},
		{key: "deny", held: true, kind: valueList, initial: "[]"},
		{key: "ask", held: true, kind: valueList, initial: "[]"},
		{key: "secretPaths", held: true, kind: valueList, initial: "[]"},
		{key: "safePlugins", held: true, kind: valueList, initial: "{}"},
		{key: "editablePaths", held: true, kind: valueList, initial: "[]"},
		{key: "yesPaths", held: true, kind: valueList, initial: "[]"},
		{key: "decide", names: "decide page,决策页面", held: true, kind: valueList, initial: `{"port":3721,"bind":"127.0.0.1","url":"","timeout":0,"token":false,"dir":".aide/decisions"}`},
		{key: "rpc", names: "rpc mode,rpc 模式", held: true, kind: valueList, initial: `{"allowBash":true,"confirmTimeout":300}`},
		{key: "hooks", names: "钩子", held: true, kind: valueList, initial: "{}"},

		{key: "language", names: "lang,语言,界面语言,显示语言", sloth: true, kind: valueChoice, options: "en zh", command: "slothtool config language"},
		{key: "network/proxy/enabled", names: "proxy,network proxy,代理,网络代理", sloth: true, kind: valueFlag, command: "slothtool config proxy enabled"},
		{key: "network/proxy/host", names: "proxy host,代理主机,代理地址", sloth: true, kind: valueText, command: "slothtool config proxy host"},
		{key: "network/proxy/port", names: "proxy port,代理端口", sloth: true, kind: valueNumber, min: 1, max: 65_535, command: "slothtool config proxy port"},
		{key: "network/github/preset", names: "github,github preset,github source,github 源,github 代理", sloth: true, kind: valueChoice, options: "official gh-proxy", command: "slothtool config proxy github"},
	}
}

// file gives the file that a setting stands in.
func (s setting) file() string {
	if s.sloth {
		return slothFile
	}
	return ownFile
}

// shell gives the command by which a person sets a value.
func (s setting) shell(value string) string {
	return cmpOr(s.command, "ai config set "+s.key) + " " + value
}

// switched tells whether a setting is turned on and off.
func (s setting) switched() bool {
	return s.kind == valueFlag || s.kind == valueChoice && slices.Contains(strings.Fields(s.options), "off")
}

// findSetting finds the setting that a text names, and whether the text
// leaves no doubt that a setting is meant: it speaks of SlothTool or has a
// name that nothing else has.
func findSetting(text string) (s setting, sloth, explicit, ok bool) {
	name, sloth, said := settingName(text)
	for _, s := range settingsList() {
		if s.sloth != sloth {
			continue
		}
		if key, _, _ := settingName(s.key); key == name {
			return s, sloth, said || sloth || strings.ToLower(s.key) != s.key, true
		}
		for other := range strings.SplitSeq(s.names, ",") {
			if other, _, _ = settingName(other); other != "" && other == name {
				return s, sloth, said || sloth, true
			}
		}
	}
	return setting{}, sloth, false, false
}

// settingName gives a name without what may stand around it, so that "your
// max_tail_lines" and "maxTailLines" are one; whether SlothTool is named; and
// whether it is called a setting.
func settingName(text string) (name string, sloth, said bool) {
	const around = "ai is your my our own value current of for in is on the 的 里 中 你 我 您 自 己 当 前 值 ai.json"
	for _, w := range split(text) {
		switch {
		case w.low == "slothtool" || w.low == "sloth":
			sloth = true
		case strings.HasPrefix(w.low, "setting") || w.low == "option":
			said = true
		case !slices.Contains(strings.Fields(around), w.low):
			name += strings.Map(func(r rune) rune {
				if strings.ContainsRune("_-./", r) {
					return -1
				}
				return r
			}, w.low)
		}
	}
	for _, han := range []string{"设置", "配置", "选项"} {
		if rest := strings.ReplaceAll(name, han, ""); rest != name {
			name, said = rest, true
		}
	}
	return name, sloth, said
}

// value reads a value as a person says it: as JSON, and as it is typed behind
// a command.
func (s setting) value(text string) (value jsontext.Value, typed string, ok bool) {
	low := strings.ToLower(strings.Trim(strings.TrimSpace(text), "\"'`“”「」 "))
	isDefault := oneOf(low, "default,the default,its default,default value,the default value,null,none,system,默认,默认值,空,系统,跟随系统,自动,auto")
	switch s.kind {
	case valueNumber:
		if n, unit := s.number(low); n >= s.min && n <= s.max && unit {
			typed = strconv.FormatInt(n, 10)
			return jsontext.Value(typed), typed, true
		}
	case valueFlag:
		if on, known := onOff(low); known {
			typed = strconv.FormatBool(on)
			if s.sloth {
				typed = map[bool]string{true: "on", false: "off"}[on]
			}
			return jsontext.Value(strconv.FormatBool(on)), typed, true
		}
	case valueChoice:
		options := strings.Fields(s.options)
		word := choice(s.key, low)
		if on, known := onOff(low); known && s.switched() {
			word = map[bool]string{true: "auto", false: "off"}[on]
		}
		if slices.Contains(options, word) {
			return jsontext.Value(strconv.Quote(word)), word, true
		}
	case valueText:
		if plain := strings.Trim(text, "\"'`“”「」 "); !isDefault && plain != "" && len(plain) <= 255 && !strings.ContainsAny(plain, " /\n\t") && visible(plain) == plain {
			return jsontext.Value(appendString(nil, plain)), plain, true
		}
	case valueList:
		if list := wordList(text); !strings.HasPrefix(s.initial, "{") && !isDefault && list != nil {
			value = jsontext.Value(appendStrings(nil, list))
			return value, string(value), true
		}
	}
	if isDefault && s.initial != "" {
		return jsontext.Value(s.initial), strings.Trim(s.initial, `"`), true
	}
	return nil, "", false
}

// wordList reads "git, go and ls" as a list of words; nil is anything else.
func wordList(text string) (list []string) {
	for _, sign := range []string{",", "，", "、", "和", " and "} {
		text = strings.ReplaceAll(text, sign, " ")
	}
	for w := range strings.FieldsSeq(text) {
		if strings.ContainsAny(w, `"'[]{}*\`) {
			return nil
		}
		list = append(list, w)
	}
	return list
}

// number reads a number with the unit that it may have; it is not known where
// there is none.
func (s setting) number(low string) (n int64, known bool) {
	digits := strings.TrimRight(low, "abcdefghijklmnopqrstuvwxyz 秒分钟小时行次字节个")
	unit := strings.TrimSpace(low[len(digits):])
	if digits == "" {
		n = int64(number(low))
		return n, n > 0
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, ",", ""), 10, 64)
	times := int64(1)
	switch {
	case unit == "" || oneOf(unit, "times,次,个"):
	case strings.HasSuffix(s.key, "Seconds"):
		times = map[string]int64{"s": 1, "sec": 1, "second": 1, "seconds": 1, "秒": 1, "秒钟": 1, "m": 60, "min": 60, "minute": 60, "minutes": 60, "分": 60, "分钟": 60, "h": 3600, "hour": 3600, "hours": 3600, "小时": 3600}[unit]
	case strings.HasSuffix(s.key, "Bytes"):
		times = map[string]int64{"b": 1, "byte": 1, "bytes": 1, "字节": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30}[unit]
	case strings.HasSuffix(s.key, "Lines"):
		times = map[string]int64{"line": 1, "lines": 1, "行": 1}[unit]
	default:
		times = 0
	}
	if err != nil || times == 0 || n > 1<<41/times {
		return 0, false
	}
	return n * times, true
}

func onOff(low string) (on, known bool) {
	on = oneOf(low, "on,true,yes,enabled,allowed,开,开启,打开,启用,允许,是")
	return on, on || oneOf(low, "off,false,no,disabled,forbidden,关,关闭,关掉,禁用,禁止,否")
}

// choice gives the value that a word means.
func choice(key, low string) string {
	switch {
	case key == "language" && oneOf(low, "english,英文,英语,en-us,en-gb,en_us"):
		return "en"
	case key == "language" && oneOf(low, "chinese,中文,汉语,简体中文,普通话,mandarin,zh-cn,zh_cn,zh-hans"):
		return "zh"
	case key == "defaultMode" && oneOf(low, "低,低模式,low mode"):
		return "low"
	case key == "defaultMode" && oneOf(low, "高,高模式,high mode"):
		return "high"
	}
	return low
}

// oneOf tells whether a text is one of some, parted by commas.
func oneOf(text, list string) bool {
	return text != "" && slices.Contains(strings.Split(list, ","), text)
}
