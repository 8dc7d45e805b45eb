//go:build !unix

package terminal

func hideTyping(int) {}
