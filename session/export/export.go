package export

import (
	"bufio"
	"fmt"
	"io"

	"github.com/holic512/plugin-ai/session/transcript"
)

// A Form is a way to write a transcript.
type Form string

// The forms.
const (
	Text     Form = "text"
	Markdown Form = "md"
	JSON     Form = "json"
	HTML     Form = "html"
)

// Options say how a transcript is written.
type Options struct {
	Chinese bool // the words around it; else they are English
}

// Write writes a transcript in one of the forms. What the transcript holds
// must be masked already (see [transcript.Read]).
func Write(w io.Writer, form Form, t *transcript.Transcript, o Options) error {
	b := bufio.NewWriterSize(w, 64<<10)
	words := wordsIn(o.Chinese)
	var err error
	switch form {
	case Text:
		writeText(b, t, words)
	case Markdown:
		writeMarkdown(b, t, words)
	case HTML:
		writeHTML(b, t, words, o.Chinese)
	case JSON:
		err = writeJSON(b, t)
	default:
		err = fmt.Errorf("expected the form text, md, json or html, got %q", form)
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// words are the texts around a transcript, in one language.
type words struct {
	Session, Folder, Created, Others, Problems string
	You, Model, System, Input, Output, Errors  string
	Ran, NoOutput, Cut, Summary, Facts, Tasks  string
	AskedModel, Partial, Nothing, Image        string
}

func wordsIn(chinese bool) words {
	if chinese {
		return words{
			"会话", "目录", "开始于", "其他分支上的消息：%d", "无法读取的部分",
			"用户", "模型", "系统", "标准输入", "输出", "错误输出",
			"退出码 %d", "没有输出", "输出已截短", "之前对话的摘要", "要点", "未完成",
			"模型：%s", "已到达的部分回答", "（没有消息）", "[图片：%s]",
		}
	}
	return words{
		"Session", "folder", "begun", "messages on other branches: %d", "What could not be read",
		"You", "Model", "System", "standard input", "output", "standard error",
		"exit code %d", "no output", "output cut", "What was said before, in short", "Key facts", "Open tasks",
		"model: %s", "what had arrived of the answer", "(no messages)", "[image: %s]",
	}
}
