package executors

import "github.com/holic512/plugin-ai/protocol"

// A parser understands an output while it streams, in bounded memory.
type parser interface {
	feed(block []byte)
	// end gives what was understood; nil where the output did not fit.
	end(exitCode int) *protocol.Parsed
}

func newParser(c Command, maxItems, maxBytes int) parser { return nil }
