//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// TestDecideInTheTerminal is a model that has the person choose: first with
// items that are no questions, then twice, then on a page that nobody opens.
func TestDecideInTheTerminal(t *testing.T) {
	t.Parallel()
	ask := func(items string) fakellm.Answer {
		return fakellm.Steps("You choose.", jsontext.Value(`{"tool":"decide.ask","task":"Name the package","items":`+items+`}`))
	}
	const items = `[{"id":1,"title":"Which name?","context":"It is short.","options":[{"value":"a","label":"alpha","score":70,"pros":["short"],"cons":["vague"]},{"value":"b","label":"beta"}],"recommend":"a"},` +
		`{"id":2,"title":"Which licence?","context":"","options":[{"value":"mit","label":"MIT"},{"value":"gpl","label":"GPL"}],"recommend":null}]`
	srv := fakellm.New(t, ask(`[{"id":1}]`), ask(items), fakellm.Chat("beta it is"), ask(items))
	cmd := command(t, srv, "-i")
	s := open(t, cmd)
	s.await("> ")
	s.press("help me choose\r")
	s.await("Name the package")
	s.await("alpha (recommended; score 70; for: short; against: vague)")
	s.await("in the browser")
	s.await("> ")
	s.press("2\r")
	s.await("Which licence? (2/2)")
	s.await("> ")
	s.press("1\r")
	s.await("beta it is")
	s.await("> ")
	s.press("again\r")
	s.await("in the browser")
	s.await("> ")
	s.press("3\r")
	s.await("http://")
	s.press("\x03") // nobody opens it
	s.await("> ")
	s.press("\x04")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if body := string(srv.Requests()[0].Body); !strings.Contains(body, `decide.ask`) {
		t.Errorf("the model is not told that it can ask: %s", body)
	}
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, `items[0]`) {
		t.Errorf("the model is not told what was wrong: %s", body)
	}
	if body := string(srv.Requests()[2].Body); !strings.Contains(body, `\"chosen\":\"b\"`) || !strings.Contains(body, `\"chosen\":\"mit\"`) {
		t.Errorf("the decisions are not told: %s", body)
	}
}
