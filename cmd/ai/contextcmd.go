package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// contextCommands are /compact and /context.
func contextCommands(face *terminal.Face, c *conversation, language terminal.Language) []terminal.Command {
	t := struct{ focus, compact, nothing, context string }{
		"[FOCUS]", "sum up what was said before", "", "what is kept of the conversation",
	}
	if language == terminal.Chinese {
		t.focus, t.compact, t.nothing, t.context = "[重点]", "总结之前的对话", "还没有可总结的内容：最后一个问题及其回答保持不变", "显示保留的对话内容"
	}
	return []terminal.Command{{
		Name: "/compact", Args: t.focus, Help: t.compact,
		Run: func(ctx context.Context, focus string) (string, error) {
			_, err := c.Compact(ctx, focus)
			var told *llm.Error // by the events
			if err == nil || errors.As(err, &told) {
				return "", nil
			}
			if errors.Is(err, runner.ErrNothingToCompact) && t.nothing != "" {
				err = errors.New(t.nothing)
			}
			return "", err
		},
	}, {
		Name: "/context", Help: t.context,
		Run: func(context.Context, string) (string, error) {
			for line := range strings.SplitSeq(contextSummary(c.window, language), "\n") {
				face.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: line})
			}
			return "", nil
		},
	}}
}

// status is the line below an answer: how full the last request was, and what
// all prompts together have used.
func (c *conversation) status(language terminal.Language) string {
	u := c.window.Usage()
	if u.Window == 0 || u.Used == 0 {
		return ""
	}
	window, tokens := "window %d%%", "%s tokens in all"
	if language == terminal.Chinese {
		window, tokens = "窗口 %d%%", "累计 %s 个 token"
	}
	parts := []string{fmt.Sprintf(window, u.Used*100/u.Window)}
	if c.spent.Total > 0 {
		parts = append(parts, fmt.Sprintf(tokens, thousands(c.spent.Total)))
	}
	if c.spent.Cost.Total > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", c.spent.Cost.Total))
	}
	return strings.Join(parts, " · ")
}

// thousands writes a number with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// contextSummary says how full the newest request was, and what is kept for
// the next one.
func contextSummary(window *contextmgr.Manager, language terminal.Language) string {
	u := window.Usage()
	text, about := "The last request: %d of %d bytes (%d%%), %s%d tokens.", "about "
	if language == terminal.Chinese {
		text, about = "上一次请求：%d / %d 字节（%d%%），%s%d 个 token。", "约 "
	}
	if u.Reported {
		about = ""
	}
	state, err := json.Marshal(window.State(), jsontext.WithIndent("  "))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf(text, u.Used, u.Window, u.Used*100/u.Window, about, u.Tokens) + "\n" + string(state)
}
