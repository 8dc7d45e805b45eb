package session_test

import (
	"context"
	"fmt"
	"os"

	"github.com/holic512/plugin-ai/session"
)

func Example() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	ctx := context.Background()
	store := session.NewStore(session.Config{Dir: dir})
	s, err := store.Create("/home/you/project", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close() }()

	// A turn is one write.
	turn, err := s.Append(ctx,
		session.Message(session.User, "what changed?"),
		session.Message(session.Assistant, "two files").With("model", "m1"))
	if err != nil {
		panic(err)
	}
	// Ask the same otherwise: a new branch from before the question.
	if err := s.Fork(turn[0].ParentID); err != nil {
		panic(err)
	}
	if _, err := s.Append(ctx, session.Message(session.User, "what changed today?")); err != nil {
		panic(err)
	}
	window, err := s.Window(50)
	if err != nil {
		panic(err)
	}
	for _, l := range window {
		fmt.Println(l.Role, l.Text())
	}
	fmt.Println(s.Counts().Messages(), "messages on all branches")
	// Output:
	// user what changed today?
	// 3 messages on all branches
}
