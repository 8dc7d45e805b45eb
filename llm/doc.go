// Package llm talks to language models and does nothing else: messages in, a
// stream of events out. It is usable by itself; it knows neither the strict
// answer language nor the agent loop.
//
// Start with [Provider] (one wire API) and [Stream] (one answer arriving).
package llm
