package decide

// Port is the port that a server has taken.
func (s *Server) Port() int { return s.guard.port }
