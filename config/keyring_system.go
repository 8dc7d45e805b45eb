//go:build !unix || darwin

package config

// keyringReachable is nil: the system itself keeps the keyring.
func keyringReachable() error { return nil }
