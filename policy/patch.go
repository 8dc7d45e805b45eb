package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// ruleLeash is hit by what would let the model loosen what holds it.
const ruleLeash = "own leash"

// freeMembers are the members of ai.json that hold nothing: how much is shown,
// kept and sent, who of those set up is asked, in which language. All other
// members are the leash, new ones as well until they stand here.
const freeMembers = "compaction defaultMode defaultProfile language maxDigestBytes maxRecentBytes maxRecentMessages maxRepairs maxRequestBytes maxRetries maxTailBytes maxTailLines spoolLimitBytes stepTimeoutSeconds"

// JudgePatch says what a change of a JSON settings file may do. It is always
// asked for; a change of what holds this program is refused. Which files may
// be changed at all is not judged here.
func (e *Engine) JudgePatch(s PatchStep) Judgement {
	tries := 0
	folder := filepath.Dir(s.Path)
	j := &judging{e: e, cwd: folder, tries: &tries, listed: true}
	e.requires(j, s.Requires)
	j.hit(protocol.Confirm, "config.json_patch", "changes the settings in "+clip(s.Path), protocol.FactWrite)
	j.writes = []string{s.Path}
	if !filepath.IsAbs(s.Path) || strings.IndexByte(s.Path, 0) >= 0 {
		j.hit(protocol.Block, ruleLeash, "the file "+clip(s.Path)+" is not named by an absolute path")
	} else {
		j.leash(&s)
		j.patchSecrets(&s)
	}
	out := Judgement{CWD: folder}
	e.conclude(j, &out)
	return out
}

// leash refuses changes of what holds this program.
func (j *judging) leash(s *PatchStep) {
	p, own := j.e.places(), j.e.opt.Own
	if p.err != nil {
		j.hit(protocol.Block, "broken rules", p.err.Error())
	}
	settings := own.Settings != "" && j.same(s.Path, own.Settings)
	if settings {
		free := strings.Fields(freeMembers)
		held := slices.DeleteFunc(slices.Clone(s.Members), func(m string) bool { return slices.Contains(free, m) })
		if len(held) > 0 {
			slices.Sort(held)
			key := "KEY"
			if len(held) == 1 {
				key = held[0]
			}
			j.hit(protocol.Block, ruleLeash, clip(strings.Join(held, ", "))+" in ai.json decides what may run, and only a person changes that: ai config set "+clip(key)+" VALUE")
		}
	}
	for _, held := range own.Held {
		if j.inside(s.Path, held.Path) {
			instead := held.Instead
			if instead == "" {
				instead = "by hand"
			}
			j.hit(protocol.Block, ruleLeash, clip(s.Path)+" holds this program, and only a person changes it: "+instead)
		}
	}
	for _, path := range []string{filepath.Clean(s.Path), j.real(s.Path)} {
		names := split(path)
		n := len(names)
		switch {
		case p.guarded.in(names) && !settings:
			j.hit(protocol.Block, ruleLeash, clip(path)+" holds this program, and only a person changes it: by hand")
		case n > 1 && names[n-2] == ".ai" && names[n-1] == "config.json":
			j.hit(protocol.Block, ruleLeash, clip(path)+" is what a project narrows this program by, and only a person changes it: by hand")
		}
	}
}

// patchSecrets judges whether keys are changed, and shown by that. In the file
// of llm-base only the profiles hold some.
func (j *judging) patchSecrets(s *PatchStep) {
	p := j.e.places()
	info, err := j.e.files.Stat(s.Path)
	if err != nil {
		info = nil
	}
	names := split(s.Path)
	if !p.secret(s.Path, names, info) {
		return
	}
	if len(names) > 0 && names[len(names)-1] == "llm-base.json" && !slices.Contains(s.Members, "profiles") {
		return
	}
	j.hit(protocol.Confirm, "secrets", clip(s.Path)+" is a place of keys or credentials", protocol.FactSecrets)
}

// same says whether two paths are one file: by their names, in which case
// never counts, or because the file system says so.
func (j *judging) same(path, other string) bool {
	if strings.EqualFold(j.real(path), j.real(other)) {
		return true
	}
	a, err := j.e.files.Stat(path)
	if err != nil {
		return false
	}
	b, err := j.e.files.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// inside says whether a path is another or lies below it.
func (j *judging) inside(path, root string) bool {
	for path = filepath.Clean(path); !j.same(path, root); {
		up := filepath.Dir(path)
		if up == path {
			return false
		}
		path = up
	}
	return true
}
