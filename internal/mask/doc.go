// Package mask takes keys, tokens and passwords out of text before the text
// leaves the program: to a model, to a file, to a log.
//
// What is known to be secret is found in every usual spelling. Besides, what
// looks like a secret is found by its own form (sk-…, ghp_…, a private key
// block) or by the name that stands beside it (API_KEY=…, "password": "…").
// Hashes, identifiers, paths and source code stay as they are. It is a net,
// not a proof: what looks like an ordinary word is not found.
//
// Start with [New].
package mask
