// Package jsonedit changes a JSON text and leaves every byte that need not
// change as it is: order, numbers, indentation, line ends, the final newline.
//
// Start with [Set] and [Remove] for one value, and with [Merge] for a text
// that is to mean the same as another one.
package jsonedit
