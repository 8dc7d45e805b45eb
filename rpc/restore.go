package rpc

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// restored is a conversation as the model is told of it.
type restored struct {
	summary protocol.Summary
	entries []contextmgr.Entry
	asked   []string // ids of the lines that its turns begin with
	steps   int      // the highest number of a step's id
}

// restore reads the conversation that lines are.
func restore(lines []session.Line) restored {
	var r restored
	turn := false // a turn has no answer yet
	for _, l := range lines {
		e := transcript.Parse(l)
		var entry contextmgr.Entry
		ends := false
		switch {
		case l.Type == session.TypeCompaction && l.Role == "":
			if e.Summary != nil {
				r.summary = *e.Summary
			}
			continue
		case l.Role == session.User:
			entry.Question, entry.Images = l.Text(), imagesOf(l.Content)
			text, images := attached(l)
			entry.Question, entry.Images = strings.TrimSpace(entry.Question+text), append(entry.Images, images...)
			if entry.Question == "" && entry.Images == nil {
				entry.Question = "(nothing)"
			}
			turn = false
		case l.Role == session.Assistant:
			reply := e.Reply()
			entry.Reply, ends = &reply, e.Answers()
		case e.Observation != nil:
			entry.Observation = e.Observation
			r.steps = max(r.steps, stepNumber(e.Observation.ID))
		case l.Type == typeBash || l.Type == typeCustom:
			v, _ := messageOf(l)
			if entry.Question = toldOf(v); entry.Question == "" {
				continue
			}
			turn = false
		default:
			continue
		}
		if !turn {
			r.asked = append(r.asked, l.ID)
		}
		turn = !ends
		r.entries = append(r.entries, entry)
	}
	return r
}

// toldOf is how the model is told of a message that is none of the model's
// kinds; "" is not at all.
func toldOf(v jsontext.Value) string {
	var m struct {
		bashMessage
		Content jsontext.Value `json:"content"`
	}
	if json.Unmarshal(v, &m) != nil {
		return ""
	}
	switch m.Role {
	case "bashExecution":
		if m.Excluded {
			return ""
		}
		return m.told()
	case "custom":
		var text string
		_ = json.Unmarshal(m.Content, &text) // else there is none
		return text
	}
	return ""
}

func stepNumber(id string) int {
	digits, ok := strings.CutPrefix(id, "cmd_")
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' || n > 1<<30 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	if !ok {
		return 0
	}
	return n
}

// imagesOf are the pictures among content blocks.
func imagesOf(content jsontext.Value) []llm.Image {
	if content.Kind() != '[' {
		return nil
	}
	var blocks []imageBlock
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	var images []llm.Image
	for _, b := range blocks {
		if b.Type == "image" {
			images = append(images, llm.Image{Data: b.Data, MIMEType: b.MIMEType})
		}
	}
	return slices.Clip(images)
}

// attached is what older messages of pi have beside their words: pictures, and
// files whose text was found.
func attached(l session.Line) (text string, images []llm.Image) {
	var list []struct {
		Type      string  `json:"type"`
		FileName  string  `json:"fileName"`
		MIMEType  string  `json:"mimeType"`
		Content   []byte  `json:"content"`
		Extracted *string `json:"extractedText"`
	}
	decodeField(l, "attachments", &list)
	for _, a := range list {
		switch {
		case a.Type == "image" && len(a.Content) > 0:
			images = append(images, llm.Image{Data: a.Content, MIMEType: a.MIMEType})
		case a.Extracted != nil:
			text += "\n\n--- " + a.FileName + " ---\n" + *a.Extracted
		}
	}
	return text, images
}
