// Package registry reads which SlothTool plugins are installed, from
// SlothTool's registry.json. It never writes the file.
//
// Start with [Load] and [Registry.Lookup].
package registry
