//go:build !race

package main

// racing tells that the race detector is in this binary.
const racing = false
