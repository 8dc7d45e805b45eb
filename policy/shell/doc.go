// Package shell judges a bash script by what its commands may do. Every simple
// command in it is judged by the policy engine and the highest level counts.
//
// A script runs unasked only where it is plain: words whose text is fixed when
// it is judged, programs the engine holds for safe, and a few constructs that
// cannot do more than choose among them. Everything that bash decides while it
// runs (expansions, functions, eval, loops without a fixed list) is asked for,
// and what a refused command may hide in is refused with it. What the parser
// does not understand is refused: bash is the one that would run it.
package shell
