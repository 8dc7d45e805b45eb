package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/protocol"
)

const (
	maxEdited   = 16 << 20 // bytes that are read back from an editor
	editorGrace = 2 * time.Second
)

// EditFile implements [runner.Asker]. Where the editor fails, or there is
// none, the error says so in the person's language; where it leaves nothing
// new the person is told, and the answer is the text as it was. When it is
// called again without a question in between, something was wrong with the
// text: then the person has to have read that before the editor takes the
// screen.
func (a *asker) EditFile(ctx context.Context, name string, text []byte) ([]byte, error) {
	t := a.face.texts
	a.open()
	defer a.done()
	if a.edited {
		line, err := a.ask(ctx, t.EditorAgain)
		if err == nil && is(t.NoWords, strings.ToLower(strings.TrimSpace(line))) {
			err = errNoAnswer
		}
		if err != nil {
			return nil, err
		}
	}
	words, ok := a.face.editor()
	if !ok {
		return nil, errors.New(t.EditorNone)
	}
	edited, err := a.inEditor(ctx, words, name, text)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf(t.EditorFailed, err)
	case len(bytes.TrimSpace(edited)) == 0 && len(bytes.TrimSpace(text)) > 0:
		a.say("", t.EditorEmpty)
		return text, nil
	case bytes.Equal(edited, text):
		a.say("", t.EditorSame)
	}
	a.edited = true
	return edited, nil
}

// inEditor has the text changed in a file that only the person can read.
func (a *asker) inEditor(ctx context.Context, words []string, name string, text []byte) (edited []byte, err error) {
	dir, err := os.MkdirTemp("", "ai-edit-") // with mode 0700
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// The name lets the editor know what language it is.
	path := filepath.Join(dir, fileName(name))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:len(words):len(words)], path)...)
	cmd.Cancel = func() error { return endSoftly(cmd.Process) }
	cmd.WaitDelay = editorGrace
	lendErr := a.face.lend(a.console, func(c executors.Console) {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = c.In, c.Out, c.Err
		err = cmd.Run()
	})
	if err := errors.Join(lendErr, err); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	edited, err = io.ReadAll(io.LimitReader(file, maxEdited+1))
	if err == nil && len(edited) > maxEdited {
		err = fmt.Errorf("the text has more than %d bytes", maxEdited)
	}
	return edited, err
}

// fileName is the last part of a name, fit for a file.
func fileName(name string) string {
	name = filepath.Base(name)
	if name == "." || name == ".." || len(name) > 200 || strings.ContainsAny(name, "/\\\x00") {
		return "settings.json"
	}
	return name
}

// editor finds the person's editor: VISUAL, EDITOR, else what is there. The
// first word is the program.
func (f *Face) editor() (words []string, ok bool) {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if value := strings.TrimSpace(f.cfg.Getenv(variable)); value != "" {
			return editorWords(value), true
		}
	}
	for _, name := range editors() {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}, true
		}
	}
	return nil, false
}

// editorWords parts what names an editor: the path of a program, blanks and
// all, or a program and its arguments.
func editorWords(value string) []string {
	if info, err := os.Stat(value); err == nil && !info.IsDir() {
		return []string{value}
	}
	line := value
	if runtime.GOOS == "windows" {
		line = strings.ReplaceAll(line, `\`, `\\`) // parts of a path there
	}
	if program, args, err := protocol.ParseCommand(line); err == nil {
		return append([]string{program}, args...)
	}
	return strings.Fields(value)
}
