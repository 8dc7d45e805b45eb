// Package slothtree gives tests a home folder with an installed SlothTool: its
// registry, its settings and three plugins that run with node. The files are
// in testdata/slothtool at the top of the repository.
//
// Start with [Plant].
package slothtree
