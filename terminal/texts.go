package terminal

import "github.com/holic512/plugin-ai/runner"

// Language is the language of the program's own texts. Texts of the model
// and of the policy come as they are.
type Language string

// The languages. Any other is English.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// texts are all texts of the package in one language. Fields with verbs are
// formats; both languages take the same arguments in the same order.
type texts struct {
	Thinking, Running, Answering, Waiting string

	Retry, RetryGaveUp                                            string
	Overloaded, RateLimited, NetworkBroke, TimedOutServer, BadEnd string
	AskingAgain, AnswerRestarts                                   string
	Violation                                                     string
	NoteLabel, ErrorLabel, WarningLabel, HintLabel                string

	ExitCode, Took, Stopped, NotStarted, Refused, RefusedHint     string
	RefusedBlocked, RefusedUnlisted, RefusedPerson, RefusedEdit   string
	Changed, Created, NotChanged, NotChangedSaidNo                string
	Declined, Skipped, TimedOut, Cancelled, Truncated, OutputFile string

	EndInvalid, EndAborted, EndAbortedTurn, EndProvider  string
	SumRefused, SumDeclined                              string
	HintAuth, HintRate, HintQuota, HintNetwork           string
	HintContext, HintNotFound, HintInvalid, HintOverload string
	HintInvalidAnswer, HintTimeout, HintRefusal          string

	AskRun, AskKeys, AskOnce, AskAgain                                               string
	AskWrite, DiffKey, DiffMore, DiffAgain, WillCreate, WillRemove, File, Operations string
	ScreenOpens                                                                      string
	Bare, Folder, Why, Effect, Rule, Facts, Found, RunAs                             string
	Env, Claims, Program, Argument, Settings, None, Unlisted                         string
	AlwaysWhat, AlwaysSure                                                           string
	YesWords, NoWords, EditWords, AlwaysWords, WhyWords, DiffWords                   string
	EditorSame, EditorEmpty, EditorFailed, EditorNone, EditorAgain                   string
	EditTitle, EditKeys, EditPlain, SelectPrompt, SelectAgain, InputPrompt           string

	Continue, Stop, KeepGoing string

	Welcome, Help, HelpKeys, HelpLines         string
	Cleared, UnknownCommand, UnknownPlain      string
	ModelNow, ModelSet, ModelUnknown, NoPolicy string
	Suggestions, PressAgain, Search            string

	Compacting, Compacted, NotCompacted, BadSummary string
	TooLong                                         string
}

func textsIn(language Language) *texts {
	if language == Chinese {
		return chinese()
	}
	return english()
}

// option gives one of the runner's options and titles in the language.
func (t *texts) option(s string) string {
	switch s {
	case runner.SelectContinue:
		return t.Continue
	case runner.SelectStop:
		return t.Stop
	case runner.SelectKeepGoing:
		return t.KeepGoing
	case "Change the command":
		return t.EditTitle
	}
	return s
}

func english() *texts {
	return &texts{
		Thinking: "thinking", Running: "running %s", Answering: "answering", Waiting: "waiting to try again",

		Retry:          "%s; trying again in %s (%d of %d)",
		RetryGaveUp:    "it did not work after %d retries",
		Overloaded:     "the server is overloaded",
		RateLimited:    "the server takes no more requests for now",
		NetworkBroke:   "the connection failed",
		TimedOutServer: "the server did not answer in time",
		BadEnd:         "the answer broke off",
		AskingAgain:    "the answer was not in the agreed form; asking again",
		AnswerRestarts: "the answer above was given up; the new one starts from the beginning",
		Violation:      "at %s: expected %s, got %s",
		NoteLabel:      "note", ErrorLabel: "error", WarningLabel: "warning", HintLabel: "hint",

		ExitCode:        "exit code %d",
		Took:            "took %s",
		Stopped:         "ended by a signal",
		NotStarted:      "could not be started",
		Refused:         "not run",
		RefusedHint:     "it needs your yes: run ai in a terminal, or with --yes, or run it yourself",
		RefusedBlocked:  "level L2 is never run; if you want it, run it yourself",
		RefusedUnlisted: "the program is not in allowedPrograms; `ai policy list` shows what is",
		RefusedPerson:   "only a person can allow it: run ai in a terminal",
		RefusedEdit:     "level L2 is never done; if you want it, change the file yourself",
		Changed:         "changed; `ai undo` takes it back",
		Created:         "created; `ai undo` takes it back",
		NotChanged:      "not changed", NotChangedSaidNo: "not changed: you said no",
		Declined:   "not run: you said no",
		Skipped:    "not run: an earlier step did not succeed",
		TimedOut:   "stopped: it took longer than allowed",
		Cancelled:  "stopped",
		Truncated:  "the output was longer than is kept",
		OutputFile: "all of the output: %s",

		EndInvalid:        "the model's answers were not in the agreed form",
		EndAborted:        "stopped",
		EndAbortedTurn:    "stopped; the conversation can go on",
		EndProvider:       "the model could not be asked",
		SumRefused:        "steps that were refused: %d",
		SumDeclined:       "steps that you declined: %d",
		HintAuth:          "check the API key; `ai doctor` shows where it comes from",
		HintRate:          "wait a moment and ask again",
		HintQuota:         "the account has no credit left; look at the provider's billing page",
		HintNetwork:       "check the connection and the base URL; `ai doctor` tests both",
		HintContext:       "start anew with /clear, or ask with less text; /compact sums up what was said before",
		HintNotFound:      "check the model's name and the base URL",
		HintInvalid:       "the server refuses the request; `--show-request` prints it",
		HintOverload:      "the server has trouble; ask again later",
		HintInvalidAnswer: "ask again, or choose a model that follows instructions better",
		HintTimeout:       "ask again, or raise the time limit",
		HintRefusal:       "ask in other words",

		AskRun:   "Run this?",
		AskKeys:  "[y]es  [N]o  [e]dit  [a]lways this session  [w]hy",
		AskOnce:  "[y]es  [N]o  [e]dit  [w]hy",
		AskAgain: "Please answer with one of the keys shown; Enter is no.",
		AskWrite: "Write this?", DiffKey: "[d]iff: all of it",
		DiffMore:   "… lines that are not shown: %d; d shows all",
		DiffAgain:  "Somebody else changed the file meanwhile. This is what would be done now:",
		WillCreate: "will be created", WillRemove: "will be removed", File: "file", Operations: "operations",
		ScreenOpens: "The plugin opens its own screen and gets this terminal until it ends.",
		Bare:        "no sandbox: the kernel does not hold this step to what it may do",
		Folder:      "folder", Why: "why", Effect: "effect", Rule: "rule",
		Facts: "facts", Found: "found at", RunAs: "runs as", Env: "with", Claims: "the model says",
		Program: "program", Argument: "argument %d", Settings: "settings", None: "it needs nothing special",
		Unlisted:   "not in allowedPrograms",
		AlwaysWhat: "For the rest of this session, exactly this runs without a question, in %s:",
		AlwaysSure: "Allow it? [y]es  [N]o",
		YesWords:   "y yes ok", NoWords: "n no", EditWords: "e edit", AlwaysWords: "a always", WhyWords: "w why ?", DiffWords: "d diff all",
		EditorSame:   "The text is as it was before the editor.",
		EditorEmpty:  "The text is empty; it is not taken.",
		EditorFailed: "the editor failed, its text is not taken: %w",
		EditorNone:   "there is no editor: name one in VISUAL or EDITOR",
		EditorAgain:  "Enter opens the editor again, n leaves it",
		EditTitle:    "Change the command",
		EditKeys:     "Enter takes it, Ctrl-C leaves it.",
		EditPlain:    "New command (empty leaves it)",
		SelectPrompt: "Number", SelectAgain: "Please give a number from 1 to %d.",
		InputPrompt: "Answer",

		Continue: "continue", Stop: "stop", KeepGoing: "keep going this turn",

		Welcome: "Ask a question. /help lists the commands, Ctrl-D leaves.",
		Help: `/help           this list
/clear          forget the conversation
/model [NAME]   show or change the model
/policy         show what may be done
/quit           leave (also Ctrl-D)
`,
		HelpKeys: `Enter sends. Alt-Enter, Ctrl-J or a backslash at the end starts a new line.
Ctrl-C stops an answer; a second one leaves.
Up and Down walk through history, Ctrl-R searches it.`,
		HelpLines: `Enter sends. A backslash at the end of a line goes on in the next one.
Ctrl-C stops an answer; a second one leaves.`,
		Cleared:        "The conversation is forgotten.",
		UnknownCommand: "There is no command %s. Did you mean %s?",
		UnknownPlain:   "There is no command %s. /help lists them.",
		ModelNow:       "The model is %s.",
		ModelSet:       "The model is now %s.",
		ModelUnknown:   "Models: %s",
		NoPolicy:       "No policy is set.",
		Compacting:     "summing up what was said before",
		Compacted:      "Summed up %d earlier questions: about %d tokens of history became %d.",
		NotCompacted:   "the older part of the conversation could not be summed up (%s); it is kept, but the model does not see all of it",
		BadSummary:     "the summary was not in the agreed form",
		TooLong:        "the conversation is too long for the model; asking again with less of it",

		Suggestions: "Type a number to ask:",
		PressAgain:  "Press Ctrl-C again to leave.",
		Search:      "search",
	}
}

func chinese() *texts {
	return &texts{
		Thinking: "思考中", Running: "正在运行 %s", Answering: "回答中", Waiting: "等待重试",

		Retry:          "%s；%s后重试（第 %d 次，共 %d 次）",
		RetryGaveUp:    "重试了 %d 次仍未成功",
		Overloaded:     "服务器过载",
		RateLimited:    "服务器暂时不再接受请求",
		NetworkBroke:   "连接失败",
		TimedOutServer: "服务器没有及时回答",
		BadEnd:         "回答中断了",
		AskingAgain:    "回答不符合约定的格式；正在重新询问",
		AnswerRestarts: "上面的回答已作废；新的回答从头开始",
		Violation:      "%s 处：应为 %s，实为 %s",
		NoteLabel:      "注意", ErrorLabel: "错误", WarningLabel: "警告", HintLabel: "提示",

		ExitCode:        "退出码 %d",
		Took:            "用时 %s",
		Stopped:         "被信号终止",
		NotStarted:      "无法启动",
		Refused:         "未运行",
		RefusedHint:     "需要您确认：请在终端中运行 ai，或加上 --yes，或自行运行该命令",
		RefusedBlocked:  "L2 级命令从不运行；如有需要请自行运行",
		RefusedUnlisted: "该程序不在 allowedPrograms 中；`ai policy list` 列出允许的程序",
		RefusedPerson:   "只有您本人可以允许：请在终端中运行 ai",
		RefusedEdit:     "L2 级修改从不执行；如有需要请自行修改该文件",
		Changed:         "已修改；`ai undo` 可以恢复",
		Created:         "已创建；`ai undo` 可以恢复",
		NotChanged:      "未修改", NotChangedSaidNo: "未修改：您已拒绝",
		Declined:   "未运行：您已拒绝",
		Skipped:    "未运行：前面的步骤没有成功",
		TimedOut:   "已停止：超过时间限制",
		Cancelled:  "已停止",
		Truncated:  "输出过长，只保留了一部分",
		OutputFile: "完整输出：%s",

		EndInvalid:        "模型的回答不符合约定的格式",
		EndAborted:        "已停止",
		EndAbortedTurn:    "已停止；可以继续对话",
		EndProvider:       "无法询问模型",
		SumRefused:        "被拒绝运行的步骤：%d",
		SumDeclined:       "您拒绝的步骤：%d",
		HintAuth:          "请检查 API 密钥；`ai doctor` 会显示它的来源",
		HintRate:          "请稍候再问",
		HintQuota:         "账户余额不足；请查看服务商的账单页面",
		HintNetwork:       "请检查网络和服务地址；`ai doctor` 可以测试",
		HintContext:       "请用 /clear 重新开始，或减少文字；/compact 总结之前的对话",
		HintNotFound:      "请检查模型名称和服务地址",
		HintInvalid:       "服务器拒绝了请求；`--show-request` 可以显示请求内容",
		HintOverload:      "服务器出现故障；请稍后再问",
		HintInvalidAnswer: "请再问一次，或换一个更守规则的模型",
		HintTimeout:       "请再问一次，或提高时间限制",
		HintRefusal:       "请换一种说法",

		AskRun:   "要运行吗？",
		AskKeys:  "是[y]  否[N]  编辑[e]  本次会话总是允许[a]  为什么[w]",
		AskOnce:  "是[y]  否[N]  编辑[e]  为什么[w]",
		AskAgain: "请按显示的按键回答；回车表示否。",
		AskWrite: "要写入吗？", DiffKey: "全部差异[d]",
		DiffMore:   "… 未显示的行数：%d；按 d 显示全部",
		DiffAgain:  "在此期间文件被其他程序修改了。现在将要做的修改是：",
		WillCreate: "将新建", WillRemove: "将删除", File: "文件", Operations: "操作",
		ScreenOpens: "插件会打开自己的界面，并占用此终端直到结束。",
		Bare:        "无沙箱：内核不限制该步骤的行为",
		Folder:      "目录", Why: "原因", Effect: "效果", Rule: "规则",
		Facts: "事实", Found: "位于", RunAs: "实际运行", Env: "环境", Claims: "模型声明",
		Program: "程序", Argument: "参数 %d", Settings: "设置", None: "没有特别的需要",
		Unlisted:   "不在 allowedPrograms 中",
		AlwaysWhat: "在本次会话的剩余时间里，下面这条命令在 %s 中将不再询问：",
		AlwaysSure: "允许吗？是[y]  否[N]",
		YesWords:   "y yes 是 好 确认 同意", NoWords: "n no 否 不 取消", EditWords: "e edit 编辑 修改", AlwaysWords: "a always 总是 始终", WhyWords: "w why ? ？ 为什么", DiffWords: "d diff all 差异 全部",
		EditorSame:   "编辑后的文字没有变化。",
		EditorEmpty:  "文字为空，未采用。",
		EditorFailed: "编辑器出错，未采用其文字：%w",
		EditorNone:   "没有找到编辑器：请在 VISUAL 或 EDITOR 中指定",
		EditorAgain:  "回车重新打开编辑器，n 放弃",
		EditTitle:    "修改命令",
		EditKeys:     "回车采用，Ctrl-C 放弃。",
		EditPlain:    "新的命令（留空则不变）",
		SelectPrompt: "序号", SelectAgain: "请输入 1 到 %d 之间的序号。",
		InputPrompt: "回答",

		Continue: "继续", Stop: "停止", KeepGoing: "本轮一直继续",

		Welcome: "请提问。/help 列出命令，Ctrl-D 退出。",
		Help: `/help           显示本列表
/clear          忘掉对话
/model [名称]   显示或更换模型
/policy         显示允许做什么
/quit           退出（或按 Ctrl-D）
`,
		HelpKeys: `回车发送。Alt-Enter、Ctrl-J 或行末的反斜杠另起一行。
Ctrl-C 停止回答，再按一次退出。
上下键浏览历史，Ctrl-R 搜索历史。`,
		HelpLines: `回车发送。行末的反斜杠表示下一行继续。
Ctrl-C 停止回答，再按一次退出。`,
		Cleared:        "对话已忘掉。",
		UnknownCommand: "没有命令 %s。是不是 %s？",
		UnknownPlain:   "没有命令 %s。/help 列出所有命令。",
		ModelNow:       "当前模型是 %s。",
		ModelSet:       "模型已换成 %s。",
		ModelUnknown:   "可用模型：%s",
		NoPolicy:       "没有设置策略。",
		Compacting:     "正在总结之前的对话",
		Compacted:      "已总结之前的 %d 个问题：历史从约 %d 个 token 变为 %d 个。",
		NotCompacted:   "较早的对话未能总结（%s）；内容仍保留，但模型看不到全部",
		BadSummary:     "总结不符合约定的格式",
		TooLong:        "对话对模型来说太长；减少内容后重新询问",

		Suggestions: "输入序号即可提问：",
		PressAgain:  "再按一次 Ctrl-C 退出。",
		Search:      "搜索",
	}
}
