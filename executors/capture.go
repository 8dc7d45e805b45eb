package executors

import (
	"bytes"
	"os"
	"sync"
	"time"
)

// A capture reads one stream of a step to its end.
type capture struct {
	index  int // 0: stdout, 1: stderr
	file   *os.File
	parser parser // nil: not parsed
	live   *live

	// The lock is for the case that a read cannot be interrupted: then the
	// step ends without its reader. The space that a read goes to is never
	// part of what is kept.
	mu     sync.Mutex
	ring   ring
	head   []byte // the first bytes, once the ring no longer has them
	spool  spool
	closed bool
}

func (c *capture) run() {
	defer func() { _ = c.file.Close() }()
	for {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return
		}
		if c.ring.full() {
			c.head = bytes.Clone(c.ring.buf[:512])
			c.spool.write(c.ring.buf)
			c.ring.turn()
			enlargePipe(c.file)
		}
		space := c.ring.space()
		c.mu.Unlock()

		n, err := c.file.Read(space)
		if n > 0 {
			c.take(space[:n])
		}
		if err != nil {
			return
		}
	}
}

func (c *capture) take(block []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.ring.advance(len(block))
	if c.ring.flood {
		c.spool.write(block)
	}
	if c.parser != nil {
		c.parser.feed(block)
	}
	c.live.add(c.index, block)
}

// interrupt ends a read that nothing else ends.
func (c *capture) interrupt() {
	if c.file.SetReadDeadline(time.Unix(1, 0)) != nil {
		go func() { _ = c.file.Close() }() // may wait for the read
	}
}

// finish gives the tail and the spool of the stream; nothing is read after it.
func (c *capture) finish(maxLines, maxBytes int) (text string, cut bool, file, note string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	kept := c.ring.last()
	if isBinary(kept) {
		if c.head == nil {
			c.head = kept[:min(len(kept), 512)]
		}
		text, cut = describeBinary(c.head, c.ring.total), true
	} else {
		if bytes.IndexByte(kept, 0) >= 0 {
			kept = bytes.ReplaceAll(kept, []byte{0}, []byte{'\n'})
		}
		text, cut = tailText(kept, c.ring.total > int64(len(kept)), maxLines, maxBytes)
	}
	file, note = c.spool.finish(cut, c.ring.last())
	return text, cut, file, note
}
