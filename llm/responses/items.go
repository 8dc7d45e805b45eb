package responses

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm/internal/call"
)

// end takes an item that is complete. What was not said in pieces is said now.
func (a *answer) end(index int, it *item) error {
	if first, known := a.indexes[it.ID]; known && it.ID != "" && first != index {
		return nil
	}
	o, known := a.items[index]
	if !known {
		if err := a.begin(index, it); err != nil {
			return err
		}
		o = a.items[index]
	}
	if o == nil || o.closed {
		return nil
	}
	o.kind, o.phase = cmp.Or(o.kind, it.Type), cmp.Or(o.phase, it.Phase)
	a.flush()
	o.closed = true
	switch it.Type {
	case "message":
		return a.endMessage(o, it)
	case "reasoning":
		return a.endReasoning(o, it)
	case "function_call":
		return a.endCall(index, o, it)
	}
	return nil
}

func (a *answer) endMessage(o *open, it *item) error {
	say := a.say
	if o.phase == "commentary" {
		say = a.think
	}
	silent, refused := !o.any, a.refused.Len() > 0
	for _, p := range it.Content {
		s, err := a.text(p.Text)
		if err != nil {
			return err
		}
		no, err := a.text(p.Refusal)
		if err != nil {
			return err
		}
		if !refused {
			a.refused.WriteString(no)
		}
		if silent && p.Type == "output_text" {
			if err := a.piece(o, o.part, s, say); err != nil {
				return err
			}
		}
	}
	a.b.EndBlock()
	return nil
}

func (a *answer) endReasoning(o *open, it *item) error {
	if !o.any {
		var summary []itemPart
		if call.Present(it.Summary) {
			if err := json.Unmarshal(it.Summary, &summary, call.Lenient()); err != nil {
				return fmt.Errorf("the summary of what the model thought: %w", err)
			}
		}
		for i, p := range append(summary, it.Content...) {
			s, err := a.text(p.Text)
			if err != nil {
				return err
			}
			if i > 0 && s != "" {
				s = "\n\n" + s
			}
			if err := a.piece(o, 0, s, a.think); err != nil {
				return err
			}
		}
	}
	signature := ""
	if it.Encrypted != "" {
		if !call.Present(it.Summary) {
			it.Summary = jsontext.Value("[]")
		}
		text, err := json.Marshal(sealed{"reasoning", it.ID, it.Summary, it.Encrypted}, call.Lenient())
		if err != nil {
			return fmt.Errorf("what the model thought: %w", err)
		}
		signature = string(text)
	}
	switch {
	case o.any:
		a.b.Signature(signature)
	case signature != "":
		a.b.Sealed(signature, false)
	}
	a.b.EndBlock()
	return nil
}

func (a *answer) endCall(index int, o *open, it *item) error {
	arguments, err := a.text(it.Arguments)
	if err != nil {
		return fmt.Errorf("arguments of a tool call: %w", err)
	}
	key := strconv.Itoa(index)
	switch {
	case !o.any:
		if err := a.size.Grow(a.b, len(arguments)); err != nil {
			return err
		}
	case arguments != "" && arguments != o.said.String():
		return fmt.Errorf("the arguments of the tool call %q are not what their pieces were", call.ForPeople(it.Name))
	default:
		arguments = ""
	}
	a.b.ToolCall(key, cmp.Or(it.CallID, it.ID), it.Name, arguments)
	if it.Status == "incomplete" {
		return nil // it was cut; it stays without arguments
	}
	_, err = a.b.EndToolCall(key)
	return err
}
