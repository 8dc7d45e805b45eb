package runner

// Numbered tells that a conversation goes on in which so many steps have ids
// already, so that no id is given out twice.
func (r *Runner) Numbered(steps int) { r.steps.Store(max(r.steps.Load(), int64(steps))) }
