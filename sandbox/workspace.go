package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// Workspace gives the folders that work in a folder may have to change: the
// folder, the git repository around it, and where that keeps its data if it is
// elsewhere. What a repository says of that is believed only where the other
// place says the same.
func Workspace(dir string) []string {
	folders := []string{dir}
	for up := filepath.Clean(dir); ; up = filepath.Dir(up) {
		git := filepath.Join(up, ".git")
		info, err := os.Lstat(git)
		switch {
		case err == nil && info.IsDir():
			return append(folders, up)
		case err == nil && info.Mode().IsRegular():
			return append(append(folders, up), linkedData(up, git)...)
		case up == filepath.Dir(up):
			return folders
		}
	}
}

// linkedData finds the data of a linked worktree, whose .git is a file.
func linkedData(up, git string) []string {
	data, ok := strings.CutPrefix(firstLine(git), "gitdir: ")
	if !ok {
		return nil
	}
	data = absolute(up, data)
	common := firstLine(filepath.Join(data, "commondir"))
	if common == "" || absolute(data, firstLine(filepath.Join(data, "gitdir"))) != git {
		return nil
	}
	common = absolute(data, common)
	if filepath.Dir(filepath.Dir(data)) != common || filepath.Base(filepath.Dir(data)) != "worktrees" {
		return nil
	}
	return []string{common}
}

func firstLine(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8192 {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// Caches are the folders below a home folder in which builders and package
// managers keep what they can make or fetch again. Programs that are found by
// PATH are in none of them.
func Caches(home string) []string {
	var folders []string
	for _, name := range []string{
		".cache", "Library/Caches", "go/pkg", ".npm", ".yarn/cache", ".local/share/pnpm/store", ".cargo/registry", ".cargo/git",
		".gradle/caches", ".m2/repository", ".nuget/packages",
	} {
		folders = append(folders, filepath.Join(home, filepath.FromSlash(name)))
	}
	return folders
}
