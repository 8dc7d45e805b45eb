package terminal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxHistory is how many entries are kept.
const maxHistory = 1000

// A history is what was typed before, the oldest first, each once. In its
// file each line is one entry, with \n and \\ for a line feed and a
// backslash.
type history struct {
	path    string // "" keeps nothing
	mask    func(string) string
	entries []string
}

// loadHistory reads the file. A missing one is an empty history.
func loadHistory(path string, mask func(string) string) (*history, error) {
	h := &history{path: path, mask: mask}
	if mask == nil {
		h.mask = func(s string) string { return s }
	}
	if path == "" {
		return h, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return h, nil
		}
		return h, err
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		lines++
		h.remember(historyUnescape(strings.TrimRight(line, "\r\n")))
	}
	if lines > 2*maxHistory {
		return h, h.rewrite()
	}
	return h, nil
}

func historyUnescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(s)
}

func historyEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", "").Replace(s)
}

func (h *history) remember(s string) bool {
	if strings.TrimSpace(s) == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == s {
		return false
	}
	h.entries = slices.DeleteFunc(h.entries, func(e string) bool { return e == s })
	h.entries = append(h.entries, s)
	h.entries = h.entries[max(len(h.entries)-maxHistory, 0):]
	return true
}

// add keeps what was typed, with its secrets masked.
func (h *history) add(s string) error {
	s = h.mask(strings.ToValidUTF8(s, "\ufffd"))
	if !h.remember(s) || h.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(historyEscape(s) + "\n")
	return errors.Join(err, f.Close())
}

// rewrite puts the entries that are kept in place of the file.
func (h *history) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.path), ".history-*") // is made with 0600
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range h.entries {
		b.WriteString(historyEscape(e) + "\n")
	}
	_, err = f.WriteString(b.String())
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), h.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
