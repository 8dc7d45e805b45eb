package rpc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// uiRequest asks the client for something, or tells it something to show.
type uiRequest struct {
	Type            string   `json:"type"` // extension_ui_request
	ID              string   `json:"id"`
	Method          string   `json:"method"`
	Title           string   `json:"title,omitzero"`
	Message         string   `json:"message,omitzero"`
	Options         []string `json:"options,omitempty"`
	Placeholder     string   `json:"placeholder,omitzero"`
	Prefill         string   `json:"prefill,omitzero"`
	NotifyType      string   `json:"notifyType,omitzero"`
	StatusKey       string   `json:"statusKey,omitzero"`
	StatusText      string   `json:"statusText,omitzero"`
	WidgetKey       string   `json:"widgetKey,omitzero"`
	WidgetLines     []string `json:"widgetLines,omitempty"`
	WidgetPlacement string   `json:"widgetPlacement,omitzero"`
	Text            string   `json:"text,omitzero"`
	Timeout         int64    `json:"timeout,omitzero"` // in milliseconds
}

// errNoAnswer says that a dialog was closed without an answer.
var errNoAnswer = errors.New("the client closed the dialog")

// A UI asks the client. Whatever is no clear yes is a no: a time-out, an answer
// of another form, a client that is gone.
type UI struct {
	out     *lineWriter
	timeout time.Duration // of a dialog; 0 is none
	full    bool          // a no is followed by what to do instead
	say     func(string)  // takes the person's words into the run

	mu     sync.Mutex
	open   map[string]chan<- jsontext.Value
	closed bool
}

func newUI(out *lineWriter, timeout time.Duration, full bool) *UI {
	return &UI{out: out, timeout: timeout, full: full, open: map[string]chan<- jsontext.Value{}}
}

// tell shows something that needs no answer.
func (u *UI) tell(r uiRequest) {
	r.Type, r.ID = "extension_ui_request", newUUID()
	line := encode(r)
	u.out.line(func(dst []byte) []byte { return append(dst, line...) })
}

// ask opens a dialog and waits for the client's answer, the end of ctx or the
// time limit.
func (u *UI) ask(ctx context.Context, r uiRequest) (jsontext.Value, error) {
	r.Type, r.ID, r.Timeout = "extension_ui_request", newUUID(), u.timeout.Milliseconds()
	answer := make(chan jsontext.Value, 1)
	u.mu.Lock()
	if u.closed {
		u.mu.Unlock()
		return nil, fmt.Errorf("%w: the client is gone", runner.ErrNobody)
	}
	u.open[r.ID] = answer
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.open, r.ID)
	}()
	line := encode(r)
	u.out.line(func(dst []byte) []byte { return append(dst, line...) })
	var limit <-chan time.Time
	if u.timeout > 0 {
		timer := time.NewTimer(u.timeout)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case v, ok := <-answer:
		if !ok {
			return nil, fmt.Errorf("%w: the client is gone", runner.ErrNobody)
		}
		return v, nil
	case <-limit:
		return nil, fmt.Errorf("%w: no answer came within %s", runner.ErrNobody, u.timeout)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answer takes an extension_ui_response. An unknown id is of a dialog that is
// over, or of none.
func (u *UI) answer(id string, response jsontext.Value) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if waiting, ok := u.open[id]; ok {
		delete(u.open, id)
		waiting <- response.Clone()
	}
}

// close ends all dialogs: nobody answers any more.
func (u *UI) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for id, waiting := range u.open {
		delete(u.open, id)
		close(waiting)
	}
}

// value asks for a text. Anything but a string in value is no answer.
func (u *UI) value(ctx context.Context, r uiRequest) (string, error) {
	v, err := u.ask(ctx, r)
	if err != nil {
		return "", err
	}
	var a struct {
		Value     *string `json:"value"`
		Cancelled bool    `json:"cancelled"`
	}
	if json.Unmarshal(v, &a) != nil || a.Cancelled || a.Value == nil {
		return "", errNoAnswer
	}
	return *a.Value, nil
}

// yes asks for a yes. Only confirmed:true is one.
func (u *UI) yes(ctx context.Context, r uiRequest) (bool, error) {
	v, err := u.ask(ctx, r)
	if err != nil {
		return false, err
	}
	var a struct {
		Confirmed bool `json:"confirmed"`
		Cancelled bool `json:"cancelled"`
	}
	return json.Unmarshal(v, &a) == nil && a.Confirmed && !a.Cancelled, nil
}

// widget is the key of the diff that is shown beside a question, and status of
// the step that runs.
const (
	widgetDiff = "ai.diff"
	statusStep = "ai.step"
)

// Confirm asks whether a step may run. What a settings file would become is
// shown beside the question.
func (u *UI) Confirm(ctx context.Context, q runner.Confirmation) (runner.Choice, error) {
	if q.Change != nil {
		u.tell(uiRequest{Method: "setWidget", WidgetKey: widgetDiff, WidgetLines: strings.Split(strings.TrimRight(q.Change.Unified(), "\n"), "\n"), WidgetPlacement: "aboveEditor"})
		defer u.tell(uiRequest{Method: "setWidget", WidgetKey: widgetDiff})
	}
	ok, err := u.yes(ctx, uiRequest{Method: "confirm", Title: titleOf(&q), Message: messageOfQuestion(&q)})
	switch {
	case err != nil:
		return runner.No, err
	case ok:
		return runner.Yes, nil
	case !u.full || q.Again:
		return runner.No, nil
	}
	return u.instead(ctx)
}

// What may be done in place of a step.
const (
	insteadNothing = "do not run it"
	insteadChange  = "change it"
	insteadSay     = "say what to do instead"
)

// instead asks what to do where the person said no.
func (u *UI) instead(ctx context.Context) (runner.Choice, error) {
	choice, err := u.value(ctx, uiRequest{Method: "select", Title: "What instead?", Options: []string{insteadNothing, insteadChange, insteadSay}})
	if err != nil {
		return runner.No, err
	}
	switch choice {
	case insteadChange:
		return runner.Edit, nil
	case insteadSay:
		said, err := u.value(ctx, uiRequest{Method: "input", Title: "What should be done instead?", Placeholder: "it is told to the model"})
		if err == nil && strings.TrimSpace(said) != "" {
			u.say(said)
		}
	}
	return runner.No, nil
}

func titleOf(q *runner.Confirmation) string {
	switch {
	case q.Again:
		return "Run it again with more allowed?"
	case q.Change != nil:
		return "Change " + filepath.Base(q.Change.Path) + "?"
	case q.Step.Tool == protocol.ToolPluginRun:
		return "Run this plugin?"
	}
	return "Run this command?"
}

// messageOfQuestion is all that a person needs to decide.
func messageOfQuestion(q *runner.Confirmation) string {
	var b strings.Builder
	if q.Change != nil {
		b.WriteString(q.Change.Path + "\n\n" + strings.TrimRight(q.Change.Unified(), "\n"))
	} else {
		b.WriteString(words(&q.Step))
		if q.CWD != "" {
			b.WriteString("\nin " + q.CWD)
		}
	}
	fmt.Fprintf(&b, "\n\nLevel %s", q.Judgement.Level)
	if r := q.Judgement.Reasons; len(r) > 0 {
		b.WriteString(": " + strings.Join(r, "; "))
	}
	if q.Message != "" {
		b.WriteString("\nWhy: " + q.Message)
	}
	if q.ExpectedEffect != "" {
		b.WriteString("\nExpected: " + q.ExpectedEffect)
	}
	if q.Bare {
		b.WriteString("\nIt runs without a sandbox.")
	}
	return b.String()
}

// Edit lets the person change a text.
func (u *UI) Edit(ctx context.Context, title, text string) (string, error) {
	return u.value(ctx, uiRequest{Method: "editor", Title: title, Prefill: text})
}

// EditFile lets the person change a file.
func (u *UI) EditFile(ctx context.Context, name string, text []byte) ([]byte, error) {
	changed, err := u.value(ctx, uiRequest{Method: "editor", Title: "Change " + name, Prefill: string(text)})
	return []byte(changed), err
}

// Select asks for one of the options; an answer that is none of them is no
// answer.
func (u *UI) Select(ctx context.Context, title string, options []string) (int, error) {
	chosen, err := u.value(ctx, uiRequest{Method: "select", Title: title, Options: options})
	if err != nil {
		return 0, err
	}
	for i, o := range options {
		if o == chosen {
			return i, nil
		}
	}
	return 0, errNoAnswer
}

// Input asks for a line.
func (u *UI) Input(ctx context.Context, title string) (string, error) {
	return u.value(ctx, uiRequest{Method: "input", Title: title})
}

// Notify shows a notice.
func (u *UI) Notify(n runner.Notice) {
	u.tell(uiRequest{Method: "notify", Message: n.Text, NotifyType: string(n.Kind)})
}

// status shows the step that runs; "" clears it.
func (u *UI) status(text string) {
	u.tell(uiRequest{Method: "setStatus", StatusKey: statusStep, StatusText: text})
}

func newUUID() string {
	b := newID(16)
	return b[:8] + "-" + b[8:12] + "-" + b[12:16] + "-" + b[16:20] + "-" + b[20:]
}
