package slothtree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The plugins of the tree, by alias.
const (
	Count = "count" // plain: counts lines; --json
	Notes = "notes" // opens a full screen without arguments; list, add, config show
	Table = "table" // declared the older way; --rows N, --fail N, --hang
)

// A Tree is SlothTool's folder in a home.
type Tree struct {
	Home     string
	Dir      string // Home/.slothtool
	Plugins  string // the folder of the installed plugins
	Registry string // registry.json
	Settings string // settings.json
}

// Plant copies the tree into a home folder, an absolute path. It may be called
// from a test of any package of this module. An entry of the registry that
// names the plugin's program is as absolute there as SlothTool writes it.
func Plant(home string) (Tree, error) {
	if !filepath.IsAbs(home) {
		return Tree{}, fmt.Errorf("slothtree: expected an absolute path, got %q", home)
	}
	source, err := source()
	if err != nil {
		return Tree{}, fmt.Errorf("slothtree: %w", err)
	}
	dir := filepath.Join(home, ".slothtool")
	t := Tree{
		Home: home, Dir: dir, Plugins: filepath.Join(dir, "plugins"),
		Registry: filepath.Join(dir, "registry.json"), Settings: filepath.Join(dir, "settings.json"),
	}
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return Tree{}, fmt.Errorf("slothtree: %w", err)
	}
	text, err := os.ReadFile(t.Registry)
	if err != nil {
		return Tree{}, fmt.Errorf("slothtree: %w", err)
	}
	quoted, err := jsontext.AppendQuote(nil, filepath.ToSlash(home))
	if err != nil {
		return Tree{}, fmt.Errorf("slothtree: the home folder %q: %w", home, err)
	}
	text = bytes.ReplaceAll(text, []byte("@HOME@"), quoted[1:len(quoted)-1])
	if err := os.WriteFile(t.Registry, text, 0o644); err != nil {
		return Tree{}, fmt.Errorf("slothtree: %w", err)
	}
	return t, nil
}

// Add installs another plugin: it copies a package's folder and writes the
// entry, as SlothTool does. The program is named relative to the folder.
func (t Tree) Add(alias, folder, program string) error {
	target := filepath.Join(t.Plugins, alias)
	if err := os.CopyFS(target, os.DirFS(folder)); err != nil {
		return fmt.Errorf("slothtree: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(target, "package.json"))
	if err != nil {
		return fmt.Errorf("slothtree: %w", err)
	}
	var manifest struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return fmt.Errorf("slothtree: %s: %w", folder, err)
	}
	var registry struct {
		Plugins map[string]jsontext.Value `json:"plugins"`
	}
	if text, err = os.ReadFile(t.Registry); err == nil {
		err = json.Unmarshal(text, &registry)
	}
	if err != nil {
		return fmt.Errorf("slothtree: %w", err)
	}
	registry.Plugins[alias], err = json.Marshal(map[string]string{
		"name": manifest.Name, "packageName": manifest.Name, "version": manifest.Version,
		"binPath": filepath.Join(target, filepath.FromSlash(program)), "installedAt": "2026-04-01T00:00:00.000Z",
		"sourceType": "offline-archive", "installTarget": "generic",
	}, json.Deterministic(true))
	if err == nil {
		text, err = json.Marshal(registry, json.Deterministic(true), jsontext.WithIndent("  "))
	}
	if err == nil {
		err = os.WriteFile(t.Registry, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("slothtree: %w", err)
	}
	return nil
}

// source finds the files: tests run in the folder of their package.
func source() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return filepath.Join(dir, "testdata", "slothtool"), nil
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return "", fmt.Errorf("expected to be inside the module, got %w", err)
		}
		dir = up
	}
}
