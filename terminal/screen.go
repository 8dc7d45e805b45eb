package terminal

import "github.com/holic512/plugin-ai/protocol"

type screen struct{ stream }

func newScreen(out *output) *screen { return &screen{stream{out: out, clean: &cleaner{}}} }

func (s *screen) dirty() bool                   { return s.stream.dirty }
func (s *screen) finish(format protocol.Format) { s.stream.finish(format) }
