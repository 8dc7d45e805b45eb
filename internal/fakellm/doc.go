// Package fakellm is a model server for tests: it speaks the OpenAI chat
// completions API and the Messages API of Anthropic on loopback, gives scripted
// answers in order, misbehaves where it is told to, and records what it was
// asked.
//
// A test writes
//
//	srv := fakellm.New(t, fakellm.Cmd("I look.", []string{"git", "status"}), fakellm.Chat("clean"))
//
// and points a provider at srv.URL. When the test ends, calls that the script
// did not foresee and answers that nobody fetched are failures. [Start] and
// [Parse] do the same for a program that is no Go test.
//
// Nothing here waits for a time: an answer goes on when a channel of the test
// lets it.
package fakellm
