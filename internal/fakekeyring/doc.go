// Package fakekeyring is a keyring for tests: a message bus of its own with a
// Secret Service on it, as far as one key at a time is set, got and deleted.
//
// Start with [Start].
package fakekeyring
