package fakellm

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Fault is a way to misbehave in the middle of a good answer.
type Fault string

// The faults. Reset and Hang come before any byte of the answer, the others
// where Answer.After says.
const (
	Reset       Fault = "reset"        // the connection is reset before the answer
	Cut         Fault = "cut"          // the connection breaks in the stream
	Hang        Fault = "hang"         // nothing is sent until the client leaves
	Stall       Fault = "stall"        // nothing more is sent until the client leaves
	Malformed   Fault = "malformed"    // a data line with half a JSON object
	InvalidJSON Fault = "invalid_json" // a data line that is no JSON at all
	InvalidUTF8 Fault = "invalid_utf8" // a text piece with the bytes FF FE in it
	StreamError Fault = "stream_error" // data: {"error": …} with Answer.Body as the object
)

// NoFinish as Answer.Finish leaves the finish reason out.
const NoFinish = "none"

// An Answer is what one call gets. The zero value is an empty text that ends
// with "stop". The JSON names are the ones that [Parse] reads.
type Answer struct {
	// What is said. Chat and Cmd in a script are short for a Text in the
	// strict answer language.
	Text      string     `json:"text,omitzero"`
	Reasoning string     `json:"reasoning,omitzero"`
	Refusal   string     `json:"refusal,omitzero"`
	ToolCalls []ToolCall `json:"toolCalls,omitzero"`
	// ReasoningField is the delta's field for Reasoning: "reasoning_content"
	// (the default), "reasoning", or "both".
	ReasoningField string `json:"reasoningField,omitzero"`
	// Signature signs Reasoning, for the Messages API.
	Signature string `json:"signature,omitzero"`
	// Finish is the finish reason; "" is "stop", or "tool_calls" where there
	// are any.
	Finish string `json:"finish,omitzero"`
	// Usage is sent in a last chunk without choices; nil sends none.
	Usage *Usage `json:"usage,omitzero"`

	// How it is cut. Chunk is the size of a text piece in bytes, rounded down
	// to whole characters (at least one); 0 is the whole text in one piece.
	Chunk int `json:"chunk,omitzero"`
	// SplitRunes cuts pieces at exactly Chunk bytes, so that a character's
	// bytes come in two pieces: invalid UTF-8 on the wire.
	SplitRunes bool `json:"splitRunes,omitzero"`
	// Escape writes characters outside ASCII as \uXXXX and counts Chunk in
	// these, so that the two escapes of one character may come in two pieces.
	Escape bool `json:"escape,omitzero"`
	// WireChunk flushes after this many bytes of the stream, wherever that
	// is; 0 is after each event.
	WireChunk int `json:"wireChunk,omitzero"`

	// How the stream looks.
	CRLF       bool `json:"crlf,omitzero"`       // lines end with CR LF
	Comments   bool `json:"comments,omitzero"`   // a comment before each event
	BlankLines bool `json:"blankLines,omitzero"` // more blank lines than needed
	NoDone     bool `json:"noDone,omitzero"`     // no [DONE] at the end
	KeepOpen   bool `json:"keepOpen,omitzero"`   // the connection stays open at the end until the client leaves
	// Raw is sent instead of a made stream, each one flushed by itself. The
	// faults Reset, Hang and Cut (at the end) work with it.
	Raw []string `json:"raw,omitzero"`
	// Whole answers with one JSON document, as if no stream had been asked for.
	Whole bool `json:"whole,omitzero"`

	// Status other than 0 and 200 is answered with Body; Headers go with any
	// answer. Body may stay empty: an error object is made up then.
	Status  int               `json:"status,omitzero"`
	Headers map[string]string `json:"headers,omitzero"`
	Body    string            `json:"body,omitzero"`

	Fault Fault `json:"fault,omitzero"`
	// After is how many pieces of the text come before the fault.
	After int `json:"after,omitzero"`

	// Times is how many calls get this answer; 0 is one, below 0 is all the
	// rest, none included.
	Times int `json:"times,omitzero"`

	// Refuse makes this no answer but a setting of the whole server: requests
	// whose answer is to be enforced in these ways get status 400; see
	// [Server.Refuse].
	Refuse []string `json:"refuse,omitzero"`

	// By makes the answer from the request; what it gives stands for this
	// answer but for Times. Nil is this answer as it is. Calls may overlap.
	By func(Request) Answer `json:"-"`

	// Before holds the answer back until it gives a value or is closed; Step
	// does so before each piece of the text. Nil does not hold.
	Before <-chan struct{} `json:"-"`
	Step   <-chan struct{} `json:"-"`
}

// A Script is answers in their order.
type Script []Answer

// ToolCall is a native tool call of an answer.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // the JSON text, cut in pieces as the text is
}

// Usage is what an answer says about tokens.
type Usage struct {
	Prompt     int `json:"prompt"` // with Cached
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitzero"`
	Reasoning  int `json:"reasoning,omitzero"`
}

// Text answers with that text and nothing around it.
func Text(text string) Answer { return Answer{Text: text} }

// Chat answers with a chat in the strict answer language.
func Chat(message string) Answer {
	return Text(object(struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{"chat", message}))
}

// Error answers with an error in the strict answer language.
func Error(message string) Answer {
	return Text(object(struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{"error", message}))
}

// Cmd answers with a cmd in the strict answer language, one step for each
// command: the program and its arguments.
func Cmd(message string, commands ...[]string) Answer {
	var steps []jsontext.Value
	for _, c := range commands {
		if len(c) > 0 {
			steps = append(steps, jsontext.Value(object(struct {
				Program string   `json:"program"`
				Args    []string `json:"args"`
			}{c[0], c[1:]})))
		}
	}
	return Steps(message, steps...)
}

// Steps answers with a cmd in the strict answer language that has these steps,
// as they are.
func Steps(message string, steps ...jsontext.Value) Answer {
	type data struct {
		Commands []jsontext.Value `json:"commands"`
	}
	return Text(object(struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Data    data   `json:"data"`
	}{"cmd", message, data{append([]jsontext.Value{}, steps...)}}))
}

// Status answers with an HTTP status and a body; "" makes up an error object.
func Status(code int, body string) Answer { return Answer{Status: code, Body: body} }

// Raw answers with the given pieces of a stream, as they are.
func Raw(pieces ...string) Answer { return Answer{Raw: pieces} }

// Fail gives the answer a fault after that many pieces of its text.
func (a Answer) Fail(f Fault, after int) Answer {
	a.Fault, a.After = f, after
	return a
}

// object writes a value that always can be.
func object(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // a struct of strings
	}
	return string(b)
}
