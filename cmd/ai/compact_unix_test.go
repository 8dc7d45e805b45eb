//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// TestInterruptWhileSummingUp: Ctrl-C ends a /compact, and the conversation is
// as it was before it.
func TestInterruptWhileSummingUp(t *testing.T) {
	t.Parallel()
	held := fakellm.Text(`{"summary":"It was about ports.","keyFacts":[],"openTasks":[]}`)
	held.Before = make(chan struct{})
	srv := fakellm.New(t, fakellm.Chat("first answer"), fakellm.Chat("second answer"), held, fakellm.Chat("still here"))
	cmd := command(t, srv, "-i")
	s := open(t, cmd)
	s.await("> ")
	s.press("one\r")
	s.await("first answer")
	s.await("> ")
	s.press("two\r")
	s.await("second answer")
	s.await("> ")
	s.press("/compact\r")
	if _, err := srv.Await(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	s.await("summing up")
	s.press("\x03")
	s.await("stopped")
	s.await("> ")
	s.press("are you there?\r")
	s.await("still here")
	s.await("> ")
	s.press("\x04")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	body := string(srv.Requests()[3].Body)
	for _, said := range []string{`"one"`, "first answer", `"two"`, "second answer"} {
		if !strings.Contains(body, said) {
			t.Errorf("the request after it does not hold %s: %s", said, body)
		}
	}
	if strings.Contains(body, "summed up") {
		t.Errorf("the request after it holds a summary: %s", body)
	}
}
