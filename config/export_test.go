package config

import "time"

// WithTimeLimit is a cache whose programs may take this long.
func WithTimeLimit(d time.Duration) *KeyCache {
	k := NewKeyCache()
	k.timeLimit = d
	return k
}
