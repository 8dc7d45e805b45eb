package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/decide"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/terminal"
)

// decideFact tells the model that it can have the person decide.
const decideFact = `Where the person has to choose: {"tool":"decide.ask","task":"what it is about","items":[{"id":1,"title":"the question","context":"why","options":[{"value":"a","label":"A","score":80,"pros":[],"cons":[]},{"value":"b","label":"B"}],"recommend":"a"}]}; the decisions come back.`

// decider has the person decide what a model asks: question by question, or,
// where page is true and the person wants that, on a page.
func (a *app) decider(s *config.Settings, asker func() runner.Asker, page bool) func(context.Context, string, jsontext.Value) (jsontext.Value, error) {
	return func(ctx context.Context, task string, items jsontext.Value) (jsontext.Value, error) {
		text, err := json.Marshal(struct {
			Task   string         `json:"task"`
			Source string         `json:"source"`
			Items  jsontext.Value `json:"items"`
		}{task, "ai", items})
		if err != nil {
			return nil, err
		}
		in, err := decide.ParseInput(text)
		var invalid *decide.InvalidError
		if errors.As(err, &invalid) {
			var all []string
			for _, p := range invalid.Problems {
				all = append(all, p.Message(decide.English))
			}
			return nil, errors.New(strings.Join(all, "; "))
		}
		if err != nil {
			return nil, err
		}
		q := questions{app: a, settings: s, asker: asker(), input: in, page: page, texts: questionTexts(terminal.Language(s.Speak))}
		decisions, err := q.ask(ctx)
		if err != nil {
			return nil, err
		}
		return decisions.JSON()
	}
}

// questions are being decided.
type questions struct {
	app      *app
	settings *config.Settings
	asker    runner.Asker
	input    *decide.Input
	page     bool
	texts    questionText
}

type questionText struct{ recommended, score, pros, cons, page, open string }

func questionTexts(language terminal.Language) questionText {
	if language == terminal.Chinese {
		return questionText{"推荐", "%s 分", "优点：", "缺点：", "在浏览器中决定全部问题", "请在浏览器中打开："}
	}
	return questionText{"recommended", "score %s", "for: ", "against: ", "decide all of it on a page in the browser", "open in a browser: "}
}

// ask goes from item to item. Leaving one leaves them all.
func (q *questions) ask(ctx context.Context) (decide.Decisions, error) {
	var out decide.Decisions
	for i, item := range q.input.Items {
		options := make([]string, 0, len(item.Options)+1)
		for _, o := range item.Options {
			options = append(options, q.option(&item, &o))
		}
		if q.page {
			options = append(options, q.texts.page)
		}
		title := fmt.Sprintf("%s (%d/%d)", item.Title, i+1, len(q.input.Items))
		if i == 0 {
			title = q.input.Task + "\n" + title
		}
		if item.Location != nil {
			title += fmt.Sprintf("\n%s:%d", item.Location.File, item.Location.Start)
		}
		if item.Context != "" {
			title += "\n" + item.Context
		}
		chosen, err := q.asker.Select(ctx, title, options)
		switch {
		case ctx.Err() != nil:
			return decide.Decisions{}, ctx.Err()
		case errors.Is(err, runner.ErrNobody):
			return decide.Decisions{}, err
		case err != nil || chosen < 0 || chosen >= len(options):
			return decide.Decisions{}, runner.ErrUndecided
		case chosen == len(item.Options):
			return q.onPage(ctx)
		}
		out.Decisions = append(out.Decisions, decide.Decision{ID: item.ID, Chosen: item.Options[chosen].Value})
	}
	return out, nil
}

// option is one answer, with what speaks for it and against it.
func (q *questions) option(item *decide.Item, o *decide.Option) string {
	var notes []string
	if o.Value == item.Recommend {
		notes = append(notes, q.texts.recommended)
	}
	if o.Score != nil {
		notes = append(notes, fmt.Sprintf(q.texts.score, strconv.FormatFloat(*o.Score, 'f', -1, 64)))
	}
	if len(o.Pros) > 0 {
		notes = append(notes, q.texts.pros+strings.Join(o.Pros, ", "))
	}
	if len(o.Cons) > 0 {
		notes = append(notes, q.texts.cons+strings.Join(o.Cons, ", "))
	}
	if len(notes) == 0 {
		return o.Label
	}
	return o.Label + " (" + strings.Join(notes, "; ") + ")"
}

// onPage shows the questions on a page, and keeps nothing of them.
func (q *questions) onPage(ctx context.Context) (decide.Decisions, error) {
	settings, err := q.app.decideSettings()
	if err != nil {
		return decide.Decisions{}, err
	}
	server, err := decide.Listen(ctx, decide.Config{
		Settings: settings, Project: q.app.dir, Session: time.Now().UTC().Format("20060102_150405"), Language: decide.Language(q.settings.Speak),
		Input: q.input, Save: func(context.Context, decide.Decisions) error { return nil },
	})
	if err != nil {
		return decide.Decisions{}, err
	}
	q.asker.Notify(runner.Notice{Kind: runner.NoticeInfo, Text: q.texts.open + server.Link()})
	decisions, err := server.Serve(ctx)
	if errors.Is(err, decide.ErrTimeout) {
		err = runner.ErrUndecided
	}
	return decisions, err
}
