//go:build !unix

package session

const openFlags = 0

// lockIsFile says that the lock is not on the file itself: a lock here would
// keep others from reading it.
const lockIsFile = false

func lockPath(path string) string { return path + ".lock" }

// syncDir does nothing: folders cannot be synced here.
func syncDir(string) error { return nil }
