package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holic512/plugin-ai/internal/fakekeyring"
)

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
				folder, err := os.MkdirTemp("", "bus") //nolint:usetesting // the path of a socket must be short
				if err != nil {
					return err
				}
				env.Defer(func() { _ = os.RemoveAll(folder) })
				k, err := fakekeyring.Start(context.Background(), folder, withKeyring)
				if errors.Is(err, fakekeyring.ErrNoBus) {
					t.Skip(err)
				}
				if err != nil {
					return err
				}
				env.Defer(k.Close)
				env.Setenv(name, k.Address)
			}
			return os.MkdirAll(home, 0o700)
		},
	})
}
