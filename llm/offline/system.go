package offline

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func systemIntents() []intent {
	return []intent{
		{
			name: "system.date",
			en: `
				what|current .. time|date|day is_it|is_today|it_is|today
				^ time|date $
				what is? time|date|today $
				what is? current|today's time|date
				current|today's time|date
				what day|weekday|year|month
				tell time|date`,
			zh: `
				几点|什么时间|现在时间|当前时间|今天日期|几号|星期几|周几|礼拜几|今天是|哪一天|哪年
				^ 时间|日期 $`,
			need: func(t *turn) bool { return !t.says("commit", "commits", "changed", "提交", "改") },
			ask:  askDate, tell: tellDate,
		},
		{
			name: "system.whoami",
			en: `
				who am i
				what is? my|current user|username|user_name|login
				^ whoami|id $
				which user`,
			zh: `
				我是谁|用户名|当前用户|哪个用户`,
			ask: askWhoami, tell: tellWhoami,
		},
		{
			name: "system.where",
			en: `
				where am i
				what|which is? current|working|this folder|directory|dir $
				what|which folder|directory am|is
				current|working folder|directory|dir path? $
				^ pwd $`,
			zh: `
				我在哪|我在哪里|当前路径|当前位置|工作目录|在哪个目录|哪个目录`,
			ask: askPwd, tell: tellPwd,
		},
		{
			name: "system.uname",
			en: `
				uname
				which|what|show .. os|operating_system|kernel|system|platform|architecture|cpu_architecture $
				what|which os|kernel|operating_system|platform|architecture|machine|computer
				system info*|information
				os|kernel version`,
			zh: `
				操作系统|什么系统|系统信息|系统版本|内核|架构|平台`,
			ask: askUname, tell: tellUname,
		},
		{
			name: "system.ps",
			en: `
				process|processes .. memory|cpu|ram|running|most
				what|which|show|list|top|running .. process|processes|programs_running|programs_are_running
				what .. using|uses|eating|eats|hogging .. memory|cpu|ram
				memory|cpu|ram usage|hog|hogs
				^ ps|top|processes $`,
			zh: `
				进程|占内存|占用内存|内存占用|占cpu|cpu占用|占用cpu|内存使用|cpu使用
				什么|谁|哪些 .. 内存|cpu`,
			ask: askPs, tell: tellPs,
		},
	}
}

func askDate(t *turn) protocol.Reply {
	return propose(t.lang.askingClock(), t.lang.effectSystem(), step("date"))
}

func (t *turn) oneLine(o *protocol.Observation, tell func(string) string, suggestions ...string) protocol.Reply {
	text := ""
	if o != nil {
		text = strings.TrimSpace(o.StdoutTail)
	}
	if !succeeded(o) || text == "" {
		return t.failed(o)
	}
	return say(paragraphs(tell(inline(text)), t.notes()), suggestions...)
}

func tellDate(t *turn) protocol.Reply {
	return t.oneLine(t.of("date", ""), t.lang.itIs, t.lang.todayQuestion(), t.lang.changedQuestion())
}

func askWhoami(t *turn) protocol.Reply {
	return propose(t.lang.askingSystem(), t.lang.effectSystem(), step("whoami"), step("id"))
}

func tellWhoami(t *turn) protocol.Reply {
	id := ""
	if o := t.of("id", ""); succeeded(o) {
		id = block("", firstLines(lines(o), 3))
	}
	return t.oneLine(t.of("whoami", ""), func(s string) string { return paragraphs(t.lang.youAre(s), id) }, t.lang.whereQuestion(), t.lang.systemQuestion())
}

func askPwd(t *turn) protocol.Reply {
	return propose(t.lang.askingSystem(), t.lang.effectSystem(), step("pwd"))
}

func tellPwd(t *turn) protocol.Reply {
	return t.oneLine(t.of("pwd", ""), t.lang.youAreIn, t.lang.listQuestion(), t.lang.projectQuestion())
}

func askUname(t *turn) protocol.Reply {
	return propose(t.lang.askingSystem(), t.lang.effectSystem(), step("uname", "-a"))
}

func tellUname(t *turn) protocol.Reply {
	return t.oneLine(t.of("uname", ""), t.lang.systemIs, t.lang.diskQuestion(), t.lang.processQuestion())
}

// askPs lists the processes, on Linux the largest last, where a cut leaves
// them.
func askPs(t *turn) protocol.Reply {
	args := []string{"-e", "-o", "pid,rss,pcpu,comm"}
	if runtime.GOOS == "linux" {
		key := "rss"
		if t.byCPU() {
			key = "pcpu"
		}
		args = append(args, "--sort="+key)
	}
	return propose(t.lang.askingSystem(), t.lang.effectSystem(), step("ps", args...))
}

func (t *turn) byCPU() bool {
	return strings.Contains(strings.ToLower(t.text), "cpu")
}

func tellPs(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("ps", "")
	type process struct {
		pid  string
		rss  int64
		cpu  float64
		name string
	}
	var list []process
	for _, row := range lines(o) {
		f := strings.Fields(row)
		if len(f) < 4 {
			continue
		}
		cpu, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			continue
		}
		list = append(list, process{f[0], parseInt(f[1]), cpu, strings.Join(f[3:], " ")})
	}
	if len(list) == 0 {
		return t.failed(o)
	}
	slices.SortStableFunc(list, func(a, b process) int {
		if t.byCPU() {
			return cmp.Compare(b.cpu, a.cpu)
		}
		return cmp.Compare(b.rss, a.rss)
	})
	var rows strings.Builder
	rows.WriteString(l.processHead())
	for _, p := range list[:min(10, len(list))] {
		rows.WriteString("| " + p.pid + " | " + strings.ReplaceAll(code(p.name), "|", `\|`) + " | " + size(p.rss*1024) + " | " + strconv.FormatFloat(p.cpu, 'f', 1, 64) + " % |\n")
	}
	return say(paragraphs(l.processTitle(len(list), t.byCPU(), o.Truncated), rows.String(), t.notes()), l.diskQuestion(), l.systemQuestion())
}
