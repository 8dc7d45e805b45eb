package main

import "github.com/holic512/plugin-ai/terminal"

// sessionTexts are what a person is told of sessions, in one language.
type sessionTexts struct {
	NotKept, KeptAgain, NoFile, Ended, Lost string

	NoneHere, GoesOn, Elsewhere, Copied, ReadOnlyCopied, Problems, MoreProblems string
	Locked, LockedHint                                                          string
	PickSession, PickQuestion, PickPoint                                        string

	Forked, Stays, Undone, NothingToUndo, NothingToFork, Empty string
	Named, NameIs, NoName, Exported, Here, Unsaved             string
	Unnamed, Now, Flat                                         string

	HelpFork, HelpTree, HelpName, HelpExport, HelpResume, HelpUndo string
	ArgName, ArgFile                                               string
}

func textsOfSessions(language terminal.Language) *sessionTexts {
	if language == terminal.Chinese {
		return &sessionTexts{
			NotKept:   "会话未能保存：%v；对话继续，稍后会再试",
			KeptAgain: "会话已重新保存，没有遗漏",
			NoFile:    "没有会话文件",
			Ended:     "用户结束了本轮。",
			Lost:      "有 %d 轮对话未能写入 %s",

			NoneHere:       "此目录没有先前的会话，已开始新会话",
			GoesOn:         "继续会话 %s（消息 %d 条，最后更新 %s）",
			Elsewhere:      "该会话始于 %s；命令仍在当前目录运行",
			Copied:         "在副本中继续；原会话保持不变",
			ReadOnlyCopied: "该文件不能写入；在副本 %s 中继续",
			Problems:       "会话文件中有无法读取的部分；其余部分照常使用",
			MoreProblems:   "以及另外 %d 处",
			Locked:         "会话正被另一个进程使用：%s",
			LockedHint:     "加上 --copy 可在副本中继续；ai sessions export %s 可以查看它",
			PickSession:    "选择会话（输入文字可筛选，Esc 放弃）",
			PickQuestion:   "从哪一条消息重新开始？",
			PickPoint:      "从哪里继续？",

			Forked:        "已回到此前；之后的内容保留在另一分支中。文件没有改动。",
			Stays:         "当前就在这里；没有任何变化。",
			Undone:        "已忘掉上一轮：%s\n它仍保留在会话文件中（/tree）。文件没有改动，也没有恢复；ai undo 可以撤销设置文件的修改。",
			NothingToUndo: "没有可以忘掉的一轮",
			NothingToFork: "还没有任何消息",
			Empty:         "（空）",
			Named:         "会话名称：%s",
			NameIs:        "会话名称是 %s",
			NoName:        "会话没有名称；/name 文字 可以命名",
			Exported:      "已导出到 %s",
			Here:          "已经在此会话中",
			Unsaved:       "会话尚未保存，因此不能更改位置",
			Unnamed:       "（无文字）",
			Now:           "当前",
			Flat:          "此文件只保存消息，不能命名",

			HelpFork: "从先前的一条消息重新开始", HelpTree: "显示会话树并选择继续的位置", HelpName: "命名会话",
			HelpExport: "导出会话（.md、.json 或 .html）", HelpResume: "打开另一个会话", HelpUndo: "忘掉上一轮（不改动文件）",
			ArgName: "[名称]", ArgFile: "[文件]",
		}
	}
	return &sessionTexts{
		NotKept:   "the session could not be written: %v; the conversation goes on, and it is tried again",
		KeptAgain: "the session is written again, and nothing is missing",
		NoFile:    "there is no session file",
		Ended:     "The person ended this turn.",
		Lost:      "%d turns could not be written to %s",

		NoneHere:       "there is no earlier session in this folder; a new one begins",
		GoesOn:         "Going on with session %s (%d messages, last changed %s)",
		Elsewhere:      "the session began in %s; commands run in this folder",
		Copied:         "going on in a copy; the session itself stays as it is",
		ReadOnlyCopied: "the file cannot be written; going on in a copy, session %s",
		Problems:       "parts of the session could not be read; the rest is used",
		MoreProblems:   "and %d more",
		Locked:         "another process uses the session: %s",
		LockedHint:     "--copy goes on in a copy of it; ai sessions export %s shows it",
		PickSession:    "Which session? Type to filter, or Esc.",
		PickQuestion:   "From which message should it begin anew?",
		PickPoint:      "Where should it go on?",

		Forked:        "Back there; what came after it is kept on another branch. No file was touched.",
		Stays:         "This is where it is now; nothing changed.",
		Undone:        "The last turn is forgotten: %s\nIt stays in the session's file (/tree). Files are as the turn left them; ai undo takes back changes of settings files.",
		NothingToUndo: "there is no turn to forget",
		NothingToFork: "nothing was said yet",
		Empty:         "(empty)",
		Named:         "The session's name: %s",
		NameIs:        "The session's name is %s",
		NoName:        "The session has no name; /name TEXT gives it one.",
		Exported:      "Exported to %s",
		Here:          "This is the session.",
		Unsaved:       "the session is not written, so it cannot go elsewhere",
		Unnamed:       "(no words)",
		Now:           "now",
		Flat:          "the file keeps messages only, and no name",

		HelpFork: "begin anew from an earlier message", HelpTree: "show the session's tree, and go on elsewhere in it", HelpName: "name the session",
		HelpExport: "write the session to a file (.md, .json, .html)", HelpResume: "open another session", HelpUndo: "forget the last turn (files stay as they are)",
		ArgName: "[NAME]", ArgFile: "[FILE]",
	}
}
