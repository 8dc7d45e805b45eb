// Package jsonfile changes the JSON settings files of a person: which files
// may be changed, what a patch makes of one, the write, and the way back. It
// asks nobody and judges nothing: it makes plans, and carries one out when it
// is told to.
//
// Only what was asked changes in a file: order, number spelling, indentation,
// line ends, a byte order mark and the end of the file stay.
//
// Start with [New], [Editor.Plan] and [Editor.Commit]; the way back is
// [Editor.PlanUndo].
package jsonfile
