package offline

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// step is a command that only reads.
func step(program string, args ...string) protocol.Step {
	return protocol.Step{Tool: protocol.ToolExec, Program: program, Args: args}
}

// propose is a reply that asks for commands.
func propose(why, effect string, steps ...protocol.Step) protocol.Reply {
	return protocol.Reply{Type: protocol.KindCmd, Message: why, Cmd: &protocol.Cmd{Steps: steps, ExpectedEffect: effect}}
}

// say is a reply in words.
func say(text string, suggestions ...string) protocol.Reply {
	return protocol.Reply{
		Type: protocol.KindChat, Message: strings.TrimSpace(text),
		Chat: &protocol.Chat{Format: protocol.FormatMarkdown, Suggestions: suggestions},
	}
}

// encode writes a reply as the text of a model's answer: type first, then
// message, then data, so that the message can be shown while it arrives.
func encode(r protocol.Reply) string {
	b := []byte(`{"type":`)
	b = appendString(b, string(r.Type))
	b = append(b, `,"message":`...)
	b = appendString(b, r.Message)
	b = append(b, `,"data":{`...)
	switch {
	case r.Chat != nil:
		b = append(b, `"format":`...)
		b = appendString(b, string(r.Chat.Format))
		b = append(b, `,"suggestions":`...)
		b = appendStrings(b, r.Chat.Suggestions)
	case r.Cmd != nil:
		b = append(b, `"cwd":null,"commands":[`...)
		for i, s := range r.Cmd.Steps {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendStep(b, s)
		}
		b = append(b, `],"expected_effect":`...)
		b = appendString(b, r.Cmd.ExpectedEffect)
	}
	return string(append(b, `}}`...))
}

// appendStep writes a step. What a plugin or a change requires, the policy
// finds for itself.
func appendStep(b []byte, s protocol.Step) []byte {
	if s.Tool == protocol.ToolPluginRun {
		b = append(b, `{"tool":"plugin.run","plugin":`...)
		b = appendString(b, s.Plugin)
		b = append(b, `,"args":`...)
		return append(appendStrings(b, s.Args), '}')
	}
	if s.Tool == protocol.ToolJSONPatch {
		b = append(b, `{"tool":"config.json_patch","path":`...)
		b = appendString(b, s.Path)
		b = append(b, `,"set":{`...)
		for i, a := range s.Set {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, a.Path), ':')
			b = append(b, a.Value...)
		}
		return append(b, `}}`...)
	}
	b = append(b, `{"program":`...)
	b = appendString(b, s.Program)
	b = append(b, `,"args":`...)
	b = appendStrings(b, s.Args)
	b = append(b, `,"requires":{"confirm":`...)
	b = appendBool(b, s.Requires.Confirm)
	b = append(b, `,"elevated":`...)
	b = appendBool(b, s.Requires.Elevated)
	b = append(b, `,"network":`...)
	b = appendBool(b, s.Requires.Network)
	b = append(b, `,"write":`...)
	b = appendBool(b, s.Requires.Write)
	return append(b, `}}`...)
}

func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	// The string is valid UTF-8, so there is no error.
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}
