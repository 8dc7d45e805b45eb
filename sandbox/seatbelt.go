package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// seatbelt writes a profile in the language of sandbox-exec, in which the last
// rule that matches counts.
func (s *Sandbox) seatbelt(p Profile, scratch string) string {
	var b strings.Builder
	rule := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	rule("(version 1)")
	rule("(allow default)")
	rule("(deny file-write*)")
	rule("(deny signal)")
	rule("(allow signal (target same-sandbox))")
	devices := []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr"}
	if p.Terminal != "" {
		devices = append(devices, p.Terminal)
	}
	for _, path := range devices {
		rule("(allow file-write-data (literal %s))", quote(path))
	}
	for _, path := range append(slices.Clone(p.Writable), scratch) {
		rule("(allow file-write* (subpath %s))", quote(path))
	}
	for _, g := range s.guarded {
		rule(`(deny file-write* (regex #"%s"))`, placePattern(g))
	}
	if !p.Secrets {
		for _, secret := range s.secret {
			rule(`(deny file-read-data file-write* (regex #"%s"))`, placePattern(secret))
		}
	}
	if !p.Network {
		rule("(deny network* (remote ip) (local ip))")
	}
	if !p.LocalSockets {
		rule("(deny network* (remote unix-socket) (local unix-socket))")
	}
	return b.String()
}

// placePattern is a regular expression for a place and all below it; case does
// not count.
func placePattern(p place) string {
	var b strings.Builder
	b.WriteString("^")
	for _, name := range p {
		b.WriteString("/")
		for _, r := range name {
			lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
			switch {
			case r == '*':
				b.WriteString("[^/]*")
			case lower != upper:
				b.WriteString("[" + lower + upper + "]")
			case strings.ContainsRune("\"\\^[]", r): // no sure way to write them
				b.WriteString(".")
			case strings.ContainsRune(".+?(){}|$", r):
				b.WriteString("[" + string(r) + "]")
			default:
				b.WriteRune(r)
			}
		}
	}
	b.WriteString("(/|$)")
	return b.String()
}

// quote writes a string of the profile's language.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
