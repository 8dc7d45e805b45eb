//go:build unix && !darwin

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// keyringReachable tells why no keyring can be asked. Without a session bus
// the keyring's library would start one and leave it running.
func keyringReachable() error {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return nil
	}
	folder := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return nil
		}
	}
	return errors.New("no session bus runs (DBUS_SESSION_BUS_ADDRESS is not set)")
}
