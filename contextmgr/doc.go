// Package contextmgr decides what goes into a request: the language, digests
// of earlier results, the recent conversation and the current turn, each part
// and the whole under a ceiling (plugin-ai document, section 8).
//
// A [Manager] holds one conversation; [Manager.Window] gives what is sent.
package contextmgr
