package terminal

import "golang.org/x/term"

// modes changes how a terminal treats what is typed, and puts it back. The
// zero value is for what is no terminal, and does nothing.
type modes struct {
	fd    int
	saved *term.State // as it was at the start; nil: no terminal
}

func saveModes(in *input) *modes {
	if !in.terminal {
		return &modes{}
	}
	saved, err := term.GetState(in.fd)
	if err != nil {
		return &modes{}
	}
	return &modes{in.fd, saved}
}

// restore puts back what was found at the start, whatever happened since. A
// process in the background leaves the terminal to the one in front.
func (m *modes) restore() {
	if m.saved != nil && foreground(m.fd) {
		_ = term.Restore(m.fd, m.saved)
	}
}

// raw gives every key at once and unseen. It starts from the saved modes, so
// that a child that left the terminal in disorder does not matter.
func (m *modes) raw() error {
	if m.saved == nil {
		return nil
	}
	m.restore()
	_, err := term.MakeRaw(m.fd)
	return err
}

// silent is the terminal as it was, but what is typed is not seen.
func (m *modes) silent() {
	if m.saved != nil {
		m.restore()
		hideTyping(m.fd)
	}
}
