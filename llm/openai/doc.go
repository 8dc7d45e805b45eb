// Package openai speaks the OpenAI chat completions API, with OpenAI and with
// the many servers that offer the same: OpenRouter, DeepSeek, LM Studio,
// llama.cpp, vLLM, Ollama and others.
//
// The official SDK writes the body of a request. The answer is read by this
// package: its bytes are looked at before any decoder can repair them, an event
// is given as soon as its bytes are there, and a server that bends the format (no [DONE],
// no blank line, usage late or early, a whole document in place of a stream)
// is understood where nothing has to be guessed.
//
// Nothing is retried here, with one exception: a server that refuses a form of
// response_format is asked again at once with the next weaker one, and that is
// remembered ([Capabilities]).
package openai
