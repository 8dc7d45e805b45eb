package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Kind is what the wall refused.
type Kind string

// The kinds, with what a profile would have to allow.
const (
	KindWrite   Kind = "write"         // Profile.Writable
	KindSecret  Kind = "secret"        // Profile.Secrets
	KindNetwork Kind = "network"       // Profile.Network
	KindLocal   Kind = "local sockets" // Profile.LocalSockets
	KindProcess Kind = "process"       // nothing: other processes are never open
	KindDevice  Kind = "device"        // nothing: devices are never open
)

// A Violation is what the wall most likely stopped.
type Violation struct {
	Kind Kind
	Path string // of a write, a secret or a device
	// Entry tells of a write that the folder's list was to be changed: the
	// path moved or removed, not its content.
	Entry bool
}

// String says it in words, for a person and a model.
func (v *Violation) String() string {
	const by = "the sandbox refused: "
	switch v.Kind {
	case KindWrite:
		return by + "changing " + v.Path
	case KindSecret:
		return by + "reading " + v.Path + ", a secret place"
	case KindNetwork:
		return by + "using the network"
	case KindLocal:
		return by + "speaking to another program through a local socket"
	case KindDevice:
		return by + "using the device " + v.Path
	case KindProcess:
		return by + "reaching into another process"
	}
	return by + string(v.Kind)
}

// Explain tells from a program's end what the wall stopped; nil where that is
// not the likely cause of a failure. dir is the folder the program ran in,
// exitCode is nil where a signal ended it, stderr is the end of what it said.
//
// A refused file is told only where the user's own rights would have
// sufficed, so that an ordinary "permission denied" stays one.
func (s *Sandbox) Explain(p Profile, dir string, exitCode *int, stderr string) *Violation {
	if exitCode == nil || *exitCode == 0 {
		return nil
	}
	texts := s.texts()
	lines := strings.Split(stderr, "\n")
	slices.Reverse(lines) // the last words tell best
	refused, socket := false, false
	for _, line := range lines[:min(len(lines), 50)] {
		at := texts.denied.FindStringIndex(line)
		if at != nil && !texts.kill.MatchString(line) {
			for _, path := range namedPaths(line, at[0]) {
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, path)
				}
				if v := s.refused(p, path); v != nil {
					v.Entry = v.Kind == KindWrite && texts.entry.MatchString(line)
					return v
				}
			}
		}
		switch {
		case !p.LocalSockets && texts.local.MatchString(line):
			return &Violation{Kind: KindLocal}
		case !p.Network && texts.network.MatchString(line):
			return &Violation{Kind: KindNetwork}
		case at != nil && (texts.kill.MatchString(line) || texts.process.MatchString(line)):
			return &Violation{Kind: KindProcess}
		}
		refused = refused || at != nil
		socket = socket || texts.socket.MatchString(line)
	}
	if refused && socket && !p.Network {
		return &Violation{Kind: KindNetwork}
	}
	return nil
}

// Allowing gives the profile that allows what was refused, for running a step
// again; false where none does: what only running without a sandbox allows.
func (s *Sandbox) Allowing(p Profile, v *Violation) (Profile, bool) {
	switch v.Kind {
	case KindWrite:
		path := v.Path
		if _, err := os.Lstat(path); err != nil || v.Entry { // it would be made, moved or removed
			path = filepath.Dir(path)
		}
		p.Writable = append(slices.Clone(p.Writable), path)
		real, err := filepath.EvalSymlinks(path)
		if v.Entry { // all of the folder, or nothing
			return p, err == nil && s.canChange(p, real)
		}
		return p, err == nil && s.canChange(p, filepath.Join(real, strings.TrimPrefix(v.Path, path)))
	case KindSecret:
		p.Secrets = true
	case KindNetwork:
		p.Network = true
	case KindLocal:
		p.LocalSockets = true
	case KindProcess, KindDevice:
		return p, false
	}
	return p, true
}

// texts are how programs tell of a refusal.
type texts struct{ denied, network, local, socket, kill, process, entry *regexp.Regexp }

// newTexts compiles them, which is done at the first failure.
func newTexts() *texts {
	return &texts{
		denied: regexp.MustCompile(`(?i)permission denied|operation not permitted|insufficient permission|access denied|\bEACCES\b|\bEPERM\b`),
		network: regexp.MustCompile(`(?i)could(n't| not) resolve|(temporary failure in|unable to resolve|failure in) name|name or service not known|` +
			`network is unreachable|getaddrinfo|EAI_AGAIN|ENOTFOUND|could(n't| not) connect to server|failed to connect to|dial tcp|dial udp|\bquery[A-Z]\w* E[A-Z]+ `),
		local:   regexp.MustCompile(`(?i)unix:/|\.sock\b|connect to (the )?(system |session )?bus|docker daemon|d-bus|dial unix|authentication agent`),
		socket:  regexp.MustCompile(`(?i)\bsocket|\b(bind|listen|connect)\b`),
		kill:    regexp.MustCompile(`\bkill(: | EPERM)`),
		process: regexp.MustCompile(`(?i)ptrace|strace|attach|/proc/\d+`),
		entry:   regexp.MustCompile(`(?i)\b(rename|unlink|rmdir|remove|move)\b`),
	}
}

// namedPaths gives what in a line may be the path that was refused: what is
// quoted, and what stands before the words of refusal at at. The name of the
// program, which most lines begin with, is none.
func namedPaths(line string, at int) (paths []string) {
	for _, quotes := range []string{"''", `""`, "‘’", "`'", "“”", "«»"} {
		q := []rune(quotes)
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, string(q[0]))
			if !ok {
				break
			}
			inner, next, ok := strings.Cut(after, string(q[1]))
			if !ok {
				break
			}
			paths = append(paths, inner)
			rest = next
		}
	}
	before, colon := strings.CutSuffix(line[:at], ": ")
	i := strings.LastIndex(before, ": ")
	last := strings.TrimSpace(strings.TrimPrefix(before[max(i, 0):], ": "))
	space := strings.LastIndexByte(last, ' ')
	word := last[space+1:]
	switch {
	case space < 0 && (strings.Contains(word, "/") || colon && i >= 0): // bash: x: permission denied
		paths = append(paths, word)
	case space >= 0 && strings.Contains(last, "/"):
		paths = append(paths, word, last)
	case space >= 0 && colon && (strings.HasPrefix(last, "can") || strings.HasPrefix(last, "could")): // sh: cannot create x: permission denied
		paths = append(paths, word)
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		words := strings.ContainsFunc(p, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		return !words || strings.HasPrefix(p, "[Errno") || p == "EACCES" || p == "EPERM" || len(p) > 4096 || strings.ContainsRune(p, 0)
	})
}

// refused tells what the profile keeps from a path and the user's rights would
// not; nil is nothing.
func (s *Sandbox) refused(p Profile, path string) *Violation {
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	exists := err == nil
	if !exists {
		up, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return nil // not a path
		}
		real = filepath.Join(up, filepath.Base(path))
	}
	hidden := s.hides(filepath.Dir(real), filepath.Base(real))
	switch {
	case exists && !p.Secrets && (hidden || within(s.secret, real) || within(s.secret, path)):
		return &Violation{Kind: KindSecret, Path: path}
	case strings.HasPrefix(real, "/proc/"):
		return nil
	case exists && strings.HasPrefix(real, "/dev/") && !strings.HasPrefix(real, "/dev/shm/"):
		if mayRead(real) && !slices.Contains([]string{os.DevNull, "/dev/zero", "/dev/tty"}, real) {
			return &Violation{Kind: KindDevice, Path: path}
		}
		return nil
	case s.canChange(p, real):
		return nil
	case exists && mayWrite(real), !exists && mayWrite(filepath.Dir(real)):
		return &Violation{Kind: KindWrite, Path: path}
	}
	return nil
}

// canChange tells whether the profile lets a path be changed.
func (s *Sandbox) canChange(p Profile, real string) bool {
	keep := s.guarded
	if !p.Secrets {
		keep = slices.Concat(keep, s.secret)
	}
	for _, w := range p.Writable {
		root, err := filepath.EvalSymlinks(w)
		if err != nil || !below(root, real) {
			continue
		}
		if slices.ContainsFunc(coverOf(root, keep, s.hides).paths, func(path string) bool { return below(path, real) }) {
			return true
		}
	}
	return below(s.cfg.ScratchDir, real) && strings.HasPrefix(strings.TrimPrefix(real, s.cfg.ScratchDir+"/"), scratchPrefix)
}

// below tells whether a path is root or lies in it.
func below(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}
