package config_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/config"
)

// script makes a program of the PATH's shell in a folder of its own and gives
// the reference to it.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no sh")
	}
	path := filepath.Join(t.TempDir(), "get-key")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return "cmd:" + path
}

// withKey is a user of a server whose key is a reference.
func withKey(ref string) user {
	return user{providers: fmt.Sprintf(`{"schema_version": "1.0.0", "providers": [{"name": "box", "baseUrl": "http://box.test/v1", "defaultModel": "m", "apiKey": %q}]}`, ref)}
}

func TestKeyOfProgram(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script, want string
		says               []string
	}{
		{name: "one line", script: `echo sk-printed`, want: "sk-printed"},
		{name: "without a newline", script: `printf sk-printed`, want: "sk-printed"},
		{name: "CRLF", script: `printf 'sk-printed\r\n'`, want: "sk-printed"},
		{name: "says something besides", script: `echo hello >&2; echo sk-printed`, want: "sk-printed"},
		{name: "leaves a process behind", script: "sleep 3 & echo sk-printed", want: "sk-printed"},
		{name: "nothing", script: `:`, says: []string{"got nothing", "get-key"}},
		{name: "several lines", script: `echo sk-leaked; echo user: me`, says: []string{"2 lines"}},
		{name: "blanks", script: `echo 'sk-leaked is it'`, says: []string{"another text"}},
		{name: "escapes", script: `printf 'sk-leaked\033[2J'`, says: []string{"another text"}},
		{name: "fails", script: `echo sk-leaked; echo "the vault is locked: sk-leaked" >&2; exit 3`, says: []string{"get-key", "exit status 3", "the vault is locked"}},
		{name: "fails without a word", script: `exit 3`, says: []string{"get-key", "exit status 3"}},
		{name: "a terminal's escapes", script: `printf 'no \033[31mway\033[0m\nnext' >&2; exit 1`, says: []string{"no [31mway [0m next"}},
		{name: "another key in the error", script: `echo "token ghp_abcdefghijklmnopqrstuvwxyz0123456789 expired" >&2; exit 1`, says: []string{"expired"}},
		{name: "a flood", script: `while :; do echo sk-leaked-sk-leaked-sk-leaked-sk-leaked; done | head -c 100000`, says: []string{"more than 16384 bytes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := load(t, withKey(script(t, tt.script)))
			if err := s.Ready(); err != nil || !s.Target.HasKey() || s.Target.APIKey != "" {
				t.Fatalf("before it is needed: %v, %+v", err, s.Target)
			}
			key, err := s.Key(t.Context())
			if tt.want != "" {
				if err != nil || string(key) != tt.want {
					t.Fatalf("got %q, %v", string(key), err)
				}
				return
			}
			var e *config.Error
			if !errors.As(err, &e) || e.Kind != config.ErrCredentials || key != "" {
				t.Fatalf("got %q, %v", string(key), err)
			}
			for _, says := range tt.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			if strings.Contains(err.Error(), "sk-leaked") || strings.Contains(err.Error(), "ghp_abcdefghijklm") || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%q shows too much", err)
			}
		})
	}
	t.Run("not there", func(t *testing.T) {
		t.Parallel()
		_, err := load(t, withKey("cmd:no-such-program-here --token sk-leaked")).Key(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no-such-program-here") || !strings.Contains(err.Error(), "PATH") || strings.Contains(err.Error(), "sk-leaked") {
			t.Errorf("got %v", err)
		}
	})
}

// A program runs when the key is needed, and once, whether it succeeds or not.
func TestProgramRunsOnce(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"echo sk-k", "exit 1"} {
		runs := filepath.Join(t.TempDir(), "runs")
		src := withKey(script(t, "echo x >>"+runs+"\n"+end)).sources(t)
		src.Keys = config.NewKeyCache()
		var settings []*config.Settings
		for range 2 {
			s, err := config.Load(src)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.List(); err != nil {
				t.Fatal(err)
			}
			settings = append(settings, s)
		}
		config.Inspect(src)
		if _, err := os.Stat(runs); err == nil {
			t.Fatal("it ran before the key was needed")
		}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				key, err := settings[i%2].Key(t.Context())
				if succeeds := end != "exit 1"; (err == nil) != succeeds || (key == "sk-k") != succeeds {
					t.Errorf("got %q, %v", string(key), err)
				}
			})
		}
		wg.Wait()
		if text := read(t, runs); text != "x\n" {
			t.Errorf("it ran %d times", strings.Count(text, "x"))
		}
	}
}

func TestProgramThatHangs(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	src := withKey(script(t, "echo sk-leaked; echo waiting for the token >&2\nsleep 1000 >"+fifo+" &\nwait")).sources(t)
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	src.Keys = config.WithTimeLimit(3 * time.Second)
	s, err := config.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(fifo) // until nobody has it open any more
		ended <- err
	}()
	_, err = s.Key(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not done after 3s") || !strings.Contains(err.Error(), "waiting for the token") || strings.Contains(err.Error(), "sk-leaked") {
		t.Errorf("got %v", err)
	}
	if err := <-ended; err != nil { // what it started ended with it
		t.Error(err)
	}

	// Who gives up may ask again.
	src.Keys = config.NewKeyCache()
	if s, err = config.Load(src); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Key(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ok := withKey(script(t, "echo sk-k")).sources(t)
	if s, err = config.Load(ok); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Key(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if key, err := s.Key(t.Context()); err != nil || key != "sk-k" {
		t.Errorf("asked again: %q, %v", string(key), err)
	}
}

// The environment stands above the file, also above a program that it names.
func TestKeyPriority(t *testing.T) {
	t.Parallel()
	program := script(t, "echo sk-of-program")
	tests := []struct {
		name, ref string
		set       []string
		env       map[string]string
		want      string
		origin    string
	}{
		{"flag first", "sk-file", []string{"apiKey=sk-flag"}, map[string]string{"PAI_BOX_API_KEY": "p", "BOX_API_KEY": "o"}, "sk-flag", "flag --set apiKey"},
		{"the last flag counts", "sk-file", []string{"apiKey=sk-1", "apiKey=sk-2"}, nil, "sk-2", "flag --set apiKey"},
		{"flag names a variable", "sk-file", []string{"apiKey=env:OTHER"}, map[string]string{"PAI_BOX_API_KEY": "p", "OTHER": "sk-other"}, "sk-other", "flag --set apiKey"},
		{"flag names a program", "sk-file", []string{"apiKey=" + program}, map[string]string{"PAI_BOX_API_KEY": "p"}, "sk-of-program", "flag --set apiKey"},
		{"PAI_ variable", "sk-file", nil, map[string]string{"PAI_BOX_API_KEY": "p", "BOX_API_KEY": "o"}, "p", "environment PAI_BOX_API_KEY"},
		{"own variable", "sk-file", nil, map[string]string{"BOX_API_KEY": "o"}, "o", "environment BOX_API_KEY"},
		{"named variable before the own one", "env:NAMED", nil, map[string]string{"NAMED": "n", "BOX_API_KEY": "o"}, "n", "environment NAMED"},
		{"variable over program", program, nil, map[string]string{"BOX_API_KEY": "o"}, "o", "environment BOX_API_KEY"},
		{"program", program, nil, nil, "sk-of-program", "file "},
		{"file", "sk-file", nil, map[string]string{"OPENAI_API_KEY": "other"}, "sk-file", "file "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := withKey(tt.ref)
			u.env, u.flags.Set = tt.env, tt.set
			s := load(t, u)
			key, err := s.Key(t.Context())
			if err != nil || string(key) != tt.want || !strings.HasPrefix(s.Origin("apiKey").String(), tt.origin) {
				t.Errorf("got %q from %q, %v", string(key), s.Origin("apiKey"), err)
			}
		})
	}
}
