// Package schemas is the law: the JSON Schema files (draft 2020-12) that say
// what may be answered, observed and configured. They are embedded, compiled
// on first use, and used for the checks at run time.
//
// Start with [Load] and [Schema.Check]. [Wire] derives what is sent to
// providers that know a subset only.
package schemas
