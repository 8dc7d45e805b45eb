package policy

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A command that reads the work tree of a git repository runs the filters
// that the repository's own settings name, and no argument prevents it. So
// the settings are read before such a command may run unasked.

// probeGit raises the level where the settings of the repository around the
// working directory can start a program or point elsewhere.
func (j *judging) probeGit() {
	for at := j.real(j.cwd); ; at = filepath.Dir(at) {
		for _, gitDir := range j.gitDirs(at) {
			j.probeGitDir(at, gitDir)
		}
		if filepath.Dir(at) == at {
			return
		}
	}
}

func (j *judging) probeGitDir(at, gitDir string) {
	top, common := at, gitDir
	if gitDir == at {
		top = ""
	}
	if data, err := j.e.files.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		common = join(gitDir, strings.TrimSpace(string(data)))
	}
	probe := &gitProbe{j: j, top: top, gitDir: gitDir}
	probe.read(filepath.Join(common, "config"), 0)
	probe.read(filepath.Join(gitDir, "config.worktree"), 0)
}

// gitDirs gives what git may take for a repository at one folder: .git, and
// the folder itself. Git passes over what it finds broken and looks further
// up, so all that are found on the way count.
func (j *judging) gitDirs(at string) (dirs []string) {
	dot := filepath.Join(at, ".git")
	if info, err := j.e.files.Stat(dot); err == nil {
		if info.IsDir() {
			dirs = append(dirs, dot)
		} else if data, err := j.e.files.ReadFile(dot); err == nil {
			if target, ok := strings.CutPrefix(string(data), "gitdir:"); ok {
				dirs = append(dirs, join(at, strings.TrimSpace(target)))
			}
		}
	}
	if _, err := j.e.files.Stat(filepath.Join(at, "HEAD")); err == nil {
		for _, name := range []string{"objects", "commondir"} {
			if _, err := j.e.files.Stat(filepath.Join(at, name)); err == nil {
				return append(dirs, at)
			}
		}
	}
	return dirs
}

// join makes path absolute below base.
func join(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

type gitProbe struct {
	j           *judging
	top, gitDir string
}

// read looks through one file of settings and those it includes. A file that
// is there and cannot be read counts as a trap.
func (g *gitProbe) read(file string, depth int) {
	data, err := g.j.e.files.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil || depth > 8 || len(data) > 1<<20:
		g.trap("the repository's settings in " + clip(file) + " could not be read")
		return
	}
	section := ""
	text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\\\n", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		for strings.HasPrefix(line, "[") {
			head, rest, ok := cutHeader(line)
			if !ok {
				g.trap("the repository's settings could not be understood")
				return
			}
			section, line = head, strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, val, _ := strings.Cut(line, "=")
		g.setting(file, section, strings.ToLower(strings.TrimSpace(key)), unquote(val), depth)
	}
}

// setting judges one setting. section is in lower case, without its name.
func (g *gitProbe) setting(file, section, key, val string, depth int) {
	switch section {
	case "filter":
		if (key == "clean" || key == "process") && val != "" {
			g.trap("the repository's settings start a program (filter." + key + ")")
		}
	case "include", "includeif":
		if key != "path" {
			return
		}
		if rest, ok := strings.CutPrefix(val, "~/"); ok {
			val = filepath.Join(g.j.e.opt.Home, rest)
		}
		g.read(join(filepath.Dir(file), val), depth+1)
	case "core":
		if key == "worktree" && val != "" && g.j.real(join(g.gitDir, val)) != g.top {
			g.trap("the repository's settings put its files elsewhere (core.worktree)")
		}
	}
}

func (g *gitProbe) trap(why string) {
	g.j.hit(protocol.Confirm, "git.settings", why, protocol.FactCode)
}

// cutHeader reads [section "name"] or [section.name] and gives the section.
func cutHeader(line string) (section, rest string, ok bool) {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			head := strings.ToLower(strings.TrimSpace(line[1:i]))
			if end := strings.IndexAny(head, " \t.\""); end >= 0 {
				head = head[:end]
			}
			return head, line[i+1:], true
		}
	}
	return "", "", false
}

// unquote reads a value roughly: what is left of quotes and comments may be
// longer than what git sees, never empty where git sees something.
func unquote(val string) string {
	val = strings.TrimSpace(val)
	if !strings.Contains(val, `"`) {
		if i := strings.IndexAny(val, "#;"); i >= 0 {
			val = val[:i]
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(val, `"`, ""))
}

// probeFiles raises the level where a file stands here or above that makes
// the program start another.
func (j *judging) probeFiles(c *command) {
	for at := j.real(j.cwd); ; at = filepath.Dir(at) {
		for _, name := range c.TrapFiles {
			if _, err := j.e.files.Stat(filepath.Join(at, name)); err == nil {
				j.hit(protocol.Confirm, c.id+".settings", c.name+" is told by "+clip(filepath.Join(at, name))+" what to start", protocol.FactCode)
				return
			}
		}
		if filepath.Dir(at) == at {
			return
		}
	}
}
