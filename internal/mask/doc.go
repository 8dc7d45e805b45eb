// Package mask takes keys, tokens and passwords out of text before the text
// leaves the program: to a model, to a file, to a log.
//
// What is known to be secret is found in every usual spelling. Besides, what
// looks like a secret is found by its own form (sk-…, ghp_…, a private key
// block) or by the name that stands beside it (API_KEY=…, "password": "…").
// Hashes, identifiers, paths and source code stay as they are. It is a net,
// not a proof: what looks like an ordinary word is not found.
//
// The forms and the names are data, in patterns.json, which is read on first
// use; schemas/mask.schema.json says what its fields mean, and a person's own
// file of the same form is added to it by [ParsePatterns] and [NewWith]. What
// takes more than data, such as a key block, is code, in blocks.go and
// named.go.
//
// Start with [New].
package mask
