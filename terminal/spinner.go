package terminal

import (
	"fmt"
	"sync"
	"time"

	"github.com/clipperhouse/displaywidth"
)

const spinEvery = 120 * time.Millisecond

// A spinner shows on one line what is going on and for how long. It appears
// only where that takes a moment, and only on a terminal that can erase it.
// Its methods are called under lock.
type spinner struct {
	out   *output
	lock  sync.Locker
	free  func() bool // tells whether the line is free
	label string
	since time.Time
	drawn bool
	quit  chan struct{} // nil: not running
}

// show starts it, or changes what it says.
func (s *spinner) show(label string) {
	if !s.out.control {
		return
	}
	s.label, s.since = label, time.Now()
	if s.quit != nil {
		return
	}
	s.quit = make(chan struct{})
	go s.run(s.quit)
}

func (s *spinner) run(quit chan struct{}) {
	tick := time.NewTicker(spinEvery)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-quit:
			return
		case <-tick.C:
		}
		s.lock.Lock()
		if s.quit == quit && s.free() {
			s.draw(i)
		}
		s.lock.Unlock()
	}
}

func (s *spinner) draw(i int) {
	frames := [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	took := fmt.Sprintf(" %d s", int(time.Since(s.since).Seconds()))
	columns, _ := s.out.size()
	label := displaywidth.TruncateString(s.label, columns-4-len(took), "…")
	s.out.print("\r" + paint(frames[i%len(frames)], cyan, s.out.color) + " " + paint(label+took, dim, s.out.color) + "\x1b[K")
	s.drawn = true
}

// stop takes it away and leaves an empty line.
func (s *spinner) stop() {
	if s.quit != nil {
		close(s.quit)
		s.quit = nil
	}
	if s.drawn {
		s.out.print("\r\x1b[K")
		s.drawn = false
	}
}
