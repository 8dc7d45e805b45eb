package policy

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/protocol"
)

// A trap is a repository whose settings start a program when git is not
// careful. The program makes a file called fired.
type trap struct {
	name  string
	build func(r *repo)
	// proof is a plain git command that fires the trap: without it the test
	// would show nothing.
	proof []string
	// asks are commands that must not be L0 here.
	asks []string
}

type repo struct {
	t     *testing.T
	dir   string
	home  string
	fired string
	bomb  string // a script that makes fired
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t: t, dir: filepath.Join(root, "work"), home: filepath.Join(root, "home"), fired: filepath.Join(root, "fired"), bomb: filepath.Join(root, "bomb")}
	for _, dir := range []string{r.dir, r.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.write(r.bomb, "#!/bin/sh\n: > '"+r.fired+"'\nexit 1\n", 0o755)
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.name", "t")
	r.git("config", "user.email", "t@example.com")
	r.file("a.txt", "one\n")
	r.file("src/b.txt", "two\n")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "first")
	r.file("a.txt", "one\nmore\n")
	r.git("commit", "-q", "-am", "second")
	r.git("tag", "v1")
	r.file("a.txt", "stashed\n")
	r.git("stash", "-q")
	return r
}

func (r *repo) write(path, text string, mode os.FileMode) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) file(name, text string) {
	r.t.Helper()
	r.write(filepath.Join(r.dir, name), text, 0o644)
}

// settings appends to the repository's settings.
func (r *repo) settings(text string) {
	r.t.Helper()
	r.append(".git/config", text)
}

func (r *repo) append(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	r.write(path, string(old)+strings.ReplaceAll(text, "BOMB", r.bomb), 0o644)
}

func (r *repo) run(args, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.WaitDelay = time.Second
	cmd.Dir = r.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_PAGER_IN_USE=0"}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.run(args, nil)
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (r *repo) hasFired() bool {
	_, err := os.Stat(r.fired)
	return err == nil
}

// dirty makes the work tree differ, with a new time on every file.
func (r *repo) dirty() { r.t.Helper(); r.file("a.txt", "changed\n"); r.file("src/b.txt", "two\n") }

func traps() []trap {
	return []trap{
		{name: "nothing", build: func(*repo) {}},
		{name: "fsmonitor", build: func(r *repo) { r.settings("[core]\n\tfsmonitor = BOMB\n") }, proof: []string{"status"}},
		{name: "hooks", build: func(r *repo) {
			for _, hook := range []string{"post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"} {
				r.write(filepath.Join(r.dir, ".git/hooks", hook), "#!/bin/sh\n: > '"+r.fired+"'\n", 0o755)
			}
		}, proof: []string{"update-index", "--refresh"}},
		{name: "hooksPath", build: func(r *repo) {
			r.write(filepath.Join(r.dir, "h/post-index-change"), "#!/bin/sh\n: > '"+r.fired+"'\n", 0o755)
			r.settings("[core]\n\thooksPath = h\n")
		}, proof: []string{"status"}},
		{name: "pager", build: func(r *repo) {
			r.settings("[core]\n\tpager = BOMB\n[pager]\n\tlog = BOMB\n\tstatus = BOMB\n\tdiff = BOMB\n\tbranch = BOMB\n\ttag = BOMB\n\tconfig = BOMB\n\tgrep = BOMB\n")
		}, proof: []string{"grep", "-O", "two"}},
		{name: "external diff", build: func(r *repo) { r.settings("[diff]\n\texternal = BOMB\n") }, proof: []string{"diff"}},
		{name: "diff driver", build: func(r *repo) {
			r.settings("[diff \"x\"]\n\tcommand = BOMB\n")
			r.append(".git/info/attributes", "* diff=x\n")
		}, proof: []string{"diff"}},
		{name: "text conversion", build: func(r *repo) {
			r.settings("[diff \"x\"]\n\ttextconv = BOMB\n")
			r.append(".git/info/attributes", "* diff=x\n")
		}, proof: []string{"show"}},
		{name: "text conversion of blame", build: func(r *repo) {
			r.settings("[diff \"x\"]\n\ttextconv = BOMB\n")
			r.file(".gitattributes", "* diff=x\n")
		}, proof: []string{"blame", "a.txt"}},
		{name: "clean filter", build: func(r *repo) {
			r.settings("[filter \"x\"]\n\tclean = BOMB\n")
			r.append(".git/info/attributes", "* filter=x\n")
		}, proof: []string{"diff"}, asks: []string{"git status", "git diff", "git diff HEAD", "git ls-files -m", "git blame a.txt", "git -C src status"}},
		{name: "filter above a broken repository", build: func(r *repo) {
			r.settings("[filter \"x\"]\n\tclean = BOMB\n")
			r.append(".git/info/attributes", "* filter=x\n")
			r.file("src/b.txt", "changed\n")
			if err := os.MkdirAll(filepath.Join(r.dir, "src/.git"), 0o755); err != nil {
				r.t.Fatal(err)
			}
		}, proof: []string{"-C", "src", "diff"}, asks: []string{"git -C src status"}},
		{name: "process filter", build: func(r *repo) {
			r.settings("[filter \"x\"]process=BOMB\n")
			r.append(".git/info/attributes", "* filter=x\n")
		}, proof: []string{"status"}, asks: []string{"git status", "git diff"}},
		{name: "included filter", build: func(r *repo) {
			r.settings("[include]\n\tpath = ../more\n")
			r.file("more", "[FILTER \"x\"] clean = "+r.bomb+"\n")
			r.append(".git/info/attributes", "* filter=x\n")
		}, proof: []string{"diff"}, asks: []string{"git status", "git diff"}},
		{name: "filter by condition", build: func(r *repo) {
			r.settings("[includeIf \"gitdir:**\"]\n\tpath = \"more settings\"\n")
			r.write(filepath.Join(r.dir, ".git/more settings"), "[filter \"x\"]\n\tclean = \\\n "+r.bomb+"\n", 0o644)
			r.append(".git/info/attributes", "* filter=x\n")
		}, proof: []string{"diff"}, asks: []string{"git status", "git diff"}},
		{name: "filter of a work tree", build: func(r *repo) {
			r.settings("[extensions]\n\tworktreeConfig = true\n")
			r.append(".git/config.worktree", "[filter \"x\"]\n\tclean = BOMB\n")
			r.append(".git/info/attributes", "* filter=x\n")
		}, proof: []string{"diff"}, asks: []string{"git status"}},
		{name: "work tree elsewhere", build: func(r *repo) { r.settings("[core]\n\tworktree = " + r.home + "\n") }, asks: []string{"git status", "git diff"}},
		{name: "signatures", build: func(r *repo) {
			signed := strings.Replace(r.git("cat-file", "commit", "HEAD"), "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n", 1)
			r.write(filepath.Join(r.home, "signed"), signed+"\n", 0o644)
			r.git("reset", "-q", "--soft", r.git("hash-object", "-t", "commit", "-w", filepath.Join(r.home, "signed")))
			r.settings("[gpg]\n\tprogram = BOMB\n[gpg \"openpgp\"]\n\tprogram = BOMB\n[log]\n\tshowSignature = true\n[format]\n\tpretty = evil\n[pretty]\n\tevil = %G? %GS %s\n")
		}, proof: []string{"log"}},
		{name: "lazy fetch", build: func(r *repo) {
			blob := r.git("rev-parse", "HEAD~1:a.txt")
			if err := os.Remove(filepath.Join(r.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
				r.t.Fatal(err)
			}
			r.settings("[remote \"origin\"]\n\turl = ext::BOMB\n\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialClone = origin\n[protocol \"ext\"]\n\tallow = always\n[protocol]\n\tallow = always\n")
		}, proof: []string{"log", "-p"}},
		{name: "lazy fetch by ssh", build: func(r *repo) {
			blob := r.git("rev-parse", "HEAD~1:a.txt")
			if err := os.Remove(filepath.Join(r.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
				r.t.Fatal(err)
			}
			r.settings("[core]\n\tsshCommand = BOMB\n[remote \"origin\"]\n\turl = ssh://x/y\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n")
		}, proof: []string{"log", "-p"}},
		{name: "sub-module", build: func(r *repo) {
			inner := filepath.Join(r.home, "inner")
			if out, err := r.run([]string{"init", "-q", inner}, nil); err != nil {
				r.t.Fatal(out)
			}
			r.write(filepath.Join(inner, "f.txt"), "x\n", 0o644)
			for _, args := range [][]string{{"-C", inner, "add", "."}, {"-C", inner, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "x"}} {
				r.git(args...)
			}
			r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub")
			r.git("commit", "-qm", "sub")
			r.append(".git/modules/sub/config", "[core]\n\tfsmonitor = BOMB\n[filter \"x\"]\n\tclean = BOMB\n[diff]\n\texternal = BOMB\n")
			r.append(".git/modules/sub/info/attributes", "* filter=x\n")
			r.file("sub/f.txt", "y\n")
			r.settings("[diff]\n\tsubmodule = diff\n\tignoreSubmodules = none\n[status]\n\tsubmoduleSummary = true\n[submodule \"sub\"]\n\tignore = none\n\tupdate = !BOMB\n")
		}, proof: []string{"status"}, asks: []string{"git -C sub status"}},
		{name: "alias and editor", build: func(r *repo) {
			r.settings("[alias]\n\tst = !BOMB\n\tstatus = !BOMB\n\tlog = !BOMB\n[core]\n\teditor = BOMB\n\taskPass = BOMB\n\talternateRefsCommand = BOMB\n[credential]\n\thelper = !BOMB\n[sequence]\n\teditor = BOMB\n[interactive]\n\tdiffFilter = BOMB\n")
		}, proof: []string{"st"}, asks: []string{"git st"}},
	}
}

// everyday are the git commands that run unasked in a harmless repository:
// all examples of the rules and of the corpus.
func everyday(t *testing.T) [][]string {
	t.Helper()
	data, err := builtIn.ReadFile("rules/git.json")
	if err != nil {
		t.Fatal(err)
	}
	var file ruleFile
	if err := decode(data, &file); err != nil {
		t.Fatal(err)
	}
	var lines []string
	collectExamples(t, file.Programs["git"], &lines)
	lines = append(lines, "git blame a.txt", "git show HEAD", "git log -p", "git diff HEAD~1", "git diff HEAD", "git show v1", "git stash show -p", "git diff --stat HEAD~1", "git grep -n one", "git cat-file -p HEAD:a.txt", "git submodule status", "git describe --always", "git ls-files -m", "git diff --word-diff", "git log --all -p --stat", "git reflog", "git diff-index -p HEAD", "git diff-files -p", "git diff-tree -p HEAD", "git shortlog -sn HEAD", "git log --graph --oneline --all", "git -C src status", "git -C src log -p .")
	var all [][]string
	for _, line := range lines {
		argv, err := exampleWords(line)
		if err != nil {
			t.Fatal(err)
		}
		if argv[0] == "git" {
			all = append(all, argv)
		}
	}
	return all
}

func collectExamples(t *testing.T, data []byte, lines *[]string) {
	t.Helper()
	c, err := newCommand(data, nil, "git")
	if err != nil {
		t.Fatal(err)
	}
	*lines = append(*lines, c.Examples.L0...)
	for _, sub := range c.Commands {
		collectExamples(t, sub, lines)
	}
}

func TestHostileRepositories(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	commands := everyday(t)
	for _, trap := range traps() {
		t.Run(trap.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			trap.build(r)
			if trap.proof != nil {
				r.dirty()
				_, _ = r.run(trap.proof, nil) // what it says does not matter
				if !r.hasFired() {
					t.Errorf("git %q did not fire the trap: the test shows nothing", trap.proof)
				}
				if err := os.RemoveAll(r.fired); err != nil {
					t.Fatal(err)
				}
			}
			e, err := New(open(Options{Home: r.home, Workspace: r.dir}))
			if err != nil {
				t.Fatal(err)
			}
			ran := 0
			for _, argv := range commands {
				r.dirty()
				j := e.Judge(Step{Program: "git", Args: argv[1:], CWD: r.dir})
				if j.Level != protocol.Safe {
					if trap.asks == nil {
						t.Errorf("%q is %v: %q", argv, j.Level, j.Reasons)
					}
					continue
				}
				if slices.Contains(trap.asks, strings.Join(argv, " ")) {
					t.Errorf("%q runs unasked", argv)
				}
				ran++
				out, err := r.run(j.Args, j.Env)
				if err != nil && trap.name == "nothing" && strings.Contains(out, "usage:") {
					t.Errorf("%q became %q, which git does not understand: %s", argv, j.Args, out)
				}
				if r.hasFired() {
					t.Errorf("%q fired the trap as %q %q", argv, j.Args, j.Env)
					if err := os.Remove(r.fired); err != nil {
						t.Fatal(err)
					}
				}
			}
			if ran < 20 {
				t.Errorf("only %d commands ran unasked", ran)
			}
			for _, line := range trap.asks {
				argv := strings.Fields(line)
				if j := e.Judge(Step{Program: argv[0], Args: argv[1:], CWD: r.dir}); j.Level == protocol.Safe {
					t.Errorf("%q runs unasked", line)
				}
			}
		})
	}
}
