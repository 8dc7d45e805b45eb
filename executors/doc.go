// Package executors carries steps out: real processes with limits, whose
// output is kept as bounded tails while it streams. It decides nothing; what
// it is given has been judged.
package executors
