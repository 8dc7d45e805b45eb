// Package protocol is the language between the program and a model: the
// [Reply] that a model may give, the [Observation] that it is told, and the
// decoders that read the first from text.
//
// A model answers with exactly one JSON object (plugin-ai document, sections 4
// to 6). [Decode] is strict: what was not said exactly is named as a
// [Violation] and never guessed. [Decoder] is the same decoder fed piece by
// piece, so that the words for the person can be shown while they arrive.
//
// The package knows no provider, no policy and no process.
package protocol
