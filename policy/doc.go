// Package policy says what a step may do. It judges a step and runs nothing:
// an [Engine] turns a [Step] into a [Judgement] with a level, the rules that
// were hit, reasons in words, and facts.
//
// What is known about programs is data, one file per program family under
// rules/. What is not on a list is not safe.
package policy
