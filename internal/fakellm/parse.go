package fakellm

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads a script of one JSON object a line; empty lines and lines that
// start with # are skipped. The fields are those of [Answer], and in place of
// "text":
//
//	{"chat":"hello"}
//	{"error":"I cannot"}
//	{"cmd":[["git","status"],["ls","-l"]],"message":"I look."}
//	{"steps":[{"tool":"plugin.run","plugin":"loc","args":["src"]}],"message":"I count."}
//
// Every other field can stand beside them, such as "chunk", "finish", "times".
func Parse(r io.Reader) ([]Answer, error) {
	type line struct {
		Chat    *string          `json:"chat"`
		Error   *string          `json:"error"`
		Cmd     [][]string       `json:"cmd"`
		Steps   []jsontext.Value `json:"steps"`
		Message string           `json:"message"`
		Answer  `json:",inline"`
	}
	var answers []Answer
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("script line %d: %w", n, err)
		}
		last := err == io.EOF
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '#' {
			var l line
			if err := json.Unmarshal(text, &l, json.RejectUnknownMembers(true)); err != nil {
				return nil, fmt.Errorf("script line %d: %w", n, err)
			}
			a := l.Answer
			switch {
			case l.Chat != nil:
				a.Text = Chat(*l.Chat).Text
			case l.Error != nil:
				a.Text = Error(*l.Error).Text
			case l.Cmd != nil:
				a.Text = Cmd(l.Message, l.Cmd...).Text
			case l.Steps != nil:
				a.Text = Steps(l.Message, l.Steps...).Text
			}
			answers = append(answers, a)
		}
		if last {
			return answers, nil
		}
	}
}
