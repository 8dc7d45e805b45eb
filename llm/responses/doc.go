// Package responses speaks the OpenAI Responses API over plain HTTP, with
// OpenAI (openai-responses), with Azure (azure-openai-responses), and with
// other servers that offer the same.
//
// Nothing is stored at the server: each request holds the whole conversation,
// and what a model thought goes back to it sealed. What a model says before its
// answer (the phase "commentary") is given as thinking, for it is no part of
// the answer.
package responses
