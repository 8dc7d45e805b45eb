// Package diff compares two texts as people read it: line by line, with the
// words that differ.
//
// [Compare] is the way in; [Diff.Mask] takes secrets out, [Diff.Unified] makes
// text of it. The result depends on the two texts alone, never on the time that
// comparing takes: the work is bounded by counting it, and where the bound is
// reached a stretch is shown as replaced by the other, which is right as well.
package diff
