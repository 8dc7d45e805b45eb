package config_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/internal/fakekeyring"
)

// startKeyring starts a bus for this test's process, with or without a
// keyring.
func startKeyring(t *testing.T, withKeyring bool) *fakekeyring.Keyring {
	t.Helper()
	folder, err := os.MkdirTemp("", "bus") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	k, err := fakekeyring.Start(context.Background(), folder, withKeyring)
	if errors.Is(err, fakekeyring.ErrNoBus) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", k.Address)
	return k
}

// The keyring's library keeps one connection for the whole process, so that
// one test does it all with one bus.
func TestKeyring(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	if _, err := os.Stat("/run/user"); err != nil {
		refusesKeyring(t, "no session bus")
	}
	k := startKeyring(t, true)
	if err := config.KeyringAvailable(); err != nil {
		t.Fatal(err)
	}
	for _, set := range []struct {
		name string
		key  config.Secret
	}{{"work", "sk-old"}, {"work", "sk-work"}, {"公司", "sk-other"}} {
		if err := config.KeyringSet(t.Context(), set.name, set.key); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"ai/work": "sk-work", "ai/公司": "sk-other"}, k.Keys()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s := load(t, withKey("keyring:work"))
	if key, err := s.Key(t.Context()); err != nil || key != "sk-work" {
		t.Errorf("got %q, %v", string(key), err)
	}
	for key, says := range map[config.Secret]string{"": "got nothing", "a b": "another text", "sk-a\nsk-b": "2 lines"} {
		if err := config.KeyringSet(t.Context(), "work", key); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a key that is none: %v", err)
		}
	}
	if err := config.KeyringSet(t.Context(), "", "sk"); err == nil {
		t.Error("a key without a name")
	}
	if err := config.KeyringDelete(t.Context(), "work"); err != nil {
		t.Error(err)
	}
	refusesKeyring(t, `no key "work"`)
	if err := config.KeyringDelete(t.Context(), "work"); err == nil || !strings.Contains(err.Error(), `no key "work"`) {
		t.Errorf("deleted twice: %v", err)
	}

	k.Close()
	refusesKeyring(t, "env:NAME")
}

func refusesKeyring(t *testing.T, says string) {
	t.Helper()
	s := load(t, withKey("keyring:work"))
	if err := s.Ready(); err != nil {
		t.Fatal(err) // it is not asked before the key is needed
	}
	_, err := s.Key(t.Context())
	var e *config.Error
	if !errors.As(err, &e) || e.Kind != config.ErrCredentials || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want %q", err, says)
	}
}
