// Package export writes a transcript for people and programs: as plain text,
// as Markdown, as JSON, and as one HTML page that needs nothing else.
//
// What stands in a transcript was written by a model, by programs and by
// whoever wrote the files that these read. No form lets it be anything but
// text: the page has no script and loads nothing, Markdown fences are longer
// than what is in them, and characters that a terminal would obey or that
// reorder or hide text are shown by their number.
package export
