//go:build unix

package config

import "os"

// syncDir makes sure that a rename in a folder survives a crash.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	// Some file systems cannot sync a folder; the file itself is safe.
	_ = d.Sync()
	return nil
}
