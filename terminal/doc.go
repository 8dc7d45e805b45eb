// Package terminal is a person at a terminal: the face that `ai` shows to
// people and, with JSON, to programs that start it.
//
// A [Face] reads the events of a runner and writes: the answer to standard
// output and nothing else there; progress, commands, questions and errors to
// standard error. [Face.Asker] asks the person, [Face.Interactive] is the
// loop of `ai -i`. The package uses plain lines only, so that it also works
// where a terminal can do nothing more (TERM=dumb).
//
// It knows no model, no policy engine and no executor: events come in by
// [Face.Event], answers go out through the Asker's methods.
package terminal
