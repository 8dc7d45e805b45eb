package shell

import "maps"

// A state is what is known at one point of a script.
type state struct {
	begin string // where the script begins
	cwd   string
	lost  bool              // cwd is no longer known
	moves int               // how often it was changed
	fed   bool              // commands are given text on their input
	vars  map[string]string // variables whose value is known
	funcs map[string]bool   // functions that are certainly defined
}

func newState(cwd string) *state {
	return &state{begin: cwd, cwd: cwd, vars: map[string]string{}, funcs: map[string]bool{}}
}

func (s *state) clone() *state {
	return &state{begin: s.begin, cwd: s.cwd, lost: s.lost, moves: s.moves, fed: s.fed, vars: maps.Clone(s.vars), funcs: maps.Clone(s.funcs)}
}

// merge keeps what is known on both of two ways through a script.
func (s *state) merge(o *state) {
	if s.cwd != o.cwd {
		s.lost = true
	}
	s.lost = s.lost || o.lost
	s.moves = max(s.moves, o.moves)
	maps.DeleteFunc(s.vars, func(name, value string) bool {
		v, ok := o.vars[name]
		return !ok || v != value
	})
	maps.DeleteFunc(s.funcs, func(name string, _ bool) bool { return !o.funcs[name] })
}

// forget drops all that code may have changed that was not followed.
func (s *state) forget() {
	clear(s.vars)
	clear(s.funcs)
	s.lost = true
	s.moves++
}
