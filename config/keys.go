package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/protocol"
)

// Limits of a program that prints a key.
const (
	keyProgramTime   = 10 * time.Second
	keyProgramStdout = 16 << 10 // bytes
	keyProgramStderr = 4 << 10  // bytes
	keyProgramGrace  = time.Second
)

// A KeyCache gets keys from where they have to be asked for: a program or the
// system's keyring. Each is asked once, whether that succeeds or not. It is
// safe for concurrent use.
type KeyCache struct {
	timeLimit time.Duration
	mu        sync.Mutex
	got       map[KeyRef]gotKey
}

type gotKey struct {
	key Secret
	err error
}

// NewKeyCache has asked nobody yet.
func NewKeyCache() *KeyCache { return &KeyCache{timeLimit: keyProgramTime, got: map[KeyRef]gotKey{}} }

// Key is the key of the target: the one that is known, or the one that a
// program or the keyring has, which is asked now. It is "" where none is
// needed. An [*Error] of the kind ErrCredentials says why it could not be got;
// it shows nothing that was printed to standard output.
func (s *Settings) Key(ctx context.Context) (Secret, error) {
	if s.Target.APIKey != "" || !s.Target.KeyRef.fetched() {
		return s.Target.APIKey, nil
	}
	return s.keys.get(ctx, s.Target.KeyRef)
}

// get asks for a key, or gives what was given before.
func (k *KeyCache) get(ctx context.Context, ref KeyRef) (Secret, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if g, ok := k.got[ref]; ok {
		return g.key, g.err
	}
	var text string
	var err error
	if ref.Command != "" {
		text, err = k.run(ctx, ref.Command)
	} else {
		text, err = keyringGet(ctx, ref.Keyring)
	}
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	g := gotKey{key: Secret(text), err: err}
	if err == nil && !isKey(text) {
		g = gotKey{err: &Error{Kind: ErrCredentials, Message: fmt.Sprintf("%s: expected a key in one line without white space, got %s", ref, describe(text)),
			Advice: "let it give the key alone"}}
	}
	k.got[ref] = g
	return g.key, g.err
}

// describe says what was given instead of a key, without showing it.
func describe(text string) string {
	switch lines := 1 + strings.Count(text, "\n"); {
	case text == "":
		return "nothing"
	case lines > 1:
		return fmt.Sprintf("%d lines", lines)
	}
	return "another text"
}

// run runs a program directly, without a shell, and gives what it prints
// without the newline at the end.
func (k *KeyCache) run(ctx context.Context, line string) (string, error) {
	program, args, err := protocol.ParseCommand(line)
	if err != nil {
		return "", &Error{Kind: ErrCredentials, Message: "cmd: " + err.Error(), Err: err}
	}
	fail := func(format string, args ...any) error {
		return &Error{Kind: ErrCredentials, Message: fmt.Sprintf("the program %s was to print the key: ", quote(program)) + fmt.Sprintf(format, args...),
			Advice: "run it by hand, or name the key another way (env:NAME)"}
	}
	path, err := exec.LookPath(program)
	if err != nil || !filepath.IsAbs(path) {
		return "", fail("it is not on the PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, k.timeLimit)
	defer cancel()
	stdout, stderr := &limited{max: keyProgramStdout}, &limited{max: keyProgramStderr}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdout, stderr, keyProgramGrace
	ownGroup(cmd)
	err = cmd.Run()
	// A process that it left behind may hold the pipes; what counts is printed.
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		err = nil
	}
	key := strings.TrimRight(stdout.String(), "\r\n")
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fail("it was not done after %s%s", k.timeLimit, said(stderr, stdout))
	case err != nil:
		return "", fail("it failed (%v)%s", err, said(stderr, stdout))
	case stdout.more:
		return "", fail("expected a key, got more than %d bytes", keyProgramStdout)
	}
	return key, nil
}

// said is the end of an error: what the program wrote to standard error, in
// one line, without anything that it wrote to standard output.
func said(stderr, stdout *limited) string {
	secrets := strings.Fields(stdout.String())
	text, _ := mask.New(secrets...).String(stderr.String())
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return ""
	}
	return ": " + text
}

// limited keeps the beginning of what is written.
type limited struct {
	kept bytes.Buffer // not embedded: its ReadFrom knows no limit
	max  int
	more bool // something was not kept
}

func (l *limited) String() string { return l.kept.String() }

// Write never fails.
func (l *limited) Write(p []byte) (int, error) {
	room := min(l.max-l.kept.Len(), len(p))
	l.more = l.more || room < len(p)
	l.kept.Write(p[:room])
	return len(p), nil
}

// isProgramName tells whether a word names a program the same way from every
// folder.
func isProgramName(word string) bool {
	return filepath.IsAbs(word) || word != "." && word != ".." && !strings.ContainsAny(word, `/\`)
}
