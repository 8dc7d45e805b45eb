// Package call makes one call to a model's server, for the wire APIs that are
// an HTTP request answered by server-sent events: how long is waited for what,
// what is believed of an answer's bytes, how failures are sorted and told with
// keys masked, and the ladder from a strict form of answers to none.
//
// What is particular about an API it is told by an [Exchange].
package call
