package config

import (
	"path/filepath"
	"runtime"
)

// Dirs are the folders that belong to the user. None of them need exist.
type Dirs struct {
	Sloth  string // ~/.slothtool: ai.json, llm-base.json, the plugin registry
	Config string // pai's: default.json
	Cache  string // what can be made again
	State  string // sessions, histories, backups
}

// Settings is the path of ai.json.
func (d Dirs) Settings() string { return filepath.Join(d.Sloth, "plugin-configs", "ai.json") }

// LLMBase is the path of llm-base.json.
func (d Dirs) LLMBase() string { return filepath.Join(d.Sloth, "plugin-configs", "llm-base.json") }

// Registry is the path of SlothTool's registry.json.
func (d Dirs) Registry() string { return filepath.Join(d.Sloth, "registry.json") }

// Plugins is the folder that SlothTool installs plugins into.
func (d Dirs) Plugins() string { return filepath.Join(d.Sloth, "plugins") }

// PluginData is the folder where plugins keep what they write.
func (d Dirs) PluginData() string { return filepath.Join(d.Sloth, "data") }

// Providers is the path of default.json where none is named.
func (d Dirs) Providers() string { return filepath.Join(d.Config, "default.json") }

// FindDirs says where the folders are. XDG variables count on every system,
// unless they are relative. Without them the folders are below home:
// .config/pai, .cache/ai and .local/state/ai; on Windows the last two are in
// %LOCALAPPDATA%\ai.
func FindDirs(home string, getenv func(string) string) Dirs {
	return findDirs(runtime.GOOS, home, getenv)
}

func findDirs(goos, home string, getenv func(string) string) Dirs {
	cache, state := filepath.Join(home, ".cache", "ai"), filepath.Join(home, ".local", "state", "ai")
	if local := getenv("LOCALAPPDATA"); goos == "windows" && filepath.IsAbs(local) {
		cache, state = filepath.Join(local, "ai", "cache"), filepath.Join(local, "ai", "state")
	}
	xdg := func(name, program, fallback string) string {
		if dir := getenv(name); filepath.IsAbs(dir) {
			return filepath.Join(dir, program)
		}
		return fallback
	}
	return Dirs{
		Sloth:  filepath.Join(home, ".slothtool"),
		Config: xdg("XDG_CONFIG_HOME", "pai", filepath.Join(home, ".config", "pai")),
		Cache:  xdg("XDG_CACHE_HOME", "ai", cache),
		State:  xdg("XDG_STATE_HOME", "ai", state),
	}
}
