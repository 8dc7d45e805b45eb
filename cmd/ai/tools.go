package main

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/config"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/registry"
	"github.com/holic512/plugin-ai/sandbox"
)

// tools are what judges steps and carries them out.
type tools struct {
	engine  *policy.Engine
	box     *sandbox.Sandbox // nil where there is none
	exec    *executors.Exec
	plugins *registry.Source
	files   *jsonfile.Editor
}

// tools builds them from the settings. grace is how long a step has to end when
// it is told to; 0 is the usual time.
func (a *app) tools(s *config.Settings, grace time.Duration) (*tools, error) {
	t := &tools{plugins: registry.Open(s.Dirs.Registry()), files: a.files(s)}
	var err error
	if t.engine, err = a.engine(s); err != nil {
		return nil, err
	}
	if t.box, err = a.sandbox(s, t.engine); err != nil {
		return nil, err
	}
	t.exec, err = executors.NewExec(executors.ExecConfig{
		MaxTailBytes: s.MaxTailBytes, MaxTailLines: s.MaxTailLines,
		Timeout:  time.Duration(s.StepTimeoutSeconds) * time.Second,
		Grace:    grace,
		SpoolDir: filepath.Join(s.Dirs.Cache, "output"), SpoolLimit: s.SpoolLimitBytes, Sandbox: t.box,
	})
	return t, err
}

// files is what changes settings files and takes changes back.
func (a *app) files(s *config.Settings) *jsonfile.Editor {
	schemas := map[string]string{
		s.Dirs.Settings(): "config",
		filepath.Join(s.Dirs.Sloth, "settings.json"): "slothtool_settings",
	}
	if s.Project != nil {
		schemas[s.Project.Path] = "project"
	}
	return jsonfile.New(jsonfile.Config{
		Home: a.home, Sloth: s.Dirs.Sloth, Editable: s.EditablePaths,
		Own: []string{s.Dirs.State, s.Dirs.Cache},
		Schema: func(path string) string {
			for known, schema := range schemas {
				if oneFile(known, path) {
					return schema
				}
			}
			return ""
		},
	})
}

// yesIsEnough tells whether the person said of a file that --yes is enough to
// change it.
func (a *app) yesIsEnough(s *config.Settings) func(path string) bool {
	return func(path string) bool {
		for _, listed := range s.YesPaths {
			if rest, ok := strings.CutPrefix(listed, "~/"); ok {
				listed = filepath.Join(a.home, rest)
			}
			if oneFile(listed, path) {
				return true
			}
		}
		return false
	}
}
