// Package registry reads which SlothTool plugins are installed, from
// SlothTool's registry.json. It never writes the file.
//
// Start with [Load], or [Open] where the file is to be followed, and with
// [Registry.Lookup]; then [Plugin.Program] and [Plugin.Manifest].
package registry
