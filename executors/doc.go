// Package executors carries steps out: real processes with limits, whose
// output is kept as bounded tails while it streams. It decides nothing; what
// it is given has been judged.
//
// Start with [NewExec] and [Exec.Run]. A [Result] tells the truth about one
// step: how it ended, the tail of each stream as clean text, where the whole
// output is if the tails leave something out, and what the output means as
// structure ([Match], [File], [Snippet], [GitChange], [Commit], [FileDiff],
// [JSONValue]). What a plugin wrote is parsed as JSON or not at all.
//
// [Exec.RunInteractive] lends the terminal to a program that a person works
// in. It is in the same session, since a terminal has only one, and in a
// process group of its own; all else is as in [Exec.Run].
//
// # What is left behind
//
// On Linux a step's processes are found wherever they went: by their session,
// process group and parents, by a mark in their environment (AI_STEP_ID), and
// because this process adopts orphans. What still runs when the step's program
// has ended is ended with it. A process that another service starts (systemd,
// cron, docker) is not the step's child and is not found. On other Unix
// systems a process that leaves the process group escapes; on Windows only the
// program itself is ended, at once and by force.
//
// # Tails
//
// A tail is what a terminal would show of the last 64 KiB (or four times
// MaxTailBytes): escapes are gone, overwritten progress is its last state,
// bytes that are not UTF-8 are U+FFFD, NUL bytes that end records are line
// ends. Other binary output is described. Spool files have the raw bytes.
package executors
