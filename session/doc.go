// Package session keeps conversations in files: one JSON object a line, lines
// are only ever added.
//
// A line with a "role" is a message in the form of pai's session files:
//
//	{"role":"user","content":"hi","timestamp":"2026-03-11T12:00:00.000Z","id":"9f3a01c7","parentId":null}
//
// A line with a "type" and no "role" is something else that happened (a name,
// another model, a summary); such lines are only in files of our own store,
// and the first of them is the header:
//
//	{"type":"header","timestamp":"2026-03-11T12:00:00.000Z","version":1,"id":"0f1e2d3c4b5a6978","cwd":"/home/you"}
//
// Every line but the header is an entry of a tree: "parentId" names the entry
// before it, and an entry without one follows the line before. So a file of pai is one of ours, a list being a tree with one
// branch, and fields that are not known here stay as they were written. Files
// of pi are read too, and never written.
//
// Start with [Store] for the sessions of a person, and [OpenFile] for a file
// that somebody named. A [Session] is one open file: [Session.Append] writes
// a turn, [Session.Window] gives the newest entries of the present branch,
// [Session.Fork] goes on from an earlier one.
//
// What the package promises:
//   - What Append has acknowledged is on the disk. What it has refused is not
//     in the file.
//   - One process writes to a file at a time; another gets [ErrLocked] at
//     once. Reading is always possible.
//   - Nothing is dropped silently. A line that cannot be read is a [Problem],
//     with its place; a last line that a crash tore is cut off, and kept in a
//     file beside. Problems do not hinder opening: the caller decides.
//   - Opening, appending and the window take the same time in a session of a
//     hundred messages and of a hundred thousand. An index in a file beside
//     (.idx) makes it so; it can be deleted at any time.
//
// The package knows no model, no terminal and no settings.
package session
