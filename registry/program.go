package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Program gives the real path of the plugin's program. It must be a file, and
// after all links are followed lie inside the folder into which SlothTool
// installs plugins (~/.slothtool/plugins): an entry that names another file is
// nothing that SlothTool wrote, and is never run.
func (p Plugin) Program(plugins string) (string, error) {
	if !filepath.IsAbs(p.BinPath) {
		return "", p.unusable("expected an absolute path", nil)
	}
	bin, err := filepath.EvalSymlinks(p.BinPath)
	if errors.Is(err, fs.ErrNotExist) {
		return "", p.unusable("expected a file, got nothing", err)
	}
	if err != nil {
		return "", p.unusable("the file cannot be reached", err)
	}
	folder, err := filepath.EvalSymlinks(plugins)
	if err != nil {
		return "", p.unusable(fmt.Sprintf("the folder of installed plugins, %q, cannot be reached", plugins), err)
	}
	if inside, err := filepath.Rel(folder, bin); err != nil || !filepath.IsLocal(inside) {
		return "", p.unusable(fmt.Sprintf("expected a file inside %q, got %q", folder, bin), nil)
	}
	info, err := os.Stat(bin)
	if err != nil {
		return "", p.unusable("the file cannot be reached", err)
	}
	if !info.Mode().IsRegular() {
		return "", p.unusable(fmt.Sprintf("expected a file, got %v", info.Mode().Type()), nil)
	}
	return bin, nil
}

func (p Plugin) unusable(why string, err error) error {
	err = wrap(fmt.Sprintf("plugin %q: its program %q: %s", p.Alias, p.BinPath, why), err)
	if name := clean(p.Alias); name != "" {
		return fmt.Errorf("%w; `slothtool list` shows what is installed, and `slothtool uninstall %s` (which forgets its settings) followed by `slothtool install %s` puts the plugin back", err, name, name)
	}
	return fmt.Errorf("%w; `slothtool list` shows what is installed", err)
}

func wrap(text string, err error) error {
	if err == nil {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %w", text, err)
}
