//go:build !unix

package main

// ignoreClosedPipes does nothing: there is no signal for it.
func ignoreClosedPipes() {}
