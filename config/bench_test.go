package config_test

import (
	"path/filepath"
	"testing"

	"github.com/holic512/plugin-ai/config"
)

// Loading stands before every answer.
func BenchmarkLoad(b *testing.B) {
	for _, bb := range []struct{ name, settings string }{{"nothing", ""}, {"file", `{"allowWrite": false, "maxRepairs": 1}`}} {
		b.Run(bb.name, func(b *testing.B) {
			home := b.TempDir()
			if bb.settings != "" {
				write(b, filepath.Join(home, ".slothtool", "plugin-configs", "ai.json"), bb.settings)
			}
			src := config.Sources{Home: home, WorkingDir: home, Getenv: func(string) string { return "" }}
			for b.Loop() {
				if _, err := config.Load(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
