package protocol_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/protocol"
)

func TestDecodeSummary(t *testing.T) {
	t.Parallel()
	const good = `{"summary":"他叫 Wei。","keyFacts":["name: Wei"],"openTasks":[]}`
	want := protocol.Summary{Text: "他叫 Wei。", KeyFacts: []string{"name: Wei"}, OpenTasks: []string{}}
	for name, text := range map[string]string{
		"plain": good, "fence": "```json\n" + good + "\n```\n", "BOM and CRLF": "\ufeff\r\n" + good + "\r\n", "bare fence": "```\n" + good + "```",
	} {
		got, err := protocol.DecodeSummary([]byte(text), protocol.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, c := range map[string]struct {
		text    string
		options protocol.Options
		says    string
	}{
		"empty":          {"", protocol.Options{}, "nothing"},
		"words":          {"We talked about Wei.", protocol.Options{}, "JSON object"},
		"words around":   {"Here: " + good, protocol.Options{}, "JSON object"},
		"two":            {good + good, protocol.Options{}, ""},
		"two fences":     {"```\n```json\n" + good + "\n```\n```", protocol.Options{}, ""},
		"broken off":     {good[:30], protocol.Options{}, "breaks off"},
		"length":         {good, protocol.Options{Finish: protocol.FinishLength}, "length"},
		"filter":         {good, protocol.Options{Finish: protocol.FinishFilter}, "content_filter"},
		"closed":         {good, protocol.Options{Finish: protocol.FinishClosed}, "closed"},
		"damaged":        {good, protocol.Options{Damaged: true}, "damaged"},
		"not UTF-8":      {`{"summary":"` + "\xff" + `","keyFacts":[],"openTasks":[]}`, protocol.Options{}, "UTF-8"},
		"twice":          {`{"summary":"a","summary":"b","keyFacts":[],"openTasks":[]}`, protocol.Options{}, "same name"},
		"no facts":       {`{"summary":"a","openTasks":[]}`, protocol.Options{}, "/keyFacts"},
		"null":           {`{"summary":"a","keyFacts":null,"openTasks":[]}`, protocol.Options{}, "/keyFacts"},
		"a number":       {`{"summary":"a","keyFacts":[1],"openTasks":[]}`, protocol.Options{}, "/keyFacts/0"},
		"more":           {`{"summary":"a","keyFacts":[],"openTasks":[],"contextPatch":{}}`, protocol.Options{}, "/contextPatch"},
		"empty summary":  {`{"summary":"","keyFacts":["x"],"openTasks":[]}`, protocol.Options{}, "/summary"},
		"blank summary":  {`{"summary":" \n ","keyFacts":["x"],"openTasks":[]}`, protocol.Options{}, "/summary"},
		"a reply":        {`{"type":"chat","message":"a"}`, protocol.Options{}, "/summary"},
		"an array":       {`[` + good + `]`, protocol.Options{}, "an object"},
		"far too long":   {`{"summary":"` + strings.Repeat("a", protocol.MaxSummaryBytes) + `","keyFacts":[],"openTasks":[]}`, protocol.Options{}, "at most"},
		"far too deep":   {strings.Repeat("[", 1000), protocol.Options{}, "levels"},
		"too many facts": {`{"summary":"a","keyFacts":[` + strings.Repeat(`"",`, 2000) + `""],"openTasks":[]}`, protocol.Options{}, "/keyFacts"},
	} {
		_, err := protocol.DecodeSummary([]byte(c.text), c.options)
		var bad *protocol.InvalidError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}
