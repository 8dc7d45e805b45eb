package jsonfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// suffix is how the names of settings files end.
const suffix = ".json"

// place gives the real path of the file that is meant, where it may be
// changed. dir is what a relative path is relative to.
func (e *Editor) place(path, dir string) (string, error) {
	abs, err := e.absolute(path, dir)
	if err != nil {
		return "", err
	}
	real, err := realPath(abs)
	if err != nil {
		return "", err
	}
	if err := e.forbidden(abs, real); err != nil {
		return "", err
	}
	if found, ok := e.allowed(real); ok {
		return found, nil
	}
	message := "expected one of the settings files that may be changed, got another file"
	if real != abs {
		message = "expected one of the settings files that may be changed, got a path that leads to " + real
	}
	return "", &Error{Kind: KindPlace, Path: abs, Message: message, Advice: "these may be changed: " + strings.Join(e.places(), ", ") +
		"; a person can add a file to editablePaths"}
}

// places names what may be changed, for people.
func (e *Editor) places() []string {
	return append([]string{
		filepath.Join(e.cfg.Sloth, "settings.json"),
		filepath.Join(e.cfg.Sloth, "plugin-configs", "*"+suffix),
		filepath.Join(e.cfg.Sloth, "data", "plugin-configs", "*"+suffix),
	}, e.cfg.Editable...)
}

// absolute writes a path out.
func (e *Editor) absolute(path, dir string) (string, error) {
	rest, home := strings.CutPrefix(path, "~")
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return "", &Error{Kind: KindPlace, Path: strings.ReplaceAll(path, "\x00", "?"), Message: "expected the path of a file"}
	case home && rest != "" && !os.IsPathSeparator(rest[0]):
		return "", &Error{Kind: KindPlace, Path: path, Message: "expected ~/ for the own home folder, got another person's", Advice: "write the whole path"}
	case home:
		return filepath.Join(e.cfg.Home, rest), nil
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	case !filepath.IsAbs(dir):
		return "", &Error{Kind: KindPlace, Path: path, Message: "expected an absolute path or one that begins with ~/"}
	}
	return filepath.Join(dir, path), nil
}

// realPath follows every link of a path whose end need not exist.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fileError(path, "it cannot be found", err)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		to, _ := os.Readlink(path)
		return "", &Error{Kind: KindPlace, Path: path, Message: "expected a file, got a link to " + to + ", which is not there",
			Advice: "make the file there, or remove the link"}
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	real, err = realPath(parent)
	return filepath.Join(real, filepath.Base(path)), err
}

// forbidden says why a file may never be changed, whoever listed it.
func (e *Editor) forbidden(abs, real string) error {
	sloth, err := realPath(e.cfg.Sloth)
	if err != nil {
		return err
	}
	registry := filepath.Join(sloth, "registry.json")
	if same(real, registry) || strings.EqualFold(real, registry) {
		return &Error{Kind: KindPlace, Path: abs, Message: "expected a settings file, got SlothTool's list of installed plugins",
			Advice: "install and remove plugins with slothtool"}
	}
	for _, own := range append([]string{e.cfg.Backups}, e.cfg.Own...) {
		folder, err := realPath(own)
		if err != nil {
			return err
		}
		for at := real; ; at = filepath.Dir(at) {
			if same(at, folder) {
				return &Error{Kind: KindPlace, Path: abs, Message: "expected a settings file, got one that this program keeps for itself in " + own}
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// allowed tells whether a real path may be changed, and gives it as it is
// spelled in its folder.
func (e *Editor) allowed(real string) (string, bool) {
	sloth, err := realPath(e.cfg.Sloth)
	if err != nil {
		return "", false
	}
	if settings := filepath.Join(sloth, "settings.json"); same(real, settings) {
		return settings, true
	}
	name := filepath.Base(real)
	if len(name) > len(suffix) && strings.HasSuffix(name, suffix) && name[0] != '.' {
		for _, folder := range []string{filepath.Join(sloth, "plugin-configs"), filepath.Join(sloth, "data", "plugin-configs")} {
			if same(filepath.Dir(real), folder) {
				return filepath.Join(folder, spelling(folder, name)), true
			}
		}
	}
	for _, listed := range e.cfg.Editable {
		abs, err := e.absolute(listed, "")
		if err != nil {
			continue
		}
		if path, err := realPath(abs); err == nil && same(real, path) {
			return path, true
		}
	}
	return "", false
}

// same tells that two paths are one file or folder, also where the file
// system does not tell upper from lower case. A link is not what it leads to.
func same(a, b string) bool {
	if a == b {
		info, err := os.Lstat(b)
		return err != nil || info.Mode()&fs.ModeSymlink == 0
	}
	if !strings.EqualFold(a, b) {
		return false
	}
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	other, err := os.Lstat(b)
	return err == nil && os.SameFile(one, other) && one.Mode()&fs.ModeSymlink == 0
}

// spelling is a name as its folder has it.
func spelling(folder, name string) string {
	entries, err := os.ReadDir(folder)
	if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
		return name
	}
	for _, e := range entries {
		if same(filepath.Join(folder, e.Name()), filepath.Join(folder, name)) {
			return e.Name()
		}
	}
	return name
}
