// Package google speaks the generateContent API of Google's Gemini models
// (google-generative-ai) over plain HTTP.
//
// The form of an answer is enforced with responseJsonSchema, which takes the
// OpenAI strict form of a schema as it is: that form uses no keyword outside
// Gemini's subset. Where a model refuses it, JSON mode and then nothing at all
// is asked for, and that is remembered.
package google
