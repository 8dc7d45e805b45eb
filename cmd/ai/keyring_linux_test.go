package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/internal/fakekeyring"
	"github.com/holic512/plugin-ai/internal/fakellm"
)

// startKeyring starts a bus, with a keyring or without.
func startKeyring(withKeyring bool) (k *fakekeyring.Keyring, stop func(), err error) {
	folder, err := os.MkdirTemp("", "bus") // the path of a socket must be short
	if err != nil {
		return nil, nil, err
	}
	k, err = fakekeyring.Start(context.Background(), folder, withKeyring)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	return k, func() { k.Close(); _ = os.RemoveAll(folder) }, nil
}

// TestKeyringScripts runs scripts that have a keyring on a bus of their own.
func TestKeyringScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "keyring"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("LANG", "C.UTF-8")
			for name, withKeyring := range map[string]bool{"DBUS_SESSION_BUS_ADDRESS": true, "EMPTY_BUS": false} {
				k, stop, err := startKeyring(withKeyring)
				if errors.Is(err, fakekeyring.ErrNoBus) {
					t.Skip(err)
				}
				if err != nil {
					return err
				}
				env.Defer(stop)
				env.Setenv(name, k.Address)
			}
			return os.MkdirAll(home, 0o700)
		},
	})
}

// TestKeyIsTypedUnseen types a key into a terminal.
func TestKeyIsTypedUnseen(t *testing.T) {
	t.Parallel()
	k, stop, err := startKeyring(true)
	if errors.Is(err, fakekeyring.ErrNoBus) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	cmd := command(t, fakellm.New(t), "model", "key", "work")
	cmd.Env = append(cmd.Env, "DBUS_SESSION_BUS_ADDRESS="+k.Address)
	s := open(t, cmd)
	before := modes(t, s.tty)
	s.await("it is not shown")
	look, deadline := time.NewTicker(time.Millisecond), time.After(patience)
	defer look.Stop()
	for modes(t, s.tty).Lflag&unix.ECHO != 0 {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal("the terminal never stops showing what is typed")
		}
	}
	s.press("sk-planted-0123456789\r")
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := k.Keys()["ai/work"]; got != "sk-planted-0123456789" {
		t.Errorf("the keyring has %q", got)
	}
	if after := modes(t, s.tty); after.Lflag != before.Lflag {
		t.Errorf("the terminal was %+v and is %+v", before, after)
	}
	for {
		s.mu.Lock()
		text := s.text.String()
		s.mu.Unlock()
		if strings.Contains(text, "planted") {
			t.Fatalf("the key is shown:\n%s", text)
		}
		if strings.Contains(text, "stored in the keyring") {
			return
		}
		select {
		case <-s.more:
		case <-deadline:
			t.Fatalf("nothing is said:\n%s", text)
		}
	}
}
