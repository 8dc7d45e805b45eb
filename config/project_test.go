package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/config"
)

// A project narrows; what would widen is no setting of its file, whatever the
// value.
func TestProjectCannotWiden(t *testing.T) {
	t.Parallel()
	for _, member := range []string{
		`"safePlugins": {"loc": ["*"]}`, `"safePlugins": {}`, `"editablePaths": ["~/a.json"]`, `"yesPaths": ["~/a.json"]`,
		`"sandbox": "off"`, `"allowWrite": true`, `"maxAutoStepsPerTurn": 1000`,
	} {
		src := user{}.sources(t)
		src.WorkingDir = filepath.Join(src.Home, "work", "deep")
		write(t, filepath.Join(src.Home, "work", ".ai", "config.json"), "{"+member+"}")
		var e *config.Error
		key := strings.Split(member, `"`)[1]
		if _, err := config.Load(src); !errors.As(err, &e) || e.Kind != config.ErrSetting || !strings.Contains(err.Error(), "/"+key) {
			t.Errorf("%s: %v", member, err)
		}
	}
}
