package offline

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// API is the name of the wire API that is spoken here, which is none.
const API = "offline"

// Config says how to answer. The zero value is fine.
type Config struct {
	// Language is the language of the answers: "en", "zh", or "" for the
	// language of each question.
	Language string
	// Now gives the time, for questions such as "what changed today"; nil is
	// time.Now. Its location is the person's.
	Now func() time.Time
}

// New gives the provider. It is safe for concurrent use.
func New(config Config) llm.Provider {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &provider{config: config, book: sync.OnceValue(newBook)}
}

type provider struct {
	config Config
	book   func() *book // the table of intents, made when it is first needed
}

// API implements [llm.Provider].
func (*provider) API() string { return API }

// Stream implements [llm.Provider]. It never fails; it ends early only where
// ctx ends.
func (p *provider) Stream(ctx context.Context, model llm.Model, conversation llm.Context, options llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		now := p.config.Now()
		if model.Provider == "" {
			model.Provider = API
		}
		b := llm.NewBuilder(model, llm.Message{API: API, Timestamp: now.UnixMilli(), Enforced: llm.EnforceSchema}, yield)
		if !b.Start() {
			return
		}
		said := 0
		cancelled := func() bool {
			if ctx.Err() == nil {
				return false
			}
			b.Usage(usage(conversation, said))
			b.Fail(&llm.Error{Kind: llm.ErrCancelled, Message: "the answer was cancelled", Err: context.Cause(ctx)})
			return true
		}
		if cancelled() {
			return
		}
		text := ""
		if options.Format != nil && options.Format.Name == summaryFormat {
			text = summarize(conversation)
		} else {
			text = encode(p.answer(conversation, now))
		}
		for said < len(text) {
			if cancelled() {
				return
			}
			n := pieceLen(text[said:])
			if !b.Text(text[said : said+n]) {
				return
			}
			said += n
		}
		b.Usage(usage(conversation, said))
		b.Done(llm.StopEnd)
	}
}

// Request implements [llm.Provider]. Nothing is ever sent; what it gives is
// the conversation as this provider sees it.
func (*provider) Request(model llm.Model, conversation llm.Context, _ llm.Options) ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	body := struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
	}{Model: model.ID, Messages: []message{}}
	for _, s := range conversation.System {
		body.Messages = append(body.Messages, message{"system", s})
	}
	for i := range conversation.Messages {
		m := &conversation.Messages[i]
		body.Messages = append(body.Messages, message{string(m.Role), m.Text()})
	}
	return json.Marshal(body)
}

func (p *provider) answer(conversation llm.Context, now time.Time) protocol.Reply {
	t := readTurn(conversation, p.config.Language)
	t.now = now
	return p.book().answer(t)
}

// pieceLen gives the length of the next piece of an answer: one word with
// what follows it up to the next, and never part of a character.
func pieceLen(s string) int {
	const longest = 24
	i := strings.IndexByte(s, ' ') + 1
	if i > 0 && i <= longest {
		return i
	}
	if len(s) <= longest {
		return len(s)
	}
	i = longest
	for !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// usage estimates tokens by the usual four bytes each.
func usage(conversation llm.Context, answer int) llm.Usage {
	in := 0
	for _, s := range conversation.System {
		in += len(s)
	}
	for i := range conversation.Messages {
		for _, b := range conversation.Messages[i].Content {
			if t, ok := b.(llm.Text); ok {
				in += len(t.Text)
			}
		}
	}
	u := llm.Usage{Input: (in + 3) / 4, Output: (answer + 3) / 4}
	u.Total = u.Input + u.Output
	return u
}
