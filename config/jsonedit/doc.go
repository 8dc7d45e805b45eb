// Package jsonedit changes one value in a JSON text and leaves every other
// byte as it is: order, numbers, indentation, line ends, the final newline.
//
// Start with [Set] and [Remove].
package jsonedit
