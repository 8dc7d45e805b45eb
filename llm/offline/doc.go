// Package offline is a provider that asks nobody: a small, deterministic
// assistant for everyday requests about files, git repositories and the
// machine, in English and Chinese. It needs no key, no network and no
// configuration, so it answers where nothing else is set up.
//
// It is no language model and says so when it cannot help. Like any provider
// it sees a conversation and answers with the text of one JSON object of
// package protocol. It runs nothing and reads nothing itself: it proposes
// commands, runs of plugins and changes of settings, and writes its answers
// from the observations that come back.
//
// # How an answer is made
//
// [New] gives the provider. For each call it reads the conversation into a
// turn (conversation.go), looks for the first entry of the table of intents
// whose patterns fit the question (intents.go, pattern.go), and calls that
// intent: ask proposes the first commands, tell writes the answer from what
// was observed or proposes one more round.
//
// To teach it a request, add an intent to the table of its family (git.go,
// files.go, sizes.go …) and its sentences, in both languages side by side, to
// that family's texts file.
package offline
