// Package rpc lets another program drive a conversation: commands come as JSON
// lines, responses and events go as JSON lines, in the protocol of pi's RPC
// mode. docs/rpc.md describes it; it is made from the tables in this package.
//
// A [Server] stands between the two: [Server.Serve] reads commands and answers
// them, [Server.Event] turns the runner's events into pi's, and [UI] asks the
// client what a person has to decide.
//
// Files by job: frame.go (lines), command.go (what a command may say),
// server.go and handle*.go (what each does), translate*.go and assistant.go
// (events), message.go (pi's messages), book.go, lines.go
// and restore.go (the session), ui.go (dialogs).
package rpc
