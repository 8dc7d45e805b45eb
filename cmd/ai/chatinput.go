package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/session"
)

// chatRequest is what is asked, from flags, files, standard input and the
// session.
type chatRequest struct {
	instruction string // "" is none
	input       string
	context     string // what was piped in beside the input
	images      []imageRef
	params      map[string]jsontext.Value
	warnings    []string

	given struct{ instruction, input bool } // by flags, files or standard input
}

// read reads what flags, files and standard input say.
func (c *chatRun) read(ctx context.Context) error {
	f, r := c.flags, &c.request
	if err := c.readParams(); err != nil {
		return err
	}
	var err error
	r.instruction, r.input = f.instruction, f.input
	if f.instructionFile != "" {
		if r.instruction, err = readTextFile(f.instructionFile); err != nil {
			return err
		}
	}
	if f.inputFile != "" {
		if r.input, err = readTextFile(f.inputFile); err != nil {
			return err
		}
	}
	piped := ""
	if !f.noStdin {
		if piped, err = c.pipedText(ctx); err != nil {
			if ctx.Err() != nil {
				return &failure{exitInterrupted, chinese(errors.New("ended while reading standard input"), "读取标准输入时被中断", ""), ""}
			}
			return &failure{exitFile, chinese(fmt.Errorf("standard input: %w", err), "标准输入："+err.Error(), ""), ""}
		}
		piped = withoutLastLineEnd(strings.TrimPrefix(piped, "\ufeff"))
	}
	switch {
	case blank(piped):
	case blank(r.input):
		r.input = piped
	default:
		r.context = piped
	}
	r.given.instruction, r.given.input = !blank(r.instruction), !blank(r.input)
	return nil
}

// resolve puts what the session says in the place of what nobody gave.
func (c *chatRun) resolve() error {
	r := &c.request
	if s := c.session; s != nil {
		if system := s.system(); system != nil && !r.given.instruction {
			r.instruction = contentOf(*system).text
		}
		if r.given.instruction && s.isOwn() && s.system() == nil {
			return usage(fmt.Errorf("%s is a session of ai -i, whose first line is no system message", s.path), "leave the instruction out, or name another file")
		}
		if user := s.user(); user != nil && !r.given.input {
			content := contentOf(*user)
			r.input, r.images = content.text, content.images
			for _, kind := range content.unknown {
				r.warnings = append(r.warnings, s.notSent(*user, kind))
			}
		}
	}
	if blank(r.input) && len(r.images) == 0 {
		more := ""
		if len(r.warnings) > 0 {
			more = " (" + strings.Join(r.warnings, "; ") + ")"
		}
		return usage(chinese(errors.New("there is no input"+more), "没有输入"+more,
			`ai chat "这是什么？"；或用 --user_input_file、管道传入的文字，或最后一条消息来自用户的会话`), `ai chat "what is it?"; or --user_input_file, text that is piped in, or a session whose last message is the user's`)
	}
	if s := c.session; s != nil && s.file != nil && r.given.input {
		// What cannot be written later is not asked now.
		if _, err := session.NewLine(session.Message(session.User, valid(r.text())), time.Now()); err != nil {
			return &failure{exitFile, fmt.Errorf("the input cannot be a line of the session file: %w", err), ""}
		}
	}
	most := c.settings.MaxRequestBytes * 2 / 5
	for _, part := range []struct {
		name string
		size int
	}{{"input", len(r.input) + len(r.context)}, {"system instruction", len(r.instruction)}} {
		if part.size > most {
			r.warnings = append(r.warnings, fmt.Sprintf("the %s has %d bytes: its beginning and its end reach the model (maxRequestBytes is %d)", part.name, part.size, c.settings.MaxRequestBytes))
		}
	}
	return nil
}

// readParams merges the parameters of the model, key by key: the flag stands
// above the file, and that above what the entry says.
func (c *chatRun) readParams() error {
	params := map[string]jsontext.Value{}
	if options := c.settings.Target.Options; options != nil {
		if err := json.Unmarshal(options, &params); err != nil {
			return usage(fmt.Errorf("providerOptions of the entry: %w", err), "")
		}
		for _, name := range slices.Sorted(maps.Keys(params)) {
			if ownParam(c.settings.Target.Model.API, name) {
				delete(params, name)
				c.request.warnings = append(c.request.warnings, fmt.Sprintf("providerOptions: %q is left out, because the program sets it", name))
			}
		}
	}
	merge := func(text, from string) error {
		var more map[string]jsontext.Value
		if jsontext.Value(text).Kind() != '{' {
			return usage(fmt.Errorf("%s: expected a JSON object", from), `such as {"temperature":0.1}`)
		}
		if err := json.Unmarshal([]byte(text), &more); err != nil {
			return usage(fmt.Errorf("%s: expected a JSON object: %w", from, jsonFault(err)), `such as {"temperature":0.1}`)
		}
		for _, name := range slices.Sorted(maps.Keys(more)) {
			if ownParam(c.settings.Target.Model.API, name) {
				return usage(fmt.Errorf("%s: %q is set by the program itself", from, name), "leave it out; --model names the model, --stream streams")
			}
		}
		maps.Copy(params, more)
		return nil
	}
	if path := c.flags.paramsFile; path != "" {
		text, err := readTextFile(path)
		if err != nil {
			return err
		}
		if err := merge(strings.TrimSpace(text), "--model_params_file "+path); err != nil {
			return err
		}
	}
	if text := strings.TrimSpace(c.flags.params); text != "" {
		if err := merge(text, "--model_params"); err != nil {
			return err
		}
	}
	if len(params) > 0 {
		c.request.params = params
	}
	return nil
}

// jsonFault leaves the names of Go out of what is wrong with a JSON text.
func jsonFault(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
	}
	return err
}

// readTextFile reads a file of the command line, without the line end at its
// end.
func readTextFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", &failure{exitFile, chinese(err, "无法读取文件："+err.Error(), ""), ""}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxInput+1))
	switch {
	case err != nil:
	case len(text) > maxInput:
		err = fmt.Errorf("%s: more than %d MiB", path, maxInput>>20)
	case bytes.IndexByte(text, 0) >= 0:
		err = fmt.Errorf("%s: it is no text", path)
	}
	if err != nil {
		return "", &failure{exitFile, chinese(err, "无法读取文件："+err.Error(), ""), ""}
	}
	return withoutLastLineEnd(strings.TrimPrefix(string(text), "\ufeff")), nil
}

func withoutLastLineEnd(s string) string {
	if rest, ok := strings.CutSuffix(s, "\n"); ok {
		return strings.TrimSuffix(rest, "\r")
	}
	return s
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
