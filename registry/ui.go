package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// UI says how a plugin can be used, with SlothTool's own defaults.
type UI struct {
	CLI         bool     // it has plain commands
	TUI         bool     // it has a full-screen mode
	DefaultMode string   // what it does without arguments: "cli" or "tui"
	TUIFlag     string   // opens the screen
	CompatFlags []string // open it too
}

func plainUI() UI { return UI{CLI: true, DefaultMode: "cli", TUIFlag: "--tui"} }

// uiOf reads the members of a package.json's "slothtool": "ui", or the older
// "interactive" and "interactiveFlag".
func uiOf(own map[string]jsontext.Value) UI {
	ui := plainUI()
	switch meta := own["ui"]; {
	case truthy(meta):
		object, _ := members(meta)
		ui.CLI = string(object["cli"]) != "false"
		ui.TUI = string(object["tui"]) == "true"
		if str(object["defaultMode"]) == "tui" {
			ui.DefaultMode = "tui"
		}
		if flag := str(object["tuiFlag"]); flag != "" {
			ui.TUIFlag = flag
		}
		for _, element := range elements(object["compatFlags"]) {
			if flag := str(element); flag != "" {
				ui.CompatFlags = append(ui.CompatFlags, flag)
			}
		}
	case truthy(own["interactive"]):
		ui.TUI, ui.TUIFlag = true, "-i"
		if flag := str(own["interactiveFlag"]); flag != "" {
			ui.TUIFlag = flag
		}
		ui.CompatFlags = []string{ui.TUIFlag, "--interactive"}
	}
	return ui
}

// Opens says in words why a run with these arguments would open the plugin's
// own screen; "" where it would not. Arguments after "--" are data.
func (u UI) Opens(args []string) (why string) {
	if !u.TUI {
		return ""
	}
	if len(args) == 0 && u.DefaultMode == "tui" {
		return "without arguments it opens its own screen"
	}
	flags := append([]string{u.TUIFlag, "-i", "--interactive", "--tui"}, u.CompatFlags...)
	for _, arg := range args {
		if arg == "--" {
			return ""
		}
		name, _, _ := strings.Cut(arg, "=")
		if slices.Contains(flags, arg) || slices.Contains(flags, name) {
			return fmt.Sprintf("its argument %q opens its own screen", arg)
		}
	}
	return ""
}
