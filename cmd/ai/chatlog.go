package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/runner"
)

// What of the texts the log shows, in characters.
const (
	loggedInput  = 500
	loggedResult = 4000
)

// chatLog is the Markdown file of --log_file: a section for each call, added
// at its end with one write, so that calls at the same time do not mix.
type chatLog struct {
	file  *os.File
	began time.Time

	mu     sync.Mutex
	events []string
	errors []string
	result []string
}

// openChatLog opens the file before anything is done, since a call that was
// to be logged and cannot be is not made.
func openChatLog(path string) (*chatLog, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, &failure{exitFile, chinese(fmt.Errorf("the log file: %w", err), "日志文件："+err.Error(), ""), ""}
	}
	return &chatLog{file: file, began: time.Now()}, nil
}

// event notes an event, already masked.
func (l *chatLog) event(kind, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, fmt.Sprintf("- `%s` **%s** %s", time.Now().Format("15:04:05.000"), kind, logWords(message, loggedInput)))
	if kind == eventError {
		l.errors = append(l.errors, "- "+logWords(message, loggedResult))
	}
}

// finish notes how the prompt ended.
func (l *chatLog) finish(r runner.Result, code exitCode, mask func(string) string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.result = append(l.result,
		fmt.Sprintf("- end: %s, exit code %d", r.End, code),
		fmt.Sprintf("- steps: %d, refused: %d", r.Ran, r.Refused),
		fmt.Sprintf("- tokens: %d in, %d out", r.Usage.Input+r.Usage.CacheRead+r.Usage.CacheWrite, r.Usage.Output))
	if r.Reply.Message != "" && (r.End == runner.EndChat || r.End == runner.EndStepLimit) {
		l.result = append(l.result, "", logQuote(mask(valid(r.Reply.Message)), loggedResult))
	}
}

// write writes the section. failed is why the call itself could not be made.
func (l *chatLog) write(c *chatRun, failed error) error {
	defer l.file.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	hide := maskUnknown
	if c.report != nil {
		hide = c.report.mask
	}
	if failed != nil {
		code, _ := codeOfError(failed)
		l.errors = append(l.errors, "- "+logWords(hide(failed.Error()), loggedResult))
		if l.result == nil {
			l.result = []string{"- the model was not asked to the end"}
		}
		l.result = append(l.result, fmt.Sprintf("- failed, exit code %d", code))
	}
	var b strings.Builder
	section := func(name string, lines []string) {
		fmt.Fprintf(&b, "## %s\n\n", name)
		if len(lines) == 0 {
			lines = []string{"none"}
		}
		b.WriteString(strings.Join(lines, "\n") + "\n\n")
	}
	fmt.Fprintf(&b, "# ai chat, %s\n\n", l.began.Format(time.RFC3339))
	section("Request", l.request(c, hide))
	section("Events", l.events)
	section("Errors", l.errors)
	section("Result", l.result)

	if _, err := l.file.WriteString(hide(valid(b.String()))); err != nil {
		return &failure{exitFile, chinese(fmt.Errorf("the log file: %w", err), "日志文件："+err.Error(), ""), ""}
	}
	return nil
}

// request is what was asked, in short.
func (l *chatLog) request(c *chatRun, hide func(string) string) []string {
	f, r := c.flags, &c.request
	var lines []string
	if s := c.settings; s != nil {
		lines = append(lines, "- model: "+logWords(hide(s.Target.Entry+"/"+s.Target.Model.ID), loggedInput))
	}
	if r.params != nil {
		if text, err := json.Marshal(r.params, json.Deterministic(true)); err == nil {
			lines = append(lines, "- parameters: "+logWords(hide(string(text)), loggedInput))
		}
	}
	lines = append(lines, fmt.Sprintf("- stream: %t, steps: %d, scripts: %t", f.stream, f.maxSteps, c.shell))
	if len(c.granted) > 0 {
		lines = append(lines, "- allowed: "+strings.Join(texts(c.granted), ", "))
	}
	if s := c.session; s != nil {
		lines = append(lines, fmt.Sprintf("- session: %s, %d lines", logWords(hide(s.path), loggedInput), len(s.lines)))
	}
	if r.instruction != "" {
		lines = append(lines, fmt.Sprintf("- system instruction: %d bytes", len(r.instruction)))
	}
	if r.context != "" {
		lines = append(lines, fmt.Sprintf("- standard input: %d bytes", len(r.context)))
	}
	if n := len(r.images); n > 0 {
		lines = append(lines, fmt.Sprintf("- images: %d", n))
	}
	lines = append(lines, fmt.Sprintf("- input: %d bytes", len(r.input)))
	if r.input != "" {
		lines = append(lines, "", logQuote(hide(valid(r.input)), loggedInput))
	}
	return lines
}

// logWords is a text in one line that Markdown takes for nothing else.
func logWords(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "\\<", "[", "\\[", "#", "\\#").Replace(s)
	return oneLine(logCut(s, most))
}

// logQuote is a text as a block of code, whatever is in it.
func logQuote(s string, most int) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(logCut(s, most), "\n") + "\n" + fence
}

func logCut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
