// Package atomicfile replaces files at once, while one writer at a time can:
// whoever reads sees the old file or the new one, whole, also after a crash.
//
// Start with [Open], then [Dir.Lock] and [Dir.Prepare]. It imports nothing of
// this module.
package atomicfile
