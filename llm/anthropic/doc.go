// Package anthropic speaks the Messages API of Anthropic, with Anthropic and
// with the servers that offer the same.
//
// The form of an answer is enforced by the API's own structured output, else
// by a tool that must be called and whose input is the answer, held to its
// schema or not, else by nothing but the prompt. The next weaker way is asked
// for only where the server refuses one by its name, and that is remembered.
//
// An answer counts only if its message_stop came: nothing that was cut is taken
// for whole. Nothing is retried here.
//
// The official SDK is not used. Version 1.84.0 would make the program 9 MB
// larger (37.9 to 47.0 MB), add 0.3 to 0.5 ms and 100 KB to every start, and
// bring fifteen modules, among them OpenTelemetry and a YAML parser; what is
// needed of it is one request and eight kinds of events.
package anthropic
