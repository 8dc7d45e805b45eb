// Package replay writes the calls of a provider down and plays them back: for
// tests, and for reports that somebody else can run.
//
// A recording is one JSON object a line, one line a call: what was asked, what
// came in which pieces, and the final message. It holds no key and no header,
// and every text in it has passed a masker. Start with [NewRecorder] and
// [New].
package replay
