// Package audit is the record of what was judged, who decided, and what came
// of it: an append-only file of one JSON object a line, each with the hash of
// the one before, so that a change in the middle can be seen.
//
// [Log.Append] writes, [Verify] checks the chain, [Read] reads. A chain cannot
// tell that its newest lines were cut off, nor stop somebody who may write the
// file from writing a whole new chain.
package audit
