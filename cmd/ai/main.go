// Command ai asks a language model that may only answer in a small, strict
// JSON language, and carries out what it is allowed to.
package main

import (
	"context"
	"os"
)

func main() {
	p := process{
		args: os.Args[1:], getenv: os.Getenv,
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	}
	os.Exit(int(p.run(context.Background())))
}

// process is all that the program knows of the process that it is. Only this
// package touches the real one.
type process struct {
	args                  []string
	getenv                func(string) string
	stdin, stdout, stderr *os.File
}
