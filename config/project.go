package config

import (
	"path/filepath"
)

// A Project is what a project's own file says: it narrows what the user
// allows and never widens it. The schema "project" says what each field is.
type Project struct {
	Path            string   `json:"-"`
	AllowedPrograms []string `json:"allowedPrograms"` // nil is nothing said
	AllowNetwork    *bool    `json:"allowNetwork"`
	AllowWrite      *bool    `json:"allowWrite"`
	Deny            []string `json:"deny"`
	Ask             []string `json:"ask"`
	SecretPaths     []string `json:"secretPaths"`
}

// projectFile is where a project keeps its settings.
func projectFile(dir string) string { return filepath.Join(dir, ".ai", "config.json") }

// readProject finds the nearest project file, from the working folder up.
func (s *Settings) readProject(dir string) error {
	for dir != "" {
		path := projectFile(dir)
		text, err := readFile(path)
		if err != nil {
			s.Files = append(s.Files, File{Role: "project", Path: path, Found: true, Err: err})
			return err
		}
		if text == nil {
			parent := filepath.Dir(dir)
			if parent == dir {
				return nil
			}
			dir = parent
			continue
		}
		p := &Project{Path: path}
		if err := parseProject(path, text, p); err != nil {
			s.Files = append(s.Files, File{Role: "project", Path: path, Found: true, Err: err})
			return err
		}
		s.Files = append(s.Files, File{Role: "project", Path: path, Found: true})
		s.narrow(p)
		return nil
	}
	return nil
}

func parseProject(path string, text []byte, p *Project) error {
	value, err := parse(path, text)
	if err != nil {
		return err
	}
	if err := check(ErrSetting, path, "project", value); err != nil {
		return err
	}
	return decode(ErrSetting, path, text, p)
}

// narrow applies a project's file. Lists of commands and programs stay apart,
// so that a judgement can say whose rule it was.
func (s *Settings) narrow(p *Project) {
	s.Project = p
	if p.AllowNetwork != nil && !*p.AllowNetwork && s.AllowNetwork {
		s.AllowNetwork, s.origins["allowNetwork"] = false, fromFile(p.Path)
	}
	if p.AllowWrite != nil && !*p.AllowWrite && s.AllowWrite {
		s.AllowWrite, s.origins["allowWrite"] = false, fromFile(p.Path)
	}
	s.SecretPaths = append(s.SecretPaths, p.SecretPaths...)
}
