// Package config is what the user set: what may be done and how (ai.json),
// who is asked with which key (default.json), the environment, the flags.
//
// A flag stands above the environment, the environment above a file, a file
// above the default, and every value knows where it came from. The package
// looks at no environment of its own: all it knows comes in [Sources].
//
// Start with [Load] and [Settings.Ready]. [Inspect] is for a doctor, [Store]
// and [WriteProvider] change the files.
package config
